package tortuga.bot;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import tortuga.v1.Choice;
import tortuga.v1.Fault;
import tortuga.v1.FromBot;
import tortuga.v1.Goodbye;
import tortuga.v1.Limits;
import tortuga.v1.MatchEnd;
import tortuga.v1.MatchStart;
import tortuga.v1.Note;
import tortuga.v1.Ready;
import tortuga.v1.Resign;
import tortuga.v1.ToBot;
import tortuga.v1.Welcome;

/** What a referee and a bot say in tests. */
final class Lines {
  private Lines() {}

  static ToBot welcome(int reconnectMillis, String resumeToken) {
    return ToBot.newBuilder()
        .setWelcome(
            Welcome.newBuilder().setReconnectMillis(reconnectMillis).setResumeToken(resumeToken))
        .build();
  }

  static ToBot start(int table, String matchId, boolean resumed) {
    return start(table, matchId, 0, resumed);
  }

  static ToBot start(int table, String matchId, int seat, boolean resumed) {
    return ToBot.newBuilder()
        .setTable(table)
        .setMatchStart(
            MatchStart.newBuilder()
                .setMatchId(matchId)
                .setSeat(seat)
                .setGame("broadsides")
                .setResumed(resumed))
        .build();
  }

  static ToBot question(int table, int questionId, int optionCount) {
    return ToBot.newBuilder()
        .setTable(table)
        .setQuestion(
            tortuga.v1.Question.newBuilder().setQuestionId(questionId).setOptionCount(optionCount))
        .build();
  }

  static ToBot fault(int table) {
    return ToBot.newBuilder()
        .setTable(table)
        .setFault(Fault.newBuilder().setMessage("a test's fault"))
        .build();
  }

  static ToBot end(int table) {
    return ToBot.newBuilder().setTable(table).setMatchEnd(MatchEnd.getDefaultInstance()).build();
  }

  static ToBot goodbye() {
    return goodbye("");
  }

  static ToBot goodbye(String reason) {
    return ToBot.newBuilder().setGoodbye(Goodbye.newBuilder().setReason(reason)).build();
  }

  /** Field 99, with a text in it: a kind of message that was added after this SDK. */
  static ToBot unknownKind() throws InvalidProtocolBufferException {
    return ToBot.parseFrom(new byte[] {(byte) 0x9a, 0x06, 0x02, 'h', 'i'});
  }

  static FromBot ready(int table) {
    return FromBot.newBuilder().setTable(table).setReady(Ready.getDefaultInstance()).build();
  }

  static FromBot choice(int table, int questionId, int index) {
    return FromBot.newBuilder()
        .setTable(table)
        .setChoice(Choice.newBuilder().setQuestionId(questionId).setOptionIndex(index))
        .build();
  }

  static ToBot welcome(Limits.Builder limits) {
    return ToBot.newBuilder().setWelcome(Welcome.newBuilder().setLimits(limits)).build();
  }

  static FromBot note(int table, int questionId, String text) {
    return FromBot.newBuilder()
        .setTable(table)
        .setNote(Note.newBuilder().setQuestionId(questionId).setText(ByteString.copyFromUtf8(text)))
        .build();
  }

  static FromBot resign(int table) {
    return FromBot.newBuilder().setTable(table).setResign(Resign.getDefaultInstance()).build();
  }
}

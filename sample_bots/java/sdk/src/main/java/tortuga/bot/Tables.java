package tortuga.bot;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tortuga.v1.Choice;
import tortuga.v1.Fault;
import tortuga.v1.FromBot;
import tortuga.v1.FromBotBatch;
import tortuga.v1.MatchEnd;
import tortuga.v1.MatchStart;
import tortuga.v1.Ready;
import tortuga.v1.Resign;
import tortuga.v1.ToBot;
import tortuga.v1.ToBotBatch;

/**
 * The tables a bot sits at: what the referee says goes in, what is to be said to it comes out.
 * Knows nothing of gRPC.
 *
 * <p>Whatever does not fit, such as a question at a table that is not ours, is ignored: the
 * contract grows, and a bot has nothing to win by quarrelling with its referee.
 */
final class Tables {
  private final Function<MatchStart, Player> bot;
  private final Map<Integer, Seat> seats = new HashMap<>();

  /** Those since the stream broke. */
  private final Map<Chair, Seat> left = new HashMap<>();

  Tables(Function<MatchStart, Player> bot) {
    this.bot = bot;
  }

  /** The stream broke. The matches may come back, at tables with other numbers. */
  void leave() {
    seats.values().forEach(seat -> left.put(Chair.of(seat.match), seat));
    seats.clear();
  }

  /** All answers to one batch, in one batch. May be empty, and is not to be sent then. */
  FromBotBatch hear(ToBotBatch batch) {
    long now = System.nanoTime();
    FromBotBatch.Builder answers = FromBotBatch.newBuilder();
    for (ToBot message : batch.getMessagesList()) {
      hear(message, now)
          .ifPresent(answer -> answers.addMessages(answer.setTable(message.getTable())));
    }
    return answers.build();
  }

  private Optional<FromBot.Builder> hear(ToBot message, long now) {
    int table = message.getTable();
    return switch (message.getMessageCase()) {
      case MATCH_START -> Optional.of(start(table, message.getMatchStart()));
      case QUESTION ->
          Optional.ofNullable(seats.get(table))
              .map(seat -> seat.answer(message.getQuestion(), now));
      case FAULT -> {
        fault(table, message.getFault());
        yield Optional.empty();
      }
      case MATCH_END -> {
        end(table, message.getMatchEnd());
        yield Optional.empty();
      }
      // Welcome and Goodbye are the client's; MESSAGE_NOT_SET is a kind that is newer than this
      // code.
      case WELCOME, GOODBYE, MESSAGE_NOT_SET -> Optional.empty();
    };
  }

  private FromBot.Builder start(int table, MatchStart match) {
    Seat known = match.getResumed() ? left.remove(Chair.of(match)) : null;
    seats.put(table, known != null ? known : new Seat(match, bot.apply(match)));
    return FromBot.newBuilder().setReady(Ready.getDefaultInstance());
  }

  private void fault(int table, Fault fault) {
    System.err.printf("table %d: fault: %s%n", table, fault.getMessage());
    Seat seat = seats.get(table);
    if (seat != null) {
      seat.player.onFault(fault);
    }
  }

  private void end(int table, MatchEnd end) {
    Seat seat = seats.remove(table);
    if (seat != null) {
      seat.player.onEnd(end);
    }
  }

  /** A place in a match: what a match that comes back is known by. */
  private record Chair(String matchId, int seat) {
    static Chair of(MatchStart match) {
      return new Chair(match.getMatchId(), match.getSeat());
    }
  }

  /** A match and who plays it. */
  private static final class Seat {
    final MatchStart match;
    final Player player;
    private Choice lastChoice = Choice.getDefaultInstance();

    Seat(MatchStart match, Player player) {
      this.match = match;
      this.player = player;
    }

    FromBot.Builder answer(tortuga.v1.Question question, long now) {
      // After a broken stream a question may come twice. The player has seen its events and is not
      // asked again.
      if (question.getQuestionId() != lastChoice.getQuestionId()) {
        int index = player.choose(new Question(match, question, now));
        if (index == Player.RESIGN) {
          return FromBot.newBuilder().setResign(Resign.getDefaultInstance());
        }
        lastChoice =
            Choice.newBuilder()
                .setQuestionId(question.getQuestionId())
                .setOptionIndex(index)
                .build();
      }
      return FromBot.newBuilder().setChoice(lastChoice);
    }
  }
}

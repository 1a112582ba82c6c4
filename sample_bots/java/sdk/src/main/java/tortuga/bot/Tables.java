package tortuga.bot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tortuga.v1.Choice;
import tortuga.v1.Fault;
import tortuga.v1.FromBot;
import tortuga.v1.FromBotBatch;
import tortuga.v1.Limits;
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

  private final Arrivals arrivals = new Arrivals();
  private final LogMarks log;

  /** Those of the latest Welcome. */
  private Limits limits = Limits.getDefaultInstance();

  Tables(Function<MatchStart, Player> bot) {
    this(bot, new LogMarks());
  }

  Tables(Function<MatchStart, Player> bot, LogMarks log) {
    this.bot = bot;
    this.log = log;
  }

  /** The stream broke. The matches may come back, at tables with other numbers. */
  void leave() {
    seats.values().forEach(seat -> left.put(Chair.of(seat.match), seat));
    seats.clear();
  }

  /** All answers to one batch, in one batch. May be empty, and is not to be sent then. */
  FromBotBatch hear(ToBotBatch batch) {
    arrivals.read(seats.size());
    FromBotBatch.Builder answers = FromBotBatch.newBuilder();
    for (ToBot message : batch.getMessagesList()) {
      for (FromBot.Builder answer : hear(message)) {
        answers.addMessages(answer.setTable(message.getTable()));
      }
    }
    arrivals.done();
    return answers.build();
  }

  private List<FromBot.Builder> hear(ToBot message) {
    int table = message.getTable();
    switch (message.getMessageCase()) {
      case MATCH_START:
        FromBot.Builder ready = start(table, message.getMatchStart());
        arrivals.ready(table);
        return List.of(ready);
      case QUESTION:
        return answer(table, message.getQuestion());
      case FAULT:
        fault(table, message.getFault());
        return List.of();
      case MATCH_END:
        end(table, message.getMatchEnd());
        return List.of();
      case WELCOME:
        limits = message.getWelcome().getLimits();
        return List.of();
      default: // Goodbye is the client's; MESSAGE_NOT_SET is a kind that is newer than this code.
        return List.of();
    }
  }

  private List<FromBot.Builder> answer(int table, tortuga.v1.Question question) {
    Seat seat = seats.get(table);
    if (seat == null) {
      return List.of();
    }
    FromBot.Builder answer = seat.answer(question, arrivals.ask(table), log);
    arrivals.answered(table);
    // The notes go first: the answer may end the match, and after that nobody hears them.
    List<FromBot.Builder> said = new ArrayList<>();
    seat.notes.take().forEach(note -> said.add(FromBot.newBuilder().setNote(note)));
    said.add(answer);
    return said;
  }

  private FromBot.Builder start(int table, MatchStart match) {
    Seat known = match.getResumed() ? left.remove(Chair.of(match)) : null;
    seats.put(table, known != null ? known : new Seat(match, bot.apply(match), limits));
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
    final Notes notes;
    private Choice lastChoice = Choice.getDefaultInstance();

    Seat(MatchStart match, Player player, Limits limits) {
      this.match = match;
      this.player = player;
      this.notes = new Notes(match.getMatchId(), limits);
    }

    FromBot.Builder answer(tortuga.v1.Question question, long heardNanos, LogMarks log) {
      // After a broken stream a question may come twice. The player has seen its events and is not
      // asked again.
      if (question.getQuestionId() != lastChoice.getQuestionId()) {
        int id = question.getQuestionId();
        Question asked = new Question(match, question, heardNanos, text -> notes.add(id, text));
        int index = log.question(match, id, () -> player.choose(asked));
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

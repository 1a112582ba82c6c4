package tortuga.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static tortuga.bot.Lines.choice;
import static tortuga.bot.Lines.end;
import static tortuga.bot.Lines.fault;
import static tortuga.bot.Lines.goodbye;
import static tortuga.bot.Lines.question;
import static tortuga.bot.Lines.ready;
import static tortuga.bot.Lines.resign;
import static tortuga.bot.Lines.start;
import static tortuga.bot.Lines.unknownKind;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tortuga.v1.Fault;
import tortuga.v1.FromBot;
import tortuga.v1.MatchEnd;
import tortuga.v1.MatchStart;
import tortuga.v1.ToBot;
import tortuga.v1.ToBotBatch;

/** The tables, without a stream. */
final class TablesTest {
  private final List<String> diary = new ArrayList<>();
  private final Tables tables = new Tables(Counter::new);

  /**
   * Answers 0, 1, 2 ... in its match, resigns at a question with 99 options, and tells the diary
   * what it hears.
   */
  private final class Counter implements Player {
    private final String matchId;
    private int asked;

    Counter(MatchStart match) {
      matchId = match.getMatchId();
    }

    @Override
    public int choose(Question question) {
      return question.optionCount() == 99 ? RESIGN : asked++;
    }

    @Override
    public void onFault(Fault fault) {
      diary.add(matchId + " fault");
    }

    @Override
    public void onEnd(MatchEnd end) {
      diary.add(matchId + " end");
    }
  }

  private List<FromBot> hear(ToBot... messages) {
    return tables
        .hear(ToBotBatch.newBuilder().addAllMessages(List.of(messages)).build())
        .getMessagesList();
  }

  @Test
  void oneBatchIsAnsweredInOneBatch() {
    assertEquals(List.of(ready(1), ready(2)), hear(start(1, "a", false), start(2, "b", false)));
    assertEquals(
        List.of(choice(1, 1, 0), choice(2, 1, 0)), hear(question(1, 1, 2), question(2, 1, 2)));
  }

  @Test
  void everyMatchHasItsOwnPlayer() {
    hear(start(1, "a", false), start(2, "b", false));
    assertEquals(
        List.of(choice(1, 1, 0), choice(1, 2, 1)), hear(question(1, 1, 2), question(1, 2, 2)));
    assertEquals(List.of(choice(2, 1, 0)), hear(question(2, 1, 2)));
  }

  @Test
  void aTableNumberComesBackWithANewMatch() {
    hear(start(1, "a", false), question(1, 1, 2), question(1, 2, 2), end(1), start(1, "b", false));
    assertEquals(List.of(choice(1, 1, 0)), hear(question(1, 1, 2)));
    assertEquals(List.of("a end"), diary);
  }

  @Test
  void aQuestionMayBeResigned() {
    hear(start(1, "a", false));
    assertEquals(List.of(resign(1)), hear(question(1, 1, 99)));
  }

  @Test
  void whatDoesNotFitIsIgnored() throws Exception {
    hear(start(1, "a", false));
    assertEquals(List.of(), hear(question(7, 1, 2), end(7), fault(7), unknownKind(), goodbye()));
    assertEquals(
        List.of(choice(1, 1, 0)), hear(question(1, 1, 2), end(1), end(1), question(1, 2, 2)));
  }

  @Test
  void aFaultIsToldToThePlayer() {
    assertEquals(List.of(ready(1)), hear(start(1, "a", false), fault(1)));
    assertEquals(List.of("a fault"), diary);
  }

  @Test
  void aRepeatedQuestionGetsTheSameAnswer() {
    hear(start(1, "a", false));
    assertEquals(
        List.of(choice(1, 1, 0), choice(1, 1, 0)), hear(question(1, 1, 2), question(1, 1, 2)));
    assertEquals(List.of(choice(1, 2, 1)), hear(question(1, 2, 2)));
  }

  @Test
  void aResumedMatchKeepsItsPlayerAtAnotherTable() {
    hear(start(1, "a", false), start(2, "b", false), question(1, 1, 2));
    tables.leave();
    assertEquals(List.of(), hear(question(1, 2, 2)));
    hear(start(5, "a", true), start(6, "unheard of", true));
    assertEquals(
        List.of(choice(5, 2, 1), choice(6, 4, 0)), hear(question(5, 2, 2), question(6, 4, 2)));
  }

  @Test
  void eachSeatOfAMatchKeepsItsOwnPlayer() {
    hear(start(1, "a", 0, false), start(2, "a", 1, false), question(1, 1, 2));
    tables.leave();
    hear(start(3, "a", 0, true), start(4, "a", 1, true));
    assertEquals(
        List.of(choice(3, 2, 1), choice(4, 1, 0)), hear(question(3, 2, 2), question(4, 1, 2)));
  }
}

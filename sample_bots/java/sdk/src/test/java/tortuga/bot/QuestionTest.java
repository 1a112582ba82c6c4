package tortuga.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static tortuga.bot.Lines.choice;
import static tortuga.bot.Lines.note;
import static tortuga.bot.Lines.question;
import static tortuga.bot.Lines.resign;
import static tortuga.bot.Lines.start;
import static tortuga.bot.Lines.welcome;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tortuga.v1.Clock;
import tortuga.v1.FromBot;
import tortuga.v1.Limits;
import tortuga.v1.MatchStart;
import tortuga.v1.PiratesCove;
import tortuga.v1.ToBot;
import tortuga.v1.ToBotBatch;

/** What a question offers beside its message: notes, and the time that is left. */
final class QuestionTest {
  private static final Duration GIVEN = Duration.ofSeconds(10);
  private static final Duration SLOW = Duration.ofMillis(300);

  private final Map<String, Optional<Duration>> left = new HashMap<>();

  private static List<FromBot> hear(Tables tables, ToBot... messages) {
    return tables
        .hear(ToBotBatch.newBuilder().addAllMessages(List.of(messages)).build())
        .getMessagesList();
  }

  private static int talk(Question question) {
    if (question.message().getQuestionId() == 1) {
      List.of("first", "", "é".repeat(20)).forEach(question::note);
      return 0;
    }
    for (int count = 0; count < 9; count++) {
      question.note("x"); // counts as 16 bytes
    }
    return Player.RESIGN;
  }

  @Test
  void notesLeaveBeforeTheAnswerAndAreCutToTheLimits() {
    Tables tables = new Tables(match -> QuestionTest::talk);
    hear(tables, welcome(Limits.newBuilder().setMaxNoteBytes(21).setMaxNotesBytes(100)));
    hear(tables, start(1, "a", false));
    assertEquals(
        List.of(note(1, 1, "first"), note(1, 1, "é".repeat(10)), choice(1, 1, 0)),
        hear(tables, question(1, 1, 2)));
    FromBot kept = note(1, 2, "x"); // 16 + 20 + 4 * 16 = 100
    assertEquals(List.of(kept, kept, kept, kept, resign(1)), hear(tables, question(1, 2, 2)));
  }

  @Test
  void aRefereeThatTakesNoNotesIsSentNone() {
    Tables tables = new Tables(match -> QuestionTest::talk);
    hear(tables, welcome(Limits.newBuilder()), start(1, "a", false));
    assertEquals(List.of(choice(1, 1, 0)), hear(tables, question(1, 1, 2)));
  }

  private Player thinker(MatchStart match) {
    return question -> {
      left.put(match.getMatchId(), question.timeLeft());
      long began = System.nanoTime();
      while (match.getMatchId().equals("slow") && System.nanoTime() - began < SLOW.toNanos()) {
        Thread.onSpinWait();
      }
      return 0;
    };
  }

  private static ToBot timed(int table) {
    ToBot message = question(table, 1, 2);
    return message.toBuilder()
        .setQuestion(message.getQuestion().toBuilder().setTimeLeftMillis((int) GIVEN.toMillis()))
        .build();
  }

  @Test
  void theTimeAQuestionWaitedIsGone() {
    Tables tables = new Tables(this::thinker);
    MatchStart.Builder unlimited = MatchStart.newBuilder().setMatchId("free");
    unlimited.setClock(Clock.newBuilder().setUnlimited(true));
    ToBot free = ToBot.newBuilder().setTable(4).setMatchStart(unlimited).build();
    hear(tables, start(1, "slow", false), start(2, "same batch", false));
    hear(tables, start(3, "next batch", false), free);
    hear(tables, timed(1), timed(2));
    hear(tables, timed(3), timed(4)); // came while the bot was thinking: it is read at once
    Duration most = GIVEN.minus(SLOW);
    for (String waited : List.of("same batch", "next batch")) {
      assertTrue(left.get(waited).orElseThrow().compareTo(most) <= 0, waited);
    }
    assertTrue(left.get("slow").orElseThrow().compareTo(most) > 0);
    assertEquals(Optional.empty(), left.get("free"));
  }

  @Test
  void theMessagesOfItsGameAreAtHand() {
    PiratesCove.Position.Builder position =
        PiratesCove.Position.newBuilder()
            .setDecision(PiratesCove.Decision.DECISION_NAVIGATE)
            .setObservation(
                PiratesCove.Observation.newBuilder()
                    .addShips(PiratesCove.Ship.newBuilder().setChests(3)))
            .addOptions(PiratesCove.Option.getDefaultInstance())
            .addOptions(
                PiratesCove.Option.newBuilder().setSail(PiratesCove.Sail.newBuilder().setIsland(6)))
            .addEvents(PiratesCove.Event.getDefaultInstance());
    Question question =
        new Question(
            MatchStart.getDefaultInstance(),
            tortuga.v1.Question.newBuilder().setPiratesCove(position).setOptionCount(2).build());
    PiratesCove.Position asked = question.piratesCove();
    assertEquals(PiratesCove.Decision.DECISION_NAVIGATE, asked.getDecision());
    assertEquals(3, asked.getObservation().getShips(question.match().getSeat()).getChests());
    assertEquals(6, asked.getOptions(1).getSail().getIsland());
    assertEquals(1, asked.getEventsCount());
    assertEquals(0, question.broadsides().getOptionsCount()); // another game: nothing to see
  }

  @Test
  void theLogNamesTheQuestionBeforeItsFirstLine() {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    LogMarks marks = new LogMarks();
    PrintStream out = marks.marked(new PrintStream(log, true));
    PrintStream err = marks.marked(new PrintStream(log, true));
    MatchStart match = MatchStart.newBuilder().setMatchId("cove-7").setSeat(1).build();
    marks.question(
        match,
        1,
        () -> {
          out.print("one\ntwo\n");
          return 0;
        });
    marks.question(match, 2, () -> 0); // prints nothing: no mark
    err.print("between questions\n");
    IllegalStateException thrown = new IllegalStateException("at the third");
    assertThrows(
        IllegalStateException.class,
        () ->
            marks.question(
                match,
                3,
                () -> {
                  throw thrown;
                }));
    err.print("its stack\n");
    assertEquals(
        List.of(
            "[tortuga cove-7 seat 1 question 1]",
            "one",
            "two",
            "[tortuga cove-7 seat 1 aside]",
            "between questions",
            "[tortuga cove-7 seat 1 question 3]",
            "its stack"),
        log.toString().lines().toList());
  }
}

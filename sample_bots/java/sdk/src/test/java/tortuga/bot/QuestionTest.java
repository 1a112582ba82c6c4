package tortuga.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static tortuga.bot.Lines.choice;
import static tortuga.bot.Lines.note;
import static tortuga.bot.Lines.question;
import static tortuga.bot.Lines.resign;
import static tortuga.bot.Lines.start;
import static tortuga.bot.Lines.welcome;

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
}

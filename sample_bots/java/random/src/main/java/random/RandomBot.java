package random;

import java.util.Arrays;
import java.util.SplittableRandom;
import tortuga.bot.Player;
import tortuga.bot.Question;
import tortuga.bot.Tortuga;
import tortuga.v1.Hello;
import tortuga.v1.MatchStart;

/**
 * Plays any game by picking any option. With {@code --fixed} its picks are the same in every
 * language.
 */
public final class RandomBot {
  private RandomBot() {}

  public static void main(String[] args) {
    boolean fixed = Arrays.asList(args).contains("--fixed");
    Tortuga.play(
        match -> fixed ? RandomBot::fixedPick : anyPick(match),
        Hello.newBuilder().setBotName("random-java").setBotVersion("1").setSlots(8));
  }

  /**
   * All options alike. The picks follow from the match and the seat, so that a seed repeats a whole
   * match.
   */
  private static Player anyPick(MatchStart match) {
    SplittableRandom picks =
        new SplittableRandom((match.getMatchId() + "/" + match.getSeat()).hashCode());
    return question -> picks.nextInt(question.optionCount());
  }

  /** Scattered over the options by nothing but the question's number. */
  private static int fixedPick(Question question) {
    long scattered =
        Integer.toUnsignedLong(question.message().getQuestionId()) * 2654435761L % (1L << 32);
    return (int) (scattered / (1 << 16) % question.optionCount());
  }
}

package bot;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import tortuga.bot.Player;
import tortuga.bot.Question;
import tortuga.bot.Tortuga;
import tortuga.v1.Broadsides;
import tortuga.v1.Hello;
import tortuga.v1.MatchStart;

/**
 * A bot is one function from a question to the index of an option.
 *
 * <p>A first idea for Broadsides: never give up, and never cease fire while a shot is left. It
 * beats random two times out of three. Next: sail so that your guns bear and the enemy's do not.
 * docs/games/broadsides.md has the rules.
 */
public final class Bot implements Player {
  private static final String NAME = "@NAME@";
  private static final List<String> GAMES = List.of("@GAMES@");

  // Every match has a Bot of its own: fields are the memory of the match.
  private final SplittableRandom picks;

  private Bot(MatchStart match) {
    // Not more random than the match itself, so that a seed repeats the whole match.
    picks = new SplittableRandom((match.getMatchId() + "/" + match.getSeat()).hashCode());
  }

  public static void main(String[] args) {
    Tortuga.play(
        Bot::new,
        Hello.newBuilder().setBotName(NAME).setBotVersion("1").addAllGames(GAMES).setSlots(8));
  }

  /**
   * Takes the option that is worth most, any of them if there are several. Every whole number below
   * question.optionCount() is a legal answer; RESIGN gives up. A bot that searches asks
   * question.timeLeft() how long it may still think.
   */
  @Override
  public int choose(Question question) {
    Broadsides.Position asked = question.broadsides();
    List<Integer> best = new ArrayList<>();
    int most = Integer.MIN_VALUE;
    for (int index = 0; index < asked.getOptionsCount(); index++) {
      Broadsides.Option option = asked.getOptions(index);
      int worth = worth(option);
      if (worth > most) {
        best.clear();
        most = worth;
      }
      if (worth == most) {
        best.add(index);
      }
    }
    if (best.isEmpty()) {
      return picks.nextInt(question.optionCount());
    }
    if (most > 0) {
      question.note("no surrender, and no shot left unfired"); // for people who read the match afterwards
    }
    return best.get(picks.nextInt(best.size()));
  }

  /** How much we like an option: 0 is neither liked nor avoided. */
  private static int worth(Broadsides.Option option) {
    return switch (option.getActionCase()) {
      case SURRENDER -> -2;
      case CEASE -> -1;
      case FIRE -> 1;
      default -> 0;
    };
  }
}

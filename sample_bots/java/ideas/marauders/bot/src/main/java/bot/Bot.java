package bot;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import tortuga.bot.Player;
import tortuga.bot.Question;
import tortuga.bot.Tortuga;
import tortuga.v1.Hello;
import tortuga.v1.Marauders;
import tortuga.v1.MatchStart;

/**
 * A bot is one function from a question to the index of an option.
 *
 * <p>A first idea for Marauders: sell what you have, bring gold into the chest, raid merchants,
 * follow rumors and missions; leave armed ships alone, and never end a turn while something can
 * still be done. It beats random two times out of three. Next: buy what the next port wants.
 * docs/games/marauders.md has the rules.
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
    Marauders.Position asked = question.marauders();
    List<Integer> best = new ArrayList<>();
    int most = Integer.MIN_VALUE;
    for (int index = 0; index < asked.getOptionsCount(); index++) {
      Marauders.Option option = asked.getOptions(index);
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
      question.note("this is what we like best"); // for people who read the match afterwards
    }
    return best.get(picks.nextInt(best.size()));
  }

  /** How much we like an option: 0 is neither liked nor avoided. */
  private static int worth(Marauders.Option option) {
    return switch (option.getActionCase()) {
      case SELL -> 800 + option.getSell().getGold();
      case REPAIR_EVERYTHING -> 700;
      case STASH -> 600 + option.getStash().getGold();
      case TRY_RUMOR -> 500;
      case DO_MISSION -> 400;
      case SCOUT_RUMOR -> 300;
      case SCOUT_MERCHANT -> 200;
      case ENGAGE -> 100;
      case RETIRE, LET_GO, END, SCOUT_NPC, SCOUT_PLAYER -> -1;
      default -> 0;
    };
  }
}

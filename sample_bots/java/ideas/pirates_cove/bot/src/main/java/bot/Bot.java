package bot;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import tortuga.bot.Player;
import tortuga.bot.Question;
import tortuga.bot.Tortuga;
import tortuga.v1.Hello;
import tortuga.v1.MatchStart;
import tortuga.v1.PiratesCove;

/**
 * A bot is one function from a question to the index of an option.
 *
 * <p>A first idea for Pirate's Cove: keep away from the black ships, take what lies on the other
 * islands, and go to Treasure Island to bury it as soon as three chests are aboard. It beats
 * random nine times out of ten. Next: look at what each island offers, and at how strong the
 * others are. docs/games/pirates_cove.md has the rules.
 */
public final class Bot implements Player {
  private static final String NAME = "@NAME@";
  private static final List<String> GAMES = List.of("@GAMES@");
  private static final int TREASURE_ISLAND = 6;
  private static final int LAST_MONTH = 12;

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
    PiratesCove.Position asked = question.piratesCove();
    List<Integer> best = new ArrayList<>();
    int most = Integer.MIN_VALUE;
    for (int index = 0; index < asked.getOptionsCount(); index++) {
      PiratesCove.Option option = asked.getOptions(index);
      int worth = worth(asked.getObservation(), option);
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
  private static int worth(PiratesCove.Observation seen, PiratesCove.Option option) {
    return switch (option.getActionCase()) {
      case SAIL -> isGoodHarbour(seen, option.getSail().getIsland()) ? 1 : 0;
      case BURY_CHESTS -> 300 + option.getBuryChests().getCount();
      case BURY_GOLD -> 200 + option.getBuryGold().getFame();
      case FIRE -> 100;
      default -> 0;
    };
  }

  /** Treasure Island with the loot, and otherwise any outer island without a black ship. */
  private static boolean isGoodHarbour(PiratesCove.Observation seen, int island) {
    if (seen.getShips(seen.getSeat()).getChests() >= 3 || seen.getMonth() == LAST_MONTH) {
      return island == TREASURE_ISLAND;
    }
    return island != TREASURE_ISLAND
        && seen.getBlackShipsList().stream().noneMatch(ship -> ship.getPlace() == island);
  }
}

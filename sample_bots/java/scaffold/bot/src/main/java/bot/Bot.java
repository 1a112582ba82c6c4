package bot;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import tortuga.bot.Player;
import tortuga.bot.Question;
import tortuga.bot.Tortuga;
import tortuga.v1.Broadsides;
import tortuga.v1.Hello;
import tortuga.v1.Marauders;
import tortuga.v1.MatchStart;
import tortuga.v1.PavillonNoir;
import tortuga.v1.PiratesCove;

/** A starter: in each game it likes one kind of action, and takes any option otherwise. */
public final class Bot implements Player {
  private static final String NAME = "@NAME@";
  private static final List<String> GAMES = List.of(@GAMES@);

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
   * Any whole number from 0 to question.optionCount() - 1 is a legal answer. A bot that searches
   * asks question.timeLeft() how long it may still think.
   */
  @Override
  public int choose(Question question) {
    int any = picks.nextInt(question.optionCount());
    if (question.message().getQuestionId() == 1) {
      question.note("good luck"); // for people who read the match afterwards
    }
    return switch (question.match().getGame()) {
      case "pavillon_noir" ->
          firstOr(any, question.pavillonNoir().getOptionsList(), PavillonNoir.Option::hasFire);
      case "broadsides" ->
          firstOr(any, question.broadsides().getOptionsList(), Broadsides.Option::hasFire);
      case "pirates_cove" ->
          firstOr(any, question.piratesCove().getOptionsList(), PiratesCove.Option::hasBuryChests);
      case "marauders" ->
          firstOr(any, question.marauders().getOptionsList(), Marauders.Option::hasSell);
      default -> any;
    };
  }

  /** The place of the first option that is liked. */
  private static <T> int firstOr(int otherwise, List<T> options, Predicate<T> liked) {
    return IntStream.range(0, options.size())
        .filter(index -> liked.test(options.get(index)))
        .findFirst()
        .orElse(otherwise);
  }
}

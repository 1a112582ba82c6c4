package tortuga.bot;

import tortuga.v1.Fault;
import tortuga.v1.MatchEnd;

/**
 * Plays one match: a function from a question to the index of the option it takes.
 *
 * <p>Every match has a player of its own, so whatever should last for a match belongs into its
 * fields. All players are called by one thread.
 */
@FunctionalInterface
public interface Player {
  /**
   * Returned by {@link #choose} to give the match up. No index: a stray -1 is to be reported, not
   * obeyed.
   */
  int RESIGN = Integer.MIN_VALUE;

  /** Any whole number from 0 to {@code question.optionCount() - 1} is a legal answer. */
  int choose(Question question);

  /**
   * The player did something wrong; the message says what, and what it costs. It is on stderr
   * already.
   */
  default void onFault(Fault fault) {}

  /** The match is over. */
  default void onEnd(MatchEnd end) {}
}

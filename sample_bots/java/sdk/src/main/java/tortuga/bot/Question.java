package tortuga.bot;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import tortuga.v1.Broadsides;
import tortuga.v1.Marauders;
import tortuga.v1.MatchStart;
import tortuga.v1.PavillonNoir;
import tortuga.v1.PiratesCove;

/**
 * A question with the match it belongs to.
 *
 * <p>{@link #piratesCove} and its like have the messages of the game: {@code
 * question.piratesCove().getObservation()}, {@code getOptionsList()}, {@code getEventsList()}. The
 * enums are beside them, e.g. {@code PiratesCove.Captain.CAPTAIN_BLACKBEARD}. In a match of another
 * game they are empty.
 *
 * @param match what was said when the match began: game, seat, names, variant, clock
 * @param message the question as it came
 * @param heardNanos when it came, or the earliest time at which it can have come, by {@link
 *     System#nanoTime}
 * @param notes takes what the bot notes on it
 */
public record Question(
    MatchStart match, tortuga.v1.Question message, long heardNanos, Consumer<String> notes) {
  /** For tests of a player: a question that came just now, whose notes nobody reads. */
  public Question(MatchStart match, tortuga.v1.Question message) {
    this(match, message, System.nanoTime(), text -> {});
  }

  /** The number of legal actions, at least 2. */
  public int optionCount() {
    return message.getOptionCount();
  }

  /** The question in words, its options with their indices: only if Hello said want_text. */
  public String text() {
    return message.getText();
  }

  /**
   * Time left to answer, from now on: what the question waited while others were answered is gone.
   * It allows nothing for the way there and back, so leave some. Empty: no clock.
   */
  public Optional<Duration> timeLeft() {
    if (match.getClock().getUnlimited()) {
      return Optional.empty();
    }
    Duration sent = Duration.ofMillis(Integer.toUnsignedLong(message.getTimeLeftMillis()));
    Duration left = sent.minusNanos(System.nanoTime() - heardNanos);
    return Optional.of(left.isNegative() ? Duration.ZERO : left);
  }

  /**
   * Says something on this question, for people who look at the match afterwards: at most 200
   * bytes, the rest is cut. It leaves together with the answer and costs no time; no other bot ever
   * sees it.
   */
  public void note(String text) {
    notes.accept(text);
  }

  /** What the seat's bank held when the question was sent. */
  public Duration bankLeft() {
    return Duration.ofMillis(Integer.toUnsignedLong(message.getBankLeftMillis()));
  }

  /** Decision, observation, events and options in a match of pavillon_noir. */
  public PavillonNoir.Position pavillonNoir() {
    return message.getPavillonNoir();
  }

  /** Decision, observation, events and options in a match of broadsides. */
  public Broadsides.Position broadsides() {
    return message.getBroadsides();
  }

  /** Decision, observation, events and options in a match of pirates_cove. */
  public PiratesCove.Position piratesCove() {
    return message.getPiratesCove();
  }

  /** Decision, observation, events and options in a match of marauders. */
  public Marauders.Position marauders() {
    return message.getMarauders();
  }
}

package tortuga.bot;

import java.time.Duration;
import java.util.Optional;
import tortuga.v1.Broadsides;
import tortuga.v1.Marauders;
import tortuga.v1.MatchStart;
import tortuga.v1.PavillonNoir;
import tortuga.v1.PiratesCove;

/**
 * A question with the match it belongs to.
 *
 * @param match what was said when the match began: game, seat, names, variant, clock
 * @param message the question as it came
 * @param heardNanos when it came, by {@link System#nanoTime}
 */
public record Question(MatchStart match, tortuga.v1.Question message, long heardNanos) {
  /** The number of legal actions, at least 2. */
  public int optionCount() {
    return message.getOptionCount();
  }

  /**
   * Time left to answer, as of now: questions answered before this one in the same batch used some.
   * Empty: no clock.
   */
  public Optional<Duration> timeLeft() {
    if (match.getClock().getUnlimited()) {
      return Optional.empty();
    }
    Duration sent = Duration.ofMillis(Integer.toUnsignedLong(message.getTimeLeftMillis()));
    return Optional.of(sent.minusNanos(System.nanoTime() - heardNanos));
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

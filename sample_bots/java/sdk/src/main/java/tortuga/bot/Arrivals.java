package tortuga.bot;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * When a question came, though nobody looked: a player that thinks keeps the stream from being
 * read, and the clock of a question that came meanwhile was running.
 *
 * <p>A question waits while we answer those that came before it, and these are of other tables, one
 * each. So it waited no longer than the answers to that many latest questions took; and it came
 * after our last answer at its own table. Times are those of {@link System#nanoTime}.
 */
final class Arrivals {
  /** A batch that we waited for this long had not been there before. */
  private static final long IDLE_NANOS = 20_000_000;

  private static final int MOST_TABLES = 64;

  /** When we last said something at each table. */
  private final Map<Integer, Long> lastWords = new HashMap<>();

  /** How long the latest answers took, the last one first. */
  private final Deque<Long> busy = new ArrayDeque<>();

  private long idleSince = System.nanoTime();
  private long batch;
  private long asked;

  /** A batch is there, and the bot sits at that many tables. */
  void read(int tables) {
    batch = System.nanoTime();
    if (batch - idleSince < IDLE_NANOS) {
      batch -= busy.stream().limit(Math.max(0, tables - 1)).mapToLong(Long::longValue).sum();
    }
  }

  /** A match begins at that table. */
  void ready(int table) {
    lastWords.put(table, System.nanoTime());
  }

  /**
   * A player is called for a question of that table in this batch. Gives the earliest time at which
   * it can have come: exact whenever the bot was idle before.
   */
  long ask(int table) {
    asked = System.nanoTime();
    long spoke = lastWords.getOrDefault(table, batch);
    return spoke - batch > 0 ? spoke : batch;
  }

  /** The player has answered it. */
  void answered(int table) {
    long now = System.nanoTime();
    lastWords.put(table, now);
    busy.addFirst(now - asked);
    if (busy.size() > MOST_TABLES) {
      busy.removeLast();
    }
  }

  /** All of the batch is answered: from now on we wait. */
  void done() {
    idleSince = System.nanoTime();
  }
}

package tortuga.bot;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * When a question came, though nobody looked: a player that thinks keeps the stream from being
 * read, and the clock of a question that came meanwhile was running.
 *
 * <p>A question comes after our last answer at its table. Those that came before it and were not
 * yet answered are of other tables, one each; so it came after the player was called for the first
 * of that many latest questions. Times are those of {@link System#nanoTime}.
 */
final class Arrivals {
  /** A batch that we waited for this long had not been there before. */
  private static final long IDLE_NANOS = 5_000_000;

  private static final int MOST_TABLES = 64;

  /** When we last said something at each table. */
  private final Map<Integer, Long> lastWords = new HashMap<>();

  /** When players were called for the latest questions, the last one first. */
  private final Deque<Long> starts = new ArrayDeque<>();

  private long idleSince;
  private long batch;

  /** A batch is there, and the bot sits at that many tables. */
  void read(int tables) {
    batch = System.nanoTime();
    int others = Math.min(tables - 1, starts.size());
    if (others > 0 && batch - idleSince < IDLE_NANOS) {
      Iterator<Long> latest = starts.iterator();
      for (int place = 0; place < others; place++) {
        batch = latest.next();
      }
    }
  }

  /**
   * A player is called for a question of that table in this batch. Gives the earliest time at which
   * it can have come: exact whenever the bot was idle before.
   */
  long ask(int table) {
    starts.addFirst(System.nanoTime());
    if (starts.size() > MOST_TABLES) {
      starts.removeLast();
    }
    long spoke = lastWords.getOrDefault(table, batch);
    return spoke - batch > 0 ? spoke : batch;
  }

  /** The answer of that table is ready. */
  void say(int table) {
    lastWords.put(table, System.nanoTime());
  }

  /** All of the batch is answered: from now on we wait. */
  void done() {
    idleSince = System.nanoTime();
  }
}

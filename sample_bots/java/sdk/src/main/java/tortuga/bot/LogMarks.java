package tortuga.bot;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import tortuga.v1.MatchStart;

/**
 * Marks in a bot's log: which match and question a line was printed for.
 *
 * <p>Questions of several matches come mixed, and all of them print to one log. So before the first
 * thing that a question prints, a line says which one it is; {@code tortuga replay show --logs}
 * finds it there.
 */
final class LogMarks {
  private final List<Output> outputs = new ArrayList<>();

  /** Marks what is printed on stdout and stderr from now on. */
  void takeOver() {
    System.setOut(marked(System.out));
    System.setErr(marked(System.err));
  }

  /** A stream that writes to another, with the marks. */
  PrintStream marked(PrintStream stream) {
    Output output = new Output(stream);
    outputs.add(output);
    return new PrintStream(output, true, StandardCharsets.UTF_8);
  }

  /** Whatever is printed inside belongs to this question, also the stack of an exception. */
  int question(MatchStart match, int questionId, IntSupplier answer) {
    String who = "[tortuga " + match.getMatchId() + " seat " + match.getSeat();
    outputs.forEach(output -> output.begin(who + " question " + questionId + "]", true));
    int answered = answer.getAsInt();
    // What follows belongs to nobody, on whichever stream: they share one log.
    boolean isOpen = outputs.stream().anyMatch(output -> output.isOpen);
    outputs.forEach(output -> output.begin(isOpen ? who + " aside]" : "", false));
    return answered;
  }

  /** Passes on what it gets, after the mark if there is one to come. */
  private static final class Output extends OutputStream {
    private final PrintStream target;
    private String pending = "";
    private boolean isQuestion;

    /** The last mark written is that of a question. */
    private boolean isOpen;

    Output(PrintStream target) {
      this.target = target;
    }

    synchronized void begin(String mark, boolean isQuestion) {
      pending = mark;
      this.isQuestion = isQuestion;
    }

    @Override
    public void write(int letter) throws IOException {
      write(new byte[] {(byte) letter}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] text, int from, int count) {
      if (!pending.isEmpty() && count > 0) {
        target.print(pending + "\n");
        pending = "";
        isOpen = isQuestion;
      }
      target.write(text, from, count);
    }

    @Override
    public void flush() {
      target.flush();
    }
  }
}

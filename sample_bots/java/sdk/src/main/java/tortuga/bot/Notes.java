package tortuga.bot;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import tortuga.v1.Limits;
import tortuga.v1.Note;

/**
 * The notes of one match that are not sent yet: cut to what the referee keeps, and held until the
 * next answer takes them along. A referee without limits for them is too old to take any.
 */
final class Notes {
  /** What a note counts for at least. */
  private static final int LEAST_NOTE_BYTES = 16;

  private final String matchId;
  private final Limits limits;
  private List<Note> waiting = new ArrayList<>();
  private int bytes;
  private boolean isFull;

  Notes(String matchId, Limits limits) {
    this.matchId = matchId;
    this.limits = limits;
  }

  /** Keeps a note. What the referee would drop is dropped here, and said once. */
  void add(int questionId, String text) {
    byte[] raw = text.getBytes(UTF_8);
    int length = Math.min(raw.length, limits.getMaxNoteBytes());
    while (length > 0 && length < raw.length && (raw[length] & 0xc0) == 0x80) {
      length--; // not within a character
    }
    if (length == 0) {
      return;
    }
    int cost = Math.max(LEAST_NOTE_BYTES, length);
    if (bytes + cost > limits.getMaxNotesBytes()) {
      if (!isFull) {
        System.err.printf(
            "match %s: more than %d bytes of notes, the rest is dropped%n",
            matchId, limits.getMaxNotesBytes());
      }
      isFull = true;
      return;
    }
    bytes += cost;
    ByteString words = ByteString.copyFrom(raw, 0, length);
    waiting.add(Note.newBuilder().setQuestionId(questionId).setText(words).build());
  }

  /** The notes to be sent now. */
  List<Note> take() {
    List<Note> taken = waiting;
    waiting = new ArrayList<>();
    return taken;
  }
}

package tortuga.bot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static tortuga.bot.FakeReferee.PATIENCE_SECONDS;
import static tortuga.bot.Lines.choice;
import static tortuga.bot.Lines.goodbye;
import static tortuga.bot.Lines.question;
import static tortuga.bot.Lines.ready;
import static tortuga.bot.Lines.start;
import static tortuga.bot.Lines.unknownKind;
import static tortuga.bot.Lines.welcome;

import io.grpc.InsecureChannelCredentials;
import io.grpc.Status;
import io.grpc.StatusException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tortuga.v1.FromBot;
import tortuga.v1.Hello;

/** The stream, against a referee in this process. */
@Timeout(4 * PATIENCE_SECONDS)
final class ClientTest {
  private static final Hello HELLO =
      Hello.newBuilder().setProtocol(1).setBotName("first").setSlots(2).build();

  @TempDir Path folder;
  private FakeReferee referee;

  @BeforeEach
  void open() throws Exception {
    referee = FakeReferee.onSocket(folder.resolve("referee"));
  }

  @AfterEach
  void close() {
    referee.close();
  }

  /** A bot that takes the last option. */
  private static FutureTask<Void> dial(FakeReferee referee) {
    Tables tables = new Tables(match -> question -> question.optionCount() - 1);
    Client client =
        new Client(referee.address, InsecureChannelCredentials.create(), "secret", HELLO, tables);
    FutureTask<Void> game =
        new FutureTask<>(
            () -> {
              client.play();
              return null;
            });
    new Thread(game, "bot").start();
    return game;
  }

  private static Status failure(FutureTask<Void> game) {
    ExecutionException error =
        assertThrows(ExecutionException.class, () -> game.get(PATIENCE_SECONDS, SECONDS));
    return assertInstanceOf(StatusException.class, error.getCause()).getStatus();
  }

  private static void playTwoTables(FakeReferee referee) throws Exception {
    FutureTask<Void> game = dial(referee);
    FakeReferee.Stream bot = referee.admit();
    assertEquals("Bearer secret", bot.authorization);
    assertEquals(List.of(FromBot.newBuilder().setHello(HELLO).build()), bot.hear());
    bot.say(welcome(0, ""), start(1, "a", false), start(2, "b", false));
    assertEquals(List.of(ready(1), ready(2)), bot.hear());
    bot.say(unknownKind());
    bot.say(question(1, 1, 3), question(2, 1, 5));
    assertEquals(List.of(choice(1, 1, 2), choice(2, 1, 4)), bot.hear());
    bot.say(goodbye());
    assertEquals(List.of(), bot.hear());
    bot.end();
    game.get(PATIENCE_SECONDS, SECONDS);
  }

  @Test
  void playsFromHelloToGoodbyeOverAUnixSocket() throws Exception {
    playTwoTables(referee);
  }

  @Test
  void playsFromHelloToGoodbyeOverTcp() throws Exception {
    try (FakeReferee far = FakeReferee.onPort()) {
      playTwoTables(far);
    }
  }

  @Test
  void doesNotWaitForARefereeThatForgetsToHangUp() throws Exception {
    FutureTask<Void> game = dial(referee);
    referee.admit().say(goodbye());
    game.get(PATIENCE_SECONDS, SECONDS);
  }

  @ParameterizedTest
  @CsvSource({"60000, goodbye: the arena closes", "0, ''"})
  void printsTheGoodbyeOfAFarServer(int reconnectMillis, String expected) throws Exception {
    PrintStream usual = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, UTF_8));
    try {
      FutureTask<Void> game = dial(referee);
      referee.admit().say(welcome(reconnectMillis, ""), goodbye("the arena closes"));
      game.get(PATIENCE_SECONDS, SECONDS);
    } finally {
      System.setErr(usual);
    }
    assertEquals(expected, printed.toString(UTF_8).strip());
  }

  @Test
  void aRefusalIsFinal() throws Exception {
    FutureTask<Void> game = dial(referee);
    referee.admit().end(Status.UNAUTHENTICATED.withDescription("the token is not valid here"));
    Status refusal = failure(game);
    assertEquals(Status.Code.UNAUTHENTICATED, refusal.getCode());
    assertEquals("the token is not valid here", refusal.getDescription());
  }

  @Test
  void aRefusalIsFinalAfterWelcomeToo() throws Exception {
    FutureTask<Void> game = dial(referee);
    FakeReferee.Stream bot = referee.admit();
    bot.say(welcome(60_000, "another"));
    bot.hear();
    bot.end(Status.CANCELLED); // no refusal: so ends a stream to a server that is shut down
    bot = referee.admit();
    bot.say(welcome(60_000, "third"));
    bot.hear();
    bot.end(Status.ABORTED.withDescription("a newer stream of this bot has taken over"));
    Status refusal = failure(game);
    assertEquals(Status.Code.ABORTED, refusal.getCode());
    assertEquals("a newer stream of this bot has taken over", refusal.getDescription());
  }

  @Test
  void theEndWithoutGoodbyeIsTheEndWhereTheRefereeKeepsNoSeats() throws Exception {
    FutureTask<Void> game = dial(referee);
    FakeReferee.Stream bot = referee.admit();
    bot.say(welcome(0, ""));
    bot.end();
    assertEquals(Status.Code.UNAVAILABLE, failure(game).getCode());
  }

  @Test
  void comesBackToItsMatchWithTheNewToken() throws Exception {
    FutureTask<Void> game = dial(referee);
    FakeReferee.Stream bot = referee.admit();
    bot.say(welcome(60_000, "another"), start(1, "a", false));
    bot.hear();
    assertEquals(List.of(ready(1)), bot.hear());
    bot.end(Status.UNAVAILABLE);
    referee.admit().end(Status.UNAVAILABLE); // not yet

    bot = referee.admit();
    assertEquals("Bearer another", bot.authorization);
    assertEquals(List.of(FromBot.newBuilder().setHello(HELLO).build()), bot.hear());
    bot.say(welcome(60_000, ""), start(4, "a", true), question(4, 1, 2));
    assertEquals(List.of(ready(4), choice(4, 1, 1)), bot.hear());
    bot.end();

    bot = referee.admit();
    assertEquals("Bearer another", bot.authorization);
    bot.end(Status.ALREADY_EXISTS);
    assertEquals(Status.Code.ALREADY_EXISTS, failure(game).getCode());
  }

  @Test
  void givesUpWhenItsSeatsAreGone() throws Exception {
    FutureTask<Void> game = dial(referee);
    FakeReferee.Stream bot = referee.admit();
    bot.say(welcome(500, ""));
    bot.hear();
    referee.close();
    assertEquals(Status.Code.UNAVAILABLE, failure(game).getCode());
  }
}

package tortuga.bot;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import tortuga.v1.Hello;
import tortuga.v1.MatchStart;

/** The door to the SDK: {@link #play}. */
public final class Tortuga {
  private static final int PROTOCOL = 1;
  private static final String SDK = "tortuga-bot 0.1.0";

  /** Held here, because a logger that nobody holds forgets its level. */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  private Tortuga() {}

  /**
   * Plays until the referee says goodbye.
   *
   * <p>Address and token come from the environment, as the referee sets them. When the bot is
   * refused, or loses the referee for good, the process ends with code 1 and one line on stderr.
   *
   * @param bot makes the player of each match; with several slots, several matches run at once
   * @param hello who the bot is: name, version, games, slots, and whether it does without options
   *     or events. The protocol, the SDK and the language are filled in here
   */
  public static void play(Function<MatchStart, Player> bot, Hello.Builder hello) {
    GRPC_LOG.setLevel(Level.OFF); // what ends the stream is told in one line, by us
    Map<String, String> environment = System.getenv();
    String address = environment.getOrDefault("TORTUGA_ADDRESS", "");
    if (address.isEmpty()) {
      fail(
          "TORTUGA_ADDRESS is not set: start this bot through the referee,"
              + " e.g. `tortuga play ... --bot FOLDER`");
    }
    try {
      ChannelCredentials credentials = credentials(environment.getOrDefault("TORTUGA_TLS", ""));
      String token = environment.getOrDefault("TORTUGA_TOKEN", "");
      hello.setProtocol(PROTOCOL).setSdk(SDK).setLanguage("java");
      LogMarks log = new LogMarks();
      log.takeOver();
      new Client(address, credentials, token, hello.build(), new Tables(bot, log)).play();
    } catch (StatusException error) {
      fail("the referee ended the stream: " + inOneLine(error.getStatus()));
    } catch (IOException error) {
      fail("TORTUGA_TLS: " + error.getMessage());
    } catch (InterruptedException error) {
      fail("interrupted");
    }
  }

  private static ChannelCredentials credentials(String tls) throws IOException {
    return switch (tls) {
      case "" -> InsecureChannelCredentials.create();
      case "system" -> TlsChannelCredentials.create();
      default -> TlsChannelCredentials.newBuilder().trustManager(new File(tls)).build();
    };
  }

  private static String inOneLine(Status status) {
    String what = Objects.requireNonNullElse(status.getDescription(), "no reason given");
    String why = status.getCause() == null ? "" : ": " + status.getCause().getMessage();
    return status.getCode() + ": " + what.lines().findFirst().orElse("") + why;
  }

  private static void fail(String why) {
    System.err.println(why);
    System.exit(1);
  }
}

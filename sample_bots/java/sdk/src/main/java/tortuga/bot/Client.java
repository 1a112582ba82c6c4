package tortuga.bot;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.UnixDomainSocketAddress;
import tortuga.v1.FromBot;
import tortuga.v1.FromBotBatch;
import tortuga.v1.Goodbye;
import tortuga.v1.Hello;
import tortuga.v1.RefereeGrpc;
import tortuga.v1.ToBot;
import tortuga.v1.ToBotBatch;
import tortuga.v1.Welcome;

/**
 * The stream to the referee: dials, says Hello, talks until Goodbye, and dials again where the
 * referee allows it.
 *
 * <p>Reading, choosing and writing are one loop on the caller's thread; netty adds one daemon
 * thread for the socket, so that nothing can keep the process alive once the loop is over.
 */
final class Client {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final String UNIX = "unix:";
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 2000;

  /**
   * Java's own sockets, Unix domain sockets among them: no native library that would have to be
   * unpacked at each start.
   */
  private final EventLoopGroup eventLoop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("referee", true), NioIoHandler.newFactory());

  private final String address;
  private final ChannelCredentials credentials;
  private final Hello hello;
  private final Tables tables;
  private String token;

  /** The Welcome of the present stream; null until it is heard. */
  private Welcome welcome;

  Client(String address, ChannelCredentials credentials, String token, Hello hello, Tables tables) {
    this.address = address;
    this.credentials = credentials;
    this.token = token;
    this.hello = hello;
    this.tables = tables;
  }

  /**
   * Returns after Goodbye. Throws when the bot is refused, or when the stream is broken for good.
   */
  void play() throws StatusException, InterruptedException {
    try {
      talkUntilGoodbye();
    } finally {
      // Java would wait 0.3 s at its end for a thread that waits for a socket.
      eventLoop.shutdownGracefully(0, 1, SECONDS).await();
    }
  }

  private void talkUntilGoodbye() throws StatusException, InterruptedException {
    long pauseMillis = FIRST_PAUSE_MILLIS;
    long giveUpNanos = System.nanoTime(); // who was never welcome has nothing to come back to
    while (true) {
      try {
        talk();
        return;
      } catch (StatusException broken) {
        if (isRefusal(broken.getStatus().getCode())) {
          throw broken;
        }
        if (welcome != null) {
          pauseMillis = FIRST_PAUSE_MILLIS;
          giveUpNanos = System.nanoTime() + MILLISECONDS.toNanos(reconnectMillis());
          token = welcome.getResumeToken().isEmpty() ? token : welcome.getResumeToken();
          welcome = null;
          tables.leave();
        }
        if (System.nanoTime() - giveUpNanos >= 0) {
          throw broken;
        }
      }
      MILLISECONDS.sleep(pauseMillis);
      pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
    }
  }

  /** A stream that stood is also broken when it is cancelled: so ends one to a server shut down. */
  private boolean isRefusal(Status.Code code) {
    return code != Status.Code.UNAVAILABLE && (code != Status.Code.CANCELLED || welcome == null);
  }

  private long reconnectMillis() {
    return Integer.toUnsignedLong(welcome.getReconnectMillis());
  }

  /** One stream, from Hello to Goodbye. Any other end is thrown. */
  private void talk() throws StatusException, InterruptedException {
    ManagedChannel channel = dial();
    try {
      BlockingClientCall<FromBotBatch, ToBotBatch> stream =
          RefereeGrpc.newBlockingV2Stub(channel).withInterceptors(bearer(token)).play();
      stream.write(batchOf(FromBot.newBuilder().setHello(hello)));
      for (ToBotBatch batch = stream.read(); batch != null; batch = stream.read()) {
        boolean isOver = false;
        for (ToBot message : batch.getMessagesList()) {
          if (message.hasWelcome()) {
            welcome = message.getWelcome();
          } else if (message.hasGoodbye()) {
            isOver = true;
            tell(message.getGoodbye());
          }
        }
        FromBotBatch answers = tables.hear(batch);
        if (isOver) {
          stream.halfClose();
          channel.shutdown().awaitTermination(1, SECONDS);
          return;
        }
        if (answers.getMessagesCount() > 0) {
          stream.write(answers);
        }
      }
      throw Status.UNAVAILABLE.withDescription("the stream ended without Goodbye").asException();
    } finally {
      channel.shutdownNow();
    }
  }

  /** At a far server nobody else would tell the author why it is over. */
  private void tell(Goodbye goodbye) {
    if (welcome != null && reconnectMillis() > 0) {
      System.err.println("goodbye: " + goodbye.getReason());
    }
  }

  private static FromBotBatch batchOf(FromBot.Builder message) {
    return FromBotBatch.newBuilder().addMessages(message).build();
  }

  /**
   * A new channel for each stream: one that failed would wait at its own pace before it dials
   * again.
   */
  private ManagedChannel dial() {
    NettyChannelBuilder builder;
    if (address.startsWith(UNIX)) {
      // gRPC also knows unix:///path.
      String path = address.substring(UNIX.length()).replaceFirst("^//(?=/)", "");
      builder =
          NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(path), credentials)
              .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
              .withOption(
                  ChannelOption.SO_KEEPALIVE,
                  null) // set by gRPC; netty would print that a Unix socket has none
              .overrideAuthority("localhost");
    } else {
      builder =
          NettyChannelBuilder.forTarget(address, credentials).channelType(NioSocketChannel.class);
    }
    return builder.eventLoopGroup(eventLoop).build();
  }

  private static ClientInterceptor bearer(String token) {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }
}

package tortuga.bot;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import tortuga.v1.FromBotBatch;
import tortuga.v1.Goodbye;
import tortuga.v1.RefereeGrpc;
import tortuga.v1.ToBot;
import tortuga.v1.ToBotBatch;
import tortuga.v1.Welcome;

/**
 * Run by the build of a bot, never by a bot: lets it meet a referee that only says Welcome and
 * Goodbye.
 *
 * <p>Meanwhile java notes which classes were loaded and keeps them in a file that later starts map
 * into memory (class data sharing): it halves the start, and the first questions, on a running
 * clock, are not spent on loading messages. Arguments: the jar and the bot's main class;
 * TORTUGA_ADDRESS says where to meet.
 */
final class Rehearsal extends RefereeGrpc.RefereeImplBase {
  private Rehearsal() {}

  public static void main(String[] args) throws Exception {
    loadMessages(args[0]);
    Path socket = Path.of(System.getenv("TORTUGA_ADDRESS").substring("unix:".length()));
    Files.deleteIfExists(socket);
    EventLoopGroup eventLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    Server referee =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(eventLoop)
            .workerEventLoopGroup(eventLoop)
            .withChildOption(ChannelOption.SO_KEEPALIVE, null) // as in Client
            .addService(new Rehearsal())
            .build()
            .start();
    Class.forName(args[1]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    referee.shutdownNow().awaitTermination();
    eventLoop.shutdownGracefully().sync();
    Files.deleteIfExists(socket);
  }

  /** All of them: nobody knows yet which games will be played. */
  private static void loadMessages(String path) throws IOException, ClassNotFoundException {
    try (JarFile jar = new JarFile(path)) {
      for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
        String name = entry.getName();
        if (name.startsWith("tortuga/v1/") && name.endsWith(".class")) {
          Class.forName(name.substring(0, name.lastIndexOf('.')).replace('/', '.'));
        }
      }
    }
  }

  @Override
  public StreamObserver<FromBotBatch> play(StreamObserver<ToBotBatch> bot) {
    return new StreamObserver<>() {
      @Override
      public void onNext(FromBotBatch hello) {
        bot.onNext(
            ToBotBatch.newBuilder()
                .addMessages(ToBot.newBuilder().setWelcome(Welcome.getDefaultInstance()))
                .addMessages(ToBot.newBuilder().setGoodbye(Goodbye.getDefaultInstance()))
                .build());
      }

      @Override
      public void onError(Throwable error) {}

      @Override
      public void onCompleted() {
        bot.onCompleted();
      }
    };
  }
}

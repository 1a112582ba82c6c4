package tortuga.bot;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import tortuga.v1.FromBot;
import tortuga.v1.FromBotBatch;
import tortuga.v1.RefereeGrpc;
import tortuga.v1.ToBot;
import tortuga.v1.ToBotBatch;

/** A referee whose lines are spoken by a test. */
final class FakeReferee extends RefereeGrpc.RefereeImplBase
    implements ServerInterceptor, AutoCloseable {
  /** Longer than anything here takes, even on a machine that is busy with other things. */
  static final int PATIENCE_SECONDS = 30;

  private static final Context.Key<String> AUTHORIZATION = Context.key("authorization");

  private final EventLoopGroup eventLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();
  private final Server server;
  final String address;

  private FakeReferee(NettyServerBuilder builder, String address) throws IOException {
    server =
        builder
            .bossEventLoopGroup(eventLoop)
            .workerEventLoopGroup(eventLoop)
            .addService(this)
            .intercept(this)
            .build()
            .start();
    this.address = address.replace(":0", ":" + server.getPort());
  }

  static FakeReferee onSocket(Path path) throws IOException {
    return new FakeReferee(
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(path))
            .channelType(NioServerDomainSocketChannel.class)
            .withChildOption(ChannelOption.SO_KEEPALIVE, null),
        "unix:" + path);
  }

  static FakeReferee onPort() throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new FakeReferee(
        NettyServerBuilder.forAddress(anyPort).channelType(NioServerSocketChannel.class),
        "127.0.0.1:0");
  }

  /** The next bot that dials in. */
  Stream admit() throws InterruptedException {
    Stream stream = streams.poll(PATIENCE_SECONDS, SECONDS);
    if (stream == null) {
      throw new AssertionError("nobody dialled in");
    }
    return stream;
  }

  @Override
  public StreamObserver<FromBotBatch> play(StreamObserver<ToBotBatch> bot) {
    Stream stream = new Stream(bot, AUTHORIZATION.get());
    streams.add(stream);
    return stream;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String value = headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
    return Contexts.interceptCall(
        Context.current().withValue(AUTHORIZATION, value), call, headers, next);
  }

  @Override
  public void close() {
    server.shutdownNow();
    eventLoop.shutdownGracefully(0, 1, SECONDS).awaitUninterruptibly();
  }

  /** One bot's stream. */
  static final class Stream implements StreamObserver<FromBotBatch> {
    private final BlockingQueue<List<FromBot>> heard = new LinkedBlockingQueue<>();
    private final StreamObserver<ToBotBatch> bot;
    final String authorization;

    private Stream(StreamObserver<ToBotBatch> bot, String authorization) {
      this.bot = bot;
      this.authorization = authorization;
    }

    void say(ToBot... messages) {
      bot.onNext(ToBotBatch.newBuilder().addAllMessages(List.of(messages)).build());
    }

    /** The messages of the next batch; empty when the bot has ended its side of the stream. */
    List<FromBot> hear() throws InterruptedException {
      List<FromBot> batch = heard.poll(PATIENCE_SECONDS, SECONDS);
      if (batch == null) {
        throw new AssertionError("the bot says nothing");
      }
      return batch;
    }

    void end() {
      bot.onCompleted();
    }

    void end(Status status) {
      bot.onError(status.asException());
    }

    @Override
    public void onNext(FromBotBatch batch) {
      heard.add(batch.getMessagesList());
    }

    @Override
    public void onError(Throwable error) {}

    @Override
    public void onCompleted() {
      heard.add(List.of());
    }
  }
}

// The wire: `play` against a referee in this process that follows a script.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "messages.h"
#include "tortuga/v1/referee.grpc.pb.h"
#include "tortuga_bot/bot.h"

namespace tortuga_bot {
namespace {

using Stream = grpc::ServerReaderWriter<v1::ToBotBatch, v1::FromBotBatch>;
using Scene = std::function<grpc::Status(Stream&)>;  // what happens on one stream

// Plays one scene per stream, and notes the token of each.
class FakeReferee final : public v1::Referee::Service {
 public:
  FakeReferee(std::vector<Scene> scenes, const std::string& address,
              const std::shared_ptr<grpc::ServerCredentials>& credentials = grpc::InsecureServerCredentials())
      : scenes_(std::move(scenes)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, credentials, &port_).RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~FakeReferee() override { server_->Shutdown(std::chrono::system_clock::now()); }

  int port() const { return port_; }
  const std::vector<std::string>& tokens() const { return tokens_; }

  grpc::Status Play(grpc::ServerContext* context, Stream* stream) override {
    const auto token = context->client_metadata().find("authorization");
    tokens_.emplace_back(token->second.data(), token->second.size());
    if (tokens_.size() > scenes_.size()) return {grpc::StatusCode::UNAUTHENTICATED, "nobody is expected any more"};
    return scenes_[tokens_.size() - 1](*stream);
  }

 private:
  std::vector<Scene> scenes_;
  std::vector<std::string> tokens_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

v1::FromBotBatch listen(Stream& stream) {
  v1::FromBotBatch said;
  EXPECT_TRUE(stream.Read(&said));
  return said;
}

void expect_choice(Stream& stream, int index) {
  const auto said = listen(stream);
  ASSERT_EQ(said.messages_size(), 1);
  EXPECT_EQ(said.messages(0).choice().option_index(), index);
}

// One match of one question, from Hello to Goodbye.
grpc::Status short_match(Stream& stream) {
  EXPECT_TRUE(listen(stream).messages(0).has_hello());
  stream.Write(batch({welcome(), match_start(1, "one")}));
  EXPECT_TRUE(listen(stream).messages(0).has_ready());
  stream.Write(batch({question(1, 1)}));
  expect_choice(stream, 7);
  stream.Write(batch({match_end(1), goodbye()}));
  return grpc::Status::OK;
}

Scene refuse(grpc::StatusCode code, const std::string& why) {
  return [=](Stream&) { return grpc::Status(code, why); };
}

// Greets, lets the match begin, and hangs up.
Scene hang_up(std::uint32_t reconnect_millis, const std::string& resume_token = "") {
  return [=](Stream& stream) {
    listen(stream);
    stream.Write(batch({welcome(reconnect_millis, resume_token), match_start(1, "one")}));
    listen(stream);
    return grpc::Status::OK;
  };
}

// Greets, gives the match back at another table, asks, and says goodbye.
grpc::Status take_back(Stream& stream) {
  listen(stream);
  stream.Write(batch({welcome(30'000), match_start(2, "one", true)}));
  listen(stream);
  stream.Write(batch({question(2, 1)}));
  expect_choice(stream, 7);
  stream.Write(batch({goodbye()}));
  return grpc::Status::OK;
}

class Play : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TORTUGA_ADDRESS", address().c_str(), 1);
    ::setenv("TORTUGA_TOKEN", "secret", 1);
    ::unsetenv("TORTUGA_TLS");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string address() const { return "unix:" + (folder_ / "referee.sock").string(); }

  // Plays as a bot that always answers 7, and keeps what it writes to stderr.
  int play_seven() {
    std::stringstream errors;
    std::streambuf* const usual = std::cerr.rdbuf(errors.rdbuf());
    const int code = play([](const Question&) { return 7; });
    std::cerr.rdbuf(usual);
    errors_ = errors.str();
    return code;
  }

  static std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tortuga-XXXXXX").string();
    return ::mkdtemp(name.data());
  }

  const std::filesystem::path folder_ = make_folder();
  std::string errors_;
};

TEST_F(Play, OverAUnixSocket) {
  const FakeReferee referee({short_match}, address());
  EXPECT_EQ(play_seven(), 0);
  EXPECT_EQ(errors_, "");
  EXPECT_EQ(referee.tokens(), std::vector<std::string>{"Bearer secret"});
}

TEST_F(Play, OverTcp) {
  const FakeReferee referee({short_match}, "127.0.0.1:0");
  ::setenv("TORTUGA_ADDRESS", ("127.0.0.1:" + std::to_string(referee.port())).c_str(), 1);
  EXPECT_EQ(play_seven(), 0);
}

TEST_F(Play, OverTls) {
  const auto key = folder_ / "key.pem", certificate = folder_ / "certificate.pem";
  const std::string make =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1"
      " -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
      key.string() + " -out " + certificate.string() + " 2>/dev/null";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "needs the command openssl";
  const auto read = [](const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({read(key), read(certificate)});
  const FakeReferee referee({short_match}, "localhost:0", grpc::SslServerCredentials(options));
  ::setenv("TORTUGA_ADDRESS", ("localhost:" + std::to_string(referee.port())).c_str(), 1);

  ::setenv("TORTUGA_TLS", "system", 1);  // whose roots have never heard of this certificate
  EXPECT_EQ(play_seven(), 1);
  ::setenv("TORTUGA_TLS", (folder_ / "missing.pem").c_str(), 1);
  EXPECT_EQ(play_seven(), 1);
  EXPECT_EQ(errors_, "TORTUGA_TLS: cannot read " + (folder_ / "missing.pem").string() + "\n");
  ::setenv("TORTUGA_TLS", certificate.c_str(), 1);
  EXPECT_EQ(play_seven(), 0);
}

TEST_F(Play, NeedsAnAddress) {
  ::unsetenv("TORTUGA_ADDRESS");
  EXPECT_EQ(play_seven(), 1);
  EXPECT_EQ(errors_.find("TORTUGA_ADDRESS is not set"), 0u);
}

TEST_F(Play, FailsAtOnceWhereNobodyListens) {
  EXPECT_EQ(play_seven(), 1);
  EXPECT_EQ(errors_.find("the referee ended the stream: UNAVAILABLE: "), 0u) << errors_;
}

TEST_F(Play, SaysWhyItWasRefused) {
  const FakeReferee referee({refuse(grpc::StatusCode::UNAUTHENTICATED, "the token is not valid here")}, address());
  EXPECT_EQ(play_seven(), 1);
  EXPECT_EQ(errors_, "the referee ended the stream: UNAUTHENTICATED: the token is not valid here\n");
}

TEST_F(Play, TakesAGoodbyeInsteadOfAWelcomeForARefusal) {
  const FakeReferee referee({[](Stream& stream) {
                              stream.Write(batch({goodbye("the bot speaks protocol 1, this referee speaks 2")}));
                              return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "");
                            }},
                            address());
  EXPECT_EQ(play_seven(), 1);
  EXPECT_EQ(errors_, "the referee turned the bot away: the bot speaks protocol 1, this referee speaks 2\n");
}

TEST_F(Play, LeavesAtGoodbyeEvenIfTheRefereeLingers) {
  const FakeReferee referee({[](Stream& stream) {
                              stream.Write(batch({welcome(), goodbye()}));
                              v1::FromBotBatch said;
                              while (stream.Read(&said)) continue;
                              std::this_thread::sleep_for(std::chrono::seconds(3));
                              return grpc::Status::OK;
                            }},
                            address());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(play_seven(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST_F(Play, FailsWhenTheStreamEndsWithoutGoodbye) {
  const FakeReferee referee({hang_up(0)}, address());
  EXPECT_EQ(play_seven(), 1);
  EXPECT_EQ(errors_, "the referee ended the stream without a goodbye\n");
}

TEST_F(Play, DialsAgainWhereItsSeatsAreKept) {
  const FakeReferee referee({hang_up(30'000, "again"), refuse(grpc::StatusCode::UNAVAILABLE, "not yet"), take_back},
                            address());
  EXPECT_EQ(play_seven(), 0);
  EXPECT_EQ(errors_, "goodbye: the matches are over\n");
  EXPECT_EQ(referee.tokens(), (std::vector<std::string>{"Bearer secret", "Bearer again", "Bearer again"}));
}

TEST_F(Play, DialsAgainWithTheOldTokenIfThereIsNoOther) {
  const FakeReferee referee({hang_up(30'000), take_back}, address());
  EXPECT_EQ(play_seven(), 0);
  EXPECT_EQ(referee.tokens(), (std::vector<std::string>{"Bearer secret", "Bearer secret"}));
}

TEST_F(Play, TakesARefusalForFinal) {
  const FakeReferee referee({hang_up(30'000), refuse(grpc::StatusCode::ALREADY_EXISTS, "it is open")}, address());
  EXPECT_EQ(play_seven(), 1);
  EXPECT_EQ(errors_, "the referee ended the stream: ALREADY_EXISTS: it is open\n");
}

TEST_F(Play, GivesUpWhenItsSeatsAreGone) {
  const auto gone = refuse(grpc::StatusCode::UNAVAILABLE, "gone");
  const FakeReferee referee({hang_up(1'000), gone, gone, gone, gone, gone}, address());
  EXPECT_EQ(play_seven(), 1);
  EXPECT_GE(referee.tokens().size(), 2u);
  EXPECT_LE(referee.tokens().size(), 4u);  // after 0.1, 0.3 and 0.7 s; the next time would be 1.5 s
}

}  // namespace
}  // namespace tortuga_bot

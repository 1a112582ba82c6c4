// The wire: dial, talk, dial again where the referee keeps the bot's seats.

#include "tortuga_bot/bot.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <thread>

#include "tortuga/v1/referee.grpc.pb.h"
#include "tortuga_bot/conversation.h"
#include "tortuga_bot/log_marks.h"

namespace tortuga_bot {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kFirstWait = 100ms;
constexpr Clock::duration kLongestWait = 2s;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Plain text, or TLS as TORTUGA_TLS says; nothing if its roots cannot be read. (Empty roots would be the system's.)
std::shared_ptr<grpc::ChannelCredentials> credentials(const std::string& tls) {
  if (tls.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions trusted;
  if (tls != "system") {
    std::ifstream file(tls);
    trusted.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
    if (trusted.pem_root_certs.empty()) return nullptr;
  }
  return grpc::SslCredentials(trusted);
}

// A channel that was never used: gRPC would otherwise make us wait out its own pauses between two attempts.
std::shared_ptr<grpc::Channel> dial(const std::string& address,
                                    const std::shared_ptr<grpc::ChannelCredentials>& trust) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);  // in truth the time one attempt may take
  arguments.SetMaxReceiveMessageSize(-1);                      // the referee is trusted; 64 tables ask much at once
  return grpc::CreateCustomChannel(address, trust, arguments);
}

// One stream, from Hello to its end.
grpc::Status talk(const std::shared_ptr<grpc::Channel>& channel, const std::string& token, Conversation& conversation) {
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + token);
  const auto stream = v1::Referee::NewStub(channel)->Play(&context);

  // What a failed write means is told by the read that fails after it.
  stream->Write(conversation.begin());
  v1::ToBotBatch batch;
  while (!conversation.goodbye() && stream->Read(&batch)) {
    const v1::FromBotBatch said = conversation.hear(batch);
    if (said.messages_size() > 0 && !conversation.goodbye()) stream->Write(said);
  }
  stream->WritesDone();
  // Finish waits for the referee to end its side, and a bot must not hang on that once all is said.
  if (conversation.goodbye()) context.TryCancel();
  return stream->Finish();
}

std::string describe(const grpc::Status& status) {
  static constexpr std::array kNames = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  if (status.ok()) return "the referee ended the stream without a goodbye";
  const auto code = static_cast<std::size_t>(status.error_code());
  return "the referee ended the stream: " + std::string(code < kNames.size() ? kNames[code] : "unknown status") + ": " +
         status.error_message();
}

int fail(const std::string& why) {
  std::cerr << why << std::endl;
  return EXIT_FAILURE;
}

// For the terminate handler, which has no other way to know: the marks of the bot that plays.
LogMarks* playing = nullptr;
std::terminate_handler terminate_before = nullptr;

// What is printed about an exception that nobody catches belongs to the question, too. (To catch it here and throw it
// again would lose the place it came from, for a debugger.)
[[noreturn]] void mark_and_terminate() {
  if (playing) playing->mark_now();
  terminate_before();
  std::abort();
}

// The marks of this process, while `play` runs.
struct MarkedLog {
  LogMarks marks{&std::cout, &std::clog, &std::cerr};

  MarkedLog() {
    playing = &marks;
    terminate_before = std::set_terminate(mark_and_terminate);
  }

  ~MarkedLog() {
    playing = nullptr;
    std::set_terminate(terminate_before);
  }
};

}  // namespace

int play(Choose choose, Options options) {
  const std::string address = environment("TORTUGA_ADDRESS");
  const std::string tls = environment("TORTUGA_TLS");
  std::string token = environment("TORTUGA_TOKEN");
  if (address.empty()) {
    return fail("TORTUGA_ADDRESS is not set: start this bot through the referee, e.g. `tortuga play … --bot FOLDER`");
  }
  const auto trust = credentials(tls);
  if (!trust) return fail("TORTUGA_TLS: cannot read " + tls);

  MarkedLog log;
  const Choose choose_marked = [&](const Question& question) {
    const Match& match = question.match;
    return log.marks.question(match.id(), match.seat(), question.message.question_id(),
                              [&] { return choose(question); });
  };
  Conversation conversation(choose_marked, std::move(options));
  Clock::time_point seats_kept_until = Clock::time_point::min();
  Clock::duration wait = kFirstWait;
  while (true) {
    const grpc::Status status = talk(dial(address, trust), token, conversation);
    const auto& welcome = conversation.welcome();
    if (const auto& goodbye = conversation.goodbye()) {
      // A goodbye without a welcome is how the referee turns a bot away whose Hello it does not like.
      if (!welcome) return fail("the referee turned the bot away: " + goodbye->reason());
      // A far server: nobody else would tell the author why.
      if (welcome->reconnect_millis() > 0) std::cerr << "goodbye: " << goodbye->reason() << std::endl;
      return EXIT_SUCCESS;
    }
    if (welcome) {
      seats_kept_until = Clock::now() + std::chrono::milliseconds(welcome->reconnect_millis());
      wait = kFirstWait;
      if (!welcome->resume_token().empty()) token = welcome->resume_token();
    }
    const bool refused = !status.ok() && status.error_code() != grpc::StatusCode::UNAVAILABLE;
    if (refused || Clock::now() + wait > seats_kept_until) return fail(describe(status));
    std::this_thread::sleep_for(wait);
    wait = std::min(2 * wait, kLongestWait);
  }
}

}  // namespace tortuga_bot

#include "tortuga_bot/conversation.h"

#include <iostream>

namespace tortuga_bot {

namespace {

constexpr std::uint32_t kProtocol = 1;
constexpr const char* kSdk = "tortuga_bot 0.1.0";

}  // namespace

v1::FromBotBatch Conversation::begin() {
  welcome_.reset();
  for (auto& [table, seated] : tables_) {
    Chair chair(seated.match.id(), seated.match.seat());
    adrift_.insert_or_assign(std::move(chair), std::move(seated));
  }
  tables_.clear();

  v1::FromBotBatch batch;
  v1::Hello& hello = *batch.add_messages()->mutable_hello();
  hello.set_protocol(kProtocol);
  hello.set_bot_name(options_.name);
  hello.set_bot_version(options_.version);
  hello.set_sdk(kSdk);
  hello.set_language("cpp");
  hello.mutable_games()->Assign(options_.games.begin(), options_.games.end());
  hello.mutable_seat_counts()->Assign(options_.seat_counts.begin(), options_.seat_counts.end());
  hello.set_slots(options_.slots);
  hello.set_omit_options(options_.omit_options);
  hello.set_omit_events(options_.omit_events);
  hello.set_want_model(options_.want_model);
  hello.set_want_text(options_.want_text);
  hello.set_want_rules(options_.want_rules);
  return batch;
}

v1::FromBotBatch Conversation::hear(const v1::ToBotBatch& batch) {
  arrivals_.read(tables_.size());
  v1::FromBotBatch said;
  const auto say = [&said](std::uint32_t table) {
    v1::FromBot& message = *said.add_messages();
    message.set_table(table);
    return &message;
  };
  for (const v1::ToBot& message : batch.messages()) {
    const std::uint32_t table = message.table();
    switch (message.message_case()) {
      case v1::ToBot::kWelcome: welcome_ = message.welcome(); break;
      case v1::ToBot::kMatchStart:
        sit_down(table, message.match_start());
        say(table)->mutable_ready();
        arrivals_.ready(table);
        break;
      case v1::ToBot::kQuestion: {
        const auto seated = tables_.find(table);
        if (seated == tables_.end()) {
          std::cerr << "table " << table << ": a question, but no match was started there" << std::endl;
          break;
        }
        const std::optional<int> index = answer(seated->second, table, message.question());
        // The notes go first: the answer may end the match, and after that nobody hears them.
        for (v1::Note& note : seated->second.match.notes().take()) *say(table)->mutable_note() = std::move(note);
        if (index) {
          v1::Choice& choice = *say(table)->mutable_choice();
          choice.set_question_id(message.question().question_id());
          choice.set_option_index(*index);
        } else {
          say(table)->mutable_resign();
        }
        break;
      }
      case v1::ToBot::kFault: hear_fault(table, message.fault()); break;
      case v1::ToBot::kMatchEnd: hear_end(table, message.match_end()); break;
      case v1::ToBot::kGoodbye: goodbye_ = message.goodbye(); break;
      case v1::ToBot::MESSAGE_NOT_SET: break;  // of a kind that is newer than this SDK
    }
  }
  arrivals_.done();
  return said;
}

void Conversation::sit_down(std::uint32_t table, const v1::MatchStart& start) {
  tables_.erase(table);
  if (auto back = adrift_.extract(Chair(start.match_id(), start.seat())); start.resumed() && back) {
    tables_.emplace(table, std::move(back.mapped()));
    return;
  }
  const v1::Limits limits = welcome_ ? welcome_->limits() : v1::Limits();
  Match& match = tables_.emplace(table, Seated{.match = Match(start, limits)}).first->second.match;
  if (options_.on_start) options_.on_start(match);
}

// A question that comes twice gets the same answer twice, and `choose` need not know.
std::optional<int> Conversation::answer(Seated& seated, std::uint32_t table, const v1::Question& question) {
  if (question.question_id() != seated.answered_id) {
    seated.answer = choose_(Question{seated.match, question, arrivals_.ask(table)});
    seated.answered_id = question.question_id();
    arrivals_.answered(table);
  }
  return seated.answer;
}

void Conversation::hear_fault(std::uint32_t table, const v1::Fault& fault) {
  std::cerr << "table " << table << ": fault: " << fault.message() << std::endl;
  const auto seated = tables_.find(table);
  if (options_.on_fault && seated != tables_.end()) options_.on_fault(seated->second.match, fault);
}

void Conversation::hear_end(std::uint32_t table, const v1::MatchEnd& end) {
  auto seated = tables_.extract(table);
  if (options_.on_end && seated) options_.on_end(seated.mapped().match, end);
}

}  // namespace tortuga_bot

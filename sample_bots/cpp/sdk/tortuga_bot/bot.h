// The C++ SDK: a bot is one function from a question to an index.
//
//     #include "tortuga_bot/bot.h"
//
//     int choose(const tortuga_bot::Question& question) { return 0; }
//
//     int main() { return tortuga_bot::play(choose, {.name = "first", .games = {"pavillon_noir"}}); }
//
// `play` connects, says hello, sits down at as many tables as the bot has slots, hands each question to `choose` and
// returns when the referee says goodbye. It knows the protocol and nothing else of the server.
#pragma once

#include <algorithm>
#include <any>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tortuga/v1/referee.pb.h"
#include "tortuga_bot/notes.h"

namespace tortuga_bot {

namespace v1 = tortuga::v1;

// The match a question belongs to.
class Match {
 public:
  explicit Match(v1::MatchStart start, v1::Limits limits = {}) : start_(std::move(start)), notes_(std::move(limits)) {}

  const std::string& id() const { return start_.match_id(); }
  const std::string& game() const { return start_.game(); }
  std::uint32_t seat() const { return start_.seat(); }
  int seat_count() const { return start_.seat_names_size(); }

  // All that was said when it began: names, variant, clock, fault policy.
  const v1::MatchStart& start() const { return start_; }

  // What the bot remembers of this match, of any copyable type: made from `first` when it is first asked for, and
  // gone with the match. Questions of several matches come mixed, so this, not a global variable, is where to keep
  // it. One match has one kind of memory; asking for another throws std::bad_any_cast.
  template <typename Memory, typename... First>
  Memory& memory(First&&... first) {
    if (!memory_.has_value()) memory_.emplace<Memory>(std::forward<First>(first)...);
    return std::any_cast<Memory&>(memory_);
  }

  // For Question::note, and for who sends them.
  Notes& notes() { return notes_; }

 private:
  v1::MatchStart start_;
  std::any memory_;
  Notes notes_;
};

// One question. Any whole number from 0 to `option_count() - 1` is a legal answer.
struct Question {
  Match& match;

  // As it came. Its typed position is under the name of the game, e.g. `message.pirates_cove().observation()`.
  const v1::Question& message;

  // The number of legal actions, at least 2.
  int option_count() const { return static_cast<int>(message.option_count()); }

  // The question in words, its options with their indices: only if Options::want_text asked for it.
  const std::string& text() const { return message.text(); }

  // When it came, or the earliest time at which it can have come.
  std::chrono::steady_clock::time_point received = std::chrono::steady_clock::now();

  // Time left to answer, from now on: what the question waited while others were answered is gone. It allows nothing
  // for the way there and back, so leave some. milliseconds::max() in a match without a clock.
  std::chrono::milliseconds time_left() const {
    using std::chrono::milliseconds;
    if (match.start().clock().unlimited()) return milliseconds::max();
    const auto due = received + milliseconds(message.time_left_millis());
    const auto left = std::chrono::duration_cast<milliseconds>(due - std::chrono::steady_clock::now());
    return std::max(milliseconds::zero(), left);
  }

  // Says something on this question, for people who look at the match afterwards: at most 200 bytes of UTF-8, the rest
  // is cut. It leaves together with the answer and costs no time; no other bot ever sees it.
  void note(std::string text) const { match.notes().add(match.id(), message.question_id(), std::move(text)); }

  // What the seat's bank held when the question was sent.
  std::chrono::milliseconds bank_left() const { return std::chrono::milliseconds(message.bank_left_millis()); }
};

// A question of one game, with the game's own messages at hand. A function that takes one is a bot like any other:
//
//     int choose(const tortuga_bot::PiratesCoveQuestion& question) {
//       const auto& mine = question.observation().ships(question.match.seat());
//       …
//     }
//
// In a match of another game there is nothing to see and no option, but option_count() is true.
template <typename PositionOfGame, const PositionOfGame& (v1::Question::*read)() const>
struct GameQuestion : Question {
  GameQuestion(const Question& question) : Question(question) {}  // not explicit, so that `play` takes such a function

  const PositionOfGame& position() const { return (message.*read)(); }
  auto decision() const { return position().decision(); }
  const auto& observation() const { return position().observation(); }
  const auto& options() const { return position().options(); }
  const auto& events() const { return position().events(); }
};

using PavillonNoirQuestion = GameQuestion<v1::PavillonNoir::Position, &v1::Question::pavillon_noir>;
using BroadsidesQuestion = GameQuestion<v1::Broadsides::Position, &v1::Question::broadsides>;
using PiratesCoveQuestion = GameQuestion<v1::PiratesCove::Position, &v1::Question::pirates_cove>;
using MaraudersQuestion = GameQuestion<v1::Marauders::Position, &v1::Question::marauders>;

// The messages and enums of each game: `PiratesCove::Ship`, `PiratesCove::CAPTAIN_BLACKBEARD`.
using v1::Broadsides;
using v1::Marauders;
using v1::PavillonNoir;
using v1::PiratesCove;

// A bot: the index of the option it takes, or std::nullopt to resign the match.
using Choose = std::function<std::optional<int>(const Question&)>;

// Who the bot is, and what else it would like to hear. Every member may be left out.
struct Options {
  std::string name = "bot";  // where the referee started the bot, the name in its bot.toml counts
  std::string version = "1";
  std::vector<std::string> games = {};          // ids of the games it plays; empty: every game
  std::vector<std::uint32_t> seat_counts = {};  // the sizes of tables it sits down at, in an arena; empty: any
  unsigned slots = 8;                           // how many matches it plays at once
  bool omit_options = false;                    // true: positions come without their options, which saves bytes
  bool omit_events = false;                     // true: positions come without their events
  bool want_model = false;                      // true: questions bring `model`, to look ahead: docs/model.md
  bool want_text = false;                       // true: questions bring `text`, the table and the options in words
  bool want_rules = false;                      // true: Match::start().rules_text() has the rules in words
  std::function<void(Match&)> on_start = {};
  std::function<void(Match&, const v1::Fault&)> on_fault = {};  // the fault is on stderr already
  std::function<void(Match&, const v1::MatchEnd&)> on_end = {};
};

// Plays until the referee says goodbye. The result is the process's exit code: 0 after a goodbye; 1, with one line on
// stderr, if the bot was refused or the referee is gone.
//
// The referee is found by TORTUGA_ADDRESS, TORTUGA_TOKEN and TORTUGA_TLS (docs/protocol.md). Everything happens on the
// calling thread; what `choose` throws flies out of `play`.
int play(Choose choose, Options options = {});

}  // namespace tortuga_bot

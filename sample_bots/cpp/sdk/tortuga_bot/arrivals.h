// When a question came, though nobody looked: `choose` keeps the stream from being read, and its clock was running.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace tortuga_bot {

// The earliest time at which each question can have come: exact whenever the bot was idle before.
//
// A question comes after our last answer at its table. Those that came before it and were not yet answered are of other
// tables, one each; so it came after `choose` was called for the first of that many latest questions.
class Arrivals {
 public:
  using Clock = std::chrono::steady_clock;

  // A batch is there, and the bot sits at that many tables.
  void read(std::size_t tables) {
    batch_ = Clock::now();
    const std::size_t others = std::min(tables > 0 ? tables - 1 : 0, starts_.size());
    if (others > 0 && batch_ - idle_since_ < kIdle) batch_ = starts_[others - 1];
  }

  // `choose` is called for a question of that table in this batch. Gives the earliest time at which it can have come.
  Clock::time_point ask(std::uint32_t table) {
    starts_.push_front(Clock::now());
    if (starts_.size() > kMostTables) starts_.pop_back();
    return std::max(batch_, last_words_[table]);
  }

  // The answer of that table is ready.
  void say(std::uint32_t table) { last_words_[table] = Clock::now(); }

  // All of the batch is answered: from now on we wait.
  void done() { idle_since_ = Clock::now(); }

 private:
  static constexpr std::chrono::milliseconds kIdle{
      5};  // a batch that we waited for this long had not been there before
  static constexpr std::size_t kMostTables = 64;

  std::map<std::uint32_t, Clock::time_point> last_words_;  // when we last said something at each table
  std::deque<Clock::time_point> starts_;                   // when `choose` was called, the latest first
  Clock::time_point idle_since_{};
  Clock::time_point batch_{};
};

}  // namespace tortuga_bot

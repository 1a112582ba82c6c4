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
// A question waits while we answer those that came before it, and these are of other tables, one each. So it waited no
// longer than the answers to that many latest questions took; and it came after our last answer at its own table.
class Arrivals {
 public:
  using Clock = std::chrono::steady_clock;

  // A batch is there, and the bot sits at that many tables.
  void read(std::size_t tables) {
    batch_ = Clock::now();
    if (batch_ - idle_since_ >= kIdle) return;
    for (std::size_t place = 0; place + 1 < tables && place < busy_.size(); ++place) batch_ -= busy_[place];
  }

  // A match begins at that table.
  void ready(std::uint32_t table) { last_words_[table] = Clock::now(); }

  // `choose` is called for a question of that table in this batch. Gives the earliest time at which it can have come.
  Clock::time_point ask(std::uint32_t table) {
    asked_ = Clock::now();
    return std::max(batch_, last_words_[table]);
  }

  // `choose` has answered it.
  void answered(std::uint32_t table) {
    const auto now = Clock::now();
    last_words_[table] = now;
    busy_.push_front(now - asked_);
    if (busy_.size() > kMostTables) busy_.pop_back();
  }

  // All of the batch is answered: from now on we wait.
  void done() { idle_since_ = Clock::now(); }

 private:
  // A batch that we waited for this long had not been there before.
  static constexpr std::chrono::milliseconds kIdle{20};
  static constexpr std::size_t kMostTables = 64;

  std::map<std::uint32_t, Clock::time_point> last_words_;  // when we last said something at each table
  std::deque<Clock::duration> busy_;                       // how long the latest answers took, the last one first
  Clock::time_point idle_since_{};
  Clock::time_point batch_{};
  Clock::time_point asked_{};
};

}  // namespace tortuga_bot

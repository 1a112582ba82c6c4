// What a bot says to what it hears: the protocol without the wire.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tortuga_bot/arrivals.h"
#include "tortuga_bot/bot.h"

namespace tortuga_bot {

// One bot's side of the conversation, from Hello to Goodbye, over as many streams as that takes.
class Conversation {
 public:
  Conversation(Choose choose, Options options) : choose_(std::move(choose)), options_(std::move(options)) {}

  // The first batch on a new stream. Matches under way wait for the referee to bring them back.
  v1::FromBotBatch begin();

  // Takes in one batch and gives the answer to all of it; an empty one means that there is nothing to say.
  v1::FromBotBatch hear(const v1::ToBotBatch& batch);

  // The referee's greeting on this stream, once there was one.
  const std::optional<v1::Welcome>& welcome() const { return welcome_; }

  // The referee's goodbye, once there was one: the end of the conversation.
  const std::optional<v1::Goodbye>& goodbye() const { return goodbye_; }

 private:
  // A place in a match, by its id and seat: what a match that comes back is known by.
  using Chair = std::pair<std::string, std::uint32_t>;

  // A match at its table, with the answer last given there.
  struct Seated {
    Match match;
    std::uint32_t answered_id = 0;
    std::optional<int> answer = {};
  };

  void sit_down(std::uint32_t table, const v1::MatchStart& start);
  std::optional<int> answer(Seated& seated, std::uint32_t table, const v1::Question& question);
  void hear_fault(std::uint32_t table, const v1::Fault& fault);
  void hear_end(std::uint32_t table, const v1::MatchEnd& end);

  Choose choose_;
  Options options_;
  std::optional<v1::Welcome> welcome_;
  std::optional<v1::Goodbye> goodbye_;
  std::map<std::uint32_t, Seated> tables_;
  std::map<Chair, Seated> adrift_;  // under way when the last stream broke
  Arrivals arrivals_;
};

}  // namespace tortuga_bot

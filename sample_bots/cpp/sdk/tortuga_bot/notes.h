// What a bot notes on its questions: cut to what the referee keeps, and held until the next answer takes it along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tortuga/v1/referee.pb.h"

namespace tortuga_bot {

// The notes of one match that are not sent yet. A referee without limits for them is too old to take any.
class Notes {
 public:
  explicit Notes(tortuga::v1::Limits limits = {}) : limits_(std::move(limits)) {}

  // Keeps a note. What the referee would drop is dropped here, and said once.
  void add(const std::string& match_id, std::uint32_t question_id, std::string text);

  // The notes to be sent now.
  std::vector<tortuga::v1::Note> take() { return std::exchange(waiting_, {}); }

 private:
  tortuga::v1::Limits limits_;
  std::vector<tortuga::v1::Note> waiting_;
  std::size_t bytes_ = 0;
  bool is_full_ = false;
};

}  // namespace tortuga_bot

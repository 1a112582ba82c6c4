// @NAME@: a bot is one function from a question to the index of an option.
//
// A first idea for Pirate's Cove: keep away from the black ships, take what lies on the other islands, and go to
// Treasure Island to bury it as soon as three chests are aboard. It beats random nine times out of ten. Next: look at
// what each island offers, and at how strong the others are. docs/games/pirates_cove.md has the rules.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tortuga_bot/bot.h"

namespace {

using tortuga_bot::PiratesCove;
using tortuga_bot::PiratesCoveQuestion;

constexpr std::uint32_t kTreasureIsland = 6;
constexpr std::uint32_t kLastMonth = 12;

// Treasure Island with the loot, and otherwise any outer island without a black ship.
bool is_good_harbour(const PiratesCove::Observation& seen, std::uint32_t island) {
  if (seen.ships(static_cast<int>(seen.seat())).chests() >= 3 || seen.month() == kLastMonth) {
    return island == kTreasureIsland;
  }
  const auto& black = seen.black_ships();
  const bool is_black = std::any_of(black.begin(), black.end(), [&](auto& ship) { return ship.place() == island; });
  return island != kTreasureIsland && !is_black;
}

// How much we like an option: 0 is neither liked nor avoided.
int worth(const PiratesCove::Observation& seen, const PiratesCove::Option& option) {
  switch (option.action_case()) {
    case PiratesCove::Option::kSail: return is_good_harbour(seen, option.sail().island()) ? 1 : 0;
    case PiratesCove::Option::kBuryChests: return 300 + static_cast<int>(option.bury_chests().count());
    case PiratesCove::Option::kBuryGold: return 200 + static_cast<int>(option.bury_gold().fame());
    case PiratesCove::Option::kFire: return 100;
    default: return 0;
  }
}

// Any whole number below `count`.
int any_below(const PiratesCoveQuestion& question, int count) {
  auto& luck = question.match.memory<std::mt19937>(std::random_device{}());
  return std::uniform_int_distribution(0, count - 1)(luck);
}

// Takes the option that is worth most, any of them if there are several. Every whole number below
// question.option_count() is a legal answer; a function that returns std::optional<int> may resign with std::nullopt. A
// bot that searches asks question.time_left() how long it may still think.
int choose(const PiratesCoveQuestion& question) {
  std::vector<int> best;
  int most = std::numeric_limits<int>::min();
  for (int index = 0; index < question.options().size(); ++index) {
    const auto& option = question.options()[index];
    const int value = worth(question.observation(), option);
    if (value > most) best.clear();
    if (value >= most) best.push_back(index);
    most = std::max(most, value);
  }
  if (best.empty()) return any_below(question, question.option_count());
  if (most > 0) question.note("this is what we like best");  // for people who read the match afterwards
  return best[any_below(question, static_cast<int>(best.size()))];
}

}  // namespace

int main() { return tortuga_bot::play(choose, {.name = "@NAME@", .games = {"@GAMES@"}}); }

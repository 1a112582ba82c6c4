// @NAME@: a bot is one function from a question to the index of an option.
//
// A first idea for Marauders: sell what you have, bring gold into the chest, raid merchants, follow rumors and
// missions; leave armed ships alone, and never end a turn while something can still be done. It beats random two times
// out of three. Next: buy what the next port wants. docs/games/marauders.md has the rules.

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "tortuga_bot/bot.h"

namespace {

using tortuga_bot::Marauders;
using tortuga_bot::MaraudersQuestion;

// How much we like an option: 0 is neither liked nor avoided.
int worth(const Marauders::Option& option) {
  switch (option.action_case()) {
    case Marauders::Option::kSell: return 800 + static_cast<int>(option.sell().gold());
    case Marauders::Option::kRepairEverything: return 700;
    case Marauders::Option::kStash: return 600 + static_cast<int>(option.stash().gold());
    case Marauders::Option::kTryRumor: return 500;
    case Marauders::Option::kDoMission: return 400;
    case Marauders::Option::kScoutRumor: return 300;
    case Marauders::Option::kScoutMerchant: return 200;
    case Marauders::Option::kEngage: return 100;
    case Marauders::Option::kRetire:
    case Marauders::Option::kLetGo:
    case Marauders::Option::kEnd:
    case Marauders::Option::kScoutNpc:
    case Marauders::Option::kScoutPlayer: return -1;
    default: return 0;
  }
}

// Any whole number below `count`.
int any_below(const MaraudersQuestion& question, int count) {
  auto& luck = question.match.memory<std::mt19937>(std::random_device{}());
  return std::uniform_int_distribution(0, count - 1)(luck);
}

// Takes the option that is worth most, any of them if there are several. Every whole number below
// question.option_count() is a legal answer; a function that returns std::optional<int> may resign with std::nullopt. A
// bot that searches asks question.time_left() how long it may still think.
int choose(const MaraudersQuestion& question) {
  std::vector<int> best;
  int most = std::numeric_limits<int>::min();
  for (int index = 0; index < question.options().size(); ++index) {
    const auto& option = question.options()[index];
    const int value = worth(option);
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

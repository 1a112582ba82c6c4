// @NAME@: a bot is one function from a question to the index of an option.
//
// A first idea for Pavillon Noir: a broadside hits without any aiming, so fire one whenever the cards pay for it. It
// beats random nine times out of ten. Next: aim before you fire. docs/games/pavillon_noir.md has the rules.

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "tortuga_bot/bot.h"

namespace {

using tortuga_bot::PavillonNoir;
using tortuga_bot::PavillonNoirQuestion;

// How much we like an option: 0 is neither liked nor avoided.
int worth(const PavillonNoir::Option& option) {
  switch (option.action_case()) {
    case PavillonNoir::Option::kBroadside: return 4;
    case PavillonNoir::Option::kFireBroadside: return 3;
    case PavillonNoir::Option::kReloadBattery: return 2;
    case PavillonNoir::Option::kFire: return 1;
    default: return 0;
  }
}

// Any whole number below `count`.
int any_below(const PavillonNoirQuestion& question, int count) {
  auto& luck = question.match.memory<std::mt19937>(std::random_device{}());
  return std::uniform_int_distribution(0, count - 1)(luck);
}

// Takes the option that is worth most, any of them if there are several. Every whole number below
// question.option_count() is a legal answer; a function that returns std::optional<int> may resign with std::nullopt. A
// bot that searches asks question.time_left() how long it may still think.
int choose(const PavillonNoirQuestion& question) {
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
  if (most > 0) question.note("whenever the guns may speak, they speak");  // for people who read the match afterwards
  return best[any_below(question, static_cast<int>(best.size()))];
}

}  // namespace

int main() { return tortuga_bot::play(choose, {.name = "@NAME@", .games = {"@GAMES@"}}); }

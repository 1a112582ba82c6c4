// @NAME@: a bot is one function from a question to the index of an option.

#include <optional>
#include <random>

#include "tortuga_bot/bot.h"

namespace {

using tortuga_bot::Question;

int any_option(const Question& question) {
  auto& luck = question.match.memory<std::mt19937>(std::random_device{}());
  return std::uniform_int_distribution(0, question.option_count() - 1)(luck);
}

// A first idea for one game: chests are worth nothing until they are buried, so bury them all.
int choose_pirates_cove(const Question& question) {
  const auto& options = question.message.pirates_cove().options();
  for (int index = options.size() - 1; index >= 0; --index) {  // they come in ascending order
    if (options[index].has_bury_chests()) {
      question.note("what is buried counts");  // for people who read the match afterwards
      return index;
    }
  }
  return any_option(question);
}

// Any whole number below question.option_count() is a legal answer; return std::nullopt to resign. A bot that searches
// asks question.time_left() how long it may still think.
std::optional<int> choose(const Question& question) {
  if (question.match.game() == "pirates_cove") return choose_pirates_cove(question);
  return any_option(question);
}

}  // namespace

int main() { return tortuga_bot::play(choose, {.name = "@NAME@", .games = {"@GAMES@"}}); }

// Plays any game by picking any option: the yardstick of every ladder. Its strength must never change.
//
// Its picks follow from the match and the seat, so that `--seed` repeats a whole match and not only its luck.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "tortuga_bot/bot.h"

namespace {

using tortuga_bot::Match;
using tortuga_bot::Question;

std::mt19937 seeded_for(const Match& match) {
  const std::string words = match.id() + "/" + std::to_string(match.seat());
  std::seed_seq seed(words.begin(), words.end());
  return std::mt19937(seed);
}

// Any option, all alike.
int any_option(const Question& question) {
  auto& picks = question.match.memory<std::mt19937>(seeded_for(question.match));
  return std::uniform_int_distribution(0, question.option_count() - 1)(picks);
}

// No luck at all: the same answers as the random bot of every other language gives when called with --fixed.
int fixed_option(const Question& question) {
  const std::uint32_t mixed = question.message.question_id() * std::uint32_t{2654435761};
  return static_cast<int>((mixed >> 16) % question.message.option_count());
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool fixed = argument_count > 1 && std::string_view(arguments[1]) == "--fixed";
  return tortuga_bot::play(fixed ? fixed_option : any_option, {.name = "random-cpp"});
}

// Typed questions.

#include <gtest/gtest.h>

#include "messages.h"
#include "tortuga_bot/bot.h"

namespace tortuga_bot {
namespace {

// Sails to Treasure Island with the loot.
int choose(const PiratesCoveQuestion& question) {
  EXPECT_EQ(question.decision(), PiratesCove::DECISION_NAVIGATE);
  EXPECT_EQ(question.events().size(), 1);
  const auto& mine = question.observation().ships(static_cast<int>(question.match.seat()));
  for (int index = 0; index < question.options().size(); ++index) {
    if (question.options()[index].sail().island() == 6 && mine.chests() == 3) return index;
  }
  return -1;
}

TEST(GameQuestion, HasTheMessagesOfItsGameAtHand) {
  Match match(match_start(1, "m").match_start());
  v1::Question message;
  auto& position = *message.mutable_pirates_cove();
  position.set_decision(PiratesCove::DECISION_NAVIGATE);
  position.mutable_observation()->add_ships()->set_chests(3);
  position.add_options();
  position.add_options()->mutable_sail()->set_island(6);
  position.add_events();
  const Choose bot = choose;
  EXPECT_EQ(bot(Question{match, message}), 1);
}

TEST(GameQuestion, OfAnotherGameHasNothingToSee) {
  Match match(match_start(1, "m").match_start());
  const auto message = question(1, 1, 7).question();
  const Question question{match, message};
  EXPECT_TRUE(PavillonNoirQuestion(question).options().empty());
  EXPECT_TRUE(BroadsidesQuestion(question).options().empty());
  EXPECT_TRUE(PiratesCoveQuestion(question).observation().ships().empty());
  EXPECT_TRUE(MaraudersQuestion(question).options().empty());
  EXPECT_EQ(PiratesCoveQuestion(question).option_count(), 7);
}

}  // namespace
}  // namespace tortuga_bot

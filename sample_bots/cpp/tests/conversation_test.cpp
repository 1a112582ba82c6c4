// The protocol without the wire.

#include "tortuga_bot/conversation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>

#include "messages.h"

namespace tortuga_bot {
namespace {

constexpr auto kFirstOption = [](const Question&) { return 0; };

// Answers with the number of questions it has heard in that match, so that a slip of memory shows.
int count_questions(const Question& question) { return ++question.match.memory<int>(0); }

TEST(Conversation, BeginsWithHello) {
  Conversation conversation(kFirstOption, {.name = "tester",
                                           .version = "7",
                                           .games = {"broadsides"},
                                           .seat_counts = {2},
                                           .slots = 3,
                                           .omit_events = true,
                                           .want_model = true,
                                           .want_text = true,
                                           .want_rules = true});
  const auto said = conversation.begin();
  ASSERT_EQ(said.messages_size(), 1);
  const auto& hello = said.messages(0).hello();
  EXPECT_EQ(hello.protocol(), 1u);
  EXPECT_EQ(hello.bot_name(), "tester");
  EXPECT_EQ(hello.bot_version(), "7");
  EXPECT_EQ(hello.sdk(), "tortuga_bot 0.1.0");
  EXPECT_EQ(hello.language(), "cpp");
  ASSERT_EQ(hello.games_size(), 1);
  EXPECT_EQ(hello.games(0), "broadsides");
  ASSERT_EQ(hello.seat_counts_size(), 1);
  EXPECT_EQ(hello.seat_counts(0), 2u);
  EXPECT_EQ(hello.slots(), 3u);
  EXPECT_FALSE(hello.omit_options());
  EXPECT_TRUE(hello.omit_events());
  EXPECT_TRUE(hello.want_model());
  EXPECT_TRUE(hello.want_text());
  EXPECT_TRUE(hello.want_rules());
}

TEST(Conversation, AnswersAllTablesOfABatchInOneBatch) {
  Conversation conversation(count_questions, {});
  conversation.begin();
  const auto ready = conversation.hear(batch({welcome(), match_start(1, "one"), match_start(2, "two")}));
  ASSERT_EQ(ready.messages_size(), 2);
  EXPECT_TRUE(ready.messages(0).has_ready());
  EXPECT_EQ(ready.messages(1).table(), 2u);

  conversation.hear(batch({question(2, 1)}));
  const auto said = conversation.hear(batch({question(1, 1), question(2, 2)}));
  ASSERT_EQ(said.messages_size(), 2);
  EXPECT_EQ(said.messages(0).table(), 1u);
  EXPECT_EQ(said.messages(0).choice().question_id(), 1u);
  EXPECT_EQ(said.messages(0).choice().option_index(), 1);  // each match has its own memory
  EXPECT_EQ(said.messages(1).choice().question_id(), 2u);
  EXPECT_EQ(said.messages(1).choice().option_index(), 2);
}

TEST(Conversation, ResignsWithoutAnIndex) {
  Conversation conversation([](const Question&) { return std::nullopt; }, {});
  const auto said = conversation.hear(batch({match_start(4, "one"), question(4, 1)}));
  ASSERT_EQ(said.messages_size(), 2);
  EXPECT_TRUE(said.messages(1).has_resign());
  EXPECT_EQ(said.messages(1).table(), 4u);
}

TEST(Conversation, TellsTheClock) {
  std::chrono::milliseconds time{}, bank{};
  Conversation conversation(
      [&](const Question& question) {
        time = question.time_left();
        bank = question.bank_left();
        return 0;
      },
      {});
  auto asked = question(1, 1);
  asked.mutable_question()->set_time_left_millis(900);
  asked.mutable_question()->set_bank_left_millis(60'000);
  conversation.hear(batch({match_start(1, "one"), asked}));
  EXPECT_LE(time, std::chrono::milliseconds(900));
  EXPECT_GT(time, std::chrono::milliseconds(0));
  EXPECT_EQ(bank, std::chrono::minutes(1));
}

TEST(Conversation, CountsTheTimeAQuestionWaited) {
  using std::chrono::milliseconds;
  constexpr milliseconds kSlow{300}, kGiven{10'000};
  std::map<std::string, milliseconds> left;
  Conversation conversation(
      [&](const Question& question) {
        left[question.match.id()] = question.time_left();
        if (question.match.id() == "slow") std::this_thread::sleep_for(kSlow);
        return 0;
      },
      {});
  const auto timed = [&](std::uint32_t table) {
    auto asked = question(table, 1);
    asked.mutable_question()->set_time_left_millis(kGiven.count());
    return asked;
  };
  auto free = match_start(4, "free");
  free.mutable_match_start()->mutable_clock()->set_unlimited(true);
  conversation.hear(batch({match_start(1, "slow"), match_start(2, "same batch"), match_start(3, "next batch"), free}));
  conversation.hear(batch({timed(1), timed(2)}));
  conversation.hear(batch({timed(3), timed(4)}));  // came while the bot was thinking: it is read at once
  EXPECT_GT(left["slow"], kGiven - kSlow);
  EXPECT_LE(left["same batch"], kGiven - kSlow);
  EXPECT_LE(left["next batch"], kGiven - kSlow);
  EXPECT_EQ(left["free"], milliseconds::max());
}

std::optional<int> talk(const Question& question) {
  if (question.message.question_id() == 1) {
    question.note("first");
    question.note("");
    question.note("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9");  // 24 bytes
    return 0;
  }
  for (int count = 0; count < 9; ++count) question.note("x");  // each counts as 16
  return std::nullopt;
}

TEST(Conversation, SendsNotesBeforeTheAnswerAndCutsThemToTheLimits) {
  Conversation conversation(talk, {});
  auto limited = welcome();
  limited.mutable_welcome()->mutable_limits()->set_max_note_bytes(21);
  limited.mutable_welcome()->mutable_limits()->set_max_notes_bytes(100);
  conversation.hear(batch({limited, match_start(1, "one")}));
  const auto said = conversation.hear(batch({question(1, 1)}));
  ASSERT_EQ(said.messages_size(), 3);
  EXPECT_EQ(said.messages(0).note().text(), "first");
  EXPECT_EQ(said.messages(0).note().question_id(), 1u);
  EXPECT_EQ(said.messages(0).table(), 1u);
  EXPECT_EQ(said.messages(1).note().text(), "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9");
  EXPECT_TRUE(said.messages(2).has_choice());
  const auto last = conversation.hear(batch({question(1, 2)}));
  ASSERT_EQ(last.messages_size(), 5);  // 16 + 20 + 4 * 16 = 100
  EXPECT_EQ(last.messages(3).note().text(), "x");
  EXPECT_TRUE(last.messages(4).has_resign());
}

TEST(Conversation, SendsNoNotesToARefereeThatTakesNone) {
  Conversation conversation(talk, {});
  const auto said = conversation.hear(batch({welcome(), match_start(1, "one"), question(1, 1)}));
  ASSERT_EQ(said.messages_size(), 2);
  EXPECT_TRUE(said.messages(1).has_choice());
}

TEST(Conversation, IgnoresWhatItDoesNotKnow) {
  Conversation conversation(kFirstOption, {});
  v1::ToBot newer;  // a kind of message, number 99, that this SDK has never heard of
  ASSERT_TRUE(newer.ParseFromString("\x08\x01\x9a\x06\x02\x08\x01"));
  EXPECT_EQ(newer.message_case(), v1::ToBot::MESSAGE_NOT_SET);
  auto odd = fault(1, "odd");
  odd.mutable_fault()->set_kind(static_cast<v1::FaultKind>(77));
  EXPECT_EQ(conversation.hear(batch({newer, odd, v1::ToBot()})).messages_size(), 0);
}

TEST(Conversation, KeepsItsHeadAtUnknownTables) {
  Conversation conversation(kFirstOption, {});
  EXPECT_EQ(conversation.hear(batch({question(5, 1), match_end(5), fault(5, "lost")})).messages_size(), 0);
}

TEST(Conversation, ForgetsAMatchThatEnds) {
  Conversation conversation(count_questions, {});
  conversation.hear(batch({match_start(1, "one"), question(1, 1)}));
  EXPECT_EQ(conversation.hear(batch({match_end(1), question(1, 2)})).messages_size(), 0);
  const auto said = conversation.hear(batch({match_start(1, "two"), question(1, 1)}));
  EXPECT_EQ(said.messages(1).choice().option_index(), 1);
}

TEST(Conversation, AnswersARepeatedQuestionAlike) {
  Conversation conversation(count_questions, {});
  conversation.hear(batch({match_start(1, "one")}));
  const auto said = conversation.hear(batch({question(1, 1), question(1, 1), question(1, 2)}));
  ASSERT_EQ(said.messages_size(), 3);
  EXPECT_EQ(said.messages(0).choice().option_index(), 1);
  EXPECT_EQ(said.messages(1).choice().option_index(), 1);
  EXPECT_EQ(said.messages(2).choice().option_index(), 2);
}

TEST(Conversation, CallsTheHooks) {
  std::string heard;
  Conversation conversation(kFirstOption,
                            {.on_start = [&](Match& match) { heard += "start " + match.id(); },
                             .on_fault = [&](Match&, const v1::Fault& fault) { heard += ", fault " + fault.message(); },
                             .on_end = [&](Match&, const v1::MatchEnd& end) { heard += ", end " + end.reason(); }});
  conversation.hear(batch({match_start(1, "one"), fault(1, "late"), match_end(1)}));
  EXPECT_EQ(heard, "start one, fault late, end most_fame");
}

TEST(Conversation, ComesBackToAnotherTableWithItsMemory) {
  int starts = 0;
  Conversation conversation(count_questions, {.on_start = [&](Match&) { ++starts; }});
  conversation.begin();
  conversation.hear(batch({welcome(), match_start(1, "one"), match_start(2, "two"), question(1, 1), question(2, 1)}));
  conversation.hear(batch({question(2, 2)}));

  conversation.begin();
  EXPECT_FALSE(conversation.welcome());
  const auto said = conversation.hear(batch({welcome(), match_start(1, "two", true), question(1, 2), question(1, 3)}));
  ASSERT_EQ(said.messages_size(), 3);
  EXPECT_TRUE(said.messages(0).has_ready());
  EXPECT_EQ(said.messages(1).choice().option_index(), 2);  // answered before the break: the same once more
  EXPECT_EQ(said.messages(2).choice().option_index(), 3);
  EXPECT_EQ(starts, 2);
}

TEST(Conversation, KeepsTheSeatsOfAMatchApart) {
  Conversation conversation(count_questions, {});
  conversation.hear(
      batch({welcome(), match_start(1, "one", false, 0), match_start(2, "one", false, 1), question(1, 1)}));

  conversation.begin();
  const auto said = conversation.hear(batch(
      {welcome(), match_start(3, "one", true, 0), match_start(4, "one", true, 1), question(3, 2), question(4, 1)}));
  ASSERT_EQ(said.messages_size(), 4);
  EXPECT_EQ(said.messages(2).choice().option_index(), 2);
  EXPECT_EQ(said.messages(3).choice().option_index(), 1);
}

TEST(Conversation, EndsWithGoodbye) {
  Conversation conversation(kFirstOption, {});
  EXPECT_FALSE(conversation.goodbye());
  conversation.hear(batch({goodbye()}));
  EXPECT_TRUE(conversation.goodbye());
}

}  // namespace
}  // namespace tortuga_bot

// Short ways to write what a referee says.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "tortuga/v1/referee.pb.h"

namespace v1 = tortuga::v1;

inline v1::ToBotBatch batch(std::initializer_list<v1::ToBot> messages) {
  v1::ToBotBatch batch;
  batch.mutable_messages()->Assign(messages.begin(), messages.end());
  return batch;
}

inline v1::ToBot welcome(std::uint32_t reconnect_millis = 0, const std::string& resume_token = "") {
  v1::ToBot message;
  message.mutable_welcome()->set_protocol(1);
  message.mutable_welcome()->set_reconnect_millis(reconnect_millis);
  message.mutable_welcome()->set_resume_token(resume_token);
  return message;
}

inline v1::ToBot match_start(std::uint32_t table, const std::string& match_id, bool resumed = false,
                             std::uint32_t seat = 0) {
  v1::ToBot message;
  message.set_table(table);
  message.mutable_match_start()->set_match_id(match_id);
  message.mutable_match_start()->set_seat(seat);
  message.mutable_match_start()->set_game("broadsides");
  message.mutable_match_start()->set_resumed(resumed);
  return message;
}

inline v1::ToBot question(std::uint32_t table, std::uint32_t question_id, std::uint32_t option_count = 9) {
  v1::ToBot message;
  message.set_table(table);
  message.mutable_question()->set_question_id(question_id);
  message.mutable_question()->set_option_count(option_count);
  return message;
}

inline v1::ToBot fault(std::uint32_t table, const std::string& text) {
  v1::ToBot message;
  message.set_table(table);
  message.mutable_fault()->set_message(text);
  return message;
}

inline v1::ToBot match_end(std::uint32_t table) {
  v1::ToBot message;
  message.set_table(table);
  message.mutable_match_end()->set_reason("most_fame");
  return message;
}

inline v1::ToBot goodbye(const std::string& reason = "the matches are over") {
  v1::ToBot message;
  message.mutable_goodbye()->set_reason(reason);
  return message;
}

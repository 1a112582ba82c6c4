#include "tortuga_bot/log_marks.h"

#include <algorithm>

namespace tortuga_bot {

LogMarks::LogMarks(std::initializer_list<std::ostream*> streams) {
  for (std::ostream* stream : streams) {
    auto& [taken, buffer] = streams_.emplace_back(stream, std::make_unique<Buffer>(stream->rdbuf()));
    taken->rdbuf(buffer.get());
  }
}

LogMarks::~LogMarks() {
  for (auto& [stream, buffer] : streams_) stream->rdbuf(buffer->target());
}

void LogMarks::mark_now() {
  if (streams_.empty()) return;
  streams_.back().second->mark();
  streams_.back().first->flush();
}

void LogMarks::begin(const std::string& mark) {
  for (auto& [stream, buffer] : streams_) buffer->begin(mark, true);
}

void LogMarks::end(const std::string& aside) {
  // What follows belongs to nobody, on whichever stream: they share one log.
  const bool is_open =
      std::any_of(streams_.begin(), streams_.end(), [](auto& taken) { return taken.second->is_open(); });
  for (auto& [stream, buffer] : streams_) {
    if (is_open) stream->flush();  // what was printed leaves now, so that the streams stay in order
    buffer->begin(is_open ? aside : "", false);
  }
}

void LogMarks::Buffer::begin(std::string mark, bool is_question) {
  pending_ = std::move(mark);
  is_question_ = is_question;
}

void LogMarks::Buffer::mark() {
  if (pending_.empty()) return;
  const std::string mark = std::exchange(pending_, {});
  target_->sputn(mark.data(), static_cast<std::streamsize>(mark.size()));
  is_open_ = is_question_;
}

LogMarks::Buffer::int_type LogMarks::Buffer::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  mark();
  return target_->sputc(traits_type::to_char_type(letter));
}

std::streamsize LogMarks::Buffer::xsputn(const char* text, std::streamsize count) {
  if (count > 0) mark();
  return target_->sputn(text, count);
}

}  // namespace tortuga_bot

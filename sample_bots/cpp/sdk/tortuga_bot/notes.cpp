#include "tortuga_bot/notes.h"

#include <algorithm>
#include <iostream>

namespace tortuga_bot {

namespace {

constexpr std::size_t kLeastNoteBytes = 16;  // what a note counts for at least

// So many bytes at most, cut between two characters.
void cut(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  text.resize(most);
}

}  // namespace

void Notes::add(const std::string& match_id, std::uint32_t question_id, std::string text) {
  cut(text, limits_.max_note_bytes());
  if (text.empty()) return;
  const std::size_t cost = std::max(kLeastNoteBytes, text.size());
  if (bytes_ + cost > limits_.max_notes_bytes()) {
    if (!is_full_) {
      std::cerr << "match " << match_id << ": more than " << limits_.max_notes_bytes()
                << " bytes of notes, the rest is dropped" << std::endl;
    }
    is_full_ = true;
    return;
  }
  bytes_ += cost;
  tortuga::v1::Note& note = waiting_.emplace_back();
  note.set_question_id(question_id);
  note.set_text(std::move(text));
}

}  // namespace tortuga_bot

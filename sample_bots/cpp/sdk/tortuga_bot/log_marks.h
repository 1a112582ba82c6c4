// Marks in a bot's log: which match and question a line was printed for.
//
// Questions of several matches come mixed, and all of them print to one log. So before the first thing that a question
// prints, a line says which one it is; `tortuga replay show --logs` finds it there. std::cout, std::cerr and std::clog
// are marked, printf is not.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace tortuga_bot {

// Takes over the buffers of some streams for as long as it lives.
class LogMarks {
 public:
  explicit LogMarks(std::initializer_list<std::ostream*> streams);
  ~LogMarks();
  LogMarks(const LogMarks&) = delete;
  LogMarks& operator=(const LogMarks&) = delete;

  // Whatever is printed by `answer` belongs to this question.
  template <typename Answer>
  auto question(const std::string& match_id, std::uint32_t seat, std::uint32_t question_id, Answer answer) {
    const std::string who = "[tortuga " + match_id + " seat " + std::to_string(seat);
    begin(who + " question " + std::to_string(question_id) + "]\n");
    auto answered = answer();
    end(who + " aside]\n");
    return answered;
  }

  // Writes the mark of the question on the last of the streams, if it is still to come: its end is near.
  void mark_now();

 private:
  // Writes what it gets to a stream's own buffer, after the mark if there is one to come.
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::streambuf* target) : target_(target) {}
    void begin(std::string mark, bool is_question);
    void mark();
    bool is_open() const { return is_open_; }
    std::streambuf* target() const { return target_; }

   protected:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize count) override;
    int sync() override { return target_->pubsync(); }

   private:
    std::streambuf* target_;
    std::string pending_;
    bool is_question_ = false;
    bool is_open_ = false;  // the last mark written is that of a question
  };

  void begin(const std::string& mark);
  void end(const std::string& aside);

  std::vector<std::pair<std::ostream*, std::unique_ptr<Buffer>>> streams_;
};

}  // namespace tortuga_bot

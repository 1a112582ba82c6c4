// Marks in the log.

#include "tortuga_bot/log_marks.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tortuga_bot {
namespace {

TEST(LogMarks, NameTheQuestionBeforeItsFirstLine) {
  std::stringbuf log;
  std::ostream out(&log), error(&log);
  {
    LogMarks marks({&out, &error});
    marks.question("cove-7", 1, 1, [&] { return (out << "one\n" << 2 << '\n').good(); });
    marks.question("cove-7", 1, 2, [] { return true; });  // prints nothing: no mark
    error << "between questions\n";
    marks.question("cove-7", 1, 3, [&] {
      marks.mark_now();  // an exception that nobody catches
      return true;
    });
  }
  out << "as before\n";
  EXPECT_EQ(log.str(),
            "[tortuga cove-7 seat 1 question 1]\none\n2\n"
            "[tortuga cove-7 seat 1 aside]\nbetween questions\n"
            "[tortuga cove-7 seat 1 question 3]\nas before\n");
}

}  // namespace
}  // namespace tortuga_bot

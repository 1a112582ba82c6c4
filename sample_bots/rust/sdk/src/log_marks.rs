//! Marks in a bot's log: which match and question a line was printed for.
//!
//! Questions of several matches come mixed, and all of them print to one log. So before the first line of a question, another
//! line says which one it is, and one after the last says that whatever follows is not about it: `tortuga replay show --logs`
//! finds them there.

use std::cell::RefCell;
use std::fmt::Display;
use std::panic;
use std::sync::Once;

thread_local! {
    static MARKS: RefCell<LogMarks> = RefCell::default();
}

/// The question that is being answered on this thread, if any.
#[derive(Default)]
pub(crate) struct LogMarks {
    /// Match and seat; empty: no question is being answered.
    who: String,
    question_id: u32,
    is_marked: bool,
}

impl LogMarks {
    fn begin(match_id: &str, seat: u32, question_id: u32) -> Self {
        Self { who: format!("tortuga {match_id} seat {seat}"), question_id, is_marked: false }
    }

    /// The line before the first line of a question.
    fn mark(&mut self) -> Option<String> {
        let is_due = !self.who.is_empty() && !self.is_marked;
        self.is_marked = true;
        is_due.then(|| format!("[{} question {}]", self.who, self.question_id))
    }

    /// The line after its last one.
    fn end(self) -> Option<String> {
        self.is_marked.then(|| format!("[{} aside]", self.who))
    }
}

/// Whatever is logged inside belongs to this question, also the message of a panic.
pub(crate) fn answering<T>(match_id: &str, seat: u32, question_id: u32, answer: impl FnOnce() -> T) -> T {
    mark_panics();
    MARKS.replace(LogMarks::begin(match_id, seat, question_id));
    let answered = answer();
    if let Some(aside) = MARKS.take().end() {
        eprintln!("{aside}");
    }
    answered
}

/// Prints a line, after the mark of the question if it is still to come.
pub(crate) fn log(line: impl Display) {
    print_mark();
    eprintln!("{line}");
}

fn print_mark() {
    if let Some(mark) = MARKS.with_borrow_mut(LogMarks::mark) {
        eprintln!("{mark}");
    }
}

fn mark_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            print_mark();
            print(what);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::LogMarks;

    #[test]
    fn a_question_that_logs_is_marked_once_and_closed() {
        let mut marks = LogMarks::begin("cove-7", 1, 3);
        assert_eq!(marks.mark().as_deref(), Some("[tortuga cove-7 seat 1 question 3]"));
        assert_eq!(marks.mark(), None);
        assert_eq!(marks.end().as_deref(), Some("[tortuga cove-7 seat 1 aside]"));
    }

    #[test]
    fn a_question_that_logs_nothing_leaves_no_mark() {
        assert_eq!(LogMarks::begin("cove-7", 1, 3).end(), None);
        assert_eq!(LogMarks::default().mark(), None);
    }
}

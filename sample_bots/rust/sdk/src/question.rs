//! A question as a player sees it: the message, its clock, and what the player has to say on it.

use std::cell::RefCell;
use std::fmt::Display;
use std::ops::Deref;
use std::time::{Duration, Instant};

use crate::{log_marks, v1};

/// One question. All fields of the message are at hand: any whole number below `question.option_count` is a legal answer.
#[derive(Debug)]
pub struct Question {
    message: v1::Question,
    /// When it came. `None`: there is no clock.
    received: Option<Instant>,
    notes: RefCell<Vec<String>>,
}

impl Question {
    pub(crate) fn new(message: v1::Question, received: Option<Instant>) -> Self {
        Self { message, received, notes: RefCell::default() }
    }

    /// Time left to answer, from now on: what the question waited while others were answered is gone. It allows nothing for
    /// the way there and back, so leave some. `None` without a clock.
    pub fn time_left(&self) -> Option<Duration> {
        let given = Duration::from_millis(self.message.time_left_millis.into());
        self.received.map(|received| given.saturating_sub(received.elapsed()))
    }

    /// What the seat's bank held when the question was sent.
    pub fn bank_left(&self) -> Duration {
        Duration::from_millis(self.message.bank_left_millis.into())
    }

    /// Says something on this question, for people who look at the match afterwards: at most 200 bytes, the rest is cut.
    /// It leaves together with the answer and costs no time; no other bot ever sees it.
    pub fn note(&self, text: impl Into<String>) {
        self.notes.borrow_mut().push(text.into());
    }

    /// Prints a line to the bot's log, marked with this question: `tortuga replay show --logs` shows it there. A panic is
    /// marked, too; what `println!` and `eprintln!` print is not.
    pub fn log(&self, line: impl Display) {
        log_marks::log(line);
    }

    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.notes.take()
    }
}

impl Deref for Question {
    type Target = v1::Question;

    fn deref(&self) -> &v1::Question {
        &self.message
    }
}

/// For tests of a player: a question without a clock, whose notes nobody reads.
impl From<v1::Question> for Question {
    fn from(message: v1::Question) -> Self {
        Self::new(message, None)
    }
}

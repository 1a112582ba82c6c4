//! The tables a bot sits at: which player belongs to which match, and what there is to say to a message.
//!
//! Knows no network; conversation.rs carries the messages.

use std::collections::HashMap;
use std::time::Instant;

use crate::log_marks;
use crate::notes::Notes;
use crate::v1::{Choice, FromBot, Limits, Ready, Resign, ToBot, from_bot, to_bot};
use crate::{Fault, MatchEnd, MatchStart, Question, v1};

/// What a bot says to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The option at this place in the list, from 0.
    Choose(usize),
    /// Gives the match up.
    Resign,
}

impl From<usize> for Answer {
    fn from(index: usize) -> Self {
        Self::Choose(index)
    }
}

/// Who plays one match. Every `FnMut(&Question)` that gives an index or an [`Answer`] is a player; implement the trait to
/// hear of faults and of the end as well.
pub trait Player {
    /// The answer to a question. A panic ends the process, and with it all its matches.
    fn choose(&mut self, question: &Question) -> Answer;

    /// The referee found fault with this player. The SDK has already told stderr.
    fn on_fault(&mut self, _fault: &Fault) {}

    /// The match is over.
    fn on_end(&mut self, _end: &MatchEnd) {}
}

impl<F, A> Player for F
where
    F: FnMut(&Question) -> A,
    A: Into<Answer>,
{
    fn choose(&mut self, question: &Question) -> Answer {
        self(question).into()
    }
}

/// A player of any type. Boxed, so that nothing from here to the socket is generic: it is compiled once, in this crate,
/// and a change to a bot builds in a moment.
type AnyPlayer<'a> = Box<dyn Player + 'a>;

/// All matches of a bot.
pub(crate) struct Tables<'a> {
    seat: Box<dyn FnMut(&MatchStart) -> AnyPlayer<'a> + 'a>,
    seated: HashMap<u32, Seated<'a>>,
    /// Players whose stream broke off: they may be called back to a table with another number.
    stranded: HashMap<Chair, Seated<'a>>,
    /// What the referee said in its Welcome.
    pub limits: Limits,
}

/// A place in a match, by its id and seat: what a match that comes back is known by.
type Chair = (String, u32);

struct Seated<'a> {
    chair: Chair,
    player: AnyPlayer<'a>,
    notes: Notes,
    has_clock: bool,
}

impl<'a> Tables<'a> {
    /// `seat` makes the player of a new match.
    pub fn new<P: Player + 'a>(mut seat: impl FnMut(&MatchStart) -> P + 'a) -> Self {
        let seat = Box::new(move |start: &MatchStart| Box::new(seat(start)) as AnyPlayer<'a>);
        Self { seat, seated: HashMap::new(), stranded: HashMap::new(), limits: Limits::default() }
    }

    /// The stream broke off: the table numbers mean nothing any more, the matches may go on.
    pub fn strand(&mut self) {
        self.stranded.extend(self.seated.drain().map(|(_, seated)| (seated.chair.clone(), seated)));
    }

    /// Takes in one message, which came at that time, and gives what has to be said to it. Messages about unknown tables
    /// and of unknown kinds are ignored.
    pub fn hear(&mut self, ToBot { table, message }: ToBot, received: Instant) -> Vec<FromBot> {
        let mut replies = Vec::new();
        match message {
            Some(to_bot::Message::MatchStart(start)) => {
                self.sit_down(table, &start);
                replies.push(from_bot::Message::Ready(Ready {}));
            }
            Some(to_bot::Message::Question(question)) => self.answer(table, question, received, &mut replies),
            Some(to_bot::Message::Fault(fault)) => {
                eprintln!("table {table}: fault: {}", fault.message);
                if let Some(seated) = self.seated.get_mut(&table) {
                    seated.player.on_fault(&fault);
                }
            }
            Some(to_bot::Message::MatchEnd(end)) => {
                if let Some(mut seated) = self.seated.remove(&table) {
                    seated.player.on_end(&end);
                }
            }
            // Of an unknown kind, or about the whole stream: conversation.rs has heard those.
            None | Some(to_bot::Message::Welcome(_) | to_bot::Message::Goodbye(_)) => {}
        }
        replies.into_iter().map(|reply| FromBot { table, message: Some(reply) }).collect()
    }

    fn sit_down(&mut self, table: u32, start: &MatchStart) {
        let chair = (start.match_id.clone(), start.seat);
        let known = self.stranded.remove(&chair).filter(|_| start.resumed);
        let seated = known.unwrap_or_else(|| Seated {
            chair,
            player: (self.seat)(start),
            notes: Notes::new(&start.match_id, &self.limits),
            has_clock: start.clock.is_none_or(|clock| !clock.unlimited),
        });
        self.seated.insert(table, seated);
    }

    fn answer(&mut self, table: u32, question: v1::Question, received: Instant, replies: &mut Vec<from_bot::Message>) {
        let Some(seated) = self.seated.get_mut(&table) else { return };
        let question_id = question.question_id;
        let question = Question::new(question, seated.has_clock.then_some(received));
        let (match_id, seat) = &seated.chair;
        let answer = log_marks::answering(match_id, *seat, question_id, || seated.player.choose(&question));
        // The notes go first: the answer may end the match, and after that nobody hears them.
        let notes = question.take_notes().into_iter().filter_map(|text| seated.notes.admit(question_id, text));
        replies.extend(notes.map(from_bot::Message::Note));
        replies.push(match answer {
            // An index too large for the wire becomes -1, which the referee reports as what it is: illegal.
            Answer::Choose(index) => {
                let option_index = i32::try_from(index).unwrap_or(-1);
                from_bot::Message::Choice(Choice { question_id, option_index })
            }
            Answer::Resign => from_bot::Message::Resign(Resign {}),
        });
    }
}

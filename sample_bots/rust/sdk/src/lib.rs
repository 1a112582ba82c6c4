//! The Rust SDK: a bot is one function from a question to an index.
//!
//! ```no_run
//! use std::process::ExitCode;
//! use tortuga_bot::{Bot, Question};
//!
//! fn choose(_question: &Question) -> usize {
//!     0
//! }
//!
//! fn main() -> ExitCode {
//!     Bot::new("first").games(&["pavillon_noir"]).play(|_start| choose)
//! }
//! ```
//!
//! [`Bot::play`] connects, says hello, sits down at as many tables as the bot has slots, and returns when the referee says
//! goodbye. Each match gets a [`Player`] of its own, so what a player remembers belongs to one match; a function or
//! closure is the simplest player.
//!
//! A bot for one game reads that game's own messages from the question: [`Question::pirates_cove`] and its like have the
//! observation, the options and the events.
//!
//! ```
//! use tortuga_bot::Question;
//! use tortuga_bot::pirates_cove::option::Action;
//!
//! fn choose(question: &Question) -> usize {
//!     let asked = question.pirates_cove();
//!     let seen = asked.observation();
//!     let loaded = seen.ships.get(seen.seat as usize).is_some_and(|ship| ship.chests >= 3);
//!     let wanted = if loaded { 6 } else { 1 };
//!     let sails_there = |action: &Action| matches!(action, Action::Sail(sail) if sail.island == wanted);
//!     asked.options.iter().position(|option| option.action.as_ref().is_some_and(sails_there)).unwrap_or(0)
//! }
//! ```
//!
//! The messages are those of `proto/tortuga/v1/`, compiled into [`v1`]; `cargo doc --open` shows every field with its
//! comment.

mod bot;
mod conversation;
mod games;
mod log_marks;
mod notes;
mod question;
mod tables;
#[cfg(test)]
mod tests;

pub use bot::{Bot, Error};
pub use question::Question;
pub use tables::{Answer, Player};
pub use v1::question::Position;
pub use v1::{Fault, MatchEnd, MatchStart};
pub use v1::{broadsides, marauders, pavillon_noir, pirates_cove};

/// The messages of the protocol, as generated from the .proto files.
#[allow(clippy::all, clippy::pedantic)]
pub mod v1 {
    tonic::include_proto!("tortuga.v1");
}

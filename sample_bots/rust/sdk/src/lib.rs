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
//! The messages are those of `proto/tortuga/v1/`, compiled into [`v1`]; `cargo doc --open` shows every field with its
//! comment.

mod bot;
mod conversation;
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

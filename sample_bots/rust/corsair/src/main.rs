//! Plays pavillon_noir: aims before it fires, fires while it pays, and keeps its planks even. How: strategy.rs.

mod chart;
mod strategy;

use std::process::ExitCode;

use tortuga_bot::Bot;

fn main() -> ExitCode {
    Bot::new("corsair-rust").games(&["pavillon_noir"]).play(|_start| strategy::choose)
}

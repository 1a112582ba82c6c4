//! @NAME@: a starter. It builds and plays at once; make it clever in `choose`.

use std::process::ExitCode;

use tortuga_bot::pavillon_noir::option::Action;
use tortuga_bot::{Bot, Position, Question};

fn main() -> ExitCode {
    // The closure is called when a match begins and gives the player of that match. A function remembers nothing; a closure
    // or a struct of yours that implements `Player` keeps what belongs to one match.
    Bot::new("@NAME@").games(&[@GAMES@]).play(|_start| choose)
}

/// Any whole number below `question.option_count` is a legal answer. A bot that searches asks `question.time_left()` how long
/// it may still think.
fn choose(question: &Question) -> usize {
    match &question.position {
        // Every game has its Position: decision, observation, events, options. Here: whenever the guns may speak, they speak.
        Some(Position::PavillonNoir(position)) => {
            let fires = |option: &tortuga_bot::pavillon_noir::Option| matches!(option.action, Some(Action::Fire(_)));
            let Some(index) = position.options.iter().position(fires) else { return any(question) };
            question.note("they may speak, so they speak"); // for people who read the match afterwards
            index
        }
        _ => any(question),
    }
}

/// Some option: scattered over the list, and the same each time.
fn any(question: &Question) -> usize {
    (question.question_id.wrapping_mul(2_654_435_761) >> 16) as usize % question.option_count as usize
}

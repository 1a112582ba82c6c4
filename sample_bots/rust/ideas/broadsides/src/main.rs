//! rust-broadsides: a bot is one function from a question to the index of an option.
//!
//! A first idea for Broadsides: never give up, and never cease fire while a shot is left. It beats random two times out of
//! three. Next: sail so that your guns bear and the enemy's do not. docs/games/broadsides.md has the rules.

use std::process::ExitCode;

use tortuga_bot::broadsides::option::Action;
use tortuga_bot::{Bot, Question};

fn main() -> ExitCode {
    // The closure is called when a match begins and gives the player of that match. A function remembers nothing; a closure
    // or a struct of yours that implements `Player` keeps what belongs to one match.
    Bot::new("rust-broadsides").games(&["broadsides"]).play(|_start| choose)
}

/// Takes the option that is worth most, any of them if there are several. Every whole number below `question.option_count` is a
/// legal answer. A bot that searches asks `question.time_left()` how long it may still think.
fn choose(question: &Question) -> usize {
    let asked = question.broadsides();
    let worths: Vec<i32> = asked.options.iter().map(|option| option.action.as_ref().map_or(0, worth)).collect();
    let Some(&most) = worths.iter().max() else { return any(question, question.option_count as usize) };
    if most > 0 {
        question.note("no surrender, and no shot left unfired"); // for people who read the match afterwards
    }
    let best: Vec<usize> = (0..worths.len()).filter(|&index| worths[index] == most).collect();
    best[any(question, best.len())]
}

/// How much we like an action: 0 is neither liked nor avoided.
fn worth(action: &Action) -> i32 {
    match action {
        Action::Surrender(_) => -2,
        Action::Cease(_) => -1,
        Action::Fire(_) => 1,
        _ => 0,
    }
}

/// Some number below `count`: scattered, and the same each time the question is asked.
fn any(question: &Question, count: usize) -> usize {
    (question.question_id.wrapping_mul(2_654_435_761) >> 16) as usize % count
}

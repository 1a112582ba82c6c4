//! rust-pirates_cove: a bot is one function from a question to the index of an option.
//!
//! A first idea for Pirate's Cove: keep away from the black ships, take what lies on the other islands, and go to Treasure
//! Island to bury it as soon as three chests are aboard. It beats random nine times out of ten. Next: look at what each island
//! offers, and at how strong the others are. docs/games/pirates_cove.md has the rules.

use std::process::ExitCode;

use tortuga_bot::pirates_cove::Observation;
use tortuga_bot::pirates_cove::option::Action;
use tortuga_bot::{Bot, Question};

const TREASURE_ISLAND: u32 = 6;
const LAST_MONTH: u32 = 12;

fn main() -> ExitCode {
    // The closure is called when a match begins and gives the player of that match. A function remembers nothing; a closure
    // or a struct of yours that implements `Player` keeps what belongs to one match.
    Bot::new("rust-pirates_cove").games(&["pirates_cove"]).play(|_start| choose)
}

/// Takes the option that is worth most, any of them if there are several. Every whole number below `question.option_count` is a
/// legal answer. A bot that searches asks `question.time_left()` how long it may still think.
fn choose(question: &Question) -> usize {
    let asked = question.pirates_cove();
    let worths: Vec<i32> = asked
        .options
        .iter()
        .map(|option| option.action.as_ref().map_or(0, |action| worth(asked.observation(), action)))
        .collect();
    let Some(&most) = worths.iter().max() else { return any(question, question.option_count as usize) };
    if most > 0 {
        question.note("this is what we like best"); // for people who read the match afterwards
    }
    let best: Vec<usize> = (0..worths.len()).filter(|&index| worths[index] == most).collect();
    best[any(question, best.len())]
}

/// How much we like an action: 0 is neither liked nor avoided.
fn worth(seen: &Observation, action: &Action) -> i32 {
    match action {
        Action::Sail(sail) => is_good_harbour(seen, sail.island).into(),
        Action::BuryChests(bury) => 300 + bury.count as i32,
        Action::BuryGold(bury) => 200 + bury.fame as i32,
        Action::Fire(_) => 100,
        _ => 0,
    }
}

/// Treasure Island with the loot, and otherwise any outer island without a black ship.
fn is_good_harbour(seen: &Observation, island: u32) -> bool {
    let chests = seen.ships.get(seen.seat as usize).map_or(0, |mine| mine.chests);
    if chests >= 3 || seen.month == LAST_MONTH {
        return island == TREASURE_ISLAND;
    }
    island != TREASURE_ISLAND && !seen.black_ships.iter().any(|ship| ship.place == island)
}

/// Some number below `count`: scattered, and the same each time the question is asked.
fn any(question: &Question, count: usize) -> usize {
    (question.question_id.wrapping_mul(2_654_435_761) >> 16) as usize % count
}

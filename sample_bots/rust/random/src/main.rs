//! Plays any game by picking any option: the yardstick of every ladder. Its strength must never change.
//!
//! Its picks follow from the match and the seat, so that `--seed` repeats a whole match and not only its luck. With
//! `--fixed` they follow from the number of the question alone, the same in every language.

use std::env;
use std::process::ExitCode;

use tortuga_bot::{Bot, MatchStart, Question};

fn main() -> ExitCode {
    let fixed = env::args().any(|argument| argument == "--fixed");
    Bot::new("random-rust").play(|start| {
        let mut picks = Picks::of(start);
        move |question: &Question| {
            let pick = if fixed { fixed_pick(question) } else { picks.below(question.option_count) };
            pick as usize
        }
    })
}

/// Looks random and is always the same: a test compares records of bots in all languages.
fn fixed_pick(question: &Question) -> u32 {
    (question.question_id.wrapping_mul(2_654_435_761) >> 16) % question.option_count
}

/// A stream of numbers, all alike: SplitMix64 (Steele, Lea and Flood 2014).
struct Picks(u64);

impl Picks {
    /// Begins where the match and the seat say, by their FNV-1a hash.
    fn of(start: &MatchStart) -> Self {
        let name = format!("{}/{}", start.match_id, start.seat);
        Self(
            name.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    /// Any whole number below `count`.
    fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The upper half, stretched over the range: for a few hundred options the bias is below one in a million.
        (((mixed >> 32) * u64::from(count)) >> 32) as u32
    }
}

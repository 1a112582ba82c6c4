//! Typed questions: from a question to the messages of its game in one step.

use std::sync::LazyLock;

use crate::{Position, Question};

macro_rules! games {
    ($($game:ident, $variant:ident, $title:literal;)*) => {
        $(impl crate::$game::Position {
            #[doc = concat!("All that the seat may know in a match of ", $title, ".")]
            pub fn observation(&self) -> &crate::$game::Observation {
                static NOTHING: LazyLock<crate::$game::Observation> = LazyLock::new(Default::default);
                self.observation.as_ref().unwrap_or(&NOTHING)
            }
        })*

        /// The decision, observation, options and events of a game. In a match of another game they are empty; `option_count`
        /// of the question is true all the same.
        impl Question {
            $(#[doc = concat!("What is asked in a match of ", $title, ".")]
            pub fn $game(&self) -> &crate::$game::Position {
                static NOTHING: LazyLock<crate::$game::Position> = LazyLock::new(Default::default);
                match &self.position {
                    Some(Position::$variant(position)) => position,
                    _ => &NOTHING,
                }
            })*
        }
    };
}

games! {
    pavillon_noir, PavillonNoir, "Pavillon Noir";
    broadsides, Broadsides, "Broadsides";
    pirates_cove, PiratesCove, "Pirate's Cove";
    marauders, Marauders, "Marauders";
}

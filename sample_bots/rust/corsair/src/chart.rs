//! The printed matter of pavillon_noir that no message carries: target cards, cannons, zones (docs/games/pavillon_noir.md).

use tortuga_bot::pavillon_noir::{Cannon, Card, Projectile, Ship, TargetCard, Zone};

/// What a target card with one aim card takes off a shot, and one with two that are far from its bull.
pub const MISS: f64 = 3.0;
/// What a target card without aim cards takes off.
pub const HASTY: f64 = 4.0;

type Pattern = [&'static [u8; 5]; 5];
const ROUND: Pattern = [b"EDCDE", b"DCBCD", b"CBABC", b"DCBCD", b"EDCDE"];
const BROAD: Pattern = [b"FEDEF", b"DCBCD", b"CAAAC", b"DCBCD", b"FEDEF"];
const TALL: Pattern = [b"FDCDF", b"ECACE", b"DBABD", b"ECACE", b"FDCDF"];
const SALTIRE: Pattern = [b"CEFEC", b"EADBE", b"FDADF", b"EBDAE", b"CEFEC"];
const CROSS: Pattern = [b"FECEF", b"EDBDE", b"CBABC", b"EDBDE", b"FECEF"];

/// Left centre, below centre and pattern of T01 to T30.
#[rustfmt::skip]
const TARGETS: [(u32, u32, Pattern); 30] = [
    (1, 2, ROUND),   (1, 5, TALL),   (1, 6, SALTIRE), (2, 4, ROUND),   (2, 7, BROAD),  (2, 10, TALL),
    (3, 1, BROAD),   (3, 3, TALL),   (3, 6, CROSS),   (4, 1, CROSS),   (4, 5, SALTIRE), (4, 8, ROUND),
    (5, 4, BROAD),   (5, 7, TALL),   (5, 10, SALTIRE), (6, 2, TALL),   (6, 5, ROUND),  (6, 9, SALTIRE),
    (7, 1, TALL),    (7, 4, CROSS),  (7, 8, BROAD),   (8, 3, SALTIRE), (8, 9, CROSS),  (8, 10, BROAD),
    (9, 2, CROSS),   (9, 6, ROUND),  (9, 8, CROSS),   (10, 3, BROAD),  (10, 7, SALTIRE), (10, 9, ROUND),
];

/// What a target card with these two values takes off a shot of that cannon.
pub fn reduction(cannon: Cannon, card: TargetCard, left: u32, below: u32) -> f64 {
    // Counted from UNSPECIFIED, which is never sent, but would be no reason to fall over.
    let Some((row_centre, column_centre, pattern)) = (card as usize).checked_sub(1).map(|index| TARGETS[index]) else {
        return MISS;
    };
    // Values lie on a circle of ten; the bull is in the middle of five rows and columns.
    let row = (left + 12 - row_centre) % 10;
    let column = (below + 12 - column_centre) % 10;
    let symbol = pattern.get(row as usize).and_then(|row| row.get(column as usize));
    match (cannon, symbol) {
        (Cannon::Pounder18, Some(b'A')) | (Cannon::LongNine, Some(b'A' | b'B')) => 0.0,
        (Cannon::Pounder18, Some(b'B'..=b'D')) | (Cannon::Carronade, Some(b'A'..=b'E')) => 1.0,
        (Cannon::Pounder18, Some(b'E')) | (Cannon::LongNine, Some(b'C')) | (Cannon::Carronade, Some(b'F')) => 2.0,
        _ => MISS,
    }
}

/// The value of an aim card; a joker has none of its own.
pub fn value(card: Card) -> Option<u32> {
    (card != Card::Jk).then(|| (card as u32 - 1) % 10 + 1)
}

/// The disc that suits a zone. Before a zone is named: a ball, since it will be the hull.
pub fn suiting(zone: Zone) -> Projectile {
    match zone {
        Zone::SailBow | Zone::SailStern => Projectile::Chain,
        Zone::DeckBow | Zone::DeckMain | Zone::DeckStern => Projectile::Grape,
        _ => Projectile::Ball,
    }
}

/// How many target cards a zone asks for.
pub fn targets_asked(zone: Zone) -> f64 {
    match zone {
        Zone::SailBow | Zone::SailStern => 1.0,
        Zone::DeckMain => 3.0,
        _ => 2.0,
    }
}

/// Markers in a zone: what a shot can take away.
pub fn markers(ship: &Ship, zone: Zone) -> f64 {
    let crew = |deck: usize| ship.sailors[deck] + u32::from(ship.captain() == zone) + u32::from(ship.mate() == zone);
    f64::from(match zone {
        Zone::SailBow => ship.sails[0],
        Zone::SailStern => ship.sails[1],
        Zone::DeckBow => crew(0),
        Zone::DeckMain => crew(1),
        Zone::DeckStern => crew(2),
        Zone::HullBow => ship.planks[0],
        Zone::HullMain => ship.planks[1],
        Zone::HullStern => ship.planks[2],
        Zone::Unspecified => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors V2, V3 and V11 of the specification.
    #[test]
    fn two_aim_cards_take_off_what_the_specification_says() {
        assert_eq!(reduction(Cannon::Pounder18, TargetCard::T26, 9, 6), 0.0);
        assert_eq!(reduction(Cannon::LongNine, TargetCard::T26, 9, 6), 0.0);
        assert_eq!(reduction(Cannon::Carronade, TargetCard::T26, 9, 6), 1.0);
        assert_eq!(reduction(Cannon::Pounder18, TargetCard::T21, 8, 7), 1.0);
    }

    #[test]
    fn ten_is_followed_by_one() {
        assert_eq!(reduction(Cannon::Pounder18, TargetCard::T01, 10, 2), 1.0); // one row above the bull: B
        assert_eq!(reduction(Cannon::Pounder18, TargetCard::T30, 2, 9), 1.0); // two rows below it: C
        assert_eq!(reduction(Cannon::Pounder18, TargetCard::T30, 3, 9), MISS);
    }
}

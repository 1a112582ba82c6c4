//! How the corsair thinks: an option is worth the markers it should take off the enemy's ship, or keep on our own, less the
//! cards it costs. The best one is taken. Nothing is remembered between questions, and there is no luck in it.
//!
//! The plan: two 18-pounders, laid on the hull most of the time; aim until every target card is as close to its bull as the
//! hand allows; fire; do it again. Expert cards (reputations, tricks) are only played in the plainest way.

use std::array;

use tortuga_bot::pavillon_noir::option::{Action, Aim, Evade, LayGun};
use tortuga_bot::pavillon_noir::{
    self as game, Cannon, Card, Decision, Duelist, Gun, Projectile, RunKind, Ship, Side, Target, Zone,
};
use tortuga_bot::{Position, Question};

use crate::chart::{HASTY, MISS, markers, reduction, suiting, targets_asked, value};

/// What a card is worth in markers, if it is not needed for aiming.
const CARD: f64 = 0.28;
/// What a target card takes off a shot in the end, if one takes the time to aim; and how a bare one counts, which is worse
/// so that there is a reason to begin with it.
const AIMED: f64 = 0.9;
const BARE: f64 = 1.9;

/// The index of the best option, the first of equals.
pub fn choose(question: &Question) -> usize {
    let Some(Position::PavillonNoir(position)) = &question.position else {
        return 0;
    };
    let Some(view) = View::of(position) else { return 0 };
    let worth = |option: &game::Option| option.action.as_ref().map_or(0.0, |action| view.worth(action));
    let worths = position.options.iter().map(worth).enumerate().rev();
    worths.max_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0, |(index, _)| index)
}

/// The observation, seen from our own quarterdeck.
struct View<'a> {
    decision: Decision,
    hand: Vec<Card>,
    own: &'a Duelist,
    foe: &'a Duelist,
    ship: &'a Ship,
    enemy: &'a Ship,
    shot: Option<&'a game::Shot>,
    /// Our active gun, and the enemy's zone it is laid on.
    gun: Gun,
    zone: Zone,
}

impl<'a> View<'a> {
    fn of(position: &'a game::Position) -> Option<Self> {
        let seen = position.observation.as_ref()?;
        let own = seen.duelists.get(seen.seat as usize)?;
        let foe = seen.duelists.get(1 - seen.seat as usize)?;
        Some(Self {
            decision: position.decision(),
            hand: seen.hand().collect(),
            own,
            foe,
            ship: own.ship.as_ref()?,
            enemy: foe.ship.as_ref()?,
            shot: seen.shot.as_ref(),
            gun: own.active_gun(),
            zone: own.target_zone(),
        })
    }

    /// What an option should bring, in markers. What is not listed is worth nothing: taken only if all else is worse.
    fn worth(&self, action: &Action) -> f64 {
        match action {
            // Before the first shot: officers hide best among six figures amidships, and 18-pounders lose least.
            Action::PlaceOfficers(at) => count([at.captain(), at.mate()], Zone::DeckMain),
            Action::InstallCannons(kinds) => count([kinds.bow(), kinds.stern()], Cannon::Pounder18),
            Action::LoadGuns(loads) => {
                let active: Vec<_> =
                    if self.gun == Gun::Stern { loads.stern().collect() } else { loads.bow().collect() };
                active.len() as f64 + 10.0 * f64::from(active.contains(&suiting(self.zone)))
            }
            Action::LayGun(lay) => self.laying_worth(lay),

            // The actions of a turn. Sailors are worth more on deck than as carpenters.
            Action::Aim(aim) => self.aim_gain(aim) - 0.35 * f64::from(aim.card() == Card::Jk),
            Action::Prepare(_) if self.hand.len() < self.ship.hand_limit as usize => 0.18,
            Action::Prepare(_) => 0.02,
            Action::Broadside(_) => self.broadside_worth(),
            Action::SheerOff(_) if self.foe.hand_size >= 4 => 0.8,
            Action::ReloadOne(_) => self.reload_worth(),
            Action::ReloadBattery(_) => self.reload_worth() + 0.2,
            Action::ChangeTarget(_) if self.hoped_damage() < 0.1 => 0.6,
            Action::SheerOff(_) | Action::ChangeTarget(_) | Action::Patch(_) => -1.0,
            Action::PlayTrick(_) if self.decision == Decision::Action => 0.3,

            // A shot: fire when it is about as good as it will get; double what can still hurt.
            Action::Fire(fire) => {
                let suits = fire.projectile() == suiting(self.zone);
                2.0 * f64::from(self.is_ripe()) - 1.0 + 0.5 * f64::from(suits)
            }
            Action::DoubleShot(_) => self.shot.map_or(0.0, |shot| f64::from(shot.damage + 2)),
            Action::Evade(evade) => self.evade_worth(evade),
            Action::PlayTrick(_) => self.shot.map_or(1.0, |shot| f64::from(shot.damage) - 1.5),

            // What has to be paid or given up: what is needed least.
            Action::Give(give) => self.giving_worth(give.cards().collect()),
            Action::GiveRun(run) => 0.3 * (run.cards.len() as f64 + 1.0) - self.price(run.cards()),
            Action::FireBroadside(fire) => fire.discs.iter().map(|disc| disc_worth(disc.projectile())).sum(),
            Action::ReturnDiscs(back) => -(back.discs.len() as f64) - count(back.discs(), suiting(self.zone)),
            Action::RemovePlanks(gone) => -bareness(&self.ship.planks, &[gone.bow, gone.main, gone.stern]),
            Action::RemoveSails(gone) => -bareness(&self.ship.sails, &[gone.bow, gone.stern]),
            Action::RemoveCrew(gone) => {
                let officers = count([gone.captain, gone.mate], true); // the last one is the game
                -bareness(&self.ship.sailors, &[gone.bow, gone.main, gone.stern]) - 20.0 * officers
            }
            _ => 0.0,
        }
    }

    // --- Aiming -------------------------------------------------------------------------------------------------------

    /// The heart of it: what a target card will take off the shot in the end, as far as one can tell.
    fn promise(&self, target: &Target, (left, below): Aims, hand: &[Card]) -> f64 {
        let cannon = if self.gun == Gun::Stern { self.own.stern_cannon() } else { self.own.bow_cannon() };
        let loss = |left, below| reduction(cannon, target.card(), left, below);
        let by_value: [f64; 10] = match (left, below) {
            (Some(left), Some(below)) => return loss(left, below),
            (None, None) => return BARE,
            (Some(left), None) => array::from_fn(|index| loss(left, index as u32 + 1)),
            (None, Some(below)) => array::from_fn(|index| loss(index as u32 + 1, below)),
        };
        let mut sorted = by_value;
        sorted.sort_by(f64::total_cmp);
        let someday = sorted[..4].iter().sum::<f64>() / 4.0 + 0.35; // one of the four best values will be drawn
        let at_hand = hand.iter().map(|&card| value(card).map_or(sorted[0], |value| by_value[value as usize - 1]));
        at_hand.map(|loss| loss + 0.15).fold(someday, f64::min)
    }

    /// By how much a card at this place would lower the promise of its target card.
    fn aim_gain(&self, aim: &Aim) -> f64 {
        let Some(target) = self.own.targets.get(aim.target as usize) else {
            return 0.0;
        };
        let (left, below) = aims(target);
        let then = if aim.side() == Side::Left { (Some(aim.value), below) } else { (left, Some(aim.value)) };
        let mut rest = self.hand.clone();
        rest.retain(|&card| card != aim.card());
        self.promise(target, (left, below), &self.hand) - self.promise(target, then, &rest)
    }

    /// How much a card of the hand is worth keeping: the best it could still do beside a target card.
    fn need(&self, card: Card) -> f64 {
        let Some(value) = value(card) else { return 1.5 };
        let mut best: f64 = 0.0;
        for target in 0..self.own.targets.len() as u32 {
            for side in [Side::Left, Side::Below] {
                best = best.max(self.aim_gain(&Aim { card: card.into(), value, target, side: side.into() }));
            }
        }
        best
    }

    // --- Shots --------------------------------------------------------------------------------------------------------

    fn load_of(&self, gun: Gun) -> Vec<Projectile> {
        if gun == Gun::Stern { self.own.stern_load().collect() } else { self.own.bow_load().collect() }
    }

    /// What a shot loses whatever is aimed: by a wrong disc and by a thin gun crew.
    fn handicap(&self, gun: Gun, zone: Zone) -> f64 {
        let deck = usize::from(gun == Gun::Stern);
        let silenced = 5.0 * f64::from(self.ship.silenced[deck]);
        silenced + f64::from(self.ship.cannon_penalties[deck]) + f64::from(!self.load_of(gun).contains(&suiting(zone)))
    }

    /// What the active gun would take away if each target card took off this much.
    fn damage(&self, loss: impl Fn(&Target) -> f64) -> f64 {
        let losses: f64 = self.own.targets.iter().map(loss).sum();
        markers(self.enemy, self.zone) - losses - self.handicap(self.gun, self.zone)
    }

    /// What a shot may hope for when everything is aimed.
    fn hoped_damage(&self) -> f64 {
        self.damage(|target| match aims(target) {
            both @ (Some(_), Some(_)) => self.promise(target, both, &[]),
            some => self.promise(target, some, &self.hand).min(AIMED + 0.3),
        })
    }

    /// Whether to fire now: it pays, and waiting would not make it much better.
    fn is_ripe(&self) -> bool {
        let now = self.damage(|target| match aims(target) {
            both @ (Some(_), Some(_)) => self.promise(target, both, &[]),
            (None, None) => HASTY,
            _ => MISS,
        });
        let is_aimed = self.own.targets.iter().all(|target| target.left.is_some() && target.below.is_some());
        now >= if is_aimed { 1.0 } else { 2.0 } && now >= 0.55 * self.hoped_damage()
    }

    /// What a shot from there should remove, per target card; planks win games, all the more the fewer are left.
    fn laying_worth(&self, lay: &LayGun) -> f64 {
        let (gun, zone) = (lay.gun(), lay.zone());
        let weight = match suiting(zone) {
            Projectile::Ball => 1.3 + 0.12 * f64::from(self.enemy.planks_missing),
            Projectile::Chain => 0.7,
            _ => 0.9,
        };
        let reloading = 1.2 * f64::from(self.load_of(gun).is_empty());
        let found = markers(self.enemy, zone) - AIMED * targets_asked(zone) - self.handicap(gun, zone) - reloading;
        if found > 0.0 { found * weight / targets_asked(zone).powf(0.8) } else { found }
    }

    /// What a run saves, less its cards; against a shot that may sink us, anything.
    fn evade_worth(&self, evade: &Evade) -> f64 {
        let Some(shot) = self.shot else { return 0.0 };
        let deadly = suiting(shot.zone()) == Projectile::Ball && self.ship.planks_missing as i32 + shot.damage >= 9;
        let effective = (evade.cards.len() as i32 - self.ship.sail_penalty as i32).max(1);
        let saved = if evade.kind() == RunKind::Flush { effective } else { effective / 2 };
        f64::from(saved.min(shot.damage)) - CARD * evade.cards.len() as f64 - 0.35 + 0.85 * f64::from(deadly)
    }

    // --- Other actions --------------------------------------------------------------------------------------------------

    /// Urgent for an empty gun, useful for one without the right disc.
    fn reload_worth(&self) -> f64 {
        match self.load_of(self.gun).as_slice() {
            [] => 0.85,
            [disc] if *disc != suiting(self.zone) => 0.2,
            _ => -0.3,
        }
    }

    /// Two discs and two of the enemy's aim cards, at the price of two cards; best when he has aimed, or to finish him.
    fn broadside_worth(&self) -> f64 {
        let mut discs: Vec<f64> = self.own.bow_load().chain(self.own.stern_load()).map(disc_worth).collect();
        discs.sort_by(|one, other| other.total_cmp(one));
        let aimed: usize = self.foe.targets.iter().map(|target| target.left.iter().chain(&target.below).count()).sum();
        let hit = discs.iter().take(2).sum::<f64>() + 0.45 * aimed.min(2) as f64 - 2.0 * CARD - 0.5;
        if aimed >= 2 || self.enemy.planks_missing >= 7 { hit } else { hit - 1.0 }
    }

    fn price(&self, cards: impl Iterator<Item = Card>) -> f64 {
        cards.map(|card| self.need(card) + CARD).sum()
    }

    /// A longer flush makes a stronger broadside; otherwise the fewest cards that are least needed.
    fn giving_worth(&self, cards: Vec<Card>) -> f64 {
        let more = if self.decision == Decision::Pay { cards.len().saturating_sub(2) } else { 0 };
        0.9 * more as f64 - self.price(cards.into_iter())
    }
}

/// The values to the left of a target card and below it.
type Aims = (Option<u32>, Option<u32>);

fn aims(target: &Target) -> Aims {
    (target.left.map(|placed| placed.value), target.below.map(|placed| placed.value))
}

fn count<T: PartialEq>(all: impl IntoIterator<Item = T>, wanted: T) -> f64 {
    all.into_iter().filter(|one| *one == wanted).count() as f64
}

/// What a disc of a broadside does.
fn disc_worth(disc: Projectile) -> f64 {
    match disc {
        Projectile::Ball => 1.1,
        Projectile::Grape => 0.7,
        _ => 0.6,
    }
}

/// How bad it is to lose these markers: the emptiest zone weighs most, an empty hull zone being a disaster.
fn bareness(there: &[u32], gone: &[u32]) -> f64 {
    there.iter().zip(gone).map(|(&there, &gone)| 1.0 / (0.2 + f64::from(there - gone))).sum()
}

#include "ship.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace freebooter {

namespace {

constexpr int kRoom[] = {4, 5, 6, 7, 8, 9, 10, 12};  // hull and sails at levels 0 to 7
constexpr int kHands[] = {2, 2, 3, 3, 4, 4, 5, 5};   // cannons and crew

constexpr double kHit = 1.0 / 3;  // of a die, without cards

struct Legend {
  int dice, hull, speed, fame;
  Cove::Section aims_at;  // unspecified: at all sections, or at any
};

Legend legend(Cove::Captain captain) {
  switch (captain) {
    case Cove::CAPTAIN_BLACKBEARD: return {6, 8, 24, 6, Cove::SECTION_HULL};
    case Cove::CAPTAIN_DUTCHMAN: return {4, 8, 16, 6, Cove::SECTION_CREW};  // 5 points of hull, but it mends
    case Cove::CAPTAIN_HOOK: return {3, 5, 18, 3, Cove::SECTION_HULL};
    case Cove::CAPTAIN_BONNYREAD: return {3, 5, 22, 6, Cove::SECTION_UNSPECIFIED};
    case Cove::CAPTAIN_NAVY: return {4, 4, 20, 4, Cove::SECTION_UNSPECIFIED};
    default: return {6, 8, 24, 0, Cove::SECTION_UNSPECIFIED};  // nobody we know: better keep away
  }
}

// The value of a section by one of the tables above; a destroyed one counts as level 0, for it will be repaired.
int value(const Cove::Ship& ship, Cove::Section section, const int (&table)[8]) {
  return table[std::clamp(level(ship, section), 0, 7)];
}

Cove::Section perch(Cove::TavernCard parrot) {
  switch (parrot) {
    case Cove::TAVERN_CARD_FLINT: return Cove::SECTION_HULL;
    case Cove::TAVERN_CARD_SILVER: return Cove::SECTION_CANNONS;
    case Cove::TAVERN_CARD_BONES: return Cove::SECTION_CREW;
    case Cove::TAVERN_CARD_TRELAWNEY: return Cove::SECTION_SAILS;
    default: return Cove::SECTION_UNSPECIFIED;
  }
}

int hits_to_break_weakest(const Cove::Ship& ship) {
  return std::min({hits_to_break(ship, Cove::SECTION_HULL), hits_to_break(ship, Cove::SECTION_SAILS),
                   hits_to_break(ship, Cove::SECTION_CANNONS), hits_to_break(ship, Cove::SECTION_CREW)});
}

// The chance to be done first, when we need so many exchanges and they so many: a logistic curve through even odds.
double race(double ours, double theirs, bool we_fire_first) {
  return 1 / (1 + std::exp(1.6 * (ours - theirs - (we_fire_first ? 0.4 : -0.4))));
}

}  // namespace

Treasure treasure(std::uint32_t card) {
  static constexpr Treasure kTreasures[] = {
      {0, 2, 5, 1}, {0, 3, 6, 0}, {0, 5, 5, 0}, {0, 6, 4, 0}, {0, 7, 4, 0}, {0, 8, 3, 0}, {0, 9, 2, 0}, {0, 9, 3, 0},
      {1, 1, 4, 1}, {1, 2, 5, 0}, {1, 4, 4, 0}, {1, 5, 3, 0}, {1, 6, 3, 0}, {1, 7, 2, 0}, {1, 8, 2, 0}, {1, 9, 1, 0},
      {2, 2, 2, 1}, {2, 2, 3, 0}, {2, 4, 2, 0}, {2, 5, 2, 0}, {2, 6, 1, 0}, {2, 7, 1, 0}, {2, 8, 0, 0}, {2, 9, 0, 0},
      {3, 1, 1, 1}, {3, 2, 2, 0}, {3, 3, 1, 0}, {3, 5, 0, 0}, {4, 0, 0, 1}, {4, 2, 0, 0}};
  return card >= 1 && card <= std::size(kTreasures) ? kTreasures[card - 1] : Treasure{};
}

int level(const Cove::Ship& ship, Cove::Section section) {
  const int index = section - Cove::SECTION_HULL;
  return index >= 0 && index < ship.levels_size() ? ship.levels(index) : 0;  // a section newer than this bot
}

int room(const Cove::Ship& ship) {
  if (ship.parrot() == Cove::TAVERN_CARD_FLINT) return 50;
  return std::max(value(ship, Cove::SECTION_HULL, kRoom) - static_cast<int>(ship.chests()), 0);
}

int dice(const Cove::Ship& ship) {
  if (ship.parrot() == Cove::TAVERN_CARD_SILVER) return 6;
  const int cannons = value(ship, Cove::SECTION_CANNONS, kHands);
  if (ship.parrot() == Cove::TAVERN_CARD_BONES) return cannons;
  return std::min(cannons, value(ship, Cove::SECTION_CREW, kHands));
}

int speed(const Cove::Ship& ship) {
  return value(ship, Cove::SECTION_SAILS, kRoom) + (ship.parrot() == Cove::TAVERN_CARD_TRELAWNEY ? 20 : 0);
}

int hits_to_break(const Cove::Ship& ship, Cove::Section section) {
  int hits = level(ship, section) + 1;
  if (ship.artisan() == section) hits += ship.artisan_damaged() ? 1 : 2;
  if (perch(ship.parrot()) == section) hits += ship.parrot_wounded() ? 1 : 2;
  return hits;
}

double odds(const Cove::Ship& ship, const Cove::Ship& other) {
  return race(hits_to_break_weakest(other) / (dice(ship) * kHit), hits_to_break_weakest(ship) / (dice(other) * kHit),
              speed(ship) > speed(other));
}

double odds(const Cove::Ship& ship, Cove::Captain captain, int ships) {
  const Legend foe = legend(captain);
  const int ours = foe.aims_at ? hits_to_break(ship, foe.aims_at) : hits_to_break_weakest(ship);
  return race(foe.hull / (dice(ship) * kHit * ships), ours * ships / (foe.dice * kHit), speed(ship) > foe.speed);
}

int fame(Cove::Captain captain) { return legend(captain).fame; }

}  // namespace freebooter

// What is printed on ships and cards, and how a fight between two ships would go.
#pragma once

#include <cstdint>

#include "tortuga/v1/pirates_cove.pb.h"

namespace freebooter {

using Cove = tortuga::v1::PiratesCove;  // the namespace of the game's messages

// What a Treasure card shows.
struct Treasure {
  int fame, gold, chests, cards;
};

// Treasure card t01 to t30 by its number; an empty one for a number unknown to us.
Treasure treasure(std::uint32_t card);

// The level of a section, -1 if it is destroyed.
int level(const Cove::Ship& ship, Cove::Section section);

// How many more chests find room.
int room(const Cove::Ship& ship);

// How many dice it throws in a volley.
int dice(const Cove::Ship& ship);

// Its speed, without the cards of a combat.
int speed(const Cove::Ship& ship);

// How many hits destroy that section: Artisan and parrot take theirs first.
int hits_to_break(const Cove::Ship& ship, Cove::Section section);

// The chance to drive another player's ship away.
double odds(const Cove::Ship& ship, const Cove::Ship& other);

// The chance to sink a legend or the Navy with `ships` ships like this one.
double odds(const Cove::Ship& ship, Cove::Captain captain, int ships = 1);

// The fame for sinking it.
int fame(Cove::Captain captain);

}  // namespace freebooter

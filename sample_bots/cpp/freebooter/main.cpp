// Freebooter plays Pirate's Cove: sail where treasure outweighs trouble, shoot at the weakest spot, bury in time.
//
// Every decision is the same act: give each option a worth, roughly in fame, and take the one worth most. The numbers
// are a captain's judgement, not a theory; docs/games/pirates_cove.md has the rules behind them.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ship.h"
#include "tortuga_bot/bot.h"

namespace freebooter {

namespace {

constexpr int kMonths = 12;
constexpr std::uint32_t kTavern = 1, kTreasureIsland = 6;
constexpr double kNever = -1000;

bool brings_dice(Cove::Section section) { return section == Cove::SECTION_CANNONS || section == Cove::SECTION_CREW; }

// One question as our captain sees it. Whims are his luck: a pirate whose next island can be calculated is met there.
class Captain {
 public:
  Captain(const Cove::Observation& seen, std::mt19937& whims)
      : seen_(seen), mine_(ship(seen.seat())), months_left_(kMonths - static_cast<int>(seen.month())), whims_(whims) {}

  double worth(const Cove::Option& option) {
    switch (option.action_case()) {
      case Cove::Option::kOutfit: return outfit(option.outfit());
      case Cove::Option::kPlayCard: return play_card(option.play_card());
      case Cove::Option::kSail: return sail(option.sail().island());
      case Cove::Option::kFire: return fire(option.fire());
      case Cove::Option::kFlee: return flee();
      case Cove::Option::kBuryChests: return 100 + option.bury_chests().count();
      case Cove::Option::kBuryGold: return months_left_ <= 1 ? 50 + option.bury_gold().fame() : kNever;
      case Cove::Option::kRepairArtisan: return 20;
      case Cove::Option::kUpgrade: return upgrade(option.upgrade());
      case Cove::Option::kBuy: return can_spend(2 * option.buy().count()) ? 10 + option.buy().count() : kNever;
      case Cove::Option::kCoveCards: return 5;
      case Cove::Option::kCoveGold: return 4;
      default: return 0;  // keep, swap, pass, wait, done; and whatever we have never heard of
    }
  }

 private:
  const Cove::Ship& ship(std::uint32_t seat) const { return seen_.ships(static_cast<int>(seat)); }

  // --- Where to sail ---

  // An island we have to ourselves is worth its treasure; with company we have to win it first.
  double sail(std::uint32_t island) {
    double worth = island_worth(seen_.seat(), island);
    if (island != kTreasureIsland) {  // where nobody fights
      for (std::uint32_t seat = 0; seat < static_cast<std::uint32_t>(seen_.ships_size()); ++seat) {
        if (seat == seen_.seat()) continue;
        const double win = odds(mine_, ship(seat));
        worth += likelihood(seat, island) * (win - (1 - win) * (std::max(worth, 0.0) + 1));
      }
    }
    return worth + std::normal_distribution(0.0, 0.4)(whims_);
  }

  // How likely that seat sails there: the more tempting, the likelier.
  double likelihood(std::uint32_t seat, std::uint32_t island) const {
    const auto temptation = [&](std::uint32_t place) { return std::exp(0.45 * island_worth(seat, place)); };
    double all = 0;
    for (std::uint32_t place = kTavern; place <= kTreasureIsland; ++place) all += temptation(place);
    return temptation(island) / all;
  }

  // What an island is worth to a seat that finds no other player there.
  double island_worth(std::uint32_t seat, std::uint32_t island) const {
    double worth = island == kTreasureIsland ? burying_worth(ship(seat)) : plunder_worth(ship(seat), island);
    for (const auto& black : seen_.black_ships()) {
      if (black.place() != island || !black.captain()) continue;
      if (black.captain() == Cove::CAPTAIN_CACAFUEGO) {
        worth += 3;  // a die of fame, without a fight
      } else {
        const double win = odds(ship(seat), black.captain());
        worth = win * (worth + fame(black.captain())) - (1 - win) * 2.5;
      }
    }
    return worth;
  }

  double plunder_worth(const Cove::Ship& visitor, std::uint32_t island) const {
    const Treasure found = treasure(seen_.face_up(static_cast<int>(island) - 1));
    if (months_left_ == 0) return found.fame + 0.6 * found.cards;  // the rest could never be buried
    const double gold_worth = months_left_ > 2 ? 0.28 : 0.12;
    const double worth =
        found.fame + gold_worth * found.gold + 0.75 * std::min(found.chests, room(visitor)) + found.cards;
    const int purse = static_cast<int>(visitor.gold()) + found.gold;
    if (island == kTavern) return worth + 0.7 * std::min(purse / 2, 3) - 0.3;
    if (months_left_ == 1 || purse < 3) return worth;
    return worth + (brings_dice(static_cast<Cove::Section>(island - 1)) ? 1 : 0.4);  // islands 2 to 5 are the yards
  }

  // A trip to Treasure Island costs a month, so it waits for a full hold, or for the end.
  double burying_worth(const Cove::Ship& visitor) const {
    if (months_left_ == 0) return visitor.chests() + visitor.gold() / 3;
    if (months_left_ == 1) return 0.8 * visitor.chests() + 0.5 * (visitor.gold() / 3);
    return visitor.chests() * (room(visitor) <= 2 ? 0.95 : 0.5);
  }

  // --- In a fight ---

  // The fewer hits a section needs, the sooner its ship is gone; on the way there, guns and crew matter most. (If the
  // target is ourselves, we command the Navy.)
  double fire(const Cove::Fire& fire) const {
    if (fire.target().has_captain()) return 20;
    if (fire.target().seat() == seen_.seat()) return kNever;
    return 20 - 3 * hits_to_break(ship(fire.target().seat()), fire.section()) + (brings_dice(fire.section()) ? 0.4 : 0);
  }

  // To be driven off costs a repair; to flee costs, one time in six, all that is aboard. So: only when the fight is
  // lost and the hold as good as empty.
  double flee() const {
    double win = 1;
    const Cove::Combat& combat = seen_.combat();
    for (const auto& enemy : combat.enemies()) win *= odds(mine_, enemy.captain(), combat.combatants_size());
    for (const auto& other : combat.combatants()) {
      if (other.seat() != seen_.seat() && combat.place() != kTreasureIsland) win *= odds(mine_, ship(other.seat()));
    }
    const double aboard = mine_.chests() + mine_.gold() / 3.0 + 2;
    return (1 - win) * 0.6 > win * 4 + aboard / 6 ? 100 : kNever;
  }

  // --- In port ---

  // Three dice from the start.
  static double outfit(const Cove::Outfit& levels) {
    return levels.hull() == 1 && levels.sails() == 1 && levels.cannons() == 2 && levels.crew() == 2;
  }

  // More dice first, and these come from the lower of cannons and crew.
  double upgrade(const Cove::Upgrade& upgrade) const {
    if (months_left_ == 0 || !can_spend(upgrade.price())) return kNever;
    const int lower = std::min(level(mine_, Cove::SECTION_CANNONS), level(mine_, Cove::SECTION_CREW));
    const bool dice = brings_dice(upgrade.section());
    return 2.0 + upgrade.levels() + (dice ? 2 : 0) + (dice && level(mine_, upgrade.section()) == lower ? 3 : 0);
  }

  // Two gold stay in the purse for a repair at the Cove, until the last month.
  bool can_spend(std::uint32_t price) const { return price + (months_left_ > 0 ? 2 : 0) <= mine_.gold(); }

  // --- Tavern cards, each against the 0 of passing ---

  double play_card(const Cove::PlayCard& played) const {
    switch (played.card()) {
      case Cove::TAVERN_CARD_ARTISAN:  // one at a time
        if (mine_.artisan()) return kNever;
        [[fallthrough]];
      case Cove::TAVERN_CARD_SHIPWRIGHT: return 80 - hits_to_break(mine_, played.section());
      case Cove::TAVERN_CARD_MAP: return 10;
      case Cove::TAVERN_CARD_FREEBOOTER: return ship(played.seat()).chests() - 3.0;  // the namesake, on a full hold
      case Cove::TAVERN_CARD_SMOKE: return 2;
      case Cove::TAVERN_CARD_GRAPESHOT:  // worth more than any volley without it, unless the recoil breaks our guns
        return hits_to_break(mine_, Cove::SECTION_CANNONS) > 2 ? 40 : kNever;
      default: return kNever;  // the others do as much harm as good in simple hands
    }
  }

  const Cove::Observation& seen_;
  const Cove::Ship& mine_;
  const int months_left_;
  std::mt19937& whims_;
};

int choose(const tortuga_bot::Question& question) {
  const std::string& words = question.match.id();
  std::seed_seq seed(words.begin(), words.end());
  auto& whims = question.match.memory<std::mt19937>(seed);

  const Cove::Position& position = question.message.pirates_cove();
  Captain captain(position.observation(), whims);
  std::vector<double> worths;
  for (const auto& option : position.options()) worths.push_back(captain.worth(option));
  return static_cast<int>(std::max_element(worths.begin(), worths.end()) - worths.begin());
}

}  // namespace

}  // namespace freebooter

int main() { return tortuga_bot::play(freebooter::choose, {.name = "freebooter-cpp", .games = {"pirates_cove"}}); }

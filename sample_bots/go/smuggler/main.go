// Smuggler plays Pirate's Cove for the cargo: it sails where no legend waits, fills its hold and buries in time.
//
// The idea of the program: every option is worth something, roughly counted in fame, and the best one is taken. To pass, to keep
// what one has or to be done is worth nothing, so whatever is worth less is left alone.
package main

import (
	"math"

	"tortuga/sdk/tortugabot"
	pb "tortuga/v1"
)

const (
	treasureIsland = 6
	lastMonth      = 12
	goldWorth      = 0.25 // while there is something to buy; buried it is a third
	never          = -100.0
)

// loot is what the Treasure cards t01 to t30 show: fame, gold, chests, Tavern cards.
var loot = [...][4]int{
	{0, 2, 5, 1}, {0, 3, 6, 0}, {0, 5, 5, 0}, {0, 6, 4, 0}, {0, 7, 4, 0}, {0, 8, 3, 0}, {0, 9, 2, 0}, {0, 9, 3, 0},
	{1, 1, 4, 1}, {1, 2, 5, 0}, {1, 4, 4, 0}, {1, 5, 3, 0}, {1, 6, 3, 0}, {1, 7, 2, 0}, {1, 8, 2, 0}, {1, 9, 1, 0},
	{2, 2, 2, 1}, {2, 2, 3, 0}, {2, 4, 2, 0}, {2, 5, 2, 0}, {2, 6, 1, 0}, {2, 7, 1, 0}, {2, 8, 0, 0}, {2, 9, 0, 0},
	{3, 1, 1, 1}, {3, 2, 2, 0}, {3, 3, 1, 0}, {3, 5, 0, 0}, {4, 0, 0, 1}, {4, 2, 0, 0},
}

var parrotWorth = map[pb.PiratesCove_TavernCard]float64{
	pb.PiratesCove_TAVERN_CARD_FLINT:     3, // an endless hold is what a smuggler dreams of
	pb.PiratesCove_TAVERN_CARD_SILVER:    6,
	pb.PiratesCove_TAVERN_CARD_BONES:     2,
	pb.PiratesCove_TAVERN_CARD_TRELAWNEY: 2,
}

func main() {
	tortugabot.Main(tortugabot.Bot{
		Name:       "smuggler-go",
		Games:      []string{"pirates_cove"},
		Choose:     choose,
		OmitEvents: true, // the observation says all that matters here
	})
}

// choose takes the option that is worth most, the first of equals. It keeps nothing between questions.
func choose(question *tortugabot.Question) int {
	position := question.GetPiratesCove()
	table := look(position.GetObservation())
	best, most := 0, math.Inf(-1)
	for index, option := range position.GetOptions() {
		if worth := table.worth(option); worth > most {
			best, most = index, worth
		}
	}
	return best
}

// table is all that the bot may know, with what it looks up most.
type table struct {
	*pb.PiratesCove_Observation
	mine       ship
	monthsLeft int // after this one
}

func look(seen *pb.PiratesCove_Observation) table {
	return table{seen, ship{seen.GetShips()[seen.GetSeat()]}, lastMonth - int(seen.GetMonth())}
}

func (t table) worth(option *pb.PiratesCove_Option) float64 {
	switch action := option.GetAction().(type) {
	case *pb.PiratesCove_Option_Outfit:
		return outfit(action.Outfit)
	case *pb.PiratesCove_Option_Swap:
		return parrotWorth[t.GetParrotOffer().GetParrot()] - parrotWorth[t.mine.GetParrot()] - 1
	case *pb.PiratesCove_Option_PlayCard:
		return t.card(action.PlayCard)
	case *pb.PiratesCove_Option_Sail:
		return t.sail(action.Sail.GetIsland())
	case *pb.PiratesCove_Option_Fire:
		return t.fire(action.Fire)
	case *pb.PiratesCove_Option_Flee:
		return never // one flight in six is a mutiny, while a ship that is shot out of the combat keeps its cargo
	case *pb.PiratesCove_Option_BuryChests:
		return 50 + float64(action.BuryChests.GetCount())
	case *pb.PiratesCove_Option_BuryGold:
		fame := action.BuryGold.GetFame()
		return t.spend(3*fame, 6, float64(fame))
	case *pb.PiratesCove_Option_Upgrade:
		return t.upgrade(action.Upgrade)
	case *pb.PiratesCove_Option_Buy:
		cards := action.Buy.GetCount()
		return t.spend(2*cards, 4, 0.8*float64(cards))
	case *pb.PiratesCove_Option_RepairArtisan:
		return t.spend(1, 0, 1)
	case *pb.PiratesCove_Option_CoveCards:
		return 2
	case *pb.PiratesCove_Option_CoveGold:
		return 1
	default:
		return 0
	}
}

// outfit wants three dice, and one level more for hold and sails.
func outfit(levels *pb.PiratesCove_Outfit) float64 {
	if levels.GetHull() == 1 && levels.GetSails() == 1 && levels.GetCannons() == 2 && levels.GetCrew() == 2 {
		return 1
	}
	return 0
}

// sail weighs an island: what lies there, and who.
func (t table) sail(island uint32) float64 {
	prize := 0.0
	for _, black := range t.GetBlackShips() {
		if black.GetPlace() != island {
			continue
		}
		switch black.GetCaptain() {
		case pb.PiratesCove_CAPTAIN_UNSPECIFIED: // sunk
		case pb.PiratesCove_CAPTAIN_CACAFUEGO: // gives a die of fame without a shot
			prize = 3
		default:
			return never
		}
	}
	if island == treasureIsland {
		return t.burying() + prize // there players leave each other alone
	}
	// Headings are secret: each rival comes to an island in one month of six, and wins every other fight.
	rivals := float64(len(t.GetShips()) - 1)
	return (t.plunder(island) + prize) * (1 - rivals/12)
}

// plunder is what an outer island is worth to the ship that has it to itself.
func (t table) plunder(island uint32) float64 {
	card := loot[t.GetFaceUp()[island-1]-1]
	fame, gold, chests, cards := card[0], card[1], card[2], card[3]
	if chart := t.GetTreasureMap(); chart.GetSeat() == t.GetSeat() && chart.GetIsland() == island {
		chests *= 2
	}
	worth := float64(fame + cards)
	if t.monthsLeft > 0 { // else there is no way to bury it any more
		worth += 0.8*float64(min(chests, t.mine.room())) + goldWorth*float64(gold)
	}
	return worth
}

// burying is what Treasure Island is worth: a trip costs a month, so it had better wait for a full hold or the end.
func (t table) burying() float64 {
	chests, gold := float64(t.mine.GetChests()), float64(t.mine.GetGold()/3)
	switch {
	case t.monthsLeft == 0:
		return chests + gold
	case t.mine.room() <= 2:
		return chests
	default:
		return chests / 2
	}
}

// fire aims at what breaks first: one destroyed section drives a ship away. Of two such, better the one that throws dice.
func (t table) fire(fire *pb.PiratesCove_Fire) float64 {
	target, ok := fire.GetTarget().GetShip().(*pb.PiratesCove_Fighter_Seat)
	if !ok {
		return 20 // a legend has but a hull
	}
	if target.Seat == t.GetSeat() {
		return never // the Navy under our command may fire at us, too
	}
	worth := 20 - float64(ship{t.GetShips()[target.Seat]}.toughness(fire.GetSection()))
	if fire.GetSection() == pb.PiratesCove_SECTION_CANNONS || fire.GetSection() == pb.PiratesCove_SECTION_CREW {
		worth += 0.5
	}
	return worth
}

// upgrade wants dice first, which go by the lower of cannons and crew, then room in the hold.
func (t table) upgrade(upgrade *pb.PiratesCove_Upgrade) float64 {
	appeal := 0.0
	cannons, crew := t.mine.level(pb.PiratesCove_SECTION_CANNONS), t.mine.level(pb.PiratesCove_SECTION_CREW)
	switch section := upgrade.GetSection(); section {
	case pb.PiratesCove_SECTION_HULL:
		appeal = 0.8
	case pb.PiratesCove_SECTION_CANNONS, pb.PiratesCove_SECTION_CREW:
		if t.mine.level(section) == min(cannons, crew) {
			appeal = 1.2
		}
	}
	if t.monthsLeft < 3 {
		appeal = 0 // too late to pay
	}
	return t.spend(upgrade.GetPrice(), 2, appeal*float64(upgrade.GetLevels()))
}

// spend is what is left of a gain when gold is paid for it. Until the last month some gold is kept back, for repairs.
func (t table) spend(price, keep uint32, gain float64) float64 {
	switch {
	case t.monthsLeft == 0:
		return gain // nothing else to spend it on
	case t.mine.GetGold() < price+keep:
		return never
	default:
		return gain - goldWorth*float64(price)
	}
}

// card says when to play a Tavern card; those not named stay in hand.
func (t table) card(play *pb.PiratesCove_PlayCard) float64 {
	switch play.GetCard() {
	case pb.PiratesCove_TAVERN_CARD_MAP, pb.PiratesCove_TAVERN_CARD_SMOKE:
		return 1
	case pb.PiratesCove_TAVERN_CARD_FREEBOOTER: // on whoever is about to bury a lot
		return float64(t.GetShips()[play.GetSeat()].GetChests()) - 3
	case pb.PiratesCove_TAVERN_CARD_GRAPESHOT: // two hits on the own cannons are its price
		if t.mine.toughness(pb.PiratesCove_SECTION_CANNONS) > 2 {
			return 40
		}
	case pb.PiratesCove_TAVERN_CARD_CANNONADE: // strikes four sections at once, but a legend has but a hull
		if len(t.GetCombat().GetEnemies()) == 0 {
			return 40
		}
	case pb.PiratesCove_TAVERN_CARD_ARTISAN, pb.PiratesCove_TAVERN_CARD_SHIPWRIGHT: // for the weakest spot
		if !t.mine.hasArtisan() || play.GetCard() == pb.PiratesCove_TAVERN_CARD_SHIPWRIGHT {
			return 20 - float64(t.mine.toughness(play.GetSection()))
		}
	}
	return never
}

package tortugabot

import pb "tortuga/v1"

// A bot for one game takes typed questions of that game:
//
//	tortugabot.Main(tortugabot.Bot{Name: "mine", Games: []string{"pirates_cove"}, Choose: tortugabot.PiratesCove(choose)})
//
//	func choose(question *tortugabot.PiratesCoveQuestion) int {
//		mine := question.GetObservation().GetShips()[question.Match.GetSeat()]
//		…
//	}
//
// A question of another game has an empty observation and no options; its GetOptionCount is true all the same.

// PavillonNoirQuestion is a question of Pavillon Noir: GetDecision, GetObservation, GetOptions and GetEvents give the game's own messages.
type PavillonNoirQuestion struct {
	*Question
	*pb.PavillonNoir_Position
}

// PavillonNoir makes a Bot's Choose of a function for Pavillon Noir.
func PavillonNoir(choose func(*PavillonNoirQuestion) int) func(*Question) int {
	return func(question *Question) int {
		return choose(&PavillonNoirQuestion{question, question.GetPavillonNoir()})
	}
}

// BroadsidesQuestion is a question of Broadsides: GetDecision, GetObservation, GetOptions and GetEvents give the game's own messages.
type BroadsidesQuestion struct {
	*Question
	*pb.Broadsides_Position
}

// Broadsides makes a Bot's Choose of a function for Broadsides.
func Broadsides(choose func(*BroadsidesQuestion) int) func(*Question) int {
	return func(question *Question) int {
		return choose(&BroadsidesQuestion{question, question.GetBroadsides()})
	}
}

// PiratesCoveQuestion is a question of Pirate's Cove: GetDecision, GetObservation, GetOptions and GetEvents give the game's own messages.
type PiratesCoveQuestion struct {
	*Question
	*pb.PiratesCove_Position
}

// PiratesCove makes a Bot's Choose of a function for Pirate's Cove.
func PiratesCove(choose func(*PiratesCoveQuestion) int) func(*Question) int {
	return func(question *Question) int {
		return choose(&PiratesCoveQuestion{question, question.GetPiratesCove()})
	}
}

// MaraudersQuestion is a question of Marauders: GetDecision, GetObservation, GetOptions and GetEvents give the game's own messages.
type MaraudersQuestion struct {
	*Question
	*pb.Marauders_Position
}

// Marauders makes a Bot's Choose of a function for Marauders.
func Marauders(choose func(*MaraudersQuestion) int) func(*Question) int {
	return func(question *Question) int {
		return choose(&MaraudersQuestion{question, question.GetMarauders()})
	}
}

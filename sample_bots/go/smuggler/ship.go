package main

import pb "tortuga/v1"

// roomAt is how many chests a hull holds, by its level.
var roomAt = [...]int{4, 5, 6, 7, 8, 9, 10, 12}

// parrotAt says which section a parrot shields.
var parrotAt = map[pb.PiratesCove_TavernCard]pb.PiratesCove_Section{
	pb.PiratesCove_TAVERN_CARD_FLINT:     pb.PiratesCove_SECTION_HULL,
	pb.PiratesCove_TAVERN_CARD_TRELAWNEY: pb.PiratesCove_SECTION_SAILS,
	pb.PiratesCove_TAVERN_CARD_SILVER:    pb.PiratesCove_SECTION_CANNONS,
	pb.PiratesCove_TAVERN_CARD_BONES:     pb.PiratesCove_SECTION_CREW,
}

// ship is the message with a little arithmetic.
type ship struct{ *pb.PiratesCove_Ship }

// level is a section's level; -1 if it is destroyed. The sections are counted from 1.
func (s ship) level(section pb.PiratesCove_Section) int {
	return int(s.GetLevels()[section-1])
}

// room is how many more chests the hold takes.
func (s ship) room() int {
	if s.GetParrot() == pb.PiratesCove_TAVERN_CARD_FLINT {
		return 50
	}
	return max(roomAt[max(s.level(pb.PiratesCove_SECTION_HULL), 0)]-int(s.GetChests()), 0)
}

// hasArtisan tells of an Artisan in good health; there is one at most.
func (s ship) hasArtisan() bool {
	return s.GetArtisan() != pb.PiratesCove_SECTION_UNSPECIFIED && !s.GetArtisanDamaged()
}

// toughness is how many hits destroy a section. An Artisan and a parrot there take two each, or one if they are hurt.
func (s ship) toughness(section pb.PiratesCove_Section) int {
	hits := s.level(section) + 1
	if s.GetArtisan() == section {
		hits += shield(s.GetArtisanDamaged())
	}
	if parrotAt[s.GetParrot()] == section {
		hits += shield(s.GetParrotWounded())
	}
	return hits
}

func shield(hurt bool) int {
	if hurt {
		return 1
	}
	return 2
}

package merchant;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tortuga.v1.Marauders.Good;
import tortuga.v1.Marauders.Nation;
import tortuga.v1.Marauders.NpcInfo;
import tortuga.v1.Marauders.NpcKind;
import tortuga.v1.Marauders.Observation;
import tortuga.v1.Marauders.Option;
import tortuga.v1.Marauders.Option.ActionCase;
import tortuga.v1.Marauders.Own;
import tortuga.v1.Marauders.Position;
import tortuga.v1.Marauders.SeatInfo;
import tortuga.v1.Marauders.Ship;
import tortuga.v1.Marauders.ShipType;
import tortuga.v1.Marauders.Zone;
import tortuga.v1.Marauders.ZoneInfo;

/**
 * A question made easy to read: who and where I am, what I hold, where I may go, which options
 * there are.
 */
final class Table {
  // Places in Ship.sections.
  static final int CARGO = 0;
  static final int CREW = 2;
  static final int CANNONS = 3;
  static final int HULL = 4;

  final List<Option> options;
  final Observation view;
  final Own own;
  final SeatInfo me;
  final Ship ship;
  final Zone home;

  Table(Position position) {
    options = position.getOptionsList();
    view = position.getObservation();
    own = view.getOwn();
    me = view.getSeats(own.getSeat());
    ship = me.getShip();
    home = Chart.home(own.getCaptain());
  }

  /** The first option of a kind. */
  OptionalInt first(ActionCase kind) {
    return first(kind, option -> true);
  }

  OptionalInt first(ActionCase kind, Predicate<Option> fits) {
    return all(kind).filter(index -> fits.test(options.get(index))).findFirst();
  }

  OptionalInt last(ActionCase kind, Predicate<Option> fits) {
    return all(kind)
        .filter(index -> fits.test(options.get(index)))
        .reduce((earlier, later) -> later);
  }

  IntStream all(ActionCase kind) {
    return IntStream.range(0, options.size())
        .filter(index -> options.get(index).getActionCase() == kind);
  }

  boolean hasBigShip() {
    ShipType type = ship.getType();
    return type != ShipType.SHIP_TYPE_SLOOP && type != ShipType.SHIP_TYPE_FLUTE;
  }

  int count(Good good) {
    return (int) own.getCargoList().stream().filter(card -> Chart.good(card) == good).count();
  }

  /** Cargo cards that still fit into the hold at sea. */
  int room() {
    return ship.getSections(CARGO) - own.getCargoCount();
  }

  int missing(int section) {
    return ship.getMaxima(section) - ship.getSections(section);
  }

  Good demand(Zone zone) {
    return view.getZonesList().stream()
        .filter(info -> info.getZone() == zone)
        .map(ZoneInfo::getDemand)
        .findFirst()
        .orElse(Good.GOOD_UNSPECIFIED);
  }

  /** The way to the nearest port that wants a good and lets me in. */
  int wayToBuyer(Good good) {
    return view.getZonesList().stream()
        .filter(info -> info.getDemand() == good && mayEnter(info.getZone()))
        .mapToInt(info -> Chart.distance(me.getZone(), info.getZone()))
        .min()
        .orElse(Chart.FAR);
  }

  boolean mayEnter(Zone zone) {
    Nation nation = Chart.nation(zone);
    if (nation == Nation.NATION_UNSPECIFIED
        || view.getClosedList().contains(zone)
        || isAtWarWith(nation)) {
      return false;
    }
    return zone == home || me.getBounties(nation.getNumber() - 1) == 0;
  }

  boolean isAtWarWith(Nation nation) {
    Nation mine = Chart.nation(home);
    return nation != mine && view.getWarList().containsAll(List.of(nation, mine));
  }

  /**
   * How many ships at sea there hunt me: pirates hunt the honest, navies the wanted and the enemy.
   */
  long hunters(Zone zone) {
    boolean wanted = me.getBountiesList().stream().anyMatch(bounty -> bounty > 0);
    return view.getNpcsList().stream()
        .filter(npc -> npc.getZone() == zone && hunts(npc, wanted))
        .count();
  }

  private boolean hunts(NpcInfo npc, boolean wanted) {
    boolean pirate = npc.getNpcValue() >= NpcKind.NPC_KIND_PIRATE_SLOOP_VALUE;
    // Navies are numbered as their nations are.
    return pirate ? !wanted : wanted || isAtWarWith(Nation.forNumber(npc.getNpcValue()));
  }

  /** Where the rumor and the mission in hand lead. */
  Stream<Chart.Errand> errands() {
    return Stream.of(Chart.errand(own.getRumor()), Chart.errand(me.getMission()))
        .flatMap(Optional::stream);
  }
}

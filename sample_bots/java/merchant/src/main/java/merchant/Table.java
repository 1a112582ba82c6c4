package merchant;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import tortuga.v1.Marauders.Good;
import tortuga.v1.Marauders.Nation;
import tortuga.v1.Marauders.Observation;
import tortuga.v1.Marauders.Option;
import tortuga.v1.Marauders.Own;
import tortuga.v1.Marauders.Position;
import tortuga.v1.Marauders.SeatInfo;
import tortuga.v1.Marauders.ShipType;
import tortuga.v1.Marauders.Zone;
import tortuga.v1.Marauders.ZoneInfo;

/** A question made easy to read: what I hold, where I may go, which options there are. */
final class Table {
  private static final int CARDS_OF_A_GOOD = 8;

  final Observation view;
  final Own own;
  final SeatInfo me;
  final Zone home;
  final List<Option> options;

  Table(Position position) {
    view = position.getObservation();
    own = view.getOwn();
    me = view.getSeats(own.getSeat());
    home = Chart.home(own.getCaptain());
    options = position.getOptionsList();
  }

  /** All options of a kind, such as {@code Option::hasMove}. */
  IntStream all(Predicate<Option> kind) {
    return IntStream.range(0, options.size()).filter(index -> kind.test(options.get(index)));
  }

  OptionalInt first(Predicate<Option> kind) {
    return all(kind).findFirst();
  }

  OptionalInt last(Predicate<Option> kind) {
    return all(kind).reduce((earlier, later) -> later);
  }

  boolean hasBigShip() {
    ShipType type = me.getShip().getType();
    return type != ShipType.SHIP_TYPE_SLOOP && type != ShipType.SHIP_TYPE_FLUTE;
  }

  /** Cards of a good aboard. Cards are numbered good by good. */
  int count(Good good) {
    return (int)
        own.getCargoValueList().stream()
            .filter(card -> (card - 1) / CARDS_OF_A_GOOD + 1 == good.getNumber())
            .count();
  }

  /** Cards that still fit into the hold; cargo is the first section. */
  int room() {
    return me.getShip().getSections(0) - own.getCargoCount();
  }

  /** Points of all sections to be repaired or recruited. */
  int damage() {
    return sum(me.getShip().getMaximaList()) - sum(me.getShip().getSectionsList());
  }

  private static int sum(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).sum();
  }

  boolean wants(Zone zone, Good good) {
    return view.getZonesList().stream()
        .anyMatch(info -> info.getZone() == zone && info.getDemand() == good);
  }

  /** The way to the nearest port that wants a good and lets me in. */
  int wayToBuyer(Good good) {
    return view.getZonesList().stream()
        .filter(info -> info.getDemand() == good)
        .map(ZoneInfo::getZone)
        .filter(this::mayEnter)
        .mapToInt(zone -> Chart.distance(me.getZone(), zone))
        .min()
        .orElse(Chart.FAR);
  }

  /** Plague, war and bounties close ports; the home port does not care about bounties. */
  boolean mayEnter(Zone zone) {
    Nation nation = Chart.nation(zone);
    Nation mine = Chart.nation(home);
    boolean atWar = nation != mine && view.getWarList().containsAll(List.of(nation, mine));
    if (nation == Nation.NATION_UNSPECIFIED || view.getClosedList().contains(zone) || atWar) {
      return false;
    }
    return zone == home || me.getBounties(nation.getNumber() - 1) == 0;
  }

  /**
   * Ships at sea there that may hunt me. Who hunts whom is left out: a merchant avoids them all.
   */
  long strangers(Zone zone) {
    return view.getNpcsList().stream().filter(npc -> npc.getZone() == zone).count();
  }
}

package merchant;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.OptionalInt;
import tortuga.v1.Marauders.Good;
import tortuga.v1.Marauders.Option.ActionCase;
import tortuga.v1.Marauders.Zone;

/**
 * The next action of a turn: every zone is worth what its port or its sea would give, divided by
 * the way there.
 */
final class Voyage {
  /** What a glory point is worth, in gold. */
  private static final double GLORY = 14;

  /** A rumor is proved, a search succeeds, about so often. */
  private static final double HOPE = 0.6;

  private record Aim(Zone zone, boolean inPort, double value) {}

  private final Table table;
  private final Zone here;
  private final boolean ashore;

  Voyage(Table table) {
    this.table = table;
    here = table.me.getZone();
    ashore = table.me.getInPort();
  }

  int choose() {
    OptionalInt errand = table.first(ActionCase.SCOUT_RUMOR);
    if (errand.isEmpty() && Chart.errand(table.me.getMission()).isPresent()) {
      errand = table.first(ActionCase.SCOUT_MISSION);
    }
    if (errand.isPresent()) {
      return errand.getAsInt();
    }
    Aim aim = bestAim();
    if (aim.value <= 0) {
      return table
          .first(ActionCase.ENTER_PORT)
          .orElse(0); // nothing to do: spend the night in safety
    }
    if (aim.zone == here && aim.inPort) {
      return table.first(ashore ? ActionCase.VISIT_PORT : ActionCase.ENTER_PORT).orElse(0);
    }
    if (ashore) {
      return table.first(ActionCase.LEAVE).orElse(0);
    }
    return table
        .all(ActionCase.MOVE)
        .boxed()
        .min(
            Comparator.comparingDouble(
                index -> wayFrom(table.options.get(index).getMove().getZone(), aim.zone)))
        .orElse(0);
  }

  /** Of two ways alike, the one where nobody hunts. */
  private double wayFrom(Zone next, Zone aim) {
    return Chart.distance(next, aim) + 0.7 * table.hunters(next);
  }

  private Aim bestAim() {
    Aim best = new Aim(here, true, 0);
    for (Zone zone : EnumSet.range(Zone.ZONE_HAVANA, Zone.ZONE_TRINIDAD)) {
      int actions = Chart.distance(here, zone) + (ashore && zone != here ? 1 : 0) + 1;
      boolean inThisPort = ashore && zone == here;
      if (!inThisPort || table.first(ActionCase.VISIT_PORT).isPresent()) {
        // One more action to enter, and a risk that is shorter than that of staying at sea.
        double value =
            inThisPort ? port(zone) : port(zone) / (actions + 1) - 2 * table.hunters(zone);
        best = better(best, new Aim(zone, true, value));
      }
      double value = sea(zone) / (actions + (inThisPort ? 1 : 0)) - 4 * table.hunters(zone);
      best = better(best, new Aim(zone, false, value));
    }
    return best;
  }

  private static Aim better(Aim one, Aim other) {
    return other.value > one.value ? other : one;
  }

  private double sea(Zone zone) {
    return HOPE
        * (GLORY + 6)
        * table.errands().filter(errand -> !errand.inPort() && errand.zone() == zone).count();
  }

  /** What a Port action there would bring, in gold. */
  private double port(Zone zone) {
    if (!table.mayEnter(zone)) {
      return 0;
    }
    int gold = table.own.getGold() + (zone == table.home ? table.own.getChest() : 0);
    double value = sales(zone) + repairs(gold);
    value +=
        HOPE
            * (GLORY + 8)
            * table.errands().filter(errand -> errand.inPort() && errand.zone() == zone).count();
    if (!table.hasBigShip() && gold >= 31) {
      value += GLORY + 6; // the first big ship is a point
    }
    if (table.own.getRumorValue() == 0 && gold >= 2) {
      value += 4;
    }
    int spare = table.own.getGold() - Harbour.RESERVE;
    if (zone == table.home && spare >= Harbour.WORTH_STASHING) {
      value +=
          0.8 * spare
              + (table.own.getChest() % 10 + spare >= 10
                  ? GLORY
                  : 0); // each 10 in the chest are a point
    }
    boolean boughtHere =
        table.own.getBoughtZone() == zone
            && table.own.getBoughtRound() + 1 >= table.view.getRound();
    if (!boughtHere && table.own.getGold() >= 3) {
      value += Math.min(3 * Math.max(0, table.room()), 8);
    }
    return value;
  }

  private double sales(Zone zone) {
    double value = 0;
    for (Good good : EnumSet.range(Good.GOOD_SPICE, Good.GOOD_INDIGO)) {
      int count = table.count(good);
      if (table.demand(zone) == good) {
        value += 6 * count + (count >= 3 ? GLORY : 0); // three at once are a point
      } else if (table.wayToBuyer(good) > 3 || count < 2) {
        value += 1.5 * count;
      }
    }
    return value;
  }

  private double repairs(int gold) {
    int damage = 0;
    for (int section = Table.CARGO; section <= Table.HULL; section++) {
      damage += section == Table.CREW ? 0 : table.missing(section);
    }
    boolean weak =
        table.ship.getSectionsList().contains(0) || table.ship.getSections(Table.HULL) == 1;
    return 2.5 * Math.min(damage, gold / 2) + 2 * table.missing(Table.CREW) + (weak ? 6 : 0);
  }
}

package merchant;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import tortuga.bot.Question;
import tortuga.bot.Tortuga;
import tortuga.v1.Hello;
import tortuga.v1.Marauders.Good;
import tortuga.v1.Marauders.Option;
import tortuga.v1.Marauders.Position;
import tortuga.v1.Marauders.Price;
import tortuga.v1.Marauders.ShipType;
import tortuga.v1.Marauders.Stance;
import tortuga.v1.Marauders.Zone;

/**
 * An honest captain of marauders: buys cheap, sells where goods are wanted, saves for a galleon and
 * fills the chest. Never raids, so that no port is closed and no navy hunts; runs from every fight.
 */
public final class Merchant {
  /** What a glory point is worth, in gold. */
  private static final double GLORY = 14;

  /** Gold to keep aboard for the next goods and repairs. */
  private static final int RESERVE = 6;

  private static final int WORTH_STASHING = 8;

  /** What a galleon costs, 35 gold, less the worth of a flute that has seen the sea. */
  private static final int GALLEON = 31;

  /** What to do ashore. Each activity is open once, so the order counts; selling comes first. */
  private static final List<Function<Table, OptionalInt>> ASHORE =
      List.of(
          Merchant::sell,
          table -> table.first(Option::hasPlayGlory),
          Merchant::buyShip,
          table -> table.first(Option::hasRepairEverything),
          table -> table.first(Option::hasRepair),
          table -> table.first(Option::hasRecruit),
          table -> table.last(Option::hasHire),
          Merchant::buy,
          Merchant::stash);

  private Merchant() {}

  public static void main(String[] args) {
    Tortuga.play(
        match -> Merchant::choose,
        Hello.newBuilder()
            .setBotName("merchant-java")
            .setBotVersion("1")
            .addGames("marauders")
            .setSlots(8));
  }

  /** A question shows the whole table, so nothing has to be remembered. */
  private static int choose(Question question) {
    Position position = question.marauders();
    Table table = new Table(position);
    OptionalInt choice =
        switch (position.getDecision()) {
          case DECISION_CHOOSE_SHIP ->
              table.first(option -> option.getChooseShip().getShip() == ShipType.SHIP_TYPE_FLUTE);
          case DECISION_ACTION -> sail(table);
          case DECISION_PORT ->
              ASHORE.stream()
                  .map(step -> step.apply(table))
                  .flatMapToInt(OptionalInt::stream)
                  .findFirst();
          case DECISION_DECLARE ->
              table.first(option -> option.getDeclare().getStance() == Stance.STANCE_FLEE);
          // Windows: a card is better played than kept.
          case DECISION_W_ROLL, DECISION_W_SCOUTED, DECISION_W_TURN_START, DECISION_W_HITS ->
              table.last(Option::hasPlayGlory);
          default -> OptionalInt.empty();
        };
    return choice.orElse(0); // done, decline, the end of the turn: what a decision lists first
  }

  // --- Under sail: every port is worth what it would bring, divided by the way there. ------------

  private static OptionalInt sail(Table table) {
    Zone here = table.me.getZone();
    boolean ashore = table.me.getInPort();
    OptionalInt visit = table.first(Option::hasVisitPort);
    Zone aim = here;
    double best = visit.isPresent() ? value(table, here) : 0;
    for (Zone zone : EnumSet.range(Zone.ZONE_HAVANA, Zone.ZONE_TRINIDAD)) {
      int actions = Chart.distance(here, zone) + (ashore ? 3 : 2); // leave, move, enter, visit
      double value = value(table, zone) / actions - 2 * table.strangers(zone);
      if (value > best && !(ashore && zone == here)) {
        best = value;
        aim = zone;
      }
    }
    if (aim == here) {
      return ashore ? visit : table.first(Option::hasEnterPort);
    }
    return ashore ? table.first(Option::hasLeave) : stepTo(table, aim);
  }

  /** One zone nearer; of two ways alike, the one without strange sails. */
  private static OptionalInt stepTo(Table table, Zone aim) {
    Comparator<Integer> way =
        Comparator.comparingDouble(
            index -> {
              Zone next = table.options.get(index).getMove().getZone();
              return Chart.distance(next, aim) + 0.7 * table.strangers(next);
            });
    return table.all(Option::hasMove).boxed().sorted(way).mapToInt(index -> index).findFirst();
  }

  /** What a visit to that port would bring, in gold. */
  private static double value(Table table, Zone zone) {
    if (!table.mayEnter(zone)) {
      return 0;
    }
    int gold = table.own.getGold() + (zone == table.home ? table.own.getChest() : 0);
    double value = 2.5 * Math.min(table.damage(), gold / 2);
    for (Good good : EnumSet.range(Good.GOOD_SPICE, Good.GOOD_INDIGO)) {
      int count = table.count(good);
      if (table.wants(zone, good)) {
        value += 6 * count + (count >= 3 ? GLORY : 0); // three at once are a point
      }
    }
    if (!table.hasBigShip() && gold >= GALLEON) {
      value += GLORY + 6; // the first big ship is a point
    }
    int spare = table.own.getGold() - RESERVE;
    if (zone == table.home && spare >= WORTH_STASHING) {
      value += spare + (table.own.getChest() % 10 + spare >= 10 ? GLORY : 0); // 10 are a point
    }
    if (zone != table.own.getBoughtZone() && table.own.getGold() >= 3) {
      value += Math.min(3 * table.room(), 8); // goods to buy, fewer where I bought last
    }
    return value;
  }

  // --- Ashore: what to do there, in the order of the list above. ---------------------------------

  /** All that the port wants; other goods only if nobody near wants them. */
  private static OptionalInt sell(Table table) {
    return table.last(
        option ->
            option.hasSell()
                && (table.wants(table.me.getZone(), option.getSell().getGood())
                    || table.wayToBuyer(option.getSell().getGood()) > 3));
  }

  private static OptionalInt buyShip(Table table) {
    return table.first(
        option ->
            option.getBuyShip().getShip() == ShipType.SHIP_TYPE_GALLEON && !table.hasBigShip());
  }

  /** Looks at the goods while there is room, then buys what sells best for its price. */
  private static OptionalInt buy(Table table) {
    if (table.room() <= 0 || table.own.getGold() < 3) {
      return OptionalInt.empty();
    }
    OptionalInt draw = table.first(Option::hasBuyDraw);
    if (draw.isPresent()) {
      return draw;
    }
    return table
        .all(option -> option.hasBuy() && option.getBuy().getCount() <= table.room())
        .filter(index -> gain(table, table.options.get(index).getBuy()) > 0)
        .boxed()
        .max(Comparator.comparingDouble(index -> gain(table, table.options.get(index).getBuy())))
        .map(OptionalInt::of)
        .orElse(OptionalInt.empty());
  }

  private static double gain(Table table, Option.Buy buy) {
    int price =
        table.view.getVisit().getPricesList().stream()
            .filter(entry -> entry.getGood() == buy.getGood())
            .mapToInt(Price::getGold)
            .findFirst()
            .orElse(0);
    int way = table.wayToBuyer(buy.getGood());
    boolean forGlory = table.count(buy.getGood()) + buy.getCount() >= 3;
    double worth = way > 4 ? 3 : 6 - 0.5 * way + (forGlory ? 3 : 0);
    return buy.getCount() * (worth - price - 1);
  }

  /** All but the reserve. At home the chest pays too, so the galleon does not suffer by it. */
  private static OptionalInt stash(Table table) {
    int spare = table.own.getGold() - RESERVE;
    return table.last(
        option ->
            option.hasStash() && option.getStash().getGold() <= spare && spare >= WORTH_STASHING);
  }
}

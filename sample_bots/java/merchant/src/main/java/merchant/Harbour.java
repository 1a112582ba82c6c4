package merchant;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;
import tortuga.v1.Marauders.Good;
import tortuga.v1.Marauders.Option;
import tortuga.v1.Marauders.Option.ActionCase;
import tortuga.v1.Marauders.Price;
import tortuga.v1.Marauders.ShipType;

/**
 * What to do ashore. Each activity is open once, so the order matters: selling first, the chest
 * last.
 */
final class Harbour {
  /** Gold to keep aboard for the next goods and repairs. */
  static final int RESERVE = 6;

  static final int WORTH_STASHING = 8;

  private final Table table;

  Harbour(Table table) {
    this.table = table;
  }

  /** The first thing worth doing; option 0 is to be done. */
  int choose() {
    List<Supplier<OptionalInt>> steps =
        List.of(
            this::sell,
            () -> table.first(ActionCase.DO_MISSION),
            () -> table.first(ActionCase.TRY_RUMOR),
            () -> table.first(ActionCase.PLAY_GLORY),
            this::buyShip,
            () -> table.first(ActionCase.REPAIR_EVERYTHING),
            () -> table.first(ActionCase.REPAIR),
            () -> table.first(ActionCase.RECRUIT),
            () -> table.last(ActionCase.HIRE, option -> true),
            () -> table.first(ActionCase.CLAIM, option -> canBeDone(option)),
            () ->
                table.own.getRumorValue() == 0
                    ? table.first(ActionCase.BUY_RUMOR)
                    : OptionalInt.empty(),
            this::buy,
            this::stash);
    return steps.stream()
        .map(Supplier::get)
        .flatMapToInt(OptionalInt::stream)
        .findFirst()
        .orElse(0);
  }

  /** All that the port wants; other goods only if nobody near wants them. */
  private OptionalInt sell() {
    Good wanted = table.demand(table.me.getZone());
    OptionalInt sale = table.last(ActionCase.SELL, option -> option.getSell().getGood() == wanted);
    return sale.isPresent()
        ? sale
        : table.last(ActionCase.SELL, option -> table.wayToBuyer(option.getSell().getGood()) > 3);
  }

  private OptionalInt buyShip() {
    return table.hasBigShip()
        ? OptionalInt.empty()
        : table.first(
            ActionCase.BUY_SHIP,
            option -> option.getBuyShip().getShip() == ShipType.SHIP_TYPE_GALLEON);
  }

  private boolean canBeDone(Option option) {
    return table.me.getMissionValue() == 0
        && Chart.errand(option.getClaim().getMission())
            .filter(errand -> !errand.inPort() || table.mayEnter(errand.zone()))
            .isPresent();
  }

  /** Look at the goods if there is room, then buy what sells best for its price. */
  private OptionalInt buy() {
    if (table.room() <= 0 || table.own.getGold() < 3) {
      return OptionalInt.empty();
    }
    OptionalInt draw = table.first(ActionCase.BUY_DRAW);
    if (draw.isPresent()) {
      return draw;
    }
    OptionalInt best = OptionalInt.empty();
    double bestGain = 0.5;
    for (int index : table.all(ActionCase.BUY).toArray()) {
      Option.Buy buy = table.options.get(index).getBuy();
      double gain =
          buy.getCount()
              * (worth(buy.getGood(), table.count(buy.getGood()) + buy.getCount())
                  - price(buy)
                  - 1);
      if (buy.getCount() <= table.room() && gain > bestGain) {
        best = OptionalInt.of(index);
        bestGain = gain;
      }
    }
    return best;
  }

  private int price(Option.Buy buy) {
    return table.view.getVisit().getPricesList().stream()
        .filter(price -> price.getGood() == buy.getGood())
        .mapToInt(Price::getGold)
        .findFirst()
        .orElse(3);
  }

  /** What a card of a good is worth among so many of it: three for one port are a point. */
  private double worth(Good good, int count) {
    int way = table.wayToBuyer(good);
    return way > 4 ? 3 : 6 - 0.5 * way + (count >= 3 ? 3 : 0);
  }

  /**
   * All but the reserve; at home the chest pays as well, so nothing is lost for the ship to come.
   */
  private OptionalInt stash() {
    int spare = table.own.getGold() - RESERVE;
    return spare < WORTH_STASHING
        ? OptionalInt.empty()
        : table.last(ActionCase.STASH, option -> option.getStash().getGold() <= spare);
  }
}

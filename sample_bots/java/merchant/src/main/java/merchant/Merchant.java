package merchant;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import tortuga.bot.Question;
import tortuga.bot.Tortuga;
import tortuga.v1.Hello;
import tortuga.v1.Marauders.Fighter;
import tortuga.v1.Marauders.Option.ActionCase;
import tortuga.v1.Marauders.Position;
import tortuga.v1.Marauders.Section;
import tortuga.v1.Marauders.ShipType;
import tortuga.v1.Marauders.Stance;

/**
 * An honest captain of marauders: buys cheap, sells where goods are wanted, follows rumors, saves
 * for a galleon and fills the chest. Never raids, so no port is closed and no navy hunts.
 */
public final class Merchant {
  /** What a ship can best do without, first. */
  private static final List<Section> SPARE =
      List.of(
          Section.SECTION_CARGO,
          Section.SECTION_MASTS,
          Section.SECTION_CANNONS,
          Section.SECTION_CREW,
          Section.SECTION_HULL);

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
  static int choose(Question question) {
    Position position = question.marauders();
    Table table = new Table(position);
    int last = table.options.size() - 1;
    return switch (position.getDecision()) {
      case DECISION_CHOOSE_SHIP ->
          table
              .first(
                  ActionCase.CHOOSE_SHIP,
                  option -> option.getChooseShip().getShip() == ShipType.SHIP_TYPE_FLUTE)
              .orElse(0);
      case DECISION_ACTION -> new Voyage(table).choose();
      case DECISION_PORT -> new Harbour(table).choose();
      case DECISION_DECLARE -> stance(table);
      case DECISION_ASSIGN_HIT -> pickSection(table, false);
      case DECISION_AIM_HIT -> pickSection(table, true);
      // A card is better played than kept: windows list declining first.
      case DECISION_SELF_REPAIR,
          DECISION_W_ROLL,
          DECISION_W_SCOUTED,
          DECISION_W_TURN_START,
          DECISION_W_VOLLEY,
          DECISION_W_CREW_START,
          DECISION_W_HITS,
          DECISION_AMMO ->
          last;
      default -> 0;
    };
  }

  /** Board a clearly weaker crew, run from the stronger ship, otherwise shoot. */
  private static int stance(Table table) {
    Fighter attacker = table.view.getCombat().getAttacker();
    Fighter defender = table.view.getCombat().getDefender();
    boolean attacking =
        attacker.getSide().hasSeat() && attacker.getSide().getSeat() == table.own.getSeat();
    Fighter us = attacking ? attacker : defender;
    Fighter them = attacking ? defender : attacker;
    OptionalInt board = declare(table, Stance.STANCE_BOARD);
    if (board.isPresent() && 5 * punch(us) > 7 * punch(them)) {
      return board.getAsInt();
    }
    boolean outgunned =
        them.getShip().getSections(Table.CANNONS) > us.getShip().getSections(Table.CANNONS) + 1;
    boolean losing =
        outgunned || punch(them) >= 2 * punch(us) || us.getShip().getSections(Table.HULL) <= 1;
    OptionalInt way = losing ? declare(table, Stance.STANCE_FLEE) : OptionalInt.empty();
    return way.orElse(0);
  }

  private static OptionalInt declare(Table table, Stance stance) {
    return table.first(ActionCase.DECLARE, option -> option.getDeclare().getStance() == stance);
  }

  private static int punch(Fighter fighter) {
    return fighter.getShip().getSections(Table.CREW) * fighter.getLeadership();
  }

  /** Where a hit hurts the enemy's ship most, or mine least. */
  private static int pickSection(Table table, boolean enemy) {
    Comparator<Integer> worth =
        Comparator.comparing(
            index -> SPARE.indexOf(table.options.get(index).getPickSection().getSection()));
    return table
        .all(ActionCase.PICK_SECTION)
        .boxed()
        .min(enemy ? worth.reversed() : worth)
        .orElse(0);
  }
}

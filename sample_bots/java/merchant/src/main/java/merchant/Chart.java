package merchant;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import tortuga.v1.Marauders.Captain;
import tortuga.v1.Marauders.CargoCard;
import tortuga.v1.Marauders.Good;
import tortuga.v1.Marauders.Mission;
import tortuga.v1.Marauders.Nation;
import tortuga.v1.Marauders.Rumor;
import tortuga.v1.Marauders.Zone;

/**
 * What the box says and the wire does not repeat: the map, the homes of captains, where rumors and
 * missions lead.
 */
final class Chart {
  /** Where a rumor or a mission is settled. */
  record Errand(Zone zone, boolean inPort) {}

  /** Farther than any voyage. */
  static final int FAR = 9;

  private static final Map<Zone, Nation> NATIONS = new EnumMap<>(Zone.class);
  private static final Map<Zone, Map<Zone, Integer>> DISTANCES = new EnumMap<>(Zone.class);

  // A zone, the nation of its port, its neighbours.
  private static final String MAP =
      """
      havana ES port_royal nassau tortuga
      port_royal EN havana old_providence tortuga petit_goave cartagena
      old_providence EN port_royal cartagena
      nassau EN havana tortuga
      tortuga FR havana port_royal nassau petit_goave santo_domingo
      petit_goave FR port_royal tortuga cartagena santo_domingo caribbean_sea
      cartagena ES port_royal old_providence petit_goave caribbean_sea curacao
      santo_domingo ES tortuga petit_goave caribbean_sea san_juan
      caribbean_sea UNSPECIFIED petit_goave cartagena santo_domingo curacao san_juan caracas basse_terre
      curacao NL cartagena caribbean_sea caracas
      san_juan ES santo_domingo caribbean_sea st_maarten basse_terre
      caracas ES caribbean_sea curacao basse_terre trinidad
      st_maarten NL san_juan basse_terre st_john
      basse_terre FR caribbean_sea san_juan caracas st_maarten st_john bridgetown trinidad
      st_john EN st_maarten basse_terre bridgetown
      bridgetown EN basse_terre st_john trinidad
      trinidad ES caracas basse_terre bridgetown
      """;

  private static final Map<Captain, Zone> HOMES = new EnumMap<>(Captain.class);
  private static final Map<Rumor, Errand> RUMORS = new EnumMap<>(Rumor.class);
  private static final Map<CargoCard, Good> GOODS = new EnumMap<>(CargoCard.class);

  // In the order of the enum Captain.
  private static final String CAPTAINS_HOMES =
      """
      nassau port_royal old_providence st_john bridgetown tortuga petit_goave basse_terre \
      havana santo_domingo san_juan cartagena caracas trinidad curacao st_maarten""";

  // In the order of the enum Rumor, which has those at sea first.
  private static final String RUMORS_AT_SEA =
      """
      old_providence caribbean_sea havana trinidad nassau bridgetown tortuga san_juan curacao \
      petit_goave cartagena st_john basse_terre""";
  private static final String RUMORS_IN_PORT =
      """
      port_royal st_maarten san_juan havana santo_domingo curacao tortuga bridgetown st_john \
      basse_terre caracas cartagena""";

  // Only what is done by going there: deliver, persuade, search.
  private static final Map<Mission, Errand> MISSIONS =
      Map.of(
          Mission.MISSION_ROYAL_DISPATCH, new Errand(Zone.ZONE_SANTO_DOMINGO, true),
          Mission.MISSION_GOVERNORS_ESCORT, new Errand(Zone.ZONE_OLD_PROVIDENCE, true),
          Mission.MISSION_MEDICINE_FOR_TRINIDAD, new Errand(Zone.ZONE_TRINIDAD, true),
          Mission.MISSION_SILVER_TRANSPORT, new Errand(Zone.ZONE_HAVANA, true),
          Mission.MISSION_HIRE_THE_PURSER, new Errand(Zone.ZONE_ST_MAARTEN, true),
          Mission.MISSION_SPY_MISSION, new Errand(Zone.ZONE_CARTAGENA, true),
          Mission.MISSION_SECRET_LETTERS, new Errand(Zone.ZONE_CARACAS, true),
          Mission.MISSION_MISSING_SHIP, new Errand(Zone.ZONE_TRINIDAD, false),
          Mission.MISSION_LOST_ENVOY, new Errand(Zone.ZONE_CARIBBEAN_SEA, false),
          Mission.MISSION_CHART_THE_CAYS, new Errand(Zone.ZONE_TORTUGA, false));

  static {
    Map<Zone, List<Zone>> neighbours = new EnumMap<>(Zone.class);
    for (String line : MAP.lines().toList()) {
      String[] words = line.split(" ", 3);
      NATIONS.put(zone(words[0]), Nation.valueOf("NATION_" + words[1]));
      neighbours.put(zone(words[0]), zones(words[2]));
    }
    int number = 1;
    for (Zone home : zones(CAPTAINS_HOMES)) {
      HOMES.put(Captain.forNumber(number++), home);
    }
    number = 1;
    for (Zone zone : zones(RUMORS_AT_SEA)) {
      RUMORS.put(Rumor.forNumber(number++), new Errand(zone, false));
    }
    for (Zone zone : zones(RUMORS_IN_PORT)) {
      RUMORS.put(Rumor.forNumber(number++), new Errand(zone, true));
    }
    for (Good good : EnumSet.range(Good.GOOD_SPICE, Good.GOOD_INDIGO)) {
      for (int card = 1; card <= 8; card++) {
        String name = good.name().replace("GOOD_", "CARGO_CARD_") + "_" + card;
        GOODS.put(CargoCard.valueOf(name), good);
      }
    }
    neighbours.keySet().forEach(zone -> DISTANCES.put(zone, distancesFrom(zone, neighbours)));
  }

  private Chart() {}

  /**
   * The nation of a zone's port, or of a captain's home; NATION_UNSPECIFIED at open sea and for
   * nobody.
   */
  static Nation nation(Zone zone) {
    return NATIONS.getOrDefault(zone, Nation.NATION_UNSPECIFIED);
  }

  /** Moves from sea to sea. */
  static int distance(Zone from, Zone to) {
    return DISTANCES.getOrDefault(from, Map.of()).getOrDefault(to, FAR);
  }

  static Zone home(Captain captain) {
    return HOMES.getOrDefault(captain, Zone.ZONE_UNSPECIFIED);
  }

  static Good good(CargoCard card) {
    return GOODS.getOrDefault(card, Good.GOOD_UNSPECIFIED);
  }

  static Optional<Errand> errand(Rumor rumor) {
    return Optional.ofNullable(RUMORS.get(rumor));
  }

  static Optional<Errand> errand(Mission mission) {
    return Optional.ofNullable(MISSIONS.get(mission));
  }

  private static Zone zone(String name) {
    return Zone.valueOf("ZONE_" + name.toUpperCase(Locale.ROOT));
  }

  private static List<Zone> zones(String names) {
    return Arrays.stream(names.split(" ")).map(Chart::zone).toList();
  }

  private static Map<Zone, Integer> distancesFrom(Zone start, Map<Zone, List<Zone>> neighbours) {
    Map<Zone, Integer> found = new HashMap<>(Map.of(start, 0));
    Queue<Zone> edge = new ArrayDeque<>(List.of(start));
    while (!edge.isEmpty()) {
      Zone here = edge.remove();
      for (Zone next : neighbours.get(here)) {
        if (found.putIfAbsent(next, found.get(here) + 1) == null) {
          edge.add(next);
        }
      }
    }
    return found;
  }
}

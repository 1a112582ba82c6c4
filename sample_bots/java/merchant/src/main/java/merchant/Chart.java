package merchant;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import tortuga.v1.Marauders.Captain;
import tortuga.v1.Marauders.Nation;
import tortuga.v1.Marauders.Zone;

/** What the box says and the wire does not repeat: the map and the homes of captains. */
final class Chart {
  /** Farther than any voyage. */
  static final int FAR = 9;

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

  // In the order of the enum Captain.
  private static final List<Zone> HOMES =
      zones(
          """
          nassau port_royal old_providence st_john bridgetown tortuga petit_goave basse_terre \
          havana santo_domingo san_juan cartagena caracas trinidad curacao st_maarten""");

  private static final Map<Zone, Nation> NATIONS = new EnumMap<>(Zone.class);
  private static final Map<Zone, List<Zone>> NEIGHBOURS = new EnumMap<>(Zone.class);
  private static final Map<Zone, Map<Zone, Integer>> DISTANCES = new EnumMap<>(Zone.class);

  static {
    for (String line : MAP.lines().toList()) {
      String[] words = line.split(" ", 3);
      NATIONS.put(zone(words[0]), Nation.valueOf("NATION_" + words[1]));
      NEIGHBOURS.put(zone(words[0]), zones(words[2]));
    }
    NEIGHBOURS.keySet().forEach(zone -> DISTANCES.put(zone, distancesFrom(zone)));
  }

  private Chart() {}

  /** The nation of a zone's port; NATION_UNSPECIFIED at open sea. */
  static Nation nation(Zone zone) {
    return NATIONS.getOrDefault(zone, Nation.NATION_UNSPECIFIED);
  }

  /** Moves from sea to sea. */
  static int distance(Zone from, Zone to) {
    return DISTANCES.getOrDefault(from, Map.of()).getOrDefault(to, FAR);
  }

  /** Where a captain has the chest; a captain newer than this chart lives nowhere. */
  static Zone home(Captain captain) {
    boolean known = captain != Captain.UNRECOGNIZED && captain != Captain.CAPTAIN_UNSPECIFIED;
    return known ? HOMES.get(captain.getNumber() - 1) : Zone.ZONE_UNSPECIFIED;
  }

  private static Zone zone(String name) {
    return Zone.valueOf("ZONE_" + name.toUpperCase(Locale.ROOT));
  }

  private static List<Zone> zones(String names) {
    return Arrays.stream(names.split(" ")).map(Chart::zone).toList();
  }

  private static Map<Zone, Integer> distancesFrom(Zone start) {
    Map<Zone, Integer> found = new EnumMap<>(Map.of(start, 0));
    Queue<Zone> edge = new ArrayDeque<>(List.of(start));
    while (!edge.isEmpty()) {
      Zone here = edge.remove();
      for (Zone next : NEIGHBOURS.get(here)) {
        if (found.putIfAbsent(next, found.get(here) + 1) == null) {
          edge.add(next);
        }
      }
    }
    return found;
  }
}

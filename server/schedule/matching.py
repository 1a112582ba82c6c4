"""Pairs without a forbidden one: matching in a graph, for Swiss rounds of two seats.

Whether everybody can be paired is decided exactly (Edmonds' blossoms), so a rematch happens only where none can be
avoided. Which of the possible pairings is taken follows the bots' own wishes, from the first bot down.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


class Matching:
    """A growing set of disjoint edges; `mate[v]` is v's partner, or -1."""

    def __init__(self, edges: Sequence[set[int]]) -> None:
        self._edges = edges
        self.mate = [-1] * len(edges)

    def complete(self, nodes: Sequence[int]) -> bool:
        """Pair all nodes if that is possible at all."""
        for node in nodes:
            if self.mate[node] < 0:
                partner = next((other for other in sorted(self._edges[node]) if self.mate[other] < 0), -1)
                if partner >= 0:
                    self.mate[node], self.mate[partner] = partner, node
        # A node from which no augmenting path leads now will never have one: one failure settles it.
        return all(self.mate[node] >= 0 or self.augment(node, frozenset()) for node in nodes)

    def augment(self, root: int, barred: frozenset[int]) -> bool:
        """Match the free node `root` by flipping an alternating path that touches no barred node."""
        count = len(self._edges)
        parent = [-1] * count
        base = list(range(count))
        outer = [False] * count
        outer[root] = True
        queue = deque([root])

        def common_base(node: int, other: int) -> int:
            on_path = set()
            while True:
                node = base[node]
                on_path.add(node)
                if self.mate[node] < 0:
                    break
                node = parent[self.mate[node]]
            while base[other] not in on_path:
                other = parent[self.mate[base[other]]]
            return base[other]

        def mark(node: int, top: int, child: int, blossom: set[int]) -> None:
            while base[node] != top:
                blossom.update((base[node], base[self.mate[node]]))
                parent[node] = child
                child = self.mate[node]
                node = parent[child]

        while queue:
            node = queue.popleft()
            for other in sorted(self._edges[node]):
                if other in barred or base[node] == base[other] or self.mate[node] == other:
                    continue
                if other == root or (self.mate[other] >= 0 and parent[self.mate[other]] >= 0):
                    top = common_base(node, other)
                    blossom: set[int] = set()
                    mark(node, top, other, blossom)
                    mark(other, top, node, blossom)
                    for each in range(count):
                        if base[each] in blossom:
                            base[each] = top
                            if not outer[each]:
                                outer[each] = True
                                queue.append(each)
                elif parent[other] < 0:
                    parent[other] = node
                    if self.mate[other] < 0:
                        self._flip(other, parent)
                        return True
                    outer[self.mate[other]] = True
                    queue.append(self.mate[other])
        return False

    def _flip(self, node: int, parent: Sequence[int]) -> None:
        while node >= 0:
            before = parent[node]
            further = self.mate[before]
            self.mate[node], self.mate[before] = before, node
            node = further


def pair_up(order: Sequence[int], wishes: Sequence[Sequence[int]]) -> list[tuple[int, int]] | None:
    """Pair all of `order` by edges that both wish for, or None if that is impossible.

    The first bot gets its dearest partner that leaves the others a complete pairing, then the next one, and so on.
    """
    edges = [set(row) for row in wishes]
    matching = Matching(edges)
    if len(order) % 2 or not matching.complete(order):
        return None
    mate = matching.mate
    settled: set[int] = set()
    pairs = []
    for bot in order:
        if bot in settled:
            continue
        for other in wishes[bot]:
            if other in settled:
                continue
            if mate[bot] == other or _rematch(matching, bot, other, settled, edges):
                pairs.append((bot, other))
                settled.update((bot, other))
                break
    return pairs


def _rematch(matching: Matching, bot: int, other: int, settled: set[int], edges: Sequence[set[int]]) -> bool:
    """Match a bot with another if their partners can be matched without them; else leave all as it is."""
    mate = matching.mate
    left, right = mate[bot], mate[other]
    mate[bot], mate[other] = other, bot
    if right in edges[left]:
        mate[left], mate[right] = right, left
        return True
    mate[left] = mate[right] = -1
    if matching.augment(left, frozenset(settled | {bot, other})):
        return True
    mate[bot], mate[left], mate[other], mate[right] = left, bot, right, other
    return False

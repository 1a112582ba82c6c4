"""What the ratings are relative to: from strengths to the numbers that people read, and their errors.

Strengths are known up to a constant. Anchors, bots whose ratings were pinned, fix it:

- two or more: their mean, weighted by how much their matches tell of them, has the mean of their pinned ratings;
- one: it has its pinned rating, without doubt, and every other error is relative to it;
- none: the mean of all bots that played is 1000.

Each group of bots that met has a scale of its own. An error is that of the difference to what was fixed: nothing else
is what the reader of a rating takes it for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from server.ratings.distributions import ELO
from server.ratings.matches import Floats, Ints

MEAN_RATING = 1000.0
"""The rating of the mean, where there is no anchor."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Anchor:
    """A bot that helps to fix the scale."""

    name: str
    rating: float
    """As it was pinned."""
    weight: float
    """Its part of the mean; all parts of a group sum to 1."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Scale:
    """What is fixed, for every group."""

    anchors: tuple[Anchor, ...]
    """Of the first group, which has them if any has."""
    offsets: Floats
    """By bot, what to add to its strength in Elo."""
    weights: Floats
    """By bot (row), whose mean its rating is relative to (columns); a row sums to 1."""

    def variances(self, covariance: Floats) -> Floats:
        """By bot, the variance of its strength relative to what is fixed."""
        fixed = self.weights @ covariance
        found = np.diag(covariance) - 2 * np.diag(fixed) + np.einsum("ij,ij->i", fixed, self.weights)
        alone = np.diag(self.weights) == 1  # the one anchor: no error at all, not even one of rounding
        return np.where(alone, 0.0, np.maximum(found, 0.0))


def fix_scale(
    names: Sequence[str],
    strengths: Floats,
    information: Floats,
    groups: Ints,
    played: Ints,
    pinned: Mapping[str, float],
) -> Scale:
    """Fix the scale of every group. `information` is that of each bot's matches, `played` how many those are."""
    count = len(names)
    weights, offsets = np.zeros((count, count)), np.full(count, MEAN_RATING)
    anchors: dict[int, list[Anchor]] = {}
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        known = [i for i in members.tolist() if names[i] in pinned and played[i]]
        fixing = np.array(known or [i for i in members.tolist() if played[i]] or members)
        parts = information[fixing] / information[fixing].sum() if known else np.full(len(fixing), 1 / len(fixing))
        if known:
            anchors[int(group)] = [
                Anchor(name=names[i], rating=pinned[names[i]], weight=float(part))
                for i, part in zip(known, parts, strict=True)
            ]
        weights[np.ix_(members, fixing)] = parts
        target = sum(one.weight * one.rating for one in anchors[int(group)]) if known else MEAN_RATING
        offsets[members] = target - ELO * float(parts @ strengths[fixing])
    most = max(anchors, key=lambda group: sum(played[groups == group]), default=None)
    return Scale(anchors=tuple(anchors[most]) if most is not None else (), offsets=offsets, weights=weights)

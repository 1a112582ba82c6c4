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
class ScaleAnchor:
    """A bot that helps to fix the scale."""

    name: str
    rating: float
    """Its rating, as it was pinned."""
    weight: float
    """Its part of the mean; all parts of a group sum to 1."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Scale:
    """What the ratings of every group are relative to."""

    anchors: tuple[ScaleAnchor, ...]
    """Anchors of the first group, which has them if any group has."""
    offsets: Floats
    """By bot, the Elo to add to its strength."""
    weights: Floats
    """By bot (row), the bots whose mean its rating is relative to (columns); a row sums to 1."""

    def variances(self, covariance: Floats) -> Floats:
        """Return by bot the variance of its strength relative to what is fixed."""
        fixed = self.weights @ covariance
        variances = np.diag(covariance) - 2 * np.diag(fixed) + np.einsum("ij,ij->i", fixed, self.weights)
        alone = np.diag(self.weights) == 1  # the one anchor: no error at all, not even one of rounding
        return np.where(alone, 0.0, np.maximum(variances, 0.0))


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
    anchors: dict[int, list[ScaleAnchor]] = {}
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        known = [i for i in members.tolist() if names[i] in pinned and played[i]]
        fixing = np.array(known or [i for i in members.tolist() if played[i]] or members)
        parts = information[fixing] / information[fixing].sum() if known else np.full(len(fixing), 1 / len(fixing))
        if known:
            anchors[int(group)] = [
                ScaleAnchor(name=names[i], rating=pinned[names[i]], weight=float(part))
                for i, part in zip(known, parts, strict=True)
            ]
        weights[np.ix_(members, fixing)] = parts
        target = sum(anchor.weight * anchor.rating for anchor in anchors[int(group)]) if known else MEAN_RATING
        offsets[members] = target - ELO * float(parts @ strengths[fixing])
    most = max(anchors, key=lambda group: sum(played[groups == group]), default=None)
    return Scale(anchors=tuple(anchors[most]) if most is not None else (), offsets=offsets, weights=weights)

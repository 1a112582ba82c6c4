"""How likely it is that one bot is better than another, for two that were named beforehand.

docs/spec/ratings.md, section 3. The error of a difference alone does not say: where all bots are nearly alike, a lead
of one standard error is mostly luck; where they lie far apart, it is mostly strength. So the strengths are taken to
scatter normally around their mean, by a spread that is itself estimated from the table:

- every spread counts by how well it explains all ratings, given their errors, and by a half-Cauchy prior around
  TYPICAL_SPREAD. That prior matters in tables of a few bots, which say little about their spread, and hardly elsewhere;
- given a spread, the ratings shrink towards their mean by as much as they are uncertain, and the chance that the one is
  above the other follows.

`RatingTable.confidence` is the limit of an infinite spread, which is what Ordo prints.
"""

from __future__ import annotations

import numpy as np

from server.ratings.distributions import t_below
from server.ratings.table import RatingTable

TYPICAL_SPREAD = 200.0
"""Half of all spreads are below this one before any match is played, in Elo."""

SPREADS = 100
"""How many of them are tried, each as likely beforehand as any other."""


def chance_better(table: RatingTable, better: str, worse: str) -> float:
    """The chance that the one is better than the other; 1/2, that is nothing known, if they share no scale."""
    one, other = table.names.index(better), table.names.index(worse)
    if one == other or table.group_of[one] != table.group_of[other] or table.group_of[one] == 0:
        return 0.5
    group = np.flatnonzero(table.group_of == table.group_of[one])
    errors = table.covariance[np.ix_(group, group)]
    # Along its axes every error is independent. The mean says nothing: made the longest axis, it is left out.
    variances, axes = np.linalg.eigh(errors + 1.0 + 2.0 * np.trace(errors))
    variances, axes = np.maximum(variances[:-1], 1e-9), axes[:, :-1]
    seen = axes.T @ (table.ratings[group] - table.ratings[group].mean())
    pair = axes[group == one][0] - axes[group == other][0]
    spreads = TYPICAL_SPREAD * np.tan(np.pi / 2 * (np.arange(SPREADS) + 0.5) / SPREADS)
    both = spreads[:, None] ** 2 + variances
    fits = -0.5 * (np.log(both) + seen**2 / both).sum(axis=1)
    shrunk = spreads[:, None] ** 2 / both
    leads, doubts = shrunk @ (pair * seen), np.sqrt(shrunk @ (pair**2 * variances))
    chances = [t_below(float(lead), table.degrees) for lead in leads / doubts]
    return float(np.average(chances, weights=np.exp(fits - fits.max())))

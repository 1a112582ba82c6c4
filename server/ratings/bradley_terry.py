"""Bradley-Terry by maximum likelihood: the strengths under which the results are likeliest.

docs/spec/ratings.md, section 3. P(i beats j) = 1 / (1 + exp(-(strength i - strength j + seat of i - seat of j))), a tie
is half a win. Natural units (logits); the strengths of a group sum to zero, so do the seats'.

**Prior.** Without it an undefeated bot would be infinitely strong. Every bot plays a part of a virtual tie against the
mean of its group, or against its own former version where there is one; every seat plays one against the mean seat:
with a single match the two could not be told apart otherwise. A bot with a starting rating (prior.py) plays as
many as that is worth instead, against the strength it says, relative to the others that have one.

**Singular matrix.** Strengths are known up to a constant per group. The constraints are added as rows (Lagrange)
and the whole is inverted; a pseudo-inverse with a cut-off gave wrong results.

**What a game tells** is its variance p (1 - p). At fitted strengths that is too little on average, by the variance of
the fitted p: as a variance by n is, instead of by n - 1. With three or four blocks of each bot, intervals were a tenth
too wide for it, and held the truth in up to 98 % of events. So that variance is added, by the covariance of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.ratings.matches import Cells, Floats, Ints, total
from server.ratings.prior import Prior

MOST_STEPS = 60

PASSES = 2
"""How often the variance of games and the covariance that follows from it are computed in turn: after that they are
stable."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FittedModel:
    """The likeliest parameters: the bots' strengths, then the seats' if they were asked for."""

    values: Floats
    covariance: Floats
    """The inverse of the information under the constraints: the errors as the model sees them."""
    information: Floats
    """Information of the matches alone, without the prior."""
    variances: Floats
    """Variance of the result of a game in each cell."""


class BradleyTerry:
    """The model of one set of cells."""

    def __init__(
        self,
        cells: Cells,
        groups: Ints,
        *,
        seats: int,
        prior: float,
        ancestors: Ints | None = None,
        starts: Prior | None = None,
    ) -> None:
        """Prepare the model. `groups` has the group of every bot, `ancestors` its former version or -1; 0 seats: no
        seat terms. Bots with starting ratings are all in one group."""
        self.cells = cells
        self.bot_count = len(groups)
        self.size = self.bot_count + seats
        columns, signs = [cells.first, cells.second], [1.0, -1.0]
        if seats:
            columns += [self.bot_count + cells.first_seat, self.bot_count + cells.second_seat]
            signs += [1.0, -1.0]
        self._columns, self._signs = np.array(columns), np.array(signs)[:, None]
        self._squares = (self._columns[:, None] * self.size + self._columns[None, :]).reshape(len(signs) ** 2, -1)
        self._square_signs = np.outer(signs, signs).reshape(-1, 1)
        members = np.concatenate([groups, np.full(seats, groups.max(initial=-1) + 1, dtype=np.int64)])
        held = members == np.unique(members)[:, None]
        played = np.isin(np.arange(self.size), columns)
        # Who has not played yet is held by a tie alone, and takes no part in the sum.
        self._constraints = (held & (played | ~(held & played).any(axis=1, keepdims=True))).astype(np.float64)
        self._ties = np.eye(self.size)
        """Each parameter's virtual tie: itself less what it is tied with."""
        if ancestors is not None:
            (later,) = np.nonzero((ancestors >= 0) & (groups[ancestors] == groups))
            self._ties[later, ancestors[later]] = -1.0
        self._tie_counts = np.full(self.size, float(prior))
        self._tie_leads = np.zeros(self.size)
        """By how much each parameter is expected to be ahead of what it is tied with."""
        self._started = np.zeros(self.size, dtype=np.bool_)
        if starts is not None:
            self._tie_to_starts(starts)

    def _tie_to_starts(self, starts: Prior) -> None:
        """Tie the bots that have a starting rating to it, relative to their mean: each counts as much as it is sure."""
        bots = np.flatnonzero(starts.ties > 0)
        parts = starts.ties[bots] / starts.ties[bots].sum()
        self._ties[bots] = 0.0
        self._ties[bots, bots] = 1.0
        self._ties[np.ix_(bots, bots)] -= parts
        self._tie_counts[bots] = starts.ties[bots]
        self._tie_leads[bots] = starts.strengths[bots] - parts @ starts.strengths[bots]
        self._started[bots] = True

    def expected(self, values: Floats) -> Floats:
        """Return the share expected of the first bot of each cell."""
        return _logistic(self._leads(values))

    def fit(self) -> FittedModel:
        """Find the likeliest strengths."""
        values = self._climb()
        ties = self.tie_information(values)
        plain = variances = self._variances(values)
        for left in reversed(range(PASSES + 1)):
            information = self.information(variances, self.cells.games)
            covariance = np.linalg.inv(self._constrained(information + ties))[: self.size, : self.size]
            if left:
                doubt = self._lead_variances(covariance @ information @ covariance)
                variances = np.minimum(plain + plain**2 * doubt, 0.25)
        return FittedModel(
            values=values,
            covariance=np.asarray(covariance, np.float64),
            information=information,
            variances=variances,
        )

    def information(self, variances: Floats, games: Floats) -> Floats:
        """Return the Fisher information of this many games in each cell, whose results vary by so much."""
        weights = self._square_signs * (games * variances)
        return total(self._squares.ravel(), weights.ravel(), self.size**2).reshape(self.size, self.size)

    def tie_information(self, values: Floats) -> Floats:
        """Return the Fisher information of the virtual ties."""
        pull = _logistic(self._ties @ values - self._tie_leads)
        return np.asarray(self._ties.T @ ((self._tie_counts * pull * (1 - pull))[:, None] * self._ties))

    def tie_doubt(self, values: Floats, information: Floats) -> Floats:
        """Return how much the virtual ties would scatter if they were games of unknown result, as far as they decide a
        strength.

        Games tell ever more of a bot than its tie, unless it won or lost them all. A starting rating is no
        makeshift: its doubt counts as that of as many games would.
        """
        pull = _logistic(self._ties @ values - self._tie_leads)
        doubt = self._tie_counts * (0.25 + (pull - 0.5) ** 2)
        decides = doubt / np.maximum(doubt + np.diag(information), 1e-300)
        decides[self._started] = 1.0
        return np.asarray(self._ties.T @ ((doubt * decides**2)[:, None] * self._ties))

    def _climb(self) -> Floats:
        """Maximise the likelihood by Newton's method; each step is halved until the likelihood does not fall."""
        values = np.zeros(self.size)
        likelihood = self._likelihood(values)
        for _ in range(MOST_STEPS):
            try:
                step = self._step(values)
            except np.linalg.LinAlgError:
                break
            after = self._likelihood(values + step)
            while after < likelihood - 1e-9 * (1 + abs(likelihood)) and np.abs(step).max() > 1e-12:
                step /= 2
                after = self._likelihood(values + step)
            values, likelihood = values + step, after
            if np.abs(step).max(initial=0) < 1e-6:  # the next one would be some 1e-12
                return values
        raise ValueError("no finite strengths: some bots won or lost against all others, and there is no prior")

    def _step(self, values: Floats) -> Floats:
        surprise = self.cells.score - self.cells.games * self.expected(values)
        gradient = total(self._columns.ravel(), (self._signs * surprise).ravel(), self.size)
        gradient += self._ties.T @ (self._tie_counts * (0.5 - _logistic(self._ties @ values - self._tie_leads)))
        information = self.information(self._variances(values), self.cells.games)
        left = self._constrained(information + self.tie_information(values))
        right = np.zeros(len(left))
        right[: self.size] = gradient
        return np.asarray(np.linalg.solve(left, right)[: self.size])

    def _leads(self, values: Floats) -> Floats:
        """Return by how much the first bot of each cell is stronger, seats included."""
        return np.asarray((values[self._columns] * self._signs).sum(axis=0))

    def _variances(self, values: Floats) -> Floats:
        """Return the variance of the result of a game in each cell, if these were the true strengths."""
        share = self.expected(values)
        return np.asarray(share * (1 - share))

    def _lead_variances(self, covariance: Floats) -> Floats:
        """Return the variance of the lead in each cell, by the covariance of the parameters."""
        each = self._square_signs * covariance.ravel()[self._squares]
        return np.asarray(np.maximum(each.sum(axis=0), 0))

    def _likelihood(self, values: Floats) -> float:
        leads, ties = self._leads(values), self._ties @ values - self._tie_leads
        games, score = self.cells.games, self.cells.score
        prior = (self._tie_counts * (ties / 2 - np.logaddexp(0, ties))).sum()
        return float((score * leads - games * np.logaddexp(0, leads)).sum() + prior)

    def _constrained(self, information: Floats) -> Floats:
        """Return the information bordered by the constraints, which are scaled to its size for precision."""
        edge = len(self._constraints)
        bordered = np.zeros((self.size + edge, self.size + edge))
        bordered[: self.size, : self.size] = information
        scale = max(np.trace(information) / max(self.size, 1), 1e-300)
        bordered[self.size :, : self.size] = scale * self._constraints
        bordered[: self.size, self.size :] = scale * self._constraints.T
        return bordered


def _logistic(lead: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-lead)))


def find_groups(cells: Cells, bot_count: int) -> Ints:
    """Return the group of every bot: those connected by matches, directly or through others. Numbered by first
    member."""
    groups = np.arange(bot_count)
    while True:
        before = groups.copy()
        np.minimum.at(groups, cells.first, before[cells.second])
        np.minimum.at(groups, cells.second, before[cells.first])
        groups = groups[groups]
        if np.array_equal(groups, before):
            return np.unique(groups, return_inverse=True)[1].astype(np.int64)

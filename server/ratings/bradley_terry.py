"""Bradley-Terry by maximum likelihood: the strengths under which the results are likeliest.

docs/spec/ratings.md, section 3. P(i beats j) = 1 / (1 + exp(-(strength i - strength j + seat of i - seat of j))), a tie
is half a win. Natural units (logits); the strengths of a group sum to zero, so do the seats'.

**Prior.** Without it an undefeated bot would be infinitely strong. Every bot plays one virtual tie against the mean of
its group, and every seat one against the mean seat: with a single match the two could not be told apart otherwise.

**Singular matrix.** Strengths are known up to a constant per group. The constraints are added as rows (Lagrange)
and the whole is inverted; a pseudo-inverse with a cut-off gave wrong results.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.ratings.matches import Cells, Floats, Ints, total

MOST_STEPS = 60

_AT_ONCE = 1_000_000
"""Numbers of the information matrix held at a time."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Fitted:
    """The likeliest parameters: the bots' strengths, then the seats' if they were asked for."""

    values: Floats
    covariance: Floats
    """The inverse of the information under the constraints: the errors as the model sees them."""
    information: Floats
    """Of the matches alone, without the prior."""


class BradleyTerry:
    """The model of one set of cells, which may be weighed in many ways at once (for the bootstrap)."""

    def __init__(self, cells: Cells, groups: Ints, *, seats: int, prior: float) -> None:
        """`groups` has the group of every bot; with 0 seats there are no seat terms."""
        self.cells = cells
        self.prior = prior
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
        self._constraints = (members == np.unique(members)[:, None]).astype(np.float64)

    def expected(self, values: Floats) -> Floats:
        """The share expected of the first of each cell."""
        return _logistic(self._leads(values))

    def fit(self) -> Fitted:
        """The likeliest strengths."""
        games, score = self.cells.games[None], self.cells.score[None]
        values = self._climb(np.zeros((1, self.size)), games, score)
        information = self._information(values, games)
        (covariance,) = np.linalg.inv(self._constrained(information + self._prior_information(values)))
        return Fitted(values=values[0], covariance=covariance[: self.size, : self.size], information=information[0])

    def fit_many(self, start: Floats, games: Floats, score: Floats) -> Floats:
        """The likeliest strengths by other counts of the same cells, a row each; `start` is where to look first."""
        rows = max(1, _AT_ONCE // max(1, self._squares.size))
        parts = [slice(row, row + rows) for row in range(0, len(games), rows)]
        return np.concatenate(
            [self._climb(np.tile(start, (len(games[part]), 1)), games[part], score[part]) for part in parts]
        )

    def _climb(self, values: Floats, games: Floats, score: Floats) -> Floats:
        """Newton's method for every row at once; each step is halved until the likelihood does not fall."""
        likelihood = self._likelihood(values, games, score)
        for _ in range(MOST_STEPS):
            try:
                step = self._step(values, games, score)
            except np.linalg.LinAlgError:
                break
            while True:
                after = self._likelihood(values + step, games, score)
                back = (after < likelihood - 1e-9 * (1 + np.abs(likelihood))) & (np.abs(step).max(axis=1) > 1e-12)
                if not back.any():
                    break
                step[back] /= 2
            values, likelihood = values + step, after
            if np.abs(step).max(initial=0) < 1e-6:  # the next one would be some 1e-12
                return values
        raise ValueError("no finite strengths: some bots won or lost against all others, and there is no prior")

    def _step(self, values: Floats, games: Floats, score: Floats) -> Floats:
        surprise = score - games * self.expected(values)
        pulls = (self._signs * surprise[:, None, :]).reshape(len(values), -1)
        gradient = _total_rows(self._columns.ravel(), pulls, self.size) + self.prior * (0.5 - _logistic(values))
        left = self._constrained(self._information(values, games) + self._prior_information(values))
        right = np.zeros((*left.shape[:2], 1))
        right[:, : self.size, 0] = gradient
        return np.asarray(np.linalg.solve(left, right)[:, : self.size, 0])

    def _leads(self, values: Floats) -> Floats:
        """By how much the first of each cell is stronger, seats included."""
        return np.asarray((values[..., self._columns] * self._signs).sum(axis=-2))

    def _likelihood(self, values: Floats, games: Floats, score: Floats) -> Floats:
        leads = self._leads(values)
        prior = self.prior * (values / 2 - np.logaddexp(0, values)).sum(axis=1)
        return np.asarray((score * leads - games * np.logaddexp(0, leads)).sum(axis=1) + prior)

    def _information(self, values: Floats, games: Floats) -> Floats:
        """The Fisher information of this many games in each cell."""
        share = self.expected(values)
        weights = (self._square_signs * (games * share * (1 - share))[:, None, :]).reshape(len(values), -1)
        return _total_rows(self._squares.ravel(), weights, self.size**2).reshape(-1, self.size, self.size)

    def _prior_information(self, values: Floats) -> Floats:
        pull = _logistic(values)
        return np.asarray((self.prior * pull * (1 - pull))[:, :, None] * np.eye(self.size))

    def _constrained(self, information: Floats) -> Floats:
        """The information bordered by the constraints, which are scaled to its size for precision."""
        edge = len(self._constraints)
        found = np.zeros((len(information), self.size + edge, self.size + edge))
        found[:, : self.size, : self.size] = information
        scale = np.maximum(np.trace(information, axis1=1, axis2=2) / max(self.size, 1), 1e-300)[:, None, None]
        found[:, self.size :, : self.size] = scale * self._constraints
        found[:, : self.size, self.size :] = scale * self._constraints.T
        return found


def _logistic(lead: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-lead)))


def _total_rows(places: Ints, values: Floats, size: int) -> Floats:
    """As `total`, for every row of values."""
    rows = np.arange(len(values))[:, None] * size
    return total((rows + places).ravel(), values.ravel(), len(values) * size).reshape(len(values), size)


def find_groups(cells: Cells, bot_count: int) -> Ints:
    """The group of every bot: those connected by matches, directly or through others. Numbered by first member."""
    groups = np.arange(bot_count)
    while True:
        before = groups.copy()
        np.minimum.at(groups, cells.first, before[cells.second])
        np.minimum.at(groups, cells.second, before[cells.first])
        groups = groups[groups]
        if np.array_equal(groups, before):
            return np.unique(groups, return_inverse=True)[1].astype(np.int64)

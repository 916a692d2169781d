"""The exact Gaussian process: fitted, conditioned on hallucinated places, tracked, and drawn from.

Lean on purpose: at 300 results or fewer a step is overhead, not arithmetic, so LAPACK is called without checks.
"""

from __future__ import annotations

import logging
from types import MappingProxyType
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Features, Matrix, Points, Values
from wayfare.errors import InvalidInput, ModelError
from wayfare.space import AnySpace
from wayfare.surrogate.base import Marginals, Paths
from wayfare.surrogate.history import History, Notes, Standard, noted_numbers
from wayfare.surrogate.hyper import Prior, fit_hyper
from wayfare.surrogate.kernels import KERNELS, RBF, Covariance, Hyper, Kernel, Matern52, offsets_among
from wayfare.surrogate.rows import FEW, Factored, Rows, extended, solve_lower

_log = logging.getLogger(__name__)

DOUBTED = 32
"""At how many places the doubt about hyperparameters is judged."""
FREQUENCIES = 256
"""Random frequencies per set of draws, a cosine and a sine of each."""


FOUND = ("peak", "chosen", "fitted", "standard")
"""Results of the last fit that the next one uses, by their names in the notes."""
AUTO = "auto"
"""The name of a kernel that is chosen by the results."""
AGAIN = 1.3
"""The kernel is chosen again when the results are this many times those it was chosen by."""
GROWTH = 1.05
"""Of more than ``FEW`` results the hyperparameters are fitted again when there are this many times as many ..."""
DRIFT = 0.05
"""... or when shift or scale of the results changed by so many times the scale ..."""
SURPRISE = 3.0
"""... or when the squared errors of the new results, in their predicted variances, are this many standard deviations
more than their number."""
BLOCK = 4096
"""Beyond ``FEW`` results, places are looked at in blocks of so many."""


def _known(instance: object, attribute: Any, value: str) -> None:
    if value not in (AUTO, *KERNELS):
        raise InvalidInput(f"kernel must be one of {', '.join((AUTO, *KERNELS))}, got {value!r}")


@frozen
class GP:
    """An exact GP with one length-scale per axis; its mean and the offsets of choices are integrated out.

    The kernel is ``"matern52"``, ``"rbf"``, or by default the one that explains the results better, ``"auto"``: Matérn
    as long as they are few, for it is the more careful of the two.

    The steps down, recorded as ``notes["step"]``: ``map`` (fitted); ``prior`` (too little to fit on, fewer
    than two distinct outcomes: the mode of the prior); ``prior after a failed fit``; and ``prior with heavy
    noise``, which cannot fail: a diagonal of heavy noise is always positive definite.

    The mean of a run is read as the single results behind it would be. The noise that is fitted and noted is
    that of one result.
    """

    kernel: str = field(default=AUTO, validator=_known)

    def fit(self, history: History, rng: Generator) -> GPPosterior:
        """Return the belief after ``history``."""
        failures = ModelError, np.linalg.LinAlgError, ArithmeticError, ValueError
        try:
            return self._fit(history, rng)
        except failures as error:
            _log.warning("the fit to %d results failed (%s): using the mode of the prior", history.told, error)
        try:
            return self._build(history, self._default, self._mode(history), "prior after a failed fit")
        except failures as error:
            _log.warning("the prior fails on %d results (%s): assuming heavy noise", history.told, error)
        return self._build(history, self._default, evolve(self._mode(history), noise=1.0), "prior with heavy noise")

    def recall(self, history: History, notes: Notes) -> GPPosterior:
        """Return the belief of an earlier plan."""
        self.check_notes(history.space, notes)
        hyper = Hyper.from_notes(notes)
        if "offsets" not in notes:  # a plan made before choices had offsets
            hyper = evolve(hyper, offsets=np.zeros(offsets_among(history.space.groups)))
        kernel = KERNELS.get(notes.get("kernel", ""), self._default)
        found = {key: notes[key] for key in FOUND if key in notes}
        return self._build(history, kernel, hyper, str(notes["step"]), found)

    def check_notes(self, space: AnySpace, notes: Notes) -> None:
        """Refuse notes that no plan in this space can have left: a file may say anything."""
        if not isinstance(notes.get("step"), str):
            raise InvalidInput("step must be text")
        hyper, groups = Hyper.from_notes(notes), space.groups
        for name, numbers, count in (
            ("lengths", hyper.lengths, int(groups.max(initial=-1)) + 1),
            ("offsets", hyper.offsets, offsets_among(groups) if "offsets" in notes else 0),
        ):
            if len(numbers) != count or not (numbers > 0).all():
                raise InvalidInput(f"{name} must be {count} numbers above 0, got {notes.get(name)!r:.80}")
        if "kernel" in notes and notes["kernel"] not in list(KERNELS):
            raise InvalidInput(f"there is no kernel {notes['kernel']!r:.80}; {', '.join(KERNELS)} are known")
        noted_numbers(notes, "peak")
        noted_numbers(notes, "standard")
        checks.count(notes.get("chosen", 0), "chosen", 0)
        checks.count(notes.get("fitted", 0), "fitted", 0)

    def _fit(self, history: History, rng: Generator) -> GPPosterior:
        standard = Standard.of_history(history)
        if standard.is_constant:
            return self._build(history, self._default, self._mode(history), "prior")
        # Start from the hyperparameters of the newest plan that had some.
        last = next((past.notes for past in reversed(history.past) if "peak" in past.notes), None)
        if last is not None:
            self.check_notes(history.space, last)
            if (held := self._held(history, standard, last)) is not None:
                return held
        warm = None if last is None else np.array(last["peak"])
        noise = None if history.noise is None else standard.variance_of(history.noise)
        rows, groups = Rows.of(history, standard), history.space.groups
        features = history.space.encode(rows.x)
        places = history.space.encode(history.space.sample(DOUBTED, rng))
        kernels, chosen = [self._default], history.told
        if self.kernel == AUTO and last is not None and history.told < AGAIN * last.get("chosen", 0):
            kernels, chosen = [KERNELS[last["kernel"]]], last["chosen"]
        elif self.kernel == AUTO:
            kernels = [Matern52(), RBF()]
        found = fit_hyper(kernels, features, groups, rows.z, rows.repeats, noise, warm, places, rng)
        hyper = Hyper.from_vector(found.cautious, int(groups.max(initial=-1)) + 1)
        noted: dict[str, Any] = {"peak": found.peak.tolist(), "chosen": chosen}
        if history.told > FEW:
            noted |= {"fitted": history.told, "standard": [standard.shift, standard.scale]}
        return self._build(history, found.kernel, hyper, "map", noted)

    def _held(self, history: History, standard: Standard, last: Notes) -> GPPosterior | None:
        """Return the belief with the hyperparameters of the last plan; None if a fit could change them much.

        This depends on the results and the notes of plans alone, so that it is decided alike whenever it is asked.
        """
        fitted, then = last.get("fitted", 0), last.get("standard", ())
        if not FEW < fitted <= history.told < GROWTH * fitted or len(then) != 2 or last["step"] != "map":
            return None
        if max(abs(standard.shift - then[0]), abs(standard.scale - then[1])) > DRIFT * then[1]:
            return None
        held = self.recall(history, last)
        new = history.told - fitted
        # With K = L L' and alpha = K^-1 z, the prediction errors of one result after the other are L' alpha.
        errors = held.factor[-new:, -new:].T @ held.alpha[-new:] if new else np.zeros(0)
        return held if errors @ errors <= new + SURPRISE * np.sqrt(2.0 * new) else None

    def _mode(self, history: History) -> Hyper:
        groups = history.space.groups
        mode = Hyper.from_vector(Prior.of(groups).mean, int(groups.max(initial=-1)) + 1)
        if history.noise is None:
            return mode
        return evolve(mode, noise=Standard.of_history(history).variance_of(history.noise))

    @property
    def _default(self) -> Kernel:
        """The kernel where the results are too few to choose."""
        return Matern52() if self.kernel == AUTO else KERNELS[self.kernel]

    def _build(
        self, history: History, kernel: Kernel, hyper: Hyper, step: str, found: Notes = MappingProxyType({})
    ) -> GPPosterior:
        space, told = history.space, history.told
        covariance = Covariance.of(kernel, hyper, space.groups)
        standard = Standard.of_history(history)
        # Results since the last fit are rows of their own: the factor of those before is kept.
        fitted = min(found.get("fitted", told), told)
        rows = Rows.of(history if fitted == told else history.until(fitted), standard)
        given = Factored.of(covariance, covariance.embed(space.encode(rows.x)), rows)
        if fitted < told:
            later = Rows.of(history.until(told, since=fitted), standard)
            features = covariance.embed(space.encode(later.x))
            given = given.with_rows(covariance, features, later.noises(hyper.noise), later.z)
        alpha = _solve(given.factor, given.z)
        return GPPosterior(space, covariance, step, found, standard, given.features, given.noises, given.factor, alpha)


@frozen(eq=False)
class GPPosterior:
    """A GP given observed and hallucinated places.

    A hallucinated place is one observed at exactly its posterior mean. Its weight in ``alpha`` is then zero, so the
    mean stays as it was while the standard deviation and the drawn paths follow it. ``noises`` has the noise variance
    of each: that of one result, by the number of results where the outcome is the mean of a run.
    """

    space: AnySpace
    covariance: Covariance
    step: str
    found: Notes
    standard: Standard
    features: Features
    noises: Values
    factor: Matrix
    alpha: Values

    @property
    def hyper(self) -> Hyper:
        """The hyperparameters."""
        return self.covariance.hyper

    @property
    def notes(self) -> Notes:
        """The hyperparameters and the step that was reached."""
        return {"step": self.step, "kernel": self.covariance.kernel.name, **self.hyper.to_notes(), **self.found}

    def embed(self, x: Points) -> Features:
        """Return the places as the covariance sees them."""
        return self.covariance.embed(self.space.encode(x))

    def marginals(self, x: Points) -> Marginals:
        """Return mean and standard deviation of the latent function at ``x``."""
        if len(self.features) <= FEW or len(x) <= BLOCK:
            return self.track(x).marginals
        parts = [self.track(x[at : at + BLOCK]).marginals for at in range(0, len(x), BLOCK)]
        return Marginals(*map(np.concatenate, zip(*parts, strict=True)))

    def condition(self, x: Points) -> GPPosterior:
        """Return the belief after hallucinating a result at each of ``x``, extending the Cholesky factor."""
        if len(x) == 0:
            return self
        new, noises = self.embed(x), np.full(len(x), self.hyper.noise)
        factor = extended(self.covariance, self.factor, self.features, new, noises)
        alpha = np.concatenate([self.alpha, np.zeros(len(new))])
        noises = np.concatenate([self.noises, noises])
        features = np.vstack([self.features, new])
        return evolve(self, features=features, noises=noises, factor=factor, alpha=alpha)

    def track(self, x: Points) -> GPTracker:
        """Return the marginals at ``x``, ready to be conditioned on places among them."""
        return GPTracker(self, x)

    def paths(self, n: int, rng: Generator) -> Paths:
        """Return ``n`` functions drawn pathwise: prior draws in random Fourier features, corrected at the data.

        By Matheron's rule (Wilson et al. 2020, "Efficiently sampling functions from Gaussian process posteriors").
        Each frequency enters as a cosine and a sine, so that the prior variance is exact at every place. The noise is
        drawn once per function, not once per evaluation: a path is a function. The functions share their frequencies.
        """
        covariance = self.covariance
        p = len(covariance.scales)
        frequencies = covariance.kernel.frequencies(FREQUENCIES, p, rng)
        spread = np.sqrt(self.hyper.variance / FREQUENCIES)
        weights = rng.standard_normal((2 * FREQUENCIES, n)) * spread
        trends = covariance.trends(n, rng)
        noise = rng.standard_normal((len(self.features), n)) * np.sqrt(self.noises)[:, None]

        def prior(features: Features) -> Matrix:
            smooth: Matrix = _fourier(features[:, :p], frequencies) @ weights
            return smooth + trends(features)

        update = self.alpha[:, None] - _solve(self.factor, prior(self.features) + noise)

        def draws(x: Points) -> Matrix:
            features = self.embed(x)
            values: Matrix = covariance.between(features, self.features) @ update + prior(features)
            return self.standard.shift + self.standard.scale * values

        return draws


class GPTracker:
    """Marginals at fixed places under rank-one conditioning.

    Keeps ``V = L^-1 k(X, x)``: adding a place appends one row to it, at the cost of one product, where
    refactoring would pay for a new Cholesky factor and a new solve.
    """

    def __init__(self, posterior: GPPosterior, x: Points) -> None:
        self._posterior = posterior
        self._features = posterior.embed(x)
        cross = posterior.covariance.between(posterior.features, self._features)
        mean = posterior.alpha @ cross
        self._rows = solve_lower(posterior.factor, cross)
        self._used = len(cross)
        self._variance = posterior.covariance.total - np.einsum("ij,ij->j", self._rows, self._rows)
        self._mean = posterior.standard.shift + posterior.standard.scale * mean
        self._known: dict[int, tuple[Values, int]] = {}

    @property
    def marginals(self) -> Marginals:
        """The marginals now."""
        sd = np.sqrt(np.maximum(self._variance, 1e-18))
        return Marginals(self._mean, self._posterior.standard.scale * sd)

    def add(self, index: int) -> None:
        """Condition on the place numbered ``index``."""
        covariance, since = self._known.get(index, (None, 0))
        if covariance is None:
            at = self._features[index : index + 1]
            covariance = self._posterior.covariance.between(at, self._features)[0]
        v = self._rows[since : self._used]
        covariance -= v[:, index] @ v
        if self._used > FEW:  # a place added again only has to catch up with what was added since
            self._known[index] = covariance, self._used
        row = covariance / np.sqrt(max(float(self._variance[index]), 0.0) + self._posterior.hyper.noise)
        self._variance -= row * row
        if self._used == len(self._rows):  # grow by half, so that a row is copied a few times at most
            room = np.empty((self._used // 2 + 8, len(row)))
            self._rows = np.vstack([self._rows, room])
        self._rows[self._used] = row
        self._used += 1


def _fourier(features: Features, frequencies: Matrix) -> Matrix:
    """Return (n, 2m) cosines and sines of the features under each frequency.

    They are worked out in single precision, three times faster: the error, about 1e-5 of a standard deviation, is the
    same function at every evaluation, and far below the width of the draws. They are multiplied in double precision:
    sums of single numbers depend on the processor so much that plans did.
    """
    phase = (features @ frequencies.T).astype(np.float32)
    return np.hstack([np.cos(phase), np.sin(phase)]).astype(np.float64)


def _solve(factor: Matrix, b: Matrix) -> Matrix:
    """Return the solution of ``factor @ factor.T @ x = b``."""
    return solve_lower(factor, solve_lower(factor, b), transposed=True)

"""Batched pure exploration against the algorithm of Li and Scarlett, written down once more and slowly."""

import math
from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.errors import InvalidInput
from wayfare.form.method import method_name, read_method, write_method
from wayfare.planning.plan import Task, plan_batch
from wayfare.policy.bpe import batches, most_batches
from wayfare.surrogate.history import OPENING, History, Past

RNG = np.random.default_rng


# The algorithm, without any of our code but for the places and their features.


def kernel(kind, a, b, length):
    r = math.sqrt(sum((u - v) ** 2 for u, v in zip(a, b, strict=True))) / length
    if kind == "rbf":
        return math.exp(-r * r / 2)
    return (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)


def believe(gram, taken, z, ridge):
    """Mean and standard deviation everywhere, given a result z at each of the places taken, repeats and all."""
    cross = gram[:, taken]
    matrix = gram[np.ix_(taken, taken)] + ridge * np.eye(len(taken))
    mean = cross @ np.linalg.solve(matrix, z)
    variance = 1 - np.array([row @ np.linalg.solve(matrix, row) for row in cross])
    return mean, np.sqrt(np.maximum(variance, 0))


def li_scarlett(features, start, told, trials, *, kind, length, ridge, norm, noise, delta, mean=None, spread=None):
    """The batches (numbers of places, as chosen) and the sets, given the results (place, value) in order."""
    n = len(features)
    gram = np.array([[kernel(kind, a, b, length) for b in features] for a in features])
    left, sets, chosen, done, size = set(range(n)), [], [], 0, 1
    while done < trials:
        size = min(math.ceil(math.sqrt(trials * size) - 1e-9), trials - done)
        sets.append(sorted(left))
        batch = [] if done else [start]
        while len(batch) < size:
            sd = believe(gram, batch, np.zeros(len(batch)), ridge)[1] if batch else np.ones(n)
            most = max(sd[i] ** 2 for i in left)
            batch.append(next(i for i in sorted(left) if sd[i] ** 2 >= most * (1 - 1e-9)))
        chosen.append(batch)
        at, y = zip(*told[done : done + size], strict=True)
        if mean is None:
            mean, spread = np.mean(y), np.std(y)
        beta = 2 * math.log(n * (math.ceil(math.log2(math.log2(trials))) + 1) / delta)
        width = norm + noise / spread / math.sqrt(ridge) * math.sqrt(beta)
        mu, sd = believe(gram, list(at), (np.array(y) - mean) / spread, ridge)
        bar = max(mu[i] - width * sd[i] for i in left)
        left = {i for i in left if mu[i] + width * sd[i] >= bar}
        done += size
    return chosen, sets


# Three problems: a line, a square grid full of ties, and a box whose unit comes from the first batch.

LINE = wf.Places(np.linspace(0, 10, 41)[:, None], names=["a"])
SQUARE = wf.Places(np.stack(np.meshgrid(range(9), range(9)), axis=-1).reshape(-1, 2), names=["a", "b"])
BOX = wf.Space(wf.Real("a", -1, 1), wf.Real("b", 0, 4), wf.Choice("c", ["red", "blue"]))
STATED = {"mean": -1.0, "spread": 2.0, "noise": 0.02, "ridge": 1e-4, "norm": 2.0}
PROBLEMS = {
    "line": (
        LINE,
        60,
        wf.BPE(kernel="rbf", length=0.15, **STATED),
        None,
        lambda x: np.sin(x[0]) - 0.1 * (x[0] - 7) ** 2,
    ),
    "square": (SQUARE, 90, wf.BPE(length=0.4, **(STATED | {"noise": None})), 0.02, lambda x: -0.1 * x[0] * x[1]),
    "box": (
        BOX,
        70,
        wf.BPE(places=120, length=0.5, norm=1.0, ridge=1e-3, noise=0.01),
        None,
        lambda x: x[0] - x[1] * x[2],
    ),
}


def walked(name, trials=None):
    """Return the study of a problem, finished, and its policy."""
    space, most, policy, noise, function = PROBLEMS[name]
    method = wf.Method(policy, wf.LogLog(), opening=wf.JustStart())
    options = {"travel": wf.Euclidean() if name != "box" else wf.Fee(1.0), "method": method, "noise": noise, "seed": 3}
    study = wf.Study.create(space, direction="maximize", trials=trials or most, **options)
    rng = RNG(1)
    while (trial := study.ask()) is not None:
        study.tell(trial, function(trial.x) + 0.02 * rng.standard_normal())
    return study, policy


@pytest.mark.parametrize("name", PROBLEMS)
def test_bpe_is_the_published_algorithm(name):
    """Batches, sets and choices are those of the reference, from the first trial to the last."""
    study, policy = walked(name)
    history, space, trials = study.state.history, study.spec.space, study.spec.trials
    x = policy.candidates(history)
    number = {tuple(place): i for i, place in enumerate(x)}
    told = [(number[tuple(trial.x)], trial.value) for trial in study.trials]
    constants = {key: getattr(policy, key) for key in ("ridge", "norm", "delta", "mean", "spread")}
    constants |= {"kind": policy.kernel, "noise": policy.noise or study.spec.noise}
    axes = len(np.unique(space.groups))
    chosen, sets = li_scarlett(
        space.encode(x), told[0][0], told, trials, length=policy.length * math.sqrt(axes), **constants
    )
    ends = np.cumsum([0, *map(len, chosen)])
    for i, (batch, left) in enumerate(zip(chosen, sets, strict=True)):
        assert sorted(at for at, _ in told[ends[i] : ends[i + 1]]) == sorted(batch)
        past = [slice(a, b) for a, b in pairwise(ends[: i + 1])]
        assert np.flatnonzero(policy.survivors(x, history, past, trials)).tolist() == left
    assert len(sets[-1]) < len(sets[1]) < len(x)
    assert len(study.state.plans) == len(chosen) + 1


@st.composite
def functions(draw):
    """A function of the kernel's space on a few places: its values there, its norm, and some places taken."""
    n = draw(st.integers(2, 12))
    places = np.array(draw(st.lists(st.integers(0, 30), min_size=n, max_size=n, unique=True)), float)[:, None]
    weights = np.array(draw(st.lists(st.floats(-3, 3), min_size=n, max_size=n)))
    features = (places - places.min()) / np.ptp(places)
    gram = np.array([[kernel("matern52", a, b, 0.2) for b in features] for a in features])
    taken = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=1, max_size=5), min_size=1, max_size=3))
    return places, gram @ weights, math.sqrt(max(weights @ gram @ weights, 0.0)), taken


@given(functions())
@settings(max_examples=100, deadline=None)
def test_without_noise_the_best_place_is_never_ruled_out(problem):
    """The bound of the proof: no value is further from the mean than the norm times the standard deviation."""
    places, values, norm, taken = problem
    space = wf.Places(places, names=["a"])
    policy = wf.BPE(norm=norm + 1e-6, noise=0.0, mean=0.0, spread=1.0)
    rows = [row for batch in taken for row in batch]
    history = History(space, places[rows], values[rows], np.empty((0, 1)))
    ends = np.cumsum([0, *map(len, taken)])
    done = [slice(a, b) for a, b in pairwise(ends)]
    kept = [policy.survivors(places, history, done[: i + 1], 100) for i in range(len(done))]
    assert all(left[values.argmax()] for left in kept)
    assert all((later <= earlier).all() for earlier, later in pairwise(kept))


def task(history, left=60, **changes):
    space = history.space
    method = evolve(wf.CATALOGUE["bpe"].build(), **changes)
    return Task(method, space, wf.Euclidean().bind(space), history, left)


def stops(plan):
    runs = plan.itinerary
    return sorted(map(tuple, np.repeat(runs.places, runs.counts, axis=0).tolist()))


def begun(values, told=1):
    """The line after an opening at its first place, and a batch told since."""
    x = LINE.table[: len(values)]
    past = (Past(0, OPENING), Past(told, {"step": "prior"})) if len(values) > told else (Past(0, OPENING),)
    return History(LINE, x, np.array(values, float), np.empty((0, 1)), x[0], past=past)


def test_the_first_batch_does_not_depend_on_results():
    """Only places decide where the first batch goes; they do not come closer to a good result."""
    low, high = (plan_batch(task(begun([value]), 59), RNG(0)) for value in (-5.0, 900.0))
    assert stops(low) == stops(high)
    assert len(stops(low)) == 7


def test_the_start_counts_in_the_first_batch():
    places = stops(plan_batch(task(begun([0.0]), 59), RNG(0)))
    assert min(at for (at,) in places) > LINE.table[0, 0] + 1.0


def test_results_known_before_the_study_rule_nothing_out():
    none = np.empty((0, 1))
    known = History(LINE, LINE.table[:30], np.arange(30.0) * 1e6, none, visited=none)
    assert batches(known)[0] == []
    after = evolve(known, past=(Past(30, OPENING), Past(30, {"step": "prior"})))
    assert batches(after)[0] == []
    bare = History.empty(LINE)
    assert stops(plan_batch(task(known, 60), RNG(0))) == stops(
        plan_batch(task(bare, 60, opening=wf.NoOpening()), RNG(0))
    )


def test_a_batch_is_what_was_told_between_two_plans():
    history = begun([0.0] * 9)
    later = evolve(history, past=(*history.past, Past(6, {"step": "map"}), Past(6, {"step": "map"})))
    assert batches(later)[0] == [slice(0, 6), slice(6, 9)]
    assert batches(evolve(later, past=later.past[:2]))[0] == [slice(0, 9)]


def test_a_place_that_was_ruled_out_rules_nothing_out():
    """The bar is the highest lower bound in the set, whatever comes of places that have left it."""
    x, y = LINE.table[[0, 40, 0, 40]], np.array([-900.0, 900.0, 9000.0, 900.0])
    history = History(LINE, x, y, np.empty((0, 1)))
    policy = wf.BPE(length=0.002, norm=5.0, mean=0.0, spread=300.0)
    kept = policy.survivors(LINE.table, history, [slice(0, 2), slice(2, 4)], 60)
    assert not kept[0]
    assert kept[40]


def test_a_run_of_results_counts_as_that_many():
    """A mean of four results and the four results rule the same places out."""
    policy = wf.BPE(length=0.5, norm=0.5, mean=0.0, spread=1.0, noise=0.1)
    x, y = LINE.table[[2, 2, 2, 2, 30]], np.array([0.1, -0.3, 0.4, 0.2, 9.0])
    single = History(LINE, x, y, np.empty((0, 1)))
    run = History(LINE, x[3:], np.array([0.1, 9.0]), np.empty((0, 1)), counts=[4, 1])
    one, other = (policy.survivors(LINE.table, told, [slice(0, 5)], 60) for told in (single, run))
    assert one.tolist() == other.tolist()
    assert 0 < one.sum() < len(one)


def test_the_unit_is_that_of_all_results_of_the_first_batch_whether_told_one_by_one_or_as_a_run():
    policy = wf.BPE(length=0.3, norm=2.0, noise=0.1)
    x, y = LINE.table[[2, 2, 2, 2, 30, 17]], np.array([0.1, -0.3, 0.4, 0.2, 2.5, 1.0])
    run = {"counts": [4, 1, 1], "variances": [np.var(y[:4], ddof=1), np.nan, np.nan]}
    single = History(LINE, x, y, np.empty((0, 1)))
    told = History(LINE, x[3:], np.array([y[:4].mean(), *y[4:]]), np.empty((0, 1)), **run)
    later = History(LINE, np.vstack([x, x[:1]]), np.append(y, 900.0), np.empty((0, 1)))
    cases = ((single, 6), (told, 3), (later, 6))
    one, other, after = (policy.survivors(LINE.table, history, [slice(0, end)], 60) for history, end in cases)
    assert one.tolist() == other.tolist() == after.tolist()
    assert 0 < one.sum() < len(one)


@given(st.integers(2, 12), st.integers(0, 6), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_a_batch_larger_than_the_set_is_spread_as_by_single_results(n, begun, seed):
    """Where more are taken than there are places, each still has the largest variance given those before it."""
    rng = RNG(seed)
    x, at = rng.random((n, 2)), rng.random((begun, 2))
    policy = wf.BPE(ridge=0.1)
    size = 5 * n
    picks = policy._spread(x, at, size, once=False)
    taken = at
    for pick in picks:
        _, sd = (
            policy._belief(x, taken, np.zeros(len(taken)), np.ones(len(taken))) if len(taken) else (None, np.ones(n))
        )
        assert sd[pick] >= sd.max() - 1e-6
        taken = np.vstack([taken, x[pick]])


def test_places_that_may_be_visited_once_come_once():
    once = wf.Places(LINE.table, names=["a"], once=True)
    study = wf.Study.create(once, direction="maximize", travel=wf.Euclidean(), trials=41, method="bpe")
    while (trial := study.ask()) is not None:
        study.tell(trial, -abs(trial.x[0] - 4))
    assert len({trial.x[0] for trial in study.trials}) == 41


def test_where_no_place_of_the_set_is_within_reach_the_nearest_that_is_serves():
    space = wf.Space(wf.Real("a", 0, 1000), wf.Real("b", 0, 1000))
    options = {"travel": wf.Euclidean(), "trials": 30, "start": [500, 500], "home": "start", "budget": 60}
    study = wf.Study.create(space, direction="maximize", method="bpe", **options)
    while (trial := study.ask()) is not None:
        study.tell(trial, trial.x[0])
    assert len(study.trials) > 1
    assert study.ledger().paid <= 60


def test_the_set_is_the_same_in_every_study_and_has_the_start():
    study, policy = walked("box", 5)
    again = policy.candidates(History.empty(BOX))
    x = policy.candidates(study.state.history)
    assert np.array_equal(x[:-1], again)
    assert x[-1].tolist() == study.trials[0].x.tolist()


@pytest.mark.parametrize(("trials", "most"), [(1, 1), (2, 1), (4, 2), (16, 3), (100, 4), (10_000, 5), (70_000, 6)])
def test_so_many_batches_at_most(trials, most):
    assert most_batches(trials) == most


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kernel": "linear"}, "kernel must be one of rbf, matern52, got 'linear'"),
        ({"delta": 1.0}, "delta must be below 1"),
        ({"ridge": 0.0}, "BPE: ridge"),
        ({"length": -1.0}, "BPE: length"),
        ({"places": 0}, "BPE: places"),
    ],
)
def test_constants_that_cannot_be_are_refused(wrong, words):
    with pytest.raises(InvalidInput, match=words):
        wf.BPE(**wrong)


def test_what_was_called_bpe_goes_on_as_it_was():
    """A study kept under the old name keeps its composition, and is shown under the new one."""
    kept = write_method(wf.CATALOGUE["bpe-heuristic"].build(), "method") | {"name": "bpe"}
    method = read_method(kept, "method", new=False)
    assert method == wf.Method(wf.Elimination(wf.PureExploration(), eta=2.0), wf.LogLog())
    assert method_name(method) == "bpe-heuristic"

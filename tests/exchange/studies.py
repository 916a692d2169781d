"""Studies as hypothesis draws them: all moves, odd names, odd numbers and odd reasons, runs of results."""

import numpy as np
from hypothesis import strategies as st

import wayfare as wf
from wayfare.exchange import export_json, import_csv
from wayfare.exchange.csv import export_csv
from wayfare.policy import Runs, Uniform
from wayfare.policy.schedule import Fixed
from wayfare.record.events import TrialState

ODD = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "'",
    "'=1",
    "''x",
    "'tis",
    "a,b",
    'say "no"',
    "two\nlines",
    "two\r\nlines",
    "lone\rreturn",
    "nul\0here",
    ";",
    "ünïcødé 温度 🚤",
    " blank ",
    "＝1",
    "1",
    "true",
    "",
]
TEXT = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAMES = ["x", "leg", "value", "axis:x", "=name", "'=name", "a,b", "prior", "two\nlines", " x", "axis:"]
NAMES += ["count", "variance", "axis:count"]
MEASURED = ["p", "=p", "'=p", "a,p", "two\n p", "x", "a,b", "Count", "温度"]
VALUES = [
    "1",
    1,
    "1.0",
    2.5,
    "2.5",
    "true",
    "True",
    True,
    "'1",
    "''1",
    "=1",
    "",
    "-1",
    -1,
    "1e3",
    1000,
    " 1",
    "x",
    10**30,
]
NUMBERS = st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 5e-324, 1 / 3, -1e300])
SMALL = st.floats(-1e100, 1e100)
MOVES = ["ask", "tell", "fail", "skip", "insert", "amend", "replan", "prior"]
COSTS = st.floats(0, 1e9) | st.just(5e-324)


class Stretches:
    """Proposes places at random, for one to three results each."""

    def propose(self, situation, size, rng):
        places = Uniform().propose(situation, size, rng)
        counts = rng.integers(1, 4, len(places))
        counts[0] = min(counts[0], size)
        fit = np.cumsum(counts) <= size
        return Runs(places[fit], counts[fit])


def is_one_choice(values):
    """Whether Choice would take them: True equals 1 to Python."""
    return len(set(values)) == len(values)


@st.composite
def axes(draw, name):
    match draw(st.sampled_from(["real", "integer", "choice"])):
        case "real":
            low = draw(st.floats(-100, 100))
            return wf.Real(name, low, low + draw(st.floats(0.01, 100)))
        case "integer":
            return wf.Integer(name, draw(st.integers(-9, 0)), draw(st.integers(1, 9)))
    values = st.lists(st.sampled_from(VALUES), min_size=1, max_size=8, unique_by=lambda v: (type(v), v))
    return wf.Choice(name, draw(values.filter(is_one_choice)))


@st.composite
def spaces(draw):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    if draw(st.booleans()):
        return wf.Space(*(draw(axes(name)) for name in names))
    rows = draw(st.lists(st.tuples(*[st.integers(-99, 99)] * len(names)), min_size=6, max_size=9, unique=True))
    return wf.Places(rows, names, once=draw(st.booleans()))


def fresh(space, start, runs=False, name="study", store=None, measured=()):
    """A study of random places, planned twenty at a time so that drawing many is quick."""
    trials = 6 if space.once else 40
    numbers = [name for name, values in zip(space.names, space.choices, strict=True) if values is None]
    travel = wf.Euclidean(axes=numbers, unit="s") if numbers else wf.Fee(2.5, unit="s")
    method = wf.Method(Stretches() if runs else Uniform(), Fixed(20))
    return wf.Study.create(
        space,
        direction="maximize",
        travel=travel,
        trials=trials,
        start=start,
        method=method,
        name=name,
        store=store,
        measured=measured,
    )


@st.composite
def places(draw, space):
    """A place as dict, within the space or, where there are numbers, beyond."""
    frame = space.frame if isinstance(space, wf.Places) else space
    return {axis.name: draw(values(axis)) for axis in frame.axes}


def values(axis):
    if isinstance(axis, wf.Choice):
        return st.sampled_from(axis.values)
    if isinstance(axis, wf.Integer):
        return st.integers(-(2**53), 2**53)
    return st.floats(-1e9, 1e9) | st.just(-0.0)


@st.composite
def studies(draw):
    """A study after some moves; the space and start it was made with."""
    space, runs = draw(spaces()), draw(st.booleans())
    start = draw(st.none() | places(space))
    names = draw(st.lists(st.sampled_from(MEASURED), max_size=3, unique=True))
    measured = [wf.Measured(name, at_most=draw(SMALL)) for name in names if name not in space.names]
    study = fresh(space, start, runs, measured=measured)
    for move in draw(st.lists(st.sampled_from(MOVES), max_size=12)):
        make_move(draw, study, space, move)
    return study, lambda **changes: fresh(space, start, runs, measured=measured, **changes)


@st.composite
def found(draw, trial, study):
    """What was found at a trial, as arguments of tell: a number, a list of them, or a mean; and what was measured."""
    names = [limit.name for limit in study.spec.measured]
    readings = st.fixed_dictionaries({}, optional=dict.fromkeys(names, NUMBERS | st.none()))
    return draw(outcomes(trial)) | {"measured": draw(st.none() | readings)}


@st.composite
def outcomes(draw, trial):
    kind = draw(st.sampled_from(["one", "list", "mean"]))
    if kind == "one" and trial.count == 1:
        return {"value": draw(NUMBERS)}
    if kind == "list":
        return {"value": draw(st.lists(SMALL, min_size=1, max_size=4))}
    count = draw(st.integers(1, 2**53))
    return {
        "value": draw(NUMBERS),
        "count": count,
        "variance": draw(st.none() | st.floats(0, 1e300)) if count > 1 else None,
    }


def make_move(draw, study, space, move):
    out = study.state.open_trials
    done = [trial for trial in study.trials if trial.state in (TrialState.TOLD, TrialState.FAILED)]
    missed = draw(st.none() | places(space))
    spent = draw(st.none() | COSTS)
    match move:
        case "ask":
            study.ask(draw(TEXT), wait=False, count=draw(st.booleans()))
        case "tell" if out:
            trial = draw(st.sampled_from(out))
            study.tell(trial, **draw(found(trial, study)), actual=missed, spent=spent)
        case "fail" if out:
            study.fail(draw(st.sampled_from(out)), draw(TEXT), actual=missed, spent=spent)
        case "skip" if out:
            study.skip(draw(st.sampled_from(out)), draw(TEXT))
        case "insert" if not space.once:
            inside = space.params(space.snap(space.points(draw(places(space))))[0])
            study.insert(inside, worker=draw(TEXT), count=draw(st.integers(1, 3)))
        case "amend" if done:
            trial = draw(st.sampled_from(done))
            cost = None if trial.prior else spent
            study.amend(trial, **draw(found(trial, study)), why=draw(TEXT), actual=missed, spent=cost)
        case "replan" if study.state.trials_left:
            study.replan(draw(places(space)))
        case "prior":
            known = fresh(space, None, measured=study.spec.measured)
            first = known.ask()
            known.tell(first, **draw(found(first, known)))
            text = export_csv(known).replace("\n0,told", f"\n{len(study.trials)},told")
            import_csv(study, text, prior=True)


def exported(study):
    """The study as JSON, but for the line that says when and by whom it was created and imported."""
    return bare(export_json(study))


def bare(text):
    """An export without that line."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith('"created"'))

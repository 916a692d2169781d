"""Many processes at one study: mixed moves, and the sums checked afterwards."""

import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from attrs import frozen

import wayfare as wf
from crashes.script import NAME, Broken
from wayfare.record.events import TrialState


@frozen
class Told:
    """What a process was told: a trial, what it did to it, the value it gave, the request it used."""

    kind: str
    number: int
    value: float
    request: str


@frozen
class Crowd:
    """What a crowd did, by kind of move, and the errors it met."""

    moves: Counter[str]
    errors: Counter[str]


def crowd(path: Path, processes: int, moves: int) -> Crowd:
    """Let so many processes make so many moves each on one study; raise ``Broken`` if the sums are wrong."""
    wf.Study.create(
        wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0)),
        direction="maximize",
        travel=wf.Euclidean(),
        trials=processes * moves,
        start={"x": 0.0, "y": 0.0},
        method=wf.Method(wf.Uniform(), wf.Fixed(50)),
        store=path,
        name=NAME,
    )
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        results = list(pool.map(work, [path] * processes, range(processes), [moves] * processes))
    said = [told for done, _ in results for told in done]
    errors = Counter(error for _, failed in results for error in failed)
    check(path, said)
    return Crowd(Counter(told.kind for told in said), errors)


def work(path: Path, me: int, moves: int) -> tuple[list[Told], list[str]]:
    """Make moves as one worker; return what was acknowledged, and the errors."""
    study, rng, worker = wf.Study.open(path, NAME), random.Random(me), f"worker {me}"
    mine: wf.Trial | None = None
    done: list[Told] = []
    errors: list[str] = []
    for turn in range(moves):
        request = f"{worker}, turn {turn}"
        kind = "ask" if mine is None else rng.choice(("tell", "tell", "tell", "tell", "fail", "skip", "read"))
        kind = "insert" if kind == "ask" and rng.random() < 0.1 else kind
        value = rng.random()
        try:
            mine, number = make(study, kind, mine, value, worker, request)
        except wf.WayfareError as error:
            errors.append(f"{type(error).__name__}: {error}")
            continue
        done.append(Told(kind, number, value, request))
    return done, errors


def make(
    study: wf.Study, kind: str, mine: wf.Trial | None, value: float, worker: str, request: str
) -> tuple[wf.Trial | None, int]:
    """Make one move; return the trial that the worker has out after it, and the number it was about."""
    if kind == "insert":
        mine = study.insert({"x": value, "y": 1 - value}, worker=worker, request=request).trial
        return mine, mine.number
    if mine is None:
        mine = study.ask(worker, request=request)
        assert mine is not None
        return mine, mine.number
    if kind == "read":
        kept = study.trials[mine.number]
        assert (kept.worker, kept.state) == (worker, TrialState.ASKED), kept
        return mine, mine.number
    if kind == "tell":
        study.tell(mine, value, request=request)
        study.tell(mine, value, request=request)  # a retry changes nothing
    elif kind == "fail":
        study.fail(mine, "broke", request=request)
    else:
        study.skip(mine, "rain", request=request)
    return None, mine.number


def check(path: Path, said: list[Told]) -> None:
    """Raise ``Broken`` unless the study holds what everyone was told, once."""
    state = wf.Study.open(path, NAME).state
    out = Counter(told.number for told in said if told.kind in ("ask", "insert"))
    if twice := [number for number, times in out.items() if times > 1]:
        raise Broken(f"trials handed out twice: {twice}")
    if set(out) != set(range(len(state.trials))):
        raise Broken(f"{len(state.trials)} trials kept, {len(out)} handed out")
    for told in said:
        if told.kind == "read":
            continue
        if told.request not in state.requests:
            raise Broken(f"acknowledged and lost: {told}")
        if told.kind == "tell" and state.trials[told.number].value != told.value:
            raise Broken(f"acknowledged and different: {told}, {state.trials[told.number]}")
    made = sum(told.kind != "read" for told in said)
    if len(state.requests) != made:
        raise Broken(f"{len(state.requests)} requests kept, {made} made")

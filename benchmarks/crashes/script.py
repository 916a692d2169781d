"""A fixed sequence of moves on one study, and what must hold however it is interrupted."""

from collections.abc import Sequence
from pathlib import Path

from attrs import evolve

import wayfare as wf
from wayfare.record.events import Planned, read_event, write_event
from wayfare.record.stamp import NO_STAMP
from wayfare.store import SqliteStore, Store

NAME = "hill"
SCRIPT: tuple[tuple[str, int], ...] = (
    ("ask", 0),  # plans: the start
    ("tell", 0),
    ("ask", 1),  # plans four stops
    ("tell", 1),
    ("ask", 2),
    ("fail", 2),
    ("insert", 3),
    ("tell", 3),
    ("ask", 4),
    ("skip", 4),
    ("ask", 5),
    ("tell", 5),
    ("ask", 6),  # plans again
    ("tell", 6),
    ("replan", 0),
    ("ask", 7),
    ("tell", 7),
    ("amend", 5),
    ("ask", 8),
    ("tell", 8),
)
"""Moves and the number of the trial that each is about; a move's request is its place in here."""


def create(store: Store | str | Path, trials: int = 60) -> wf.Study:
    """Begin the study; its method is a cheap one, for planning is not what is tried here."""
    return wf.Study.create(
        wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0)),
        direction="maximize",
        travel=wf.Euclidean(),
        trials=trials,
        start={"x": 0.0, "y": 0.0},
        method=wf.Method(wf.Uniform(), wf.Fixed(4)),
        seed=3,
        store=store,
        name=NAME,
    )


def move(study: wf.Study, step: int) -> None:
    """Make the move of that place in the script; again, if it was made before."""
    (kind, number), request = SCRIPT[step], f"move {step}"
    match kind:
        case "ask":
            trial = study.ask("crew", wait=False, request=request)
            assert trial is not None
            assert trial.number == number, (trial.number, number)
        case "tell":
            study.tell(number, number / 7 - 0.5, request=request)
        case "fail":
            study.fail(number, "the pump stood still", request=request)
        case "skip":
            study.skip(number, "rain", request=request)
        case "insert":
            study.insert({"x": 0.25, "y": 1 / 3}, worker="crew", request=request)
        case "amend":
            study.amend(number, 2.5, why="typo", request=request)
        case "replan":
            study.replan(why="new day", request=request)


def play(study: wf.Study, first: int, last: int) -> None:
    """Make the moves from ``first`` up to, not including, ``last``."""
    for step in range(first, last):
        move(study, step)


class Undisturbed:
    """What the script writes if nothing goes wrong: its events, and how many there are after each move."""

    def __init__(self) -> None:
        store = wf.MemoryStore()
        study = create(store)
        self.counts = [0]
        for step in range(len(SCRIPT)):
            move(study, step)
            self.counts.append(study.state.version)
        self.events = store.read(NAME).events

    def check(self, path: Path, acknowledged: int, begun: int) -> int:
        """Return how many moves a disturbed store holds, and raise ``Broken`` if that cannot be.

        It must hold every acknowledged move and may hold one that was only begun; all of a move or nothing.
        Then the moves that are missing are made, and the one after that: all must end as if undisturbed.
        """
        try:
            kept = SqliteStore(path).read(NAME).events
            if len(kept) not in self.counts:
                raise Broken(f"{len(kept)} events: part of a move")
            held = self.counts.index(len(kept))
            if not acknowledged <= held <= begun:
                raise Broken(f"{held} moves held, {acknowledged} acknowledged, {begun} begun")
            # The last one is sent again even if it is held: its sender may not know.
            study = wf.Study.open(path, NAME)
            last = min(begun + 1, len(SCRIPT))
            play(study, max(0, min(held, begun - 1)), last)
            if not agree(SqliteStore(path).read(NAME).events, self.events[: self.counts[last]]):
                raise Broken("the study went on otherwise than undisturbed")
        except (wf.WayfareError, AssertionError) as error:
            raise Broken(f"{type(error).__name__}: {error}") from error
        return held


class Broken(Exception):
    """A promise was broken: something acknowledged is lost, doubled or different."""


def agree(some: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether these are the same events, to the last bit.

    But for when and by whom they were made, for the numbers a model was fitted with, whose last digits differ from
    processor to processor, and wayfare's version: a log that is kept may come from another one of either.
    """
    return [without_fit(text) for text in some] == [without_fit(text) for text in others]


def without_fit(text: str) -> str:
    """Return the event without its stamp; of a plan without the version, and of its notes only the step reached."""
    event = evolve(read_event(text), stamp=NO_STAMP)
    if not isinstance(event, Planned):
        return write_event(event)
    return write_event(evolve(event, notes={"step": event.notes["step"]}, version=""))

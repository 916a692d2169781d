"""How far plans depend on the processor: the same studies under other kernels of the linear algebra.

OpenBLAS picks its kernels by the processor it runs on, and kernels round differently. Run ``python
benchmarks/kernels.py``: it runs the same studies under the kernels of several processors, each in a process of its own
(OPENBLAS_CORETYPE), compares where they went, and writes kernels.md beside itself. ``--methods`` and ``--trials`` run
others, without writing the page.
"""

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_info

import wayfare as wf

METHODS = [
    *("wayfare", "thrifty", "ucb", "ei", "ts", "tucb", "tei", "tts"),
    *("bpe", "bpe-heuristic", "snake", "base", "random-route"),
]
KERNELS = {
    "own": {},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "Katmai": {"OPENBLAS_CORETYPE": "Katmai"},
    "NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
}
"""What is set for each; "own" is what the machine picks by itself, and stands for the others to be compared with."""
TRIALS, SEEDS = 30, (0, 1)
CLOSE = 1e-6
"""Places that are no further apart, as a share of an axis, are the same to an operator."""
PAGE = Path(__file__).with_suffix(".md")

Way = list[list[float]]
"""The places of a study in the order they were visited, as shares of the axes."""


class Likeness(NamedTuple):
    """How alike studies under two kernels are.

    Attributes:
        studies: how many were compared.
        equal: how many went to the same places bit for bit.
        close: how many went to the same places but for rounding, those that are equal too.
        first: of the others, the first trial at another place, as the median; None if there is none.
    """

    studies: int
    equal: int
    close: int
    first: int | None


def main() -> int:
    options = _options()
    if options.child:
        sys.stdout.writelines(f"{json.dumps(way)}\n" for way in ways(options.methods, options.trials))
        return 0
    found = {name: run(name, options.methods, options.trials) for name in KERNELS}
    own, *others = found.items()
    rows = {name: compared(own[1].ways, other.ways) for name, other in others}
    text = page(options, found, rows)
    if options.methods == METHODS and options.trials == TRIALS:
        PAGE.write_text(text)
    sys.stdout.write(text)
    return 0


class Found(NamedTuple):
    """What ran under a kernel: what OpenBLAS calls it, and the ways by method."""

    kernel: str
    ways: Mapping[str, Sequence[Way]]


def run(name: str, methods: Sequence[str], trials: int) -> Found:
    """Run the studies in a process of their own, under what is set for a kernel."""
    command = [sys.executable, __file__, "--child", "--methods", ",".join(methods), "--trials", str(trials)]
    setting = os.environ | KERNELS[name]
    done = subprocess.run(command, env=setting, capture_output=True, text=True, check=True)
    kernel, *ways = map(json.loads, done.stdout.splitlines())
    by_method: dict[str, list[Way]] = {method: [] for method in methods}
    for method, way in ways:
        by_method[method].append(way)
    return Found(kernel, by_method)


def ways(methods: Sequence[str], trials: int) -> Iterable[Any]:
    """Yield the kernel of this process, then the method and the way of every study."""
    import scipy.linalg  # noqa: F401 - it has an OpenBLAS of its own

    yield "/".join(sorted({one.get("architecture", "?") for one in threadpool_info()}))
    warnings.simplefilter("ignore")
    for method in methods:
        for seed in SEEDS:
            for way in (box, mixed) if method not in ("base",) else (arms,):
                yield method, way(method, trials, seed)


def told(*shares: float) -> float:
    """Return a result as an instrument gives it, to six digits: it hides in what digits the places differ."""
    x, y = shares[:2]
    return round(float(np.sin(6 * x) * np.cos(4 * y) - (x - 0.6) ** 2 - (y - 0.3) ** 2), 6)


def box(method: str, trials: int, seed: int) -> Way:
    space = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))
    return _walked(space, wf.Euclidean(), method, trials, seed, {"start": [0.0, 0.0]})


def mixed(method: str, trials: int, seed: int) -> Way:
    space = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0), wf.Choice("c", ["a", "b", "c"]))
    travel = wf.serial(wf.Manhattan(axes=["x", "y"]), wf.Switch("c", 0.5))
    return _walked(space, travel, method, trials, seed, {"start": {"x": 0.0, "y": 0.0, "c": "a"}})


def arms(method: str, trials: int, seed: int) -> Way:
    space = wf.Places([[at / 9, (at * 7 % 10) / 9] for at in range(10)], ["x", "y"])
    return _walked(space, wf.Euclidean(), method, trials, seed, {})


def _walked(
    space: wf.AnySpace, travel: wf.TravelCost, method: str, trials: int, seed: int, more: Mapping[str, Any]
) -> Way:
    study = wf.Study.create(space, direction="maximize", travel=travel, trials=trials, method=method, seed=seed, **more)
    while (trial := study.ask()) is not None:
        study.tell(trial, told(*trial.x.tolist()) - (trial.x[2] if len(trial.x) > 2 else 0) / 10)
    return [trial.x.tolist() for trial in study.trials]


def compared(own: Mapping[str, Sequence[Way]], other: Mapping[str, Sequence[Way]]) -> dict[str, Likeness]:
    """Return by method how alike the ways are."""
    return {method: alike(list(zip(own[method], other[method], strict=True))) for method in own}


def alike(pairs: Sequence[tuple[Way, Way]]) -> Likeness:
    """Return how alike pairs of ways are."""
    firsts = [at for one, other in pairs if (at := first_difference(one, other)) is not None]
    equal = sum(one == other for one, other in pairs)
    return Likeness(len(pairs), equal, len(pairs) - len(firsts), int(np.median(firsts)) if firsts else None)


def first_difference(one: Way, other: Way) -> int | None:
    """Return the first trial at another place; None if there is none."""
    for at, (here, there) in enumerate(zip(one, other, strict=True)):
        if np.abs(np.subtract(here, there)).max() > CLOSE:
            return at
    return None


def page(options: argparse.Namespace, found: Mapping[str, Found], rows: Mapping[str, Mapping[str, Likeness]]) -> str:
    """Return the page."""
    own = found["own"].kernel
    names = [name for name in rows if found[name].kernel != own or not KERNELS[name].get("OPENBLAS_CORETYPE")]
    cells = {method: [said(rows[name][method]) for name in names] for method in options.methods}
    head = "\n".join((_line(["method", *names]), _line(["---"] * (1 + len(names)))))
    table = "\n".join(_line([f"`{method}`", *row]) for method, row in cells.items())
    return TEXT.format(own=own, trials=options.trials, table=f"{head}\n{table}")


def said(found: Likeness) -> str:
    """Return a likeness in few words."""
    if found.equal == found.studies:
        return "equal"
    if found.close == found.studies:
        return "equal but for rounding"
    parted = found.studies - found.close
    return f"{parted} of {found.studies} elsewhere, from trial {found.first}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


TEXT = """\
# Plans under other processors

Written by `python benchmarks/kernels.py`. The same studies ({trials} trials, told the same results to six digits) were
run under the kernels that OpenBLAS picks on this machine ({own}) and under those of other processors, and under NumPy
without AVX-512. *Equal* is bit for bit. *Equal but for rounding* is within a millionth of an axis everywhere.
*Elsewhere* says how many studies left the way, and the first trial at another place, as the median.

{table}

On one machine the same seed and the same results give the same plan, whatever else runs on it and on however many
threads (`tests/study/test_determinism.py`). Across processors this is so in nearly all studies, but it is no promise:
kernels add in another order, the last bits of the belief differ, and a choice between two places that are equally good
to fifteen digits may turn out the other way. Then the plans part, and are as good as each other.

A stored study is not touched by this: its routes are stored, and another machine goes on from them. To have equal plans
on machines with different processors, set the same `OPENBLAS_CORETYPE` on all of them; Haswell runs on nearly every x86
processor since 2013.
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", type=lambda text: text.split(","), default=METHODS)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

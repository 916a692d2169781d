"""The same seed gives the same sequence: in fresh processes, on any number of threads and hash seed."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.subprocess

CODE = """
import numpy as np, wayfare as wf
letters = wf.Choice("s", ["x", "y", "z"])
space = wf.Space(wf.Real("a", 0, 1), wf.Real("b", 0, 1), wf.Integer("n", 1, 30), letters)
travel = wf.Euclidean(("a", "b")) + wf.Switch("s", 1.0)
def f(a, b, n, s):
    return np.sin(5 * a) + b * (s == "y") - abs(n - 11) / 30
for method in ("tucb", "tts", "tei", "bpe", "bpe-heuristic"):
    study = wf.maximize(f, space, travel=travel, trials=45, method=method, seed=11)
    for trial in study.trials:
        print(method, trial.x.tobytes().hex(), trial.leg.hex())
    print(repr(study.best()))
"""


def run(threads: int, hash_seed: int) -> str:
    environment = os.environ | {
        "OPENBLAS_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "PYTHONHASHSEED": str(hash_seed),
    }
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def expected() -> str:
    return run(threads=1, hash_seed=0)


def test_the_run_is_whole(expected):
    assert len(expected.splitlines()) == 5 * 46


@pytest.mark.parametrize(("threads", "hash_seed"), [(1, 1), (2, 0), (4, 12345)])
def test_the_same_seed_gives_the_identical_sequence(expected, threads, hash_seed):
    assert run(threads, hash_seed) == expected

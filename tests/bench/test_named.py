import importlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.cells import TINY, files
from tests.cli.studies import REACTOR, call
from wayfare.bench import PROBLEMS, Problem, problem_named, run_problem
from wayfare.bench.cell import VERSIONS, Cell, Failure, Measured, attempt, own_digest, run_cell
from wayfare.bench.figures import OTHERS, families, looks
from wayfare.bench.harness import run_suite
from wayfare.bench.named import check_problem, code_of, digest, find_method, find_problem, portable
from wayfare.bench.results import read_results
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import CATALOGUE, EVERYWHERE, method_named
from wayfare.planning.method import Method
from wayfare.policy import UCB
from wayfare.policy.schedule import OneByOne

pytestmark = pytest.mark.subprocess

MINE = """
import numpy as np
import wayfare as wf
from wayfare.bench import Problem

one = wf.Method(wf.Uniform(), wf.OneByOne())
space = wf.Space(wf.Real("a", 0, 4))

def patient(beta=4.0):
    return wf.Method(wf.UCB(beta), wf.OneByOne())

def hill(**other):
    parts = dict(name="hill", function=lambda x: 3 - (x[:, 0] - 1) ** 2, space=space, travel=wf.Euclidean(),
                 noise=0.1, start=[0], optimum=3, unit="m", best=[1])
    return Problem(**parts | other)

valley = hill(name="valley")
policy, Policy, text, number = wf.UCB(), wf.UCB, "ucb", 3

def broken(): raise KeyError("no\\nluck")
def needs(something): return one

def flat(): return hill(start=[0, 1])
def far(): return hill(best=[1, 1])
def outside(): return hill(best=[9])
def column(): return hill(function=lambda x: 3 - (x - 1) ** 2)
def holes(): return hill(function=lambda x: np.where(x[:, 0] > 2, np.nan, 0.0))
def raises(): return hill(function=lambda x: x.nothing)
def modest(): return hill(optimum=2.5)
def boastful(): return hill(optimum=3.5)
def odd(): return hill(optimum="high")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that modules are imported from, with ``mine.py`` in it."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    digest.cache_clear()
    yield tmp_path
    for name in ("mine", "lab", "lab.mine", "bad", "trap"):
        sys.modules.pop(name, None)
    digest.cache_clear()


def test_names_of_the_catalogues_are_ours():
    assert find_method("tucb") == method_named("tucb")
    assert find_problem("branin").name == problem_named("branin").name
    assert not [name for name in (*CATALOGUE, *PROBLEMS) if ":" in name]


def test_a_module_may_hold_a_method_or_a_problem_or_a_function_that_makes_one(folder):
    assert find_method("mine:patient") == Method(UCB(4.0), OneByOne())
    assert isinstance(find_method("mine:one"), Method)
    assert isinstance(find_problem("mine:hill"), Problem)
    assert find_problem("mine:valley").name == "valley"


def test_a_module_may_be_in_a_package(folder):
    (folder / "lab").mkdir()
    (folder / "lab" / "mine.py").write_text(MINE)
    assert find_method("lab.mine:patient") == find_method("mine:patient")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere:patient", "'nowhere:patient': there is no module 'nowhere' to import; it must be in"),
        ("mine.deeper:one", "there is no module 'mine.deeper' to import"),
        ("mine.py:one", "there is no module 'mine.py' to import; write mine:…, without .py"),
        ("mine:patience", r"mine \(.*mine.py\) has no 'patience'"),
        ("mine:", "your own is written module:attribute, as in mine:patient"),
        (":one", "module:attribute"),
        ("mine:one:two", "module:attribute"),
        ("../mine:one", "module:attribute"),
        (".mine:one", "module:attribute"),
        ("mine:policy", "must be a Method, or a function without arguments that returns one; it is a UCB"),
        ("mine:Policy", "must be a Method, .* it is a UCB"),
        ("mine:text", "must be a Method, .* it is a str"),
        ("mine:hill", "must be a Method, .* it is a Problem"),
        ("mine:broken", "method 'mine:broken': broken.. failed with KeyError: 'no.nluck'"),
        ("mine:needs", r"needs\(\) failed with TypeError: needs\(\) missing 1 required"),
    ],
)
def test_a_method_that_is_not_there_is_refused_with_the_reason(folder, name, said):
    with pytest.raises(InvalidInput, match=said):
        find_method(name)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nowhere", "importing bad failed with ModuleNotFoundError: No module named 'nowhere'; `python"),
        ("one = nobody", "importing bad failed with NameError: name 'nobody' is not defined"),
        ("one = ", "importing bad failed with SyntaxError"),
        ("raise SystemExit(3)", "importing bad failed with SystemExit: 3"),
    ],
)
def test_a_module_that_fails_on_import_is_refused_with_its_error(folder, code, said):
    (folder / "bad.py").write_text(code)
    with pytest.raises(InvalidInput, match=said):
        find_method("bad:one")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine:one", "problem 'mine:one' must be a Problem, .* it is a Method"),
        ("mine:flat", r"start must have shape \(1,\), got \(2,\)"),
        ("mine:far", r"best must have shape \(1,\), got \(2,\)"),
        ("mine:outside", r"best, \[9.0\], is not in its space"),
        ("mine:column", r"as an array of shape \(65,\); it returned float64 of shape \(65, 1\)"),
        ("mine:holes", "must return a finite value for each of 65 places"),
        ("mine:raises", "its function failed with AttributeError"),
        ("mine:modest", "optimum is 2.5, but at .* the function is"),
        ("mine:boastful", "optimum is 3.5, but at best the function is 3"),
        ("mine:odd", "optimum must be a number, got 'high'"),
    ],
)
def test_a_problem_whose_parts_do_not_fit_is_refused(folder, name, said):
    with pytest.raises(InvalidInput, match=said):
        find_problem(name)


@pytest.mark.parametrize("name", PROBLEMS)
def test_our_own_problems_pass_the_same_check(name):
    check_problem(problem_named(name), name)


@given(st.text(), st.text())
def test_different_names_never_share_a_file(one, two):
    assert (portable(one) == portable(two)) == (one == two)
    # Nor where capitals are not told from small letters, or dots end a part of the name.
    assert portable(one) == portable(one).lower()
    assert set(portable(one)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_=")


def test_the_file_of_a_cell_is_portable_and_ours_are_as_they_were():
    assert Cell("two-peaks", 5, 0, "tr-ei", 1, "own").file == "two-peaks.T5.d0.tr-ei.s1.json"
    assert Cell("a.b:c", 5, 0, "mine:P", 1, "own").file == "a=2eb=3ac.T5.d0.mine=3a=50.s1.json"


def test_a_method_of_ones_own_gets_the_numbers_that_ours_of_the_same_parts_gets(folder):
    own = run_cell(Cell("branin", 5, 0, "mine:patient", 0, "own"))
    ours = run_problem(problem_named("branin"), "ucb", 5, 0)
    assert own.regret.tolist() == ours.regret.tolist()
    assert own.legs.tolist() == ours.legs.tolist()


SMALL = TINY.restricted(methods=("random", "mine:patient"), problems=("mine:hill",))


def test_results_carry_the_full_names(folder):
    assert run_suite(SMALL, folder / "out") == []
    cells = [measured.cell for measured in read_results(folder / "out", "tiny")]
    assert {cell.method for cell in cells} == {"random", "mine:patient"}
    assert {cell.problem for cell in cells} == {"mine:hill"}


def test_a_changed_module_is_not_mixed_with_what_it_gave_before(folder):
    run_suite(SMALL, folder / "out")
    assert run_suite(SMALL, folder / "out", runner=None, on_begin=lambda *counts: None) == []
    (folder / "mine.py").write_text(MINE.replace("beta=4.0", "beta=1.0"))
    digest.cache_clear()  # another process
    with pytest.raises(InvalidInput, match=r"was begun with mine.py .{12}, now .{12}; choose another --out"):
        run_suite(SMALL, folder / "out")
    assert run_suite(TINY.restricted(methods=("random",)), folder / "out") == []  # it names no module


def test_a_module_may_be_mended_as_long_as_it_gave_nothing(folder):
    bad = "class Bad:\n    def propose(self, *given):\n        raise RuntimeError\n"
    (folder / "bad.py").write_text(f"{bad}{MINE.replace('wf.Uniform()', 'Bad()')}")
    both = TINY.restricted(methods=("random", "bad:one"))
    assert len(run_suite(both, folder / "out")) == 2
    (folder / "bad.py").write_text(MINE)
    del sys.modules["bad"]
    importlib.invalidate_caches()
    digest.cache_clear()  # another process
    seen = []
    assert run_suite(both, folder / "out", on_begin=lambda *counts: seen.append(counts)) == []
    assert seen == [(2, 4)]


def test_the_code_of_a_name_is_that_of_its_module_as_it_was_loaded(folder):
    before = code_of(("ucb", "mine:one", "mine:patient"))
    assert list(before) == ["mine.py"]
    (folder / "mine.py").write_text("")
    assert code_of(["mine:one"]) == before
    assert code_of(["ucb", "branin"]) == {}


def test_a_worker_with_another_version_of_the_module_fails(folder):
    def elsewhere(cells):
        for one in cells:
            ours = run_cell(one)
            other = ours.versions | {"mine.py": "0" * 12}
            yield Measured(one, ours.unit, ours.regret, ours.legs, 0.0, 1, other, 0.0)

    failures = run_suite(SMALL, folder / "out", elsewhere)
    assert len(failures) == 4
    here = code_of(["mine:hill"])["mine.py"]
    for one in failures:
        assert "mine.py 000000000000; here it is" in one.why
        assert one.why.endswith(f"mine.py {here}")


def test_a_worker_that_cannot_import_the_module_says_so():
    failure = attempt(Cell("branin", 5, 0, "nowhere:patient", 0, "own"))
    assert isinstance(failure, Failure)
    assert "InvalidInput: method 'nowhere:patient': there is no module 'nowhere'" in str(failure)


def test_ours_depend_on_no_module_but_ours():
    assert Cell("branin", 5, 0, "ucb", 0, "own").versions == VERSIONS | {"wayfare code": own_digest()}


COMMAND = ("bench", "run", "quick", "--methods=ucb,mine:patient", "--problems=mine:hill", "--trials=4")


def test_the_current_directory_is_looked_in_first_also_by_other_processes(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    # -P: as for an installed script, the current directory is not on the path.
    program = [sys.executable, "-P", "-c", "from wayfare.cli import main; main()"]
    command = [*program, *COMMAND, "--seeds=2", "--quiet", "--jobs=2", "--out=out"]
    child = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    assert b"mine:hill,4,0,mine:patient,1" in files(tmp_path / "out", "quick")[0]


def test_the_path_stays_as_it_is_where_no_module_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = list(sys.path)
    plain = ("bench", "run", "quick", "--methods=random", "--problems=branin", "--trials=2", "--seeds=1")
    assert call(*plain, "--quiet").exit_code == 0
    assert sys.path == before
    assert call("bench", "run", "quick", "--methods=nowhere:one").exit_code == 2
    assert sys.path == [str(tmp_path), *before]


def test_a_module_that_is_not_there_is_one_line_and_nothing_is_begun(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    result = call(*COMMAND[:3], "--methods=nowhere:patient")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: method 'nowhere:patient': there is no module 'nowhere'")
    assert not list(tmp_path.iterdir())


def test_a_study_file_never_imports_code(folder):
    (folder / "trap.py").write_text("import pathlib; pathlib.Path(__file__).with_name('sprung').touch()")
    text = REACTOR.splitlines()
    text = ['method = "trap:one"' if line.startswith("method") else line for line in text]
    (folder / "snar.toml").write_text("\n".join(text))
    result = call("--store", folder / "lab.db", "new", folder / "snar.toml")
    assert result.exit_code == 2
    assert "none is called 'trap:one'" in result.stderr
    assert not (folder / "sprung").exists()
    with pytest.raises(InvalidInput):
        find_method("trap:one")
    assert (folder / "sprung").exists()  # the trap works


def test_a_method_of_ones_own_looks_like_no_other():
    methods = [*EVERYWHERE, "mine:patient", "mine:bold"]
    assert families(methods)[OTHERS] == ["mine:patient", "mine:bold"]
    assert len(set(looks(methods).values())) == len(methods)

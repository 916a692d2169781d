"""``Study.run`` measures every stop once, whatever fails on the way."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

import wayfare as wf
from wayfare.errors import Conflict, InvalidInput, StoreError
from wayfare.store import MemoryStore
from wayfare.study import run as running
from wayfare.study.run import seated

SPACE = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """Seats are kept in a folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def made(store=None, trials=12, **options):
    usual = {"direction": "maximize", "travel": wf.Euclidean(), "start": [0, 0], "name": "hill"}
    usual |= {"method": wf.Method(wf.Uniform(), wf.Fixed(4))}
    return wf.Study.create(SPACE, trials=trials, store=store, **(usual | options))


def slope(x, y):
    return x + y


def gone_at_first(x, y):
    """Ends its process at the start, which is the first place; elsewhere it is the slope."""
    if x == y == 0:
        os._exit(7)
    return x + y


def check(study, trials=12):
    """Every trial was handed out and told once, with the value of its own place."""
    assert [trial.number for trial in study.trials] == list(range(trials))
    assert all(trial.value == slope(**trial.params) for trial in study.trials)
    assert not study.state.open_trials


def test_all_stops_are_measured_here_in_order():
    study, order = made(), []

    def measure(x, y):
        order.append(x)
        return slope(x, y)

    study.run(measure)
    check(study)
    assert order == [trial.x[0] for trial in study.trials]
    study.run(measure)
    assert len(order) == 12


@pytest.mark.subprocess
def test_several_processes_measure_the_stops_of_one_route_at_a_time(tmp_path):
    study = made(tmp_path / "lab.db")
    study.run(slope, workers=3, worker="cpu")
    check(study)
    assert {trial.worker for trial in study.trials} == {"cpu 1", "cpu 2", "cpu 3"}
    stops = [(trial.plan, trial.stop) for trial in study.trials]
    assert stops == sorted(set(stops))
    assert len(study.state.plans) < 6
    assert not list((tmp_path / "state" / "wayfare").iterdir())


def test_an_executor_may_measure_and_finish_in_any_order():
    study, late = made(), iter(range(12, 0, -1))

    def measure(x, y):
        time.sleep(next(late) * 0.002)
        return slope(x, y), {}

    with ThreadPoolExecutor(4) as pool:
        study.run(measure, workers=4, executor=pool)
    check(study)


@pytest.mark.slow
def test_dask_measures_the_stops():
    distributed = pytest.importorskip("distributed")
    study = made()
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        study.run(slope, workers=2, executor=client.get_executor())
    check(study)


def test_several_results_and_what_is_measured_are_means():
    study = made(measured=wf.Measured("purity", at_least=0.5), method=wf.Method(wf.Uniform(), wf.Fixed(1)))
    study.insert({"x": 0.5, "y": 0.5}, count=3, worker="one")
    found = iter([(1.0, {"purity": 0.2}), (2.0, {"purity": 0.4}), (3.0, {})])
    study.run(lambda x, y: next(found, (0.0, {})), worker="one")
    assert (study.trials[0].value, study.trials[0].count) == (2.0, 3)
    assert study.trials[0].measured == {"purity": pytest.approx(0.3)}


def test_what_fails_is_a_failed_trial_with_the_reason():
    study, calls = made(), iter(range(100))
    study.run(lambda x, y: [1.0, 1 / 0, None, float("nan")][next(calls) % 2 * (next(calls) % 3 + 1)], failures=99)
    why = {trial.why for trial in study.trials if trial.state == "failed"}
    assert any("division by zero" in one for one in why)
    assert len(study.trials) == 12


def test_failures_in_a_row_end_the_run_and_the_last_is_raised():
    study, calls = made(), []

    def measure(x, y):
        calls.append(x)
        if len(calls) != 3:
            raise OSError("the pump stands still")
        return 1.0

    with pytest.raises(OSError, match="the pump stands still") as ended:
        study.run(measure, failures=3)
    assert ended.value.__notes__ == ["3 failed trials in a row, trial 5 last"]
    assert [trial.state for trial in study.trials] == ["failed", "failed", "told", *["failed"] * 3]


@pytest.mark.subprocess
def test_a_process_that_ends_fails_its_trial_and_another_takes_its_place(tmp_path):
    study = made(tmp_path / "lab.db")
    study.run(gone_at_first, workers=2)
    assert study.trials[0].why == "its process ended: killed, or out of memory"
    assert [trial.state for trial in study.trials[1:]] == ["told"] * 11


DRIVER = """
import time, sys
import wayfare as wf

def slow(x, y):
    time.sleep(0.05)
    return x + y

if __name__ == "__main__":
    print("begun", flush=True)
    wf.Study.open(sys.argv[1], "hill").run(slow, workers=3)
"""


@pytest.mark.subprocess
@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_with_what_it_had_out(tmp_path):
    made(tmp_path / "lab.db", trials=40)
    (tmp_path / "driver.py").write_text(textwrap.dedent(DRIVER))
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "driver.py", "lab.db"]
    for _ in range(3):
        one = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
        one.stdout.readline()
        one.stdout.close()
        time.sleep(0.6)
        one.send_signal(signal.SIGKILL)
        one.wait()
    assert subprocess.run(command, cwd=tmp_path, env=environment, timeout=60, check=False).returncode == 0
    study = wf.Study.open(tmp_path / "lab.db", "hill")
    check(study, 40)
    assert len({trial.worker for trial in study.trials}) == 3  # the same seats every time


def test_two_processes_do_not_work_under_one_name(tmp_path):
    study = made(tmp_path / "lab.db")
    with seated(study, 2) as first, seated(wf.Study.open(tmp_path / "lab.db", "hill"), 1) as second:
        assert [seat.name.rpartition(" ")[2] for seat in (*first, *second)] == ["1", "2", "3"]
        with pytest.raises(Conflict, match=r"worker '.* 2' is at study 'hill' already"):
            study.run(slope, worker=first[1].name)
    with seated(study, 1) as again:
        assert again[0].name == first[0].name


def test_machines_of_one_name_have_other_seats(tmp_path, monkeypatch):
    study, names = made(tmp_path / "lab.db"), set()
    for address in (0x001122334455, 0x001122334456):
        monkeypatch.setattr(running.uuid, "getnode", lambda address=address: address)
        with seated(study, 1) as (seat,):
            names.add(seat.name)
    assert len(names) == 2


def test_what_another_worker_left_is_taken_over_when_its_lease_is_over():
    study = made()
    study.ask("gone")
    study.run(slope)  # without a lease it is theirs
    assert [trial.number for trial in study.state.open_trials] == [0]
    begun = time.monotonic()
    study.run(slope, worker="me", lease=timedelta(seconds=0.3))
    check(study)
    assert study.trials[0].former == ("gone",)
    assert time.monotonic() - begun < 30


def test_a_result_told_by_another_worker_meanwhile_stands():
    study = made(trials=2)

    def measure(x, y):
        if study.state.open_trials[0].number == 0:
            study.tell(0, 5.0)
        return 1.0

    study.run(measure)
    assert [trial.value for trial in study.trials] == [5.0, 1.0]


class Shaky(MemoryStore):
    """Fails every other time; of appends, after they are stored."""

    times = 0

    def read(self, name, since=0):
        self.shake()
        return super().read(name, since)

    def append(self, name, after, events):
        super().append(name, after, events)
        self.shake()

    def shake(self):
        self.times += 1
        if self.times > 10 and self.times % 3 == 0:
            raise StoreError("the server restarts")


def test_moves_are_sent_again_while_the_store_cannot_be_reached(monkeypatch):
    monkeypatch.setattr(running.time, "sleep", lambda seconds: None)
    study = made(Shaky())
    study.run(slope)
    monkeypatch.setattr(Shaky, "shake", lambda self: None)
    check(study)


def test_a_store_that_stays_away_is_an_error(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", -1.0)
    study = made(MemoryStore())

    def away(*given):
        raise StoreError("away")

    monkeypatch.setattr(study.journal.store, "append", away)
    with pytest.raises(StoreError, match="away"):
        study.run(slope)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"function": 3}, "function must be callable"),
        ({"workers": 0}, "workers"),
        ({"failures": 0}, "failures"),
        ({"lease": 3600}, "take_over must be a time"),
        ({"function": lambda x, y: x, "workers": 2}, "function cannot be sent to another process"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_asked_for(given, said):
    study = made()
    with pytest.raises(InvalidInput, match=said):
        study.run(**({"function": slope} | given))
    assert not study.trials

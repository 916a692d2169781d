"""The fuzzer: the same seed gives the same files, sound files are taken, and what goes wrong is noticed."""

import os
import time

import pytest

import fuzz
import fuzz_files
from wayfare.cli import main


def test_a_case_is_the_same_file_again():
    for number in range(10):
        assert fuzz_files.case(3, number) == fuzz_files.case(3, number)
    assert {fuzz_files.case(3, number)[0] for number in range(6)} == set(fuzz_files.KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", fuzz_files.KINDS)
def test_sound_files_are_taken(kind, tmp_path, monkeypatch):
    """Else all spoilt ones would be refused for what was never sound."""
    monkeypatch.chdir(tmp_path)
    what, data = fuzz_files.corpus(kind)[0]
    fuzz.lay_out(kind, what, data, tmp_path)
    for command in fuzz.steps(kind, what, tmp_path):
        code, printed, error = fuzz.call(command)
        assert not error
        assert code == 0 or command[0] not in ("new", "import", "status", "trials", "verify"), printed


def crash(*arguments, **options):
    raise KeyError("colour")


def hang(*arguments, **options):
    while True:
        time.sleep(0)  # busy: it is CPU that counts


def kill(*arguments, **options):
    os._exit(7)


def spill(*arguments, **options):
    with open("lab.db", "ab") as file:
        file.write(b"!")
    raise SystemExit(1)


def babble(*arguments, **options):
    print('{"value": NaN}')


@pytest.mark.subprocess
@pytest.mark.parametrize(
    ("what", "act"),
    [("traceback", crash), ("hang", hang), ("crash", kill), ("changed store", spill), ("bad JSON", babble)],
)
def test_what_goes_wrong_is_noticed(monkeypatch, what, act):
    monkeypatch.setattr(fuzz, "SECONDS", 0 if act is hang else 30)
    monkeypatch.setattr(fuzz.fuzz_files, "case", lambda *_: ("db", "store", fuzz_files.corpus("db")[0][1]))
    monkeypatch.setattr(main.commands["status"].load(), "callback", act)
    outcome = fuzz.in_child(0, 0)
    assert outcome.wrong[0][0] == what
    assert f"status {fuzz_files._stores()[0].stem}" in outcome.wrong[0][1] or "('status'" in outcome.wrong[0][1]
    page = fuzz.page(0, [outcome], 60.0)
    assert f"| {fuzz.WRONG[what]} | 1 |" in page
    assert "case 0: " in page

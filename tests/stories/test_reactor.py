"""A reactor over three days: old results, late, failed and missed runs, a mixture, a new solvent, Excel at the end."""

import math

import openpyxl
import pytest

from tests.cli.studies import call, done, record, records

STUDY = """
name = "coupling"
direction = "maximize"                 # yield, %
trials = 40
seed = 5
start = {temp = 25, water = 0.2, base = 0.3, ligand = 0.5, solvent = "THF"}
home = "start"
day = "8 h"
dwell = 30

[[axis]]
name = "temp"
low = 40
high = 120
step = 0.5
unit = "°C"

[[axis]]
name = "water"
low = 0
high = 1
step = 0.05

[[axis]]
name = "base"
low = 0
high = 1
step = 0.05

[[axis]]
name = "ligand"
low = 0
high = 1
step = 0.05

[[axis]]
name = "solvent"
kind = "choice"
values = ["THF", "MeCN"]

[[constraint]]                         # three feeds, one pump
kind = "linear"
of = ["water", "base", "ligand"]
equals = 1

[travel]
kind = "serial"
unit = "min"
parts = [
    {kind = "ramp", axis = "temp", up = 5, down = 2},
    {kind = "switch", axis = "solvent", fee = 15},
]
"""
FEEDS = ("water", "base", "ligand")


def measured(temp, water, base, ligand, solvent):
    """Return the yield in percent: best at 95 °C, half of it base, in DMF."""
    fits = ((temp - 95) / 35) ** 2 + ((base - 0.5) / 0.4) ** 2 + ((water - 0.15) / 0.5) ** 2
    return round(100 * math.exp(-fits) * {"THF": 0.6, "MeCN": 0.7, "DMF": 0.95}[solvent], 1)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)
    monkeypatch.setenv("WAYFARE_USER", "ana")
    (tmp_path / "coupling.toml").write_text(STUDY)
    return tmp_path


def old_results(name):
    """Write the twelve runs of last year, as a spreadsheet in Europe saves them."""
    lines = ["T;water;base;ligand;solvent;Yield [%];Operator"]
    for at in range(12):
        place = {"temp": 50 + 7.5 * at, "water": 0.2, "base": 0.1 + 0.05 * at, "solvent": ("THF", "MeCN")[at % 2]}
        place["ligand"] = round(0.8 - place["base"], 2)
        numbers = [place["temp"], *(place[feed] for feed in FEEDS)]
        cells = [*(f"{number:.2f}" for number in numbers), place["solvent"], f"{measured(**place):.1f}", "bo"]
        lines.append(";".join(cells).replace(".", ","))
    name.write_text("\n".join(lines) + "\n", encoding="cp1252")


def keeps_the_mixture(params):
    return abs(sum(params[feed] for feed in FEEDS) - 1) < 1e-9


@pytest.mark.slow
def test_three_days_at_a_reactor(bench):
    # Monday morning: what was understood, and the twelve runs of last year, one of them hotter than is allowed now.
    said = done("new", "coupling.toml", "--check")
    assert "temp 40 to 120 °C in steps of 0.5" in said
    assert "a day of 480 min from home to home" in said
    done("new", "coupling.toml")
    old_results(bench / "old.csv")
    named = ("--column", "temp=T", "--column", "value=Yield [%]", "--ignore", "Operator", "--prior")
    dry = call("import", "coupling", "old.csv", *named, "--dry-run")
    assert dry.stderr.startswith("Note: old result k10: temp=125 °C is outside 40 to 120 °C")
    assert records("trials", "coupling") == []
    assert done("import", "coupling", "old.csv", *named) == "12 rows: 12 known before\n"
    assert (record("ledger", "coupling")["paid"], record("status", "coupling")["left"]) == (0, 40)

    # Monday: one setting is missed, one run fails, and one goes to the laboratory, whose result comes late.
    out = records("ask", "coupling", "-n", 4)
    missed, failed, late, plain = out
    warm = missed["params"] | {"temp": missed["params"]["temp"] + 1.7}
    done("tell", "coupling", missed["number"], measured(**warm), "--actual", f"temp={warm['temp']}", "--spent", 9)
    done("fail", "coupling", failed["number"], "--why", "pump stalled")
    done("tell", "coupling", plain["number"], measured(**plain["params"]))
    assert record("status", "coupling")["out"] == 1
    home = record("go-home", "coupling")
    assert home["leg"] > 0

    # Tuesday: the late result, the new solvent, and a form on the bench computer.
    done("tell", "coupling", late["number"], measured(**late["params"]))
    change = ("change", "coupling", "axis.solvent+=DMF", "--why", "DMF delivered")
    assert "THF, MeCN → THF, MeCN, DMF" in done(*change, "--dry-run")
    done(*change)
    done("sheet", "coupling", "--take", 3, "--out", "tuesday.xlsx")
    book = openpyxl.load_workbook("tuesday.xlsx")
    form = book["form"]
    head = {cell.value.split(" [")[0]: cell.column for cell in form[1]}
    tuesday = [trial for trial in records("trials", "coupling") if trial["state"] == "asked"]
    assert "DMF" in [trial["params"]["solvent"] for trial in tuesday], "the new solvent within three trials"
    for row, trial in enumerate(tuesday, 2):
        assert form.cell(row, head["number"]).value == trial["number"]
        form.cell(row, head["value"]).value = measured(**trial["params"])
    book.save("tuesday.xlsx")
    assert done("import", "coupling", "tuesday.xlsx") == "3 rows: 3 told\n"
    done("amend", "coupling", tuesday[0]["number"], 0.5, "--why", "wrong vial")
    assert done("import", "coupling", "old.csv", *named, "--again", "--dry-run").endswith("known before\n")
    refused = call("insert", "coupling", "temp=95", "water=0.2", "base=0.5", "ligand=0.5", "solvent=DMF")
    assert "breaks a constraint (water + base + ligand = 1); an allowed place near it" in refused.stderr
    done("go-home", "coupling")

    # Wednesday: all that a day allows; what is known; and the results in Excel, for the colleagues.
    for trial in records("ask", "coupling", "-n", "day"):
        done("tell", "coupling", trial["number"], measured(**trial["params"]))
    day = record("go-home", "coupling")
    trials = records("trials", "coupling")
    assert all(keeps_the_mixture(trial["params"]) for trial in trials)
    wednesday = sum(trial["leg"] + 30 for trial in trials[12 + 4 + 3 :])
    assert wednesday + day["leg"] <= 480 * (1 + 1e-9)
    assert record("ledger", "coupling")["trips"] == 4, "the fourth day has begun"
    best = record("best", "coupling")
    assert measured(**best["params"]) > max(trial["value"] for trial in trials if trial["prior"])
    assert best["params"]["solvent"] == "DMF"
    assert "better" in done("why", "coupling")
    assert done("importance", "coupling").splitlines()[1:]
    done("export", "coupling", "--out", "results.xlsx")
    sheet = openpyxl.load_workbook("results.xlsx")["results"]
    assert [cell.value for cell in sheet[1]][:4] == ["number", "state", "temp [°C]", "water"]
    done("new", "coupling.toml", "--name", "again")
    done("change", "again", "axis.solvent+=DMF")
    done("import", "again", "results.xlsx")
    assert [
        (trial["params"], trial["value"], trial["leg"], trial["prior"]) for trial in records("trials", "again")
    ] == [(trial["params"], trial["value"], trial["leg"], trial["prior"]) for trial in trials]
    assert done("verify").endswith("sound\n")

"""The package folder for OptunaHub loads, and its example runs."""

from pathlib import Path

import optunahub

ROOT = Path(__file__).parents[3] / "optunahub" / "package"


def test_the_package_folder_loads_and_its_example_runs(monkeypatch, capsys):
    module = optunahub.load_local_module("samplers/wayfare", registry_root=str(ROOT))
    monkeypatch.setattr(optunahub, "load_module", lambda name: module)
    example = (ROOT / "samplers" / "wayfare" / "example.py").read_text()
    exec(compile(example, "example", "exec"), {"__name__": "__main__"})
    assert "visits on" in capsys.readouterr().out

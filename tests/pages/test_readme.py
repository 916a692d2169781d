"""What the README says is there, and its first screen has what a stranger looks for."""

import re
import tomllib
from pathlib import Path

from wayfare._version import __version__

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_every_command_it_points_to_exists():
    makefile = (ROOT / "Makefile").read_text()
    named = re.findall(r"`make ([a-z-]+)`", README)
    assert {"demo", "docs"} <= set(named)
    for command in named:
        assert f"\n{command}:" in makefile, command


def test_the_first_screen_has_a_picture_and_code_with_output_and_no_table():
    first = README[: README.index("## Install")]
    assert first.index("<img") < first.index("```python") < first.index("```text")
    (code,) = re.findall(r"```python\n(.*?)```", first, flags=re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 12
    assert "\n|" not in first


def test_its_extras_and_its_wheel_are_those_of_the_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for named in re.findall(r"'\.\[([\w,]+)\]'", README):
        assert set(named.split(",")) <= extras.keys()
    assert f"wayfare-{__version__}-py3-none-any.whl" in README

"""docs/method.md tells of the method that is the default."""

import re
from pathlib import Path

import wayfare as wf
from wayfare.planning.catalogue import DEFAULT

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "method.md").read_text()


def test_the_composition_it_shows_is_the_default():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names = {}
    exec(compile(code, "method.md", "exec"), names)
    assert names["method"] == wf.CATALOGUE[DEFAULT].build()


def test_a_study_without_a_method_has_the_default():
    space = wf.Space(wf.Real("a", 0.0, 1.0))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=9)
    assert study.spec.method == wf.CATALOGUE[DEFAULT].build()
    found = wf.minimize(lambda a: a, space, travel=wf.Euclidean(), trials=4)
    assert found.spec.method == study.spec.method


def test_every_file_it_points_to_exists():
    for target in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (DOCS / target).exists(), target

"""The examples in docstrings: every public name has one, and all run as they stand."""

import doctest
import inspect

import pytest

import sim

NAMES = [name for name in sim.__all__ if name != "__version__"]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples(name):
    """Return the examples of a public name, and of its methods."""
    finder = doctest.DocTestFinder(recurse=True)
    found = finder.find(getattr(sim, name), name, globs={"sim": sim})
    return [each for each in found if each.examples]


@pytest.mark.parametrize("name", NAMES)
def test_a_docstring_has_an_example_that_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = examples(name)
    assert name in [each.name for each in found]
    for each in found:
        said: list[str] = []
        doctest.DocTestRunner(optionflags=FLAGS).run(each, out=said.append)
        assert not said, "".join(said)


def test_what_a_study_and_a_plan_can_do_has_an_example():
    for kind, methods in (
        (sim.Study, ("frame", "convergence", "status", "diff")),
        (sim.Plan, ("forecast",)),
        (sim.Game, ("load",)),
    ):
        for method in methods:
            assert ">>>" in inspect.getdoc(getattr(kind, method)), method

"""Python's face: whatever it is handed is taken for what it is, or refused in one short line."""

import inspect
import io
import itertools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import sim
from sim import advice, charts, errors, game, odds, study
from sim.errors import InputError
from sim.policy import SHAPE, Policy, load

LONGEST = 700
"""Letters of an error: the longest lists all metrics."""
CHANCES = np.full(SHAPE, 0.25)
FACES, PLAYED = "faces-of-death", {"players": 2, "pots": 50, "seed": 1}


class Loud:
    """Something that says more of itself than anybody wants to read."""

    def __repr__(self) -> str:
        return "one\nand \x1b[31m another" * 100


class Broken:
    """Something that cannot even say what it is."""

    def __repr__(self) -> str:
        raise RuntimeError


def itself() -> list[Any]:
    """Return a list that holds itself."""
    endless: list[Any] = []
    endless.append(endless)
    return endless


def wrong() -> dict[str, Any]:
    """Return what is no right argument of anything, or of little; made anew, for some end."""
    masked = np.ma.array([1, 2], mask=[False, True])
    return {
        "None": None, "True": True, "text": "no", "long text": "x" * 100_000, "NUL": "a\0b",
        "bytes": b"stay", "NaN": np.nan, "infinite": np.inf, "-1": -1, "2.5": 2.5,
        "10^18": 10**18, "10^5000": 10**5000, "complex": 1j,
        "list": [], "list of None": [None], "ragged": [[1], [1, 2]], "deep": [[[[[[1]]]]]],
        "cards": ["As", "9d"], "long list": ["x" * 100_000] * 9, "dict": {},
        "dict of one": {"a": 1}, "set": {1, 2}, "generator": (i for i in range(3)),
        "endless": itertools.count(2),
        "vast": range(2, 10**12), "type": int, "function": len, "path": Path("none/such"),
        "0-d array": np.array(5), "floats": np.array([1.5, 2]), "masked array": masked,
        "masked": np.ma.masked, "list of masked": [masked], "texts": np.array(["As 9d"]),
        "times": np.array([1, 2], "timedelta64[s]"), "time": np.timedelta64(3, "s"),
        "dates": np.array([1, 2], "datetime64[s]"), "objects": np.array([None, {}], object),
        "beyond int64": np.array([2**63 + 5], np.uint64), "missing": pd.array([1, None], "Int64"),
        "frame": pd.DataFrame({"a": [1]}), "series": pd.Series([1, 2]),
        "loud": Loud(), "broken": Broken(), "page": game.load("spades"),
        "0": 0, "1": 1, "9": 9, "2^63": 2**63, "-infinite": -np.inf, "decimal": Decimal("NaN"),
        "fraction": Fraction(1, 3), "surrogate": "\ud800", "empty": "", "terminal": "\x1b[2J",
        "bytearray": bytearray(3), "list of empty": [[]], "list of NaN": [np.nan],
        "mixed": ["x", 1], "mapping": {"deals": "x"}, "mapping of None": {None: None},
        "too high": [52], "repeated": [[0, 0]], "iterator": iter("ab"), "ellipsis": ...,
        "module": sim, "class": sim.Policy, "folder": Path(), "no array": np.zeros(0),
        "no rows": np.zeros((0, 7), int), "cube": np.zeros((2, 2, 2), int),
        "NaNs": np.array([np.nan]), "complexes": np.array([1j]),
        "records": np.array([(1, 2)], "i4,i4"), "flags": np.array([True]),
        "bytes of an array": np.array([255], np.uint8), "no time": np.datetime64("NaT"),
        "NA": pd.NA, "no frame": pd.DataFrame(), "series of texts": pd.Series(["spades"]),
        "itself": itself(), "stream": io.StringIO("x"), "policy": Policy.folding("own", [1]),
        "plan": sim.make_plan("spades", **PLAYED), "limits": advice.Limits(),
        "number of NumPy": np.int8(3), "sizes": range(2, 4), "array": np.array([2, 3]),
    }  # fmt: skip


@cache
def played() -> study.Study:
    return sim.simulate(FACES, [2, 3], 200, seed=1, policies=["stay", "fold:0.1"])


@cache
def frame() -> pd.DataFrame:
    return played().frame()


def drawn() -> list[charts.Drawing]:
    return charts.drawings(frame())


def written(**words: Any) -> list[Path]:
    return list(charts.write(**words))


def limited(**words: Any) -> Any:
    return advice.recommend(frame(), game.load(FACES), limits=words)


def paced(**words: Any) -> Any:
    return advice.recommend(frame(), game.load(FACES), pace=words)


CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (sim.evaluate, {"hands": "As Ks", "wild": "none", "flush_repeats": False}),
    "expected_strength": (
        sim.expected_strength,
        {"hands": "As Ks", "opponents": 1, "wild": "none", "flush_repeats": False},
    ),
    "equity": (
        sim.equity,
        {
            "hand": "As Ad Kd", "opponents": 2, "boards": ["9h"], "dead": "2c", "game": "spades",
            "players": 3, "deals": 10, "seed": 0,
        },
    ),
    "best_response": (
        sim.best_response,
        {
            "game": "spades", "players": 2, "against": "stay", "pots": 1000, "scoring_pots": 1000,
            "seed": 0, "start": "typical", "name": "answer", "threads": 1, "options": (),
            "progress": False, "out": None,
        },
    ),
    "as_page": (lambda summary: load("stay").with_summary(summary).as_page(), {"summary": ""}),
    "category": (sim.category, {"strengths": 5}),
    "describe": (sim.describe, {"strengths": 5}),
    "deal": (sim.deal, {"players": 2, "tables": 1, "seed": 0}),
    "Policy": (sim.Policy, {"name": "a", "recipe": {}, "blind": (0,) * 5}),
    "family": (Policy.family, {"name": "a", "caution": 1, "aggression": 1, "summary": ""}),
    "folding": (Policy.folding, {"name": "a", "chances": 0.1, "summary": ""}),
    "of_tables": (
        Policy.of_tables, {"name": "a", "fold": CHANCES, "raise_": CHANCES, "summary": ""},
    ),
    "from_json": (Policy.from_json, {"data": {}}),
    "simulate": (
        sim.simulate,
        {
            "games": "spades", **PLAYED, "threads": 1, "store": None, "options": (),
            "policies": "stay", "progress": False, "engine": "threads", "scheduler": None,
        },
    ),
    "run_plan": (
        sim.run_plan,
        {
            "plan": sim.make_plan("spades", **PLAYED), "store": None, "threads": 1,
            "progress": False, "engine": "threads", "scheduler": None,
        },
    ),
    "make_plan": (
        sim.make_plan,
        {
            "games": "spades", **PLAYED, "policies": "stay", "options": [], "half_width": 0.1,
            "metric": "toll_pot", "level": "mean", "max_seconds": 1,
        },
    ),
    "open_study": (sim.open_study, {"path": "none.db"}),
    "read_or_simulate": (
        sim.read_or_simulate,
        {"store": None, "games": "spades", **PLAYED, "options": (), "policies": "stay"},
    ),
    "exact": (sim.exact, {"games": "spades", "players": 2, "options": (), "policies": "stay"}),
    "pots": (
        sim.pots,
        {
            "game": "spades", **PLAYED, "policies": "stay", "by": "pot", "first": 0, "options": (),
            "threads": 1,
        },
    ),
    "metric": (
        sim.metric,
        {
            "f": lambda rows: rows.groupby("pot").paid.sum(), "game": "spades", **PLAYED,
            "policies": "stay", "options": (), "threads": 1,
        },
    ),
    "evening": (
        sim.evening,
        {
            "game": "spades", "players": 2, "hours": None, "pots": 3, "buy_in": 100,
            "broke": "rebuy", "buy_ins": None, "rebuy_below": 20, "policies": "stay",
            "stake": None, "evenings": 9, "seed": 1, "dealer": None, "pace": None, "options": (),
            "threads": 1,
        },
    ),
    **{
        name: (getattr(charts, name), {"frame": None})
        for name in ("evening_stacks", "evening_results", "evening_buy_ins")
    },
    "recommend": (
        sim.recommend,
        {
            "game": "spades", **PLAYED, "policies": "stay", "limits": None, "pace": None,
            "threads": 1, "store": None, "options": (), "progress": False,
        },
    ),
    "merge": (sim.merge, {"stores": [], "into": "none.db"}),
    "Plan.load": (sim.Plan.load, {"path": "none.toml"}),
    "forecast": (
        lambda **words: sim.make_plan("spades", **PLAYED).forecast(**words),
        {"store": None, "threads": 1},
    ),
    "diff": (
        lambda a, b, metrics: played().diff(a, b, metrics=metrics),
        {"a": "faces-of-death:2:stay", "b": "faces-of-death:3:stay", "metrics": ()},
    ),
    "Game.load": (sim.Game.load, {"page": "spades", "options": ()}),
    "limits": (limited, {"deals": 5, "long_pots": 0.1}),
    "pace": (paced, {"card": 1}),
    "recommendation.recommend": (
        advice.recommend, {"frame": None, "game": game.load(FACES), "policy": "stay"},
    ),
    "card": (lambda betting: limited().card(betting), {"betting": None}),
    "Study": (lambda store: sim.Study(store, []), {"store": None}),
    "frame": (lambda **words: played().frame(**words), {"anytime": False, "controlled": False}),
    "controlled": (lambda anytime: played().controlled(anytime=anytime), {"anytime": False}),
    "convergence": (
        lambda **words: played().convergence(**words), {"metric": "kill_rate", "level": "all"},
    ),
    "recommendations": (lambda frame: played().recommendations(frame), {"frame": None}),
    "exact_values": (
        odds.exact_values, {"game": game.load("spades"), "players": 2, "seats": None},
    ),
    **{
        name: (getattr(charts, name), {"frame": None}) for name in charts.CHARTS
    },
    "ax": (lambda ax: charts.kill_rate(frame(), ax=ax), {"ax": None}),
    "narrow": (charts.narrow, {}),
    "overview": (charts.overview, {"frame": None, "title": ""}),
    "comparison": (charts.comparison, {"frame": None, "title": ""}),
    "drawings": (charts.drawings, {"frame": None, "others": None}),
    "chosen": (charts.chosen, {"drawings": [], "names": []}),
    "write": (written, {"drawings": [], "folder": "charts", "formats": ["png"]}),
    "file_formats": (charts.file_formats, {"text": "png"}),
    "file_name": (charts.file_name, {"label": "spades"}),
    "save": (charts.save, {"figure": None, "path": "a.png"}),
}  # fmt: skip
"""What is called by others, with arguments each of which is made wrong in turn."""


@pytest.mark.parametrize("face", [sim, charts], ids=["sim", "charts"])
def test_no_public_function_is_left_out(face: Any) -> None:
    functions = {name for name in face.__all__ if inspect.isfunction(getattr(face, name))}
    assert functions
    assert functions <= set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_is_right_or_refused_in_a_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, words = CALLS[name]
    for word in words:
        for what, value in wrong().items():
            if what in ("path", "function") and word in ("store", "folder", "progress", "out"):
                continue  # is right
            try:
                call(**{**words, word: value})
            except InputError as error:
                said = str(error)
                assert len(said.splitlines()) == 1, (word, what)
                assert len(said) <= LONGEST, (word, what)
            except Exception as error:  # what this is about
                raise AssertionError(f"{name}: {word} = {what} ends in {error!r}") from error


@pytest.mark.parametrize("value", ["false", "no", "", np.nan, 0, 1, None, [True], np.array([True])])
def test_nothing_but_true_and_false_is_a_flag(value: Any, refused: Callable) -> None:
    refused(lambda: sim.evaluate("As", flush_repeats=value), "flush_repeats", "True or False")
    refused(
        lambda: sim.expected_strength("As", flush_repeats=value), "flush_repeats", "True or False"
    )
    refused(lambda: played().frame(anytime=value), "anytime", "True or False")
    refused(lambda: played().frame(controlled=value), "controlled", "True or False")
    refused(lambda: sim.simulate("spades", **PLAYED, progress=value), "progress", "True or False")


def test_flags_of_numpy_are_flags() -> None:
    hand = {"hands": "As Ks Js 9s 2h 7d 3c", "wild": "deuces"}
    both = [sim.evaluate(**hand, flush_repeats=value) for value in (True, np.True_)]
    assert both[0] == both[1] != sim.evaluate(**hand, flush_repeats=np.False_)


def test_what_is_masked_is_never_ranked(refused: Callable) -> None:
    hands = np.ma.array([[0, 1, 2, 3, 51]], mask=[[0, 0, 0, 1, 1]])
    strengths = np.ma.array([5, 6], mask=[True, False])
    for rank in (sim.evaluate, sim.expected_strength):
        for wrong in (hands, hands.astype(np.uint8), list(hands)):
            refused(lambda rank=rank, wrong=wrong: rank(wrong), "masked")
        assert rank(np.ma.array(hands.data)) == rank(hands.data)
    for name in (sim.category, sim.describe):
        for wrong in (strengths, list(strengths), strengths[0]):
            refused(lambda name=name, wrong=wrong: name(wrong))
        assert list(name(np.ma.array([5, 6]))) == list(name([5, 6]))


@pytest.mark.parametrize("kind", ["timedelta64[s]", "datetime64[s]", "bool", "float", "complex"])
def test_times_and_the_like_are_no_whole_numbers(kind: str, refused: Callable) -> None:
    values = np.array([1, 2]).astype(kind)
    for call in (sim.evaluate, sim.expected_strength, sim.category, sim.describe):
        refused(lambda call=call: call(values), "whole numbers")
    refused(lambda: sim.evaluate("As", wild=values), "whole number")
    refused(lambda: sim.deal(values[1]), "players", "whole number")
    refused(lambda: sim.exact("spades", players=values), "players", "whole number")


@pytest.mark.parametrize(
    "hands", [["As", "9d", "9h", "7s", "9c", "2s", "Qd"], ("As", "Kd"), ["As"], ["10h", "9d"]]
)
def test_a_list_of_single_cards_is_no_list_of_hands(hands: Any, refused: Callable) -> None:
    for rank in (sim.evaluate, sim.expected_strength):
        refused(lambda rank=rank: rank(hands), "'As 9d 9h'", "['As 9d 9h', 'Kc Kd 2s']")


def test_hands_in_a_list_are_ranked_as_one_by_one() -> None:
    hands = ["As 9d", "Kc Kd"]
    assert list(sim.evaluate(hands)) == [sim.evaluate(hand) for hand in hands]
    assert list(sim.evaluate([[51], [47]])) == [sim.evaluate("As"), sim.evaluate("Ks")]


def test_more_tables_than_memory_holds_are_refused(
    refused: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(lambda: sim.deal(4, tables=10**18), "tables = 1000000000000000000", "from 0 to")

    def empty(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "empty", empty)
    refused(lambda: sim.deal(4, tables=10**9), "1,000,000,000 tables", "fewer")


@pytest.mark.parametrize(
    "wrong", [{"engine": "dsak"}, {"engine": ["dask"]}, {"progress": "no"}, {"threads": 0}]
)
def test_what_is_refused_leaves_no_store(
    wrong: dict[str, Any], tmp_path: Path, refused: Callable
) -> None:
    store = tmp_path / "new" / "study.db"
    refused(lambda: sim.simulate("spades", **PLAYED, store=store, **wrong))
    assert not store.parent.exists()


def test_wild_cards_are_a_mask_a_list_or_text(refused: Callable) -> None:
    spades = list(range(3, 52, 4))
    known = sim.evaluate("As 9d 9h", wild="spades")
    for wild in (spades, np.array(spades), ["As", *spades], sum(1 << card for card in spades)):
        assert sim.evaluate("As 9d 9h", wild=wild) == known
    for wrong in (True, np.timedelta64(5, "s"), np.array(5.5), np.array([True]), [True], {}):
        refused(lambda wrong=wrong: sim.evaluate("As", wild=wrong))


def test_a_value_is_said_in_a_short_line() -> None:
    for value in wrong().values():
        said = errors.shown(value)
        assert said.isprintable()
        assert 0 < len(said) <= errors.LONGEST
    for value in (5, -1.5, "text", [1, "a"], None, (2, 3)):
        assert errors.shown(value) == repr(value)
    assert errors.brief("plain") == "plain"
    assert errors.brief("a\nb") == r"'a\nb'"
    assert Figure.__name__ in errors.shown(Figure())

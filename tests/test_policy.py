"""Policies: what a page of two numbers means, and how policies are named, kept and refused."""

import base64
import json
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from sim import game as games
from sim.policy import (
    ONE,
    PRICES,
    SHAPE,
    SITUATIONS,
    STAY,
    STEP,
    VALUES,
    Policy,
    label,
    load,
    load_seats,
    load_tables,
    parse_page,
    shipped,
)
from sim.scenario import Scenario

LAST = SHAPE[0] - 1
FREE, FAIR, DEAR = 0, STEP, PRICES - 1
"""Buckets of a price of nothing, of just below a fair share, and of two and more."""


def tables(name: str) -> tuple[np.ndarray, np.ndarray]:
    policy = load(name)
    assert policy.tables is not None
    return policy.tables


def fold_chance(policy: Policy, value: float, price: float, street: int = 0) -> float:
    """Return the chance to fold a value in fair shares to a price in fair shares."""
    assert policy.tables is not None
    bucket = min(int(value * STEP), VALUES - 1)
    dear = 0 if price == 0 else 1 + min(int(price * STEP), PRICES - 2)
    return float(policy.tables[0][street, bucket, dear, 0]) / ONE


def test_below_caution_times_break_even_is_folded_and_above_is_not() -> None:
    for caution in (0.5, 0.9, 1.3):
        policy = Policy.family("own", caution, 1.5)
        for price in (0.2, 0.5, 1.0, 1.5):
            limit, width = caution * price, (1 + caution) / STEP  # a bucket of each
            assert fold_chance(policy, limit - width, price) == 1 or limit < width
            assert fold_chance(policy, limit + width, price) == 0


def test_above_aggression_is_raised_and_below_is_not() -> None:
    for aggression in (1.0, 1.5, 2.25):
        _, raises = Policy.family("own", 1.0, aggression).tables or ()
        border = int(aggression * STEP)
        assert (raises[0, border:, FREE, 0] == ONE).all()
        assert not raises[0, :border, FREE, 0].any()
        assert not raises[..., 1].any()


def test_between_two_buckets_the_chance_is_the_share_of_the_bucket() -> None:
    folds, raises = Policy.family("own", 1.0, 1.51).tables or ()
    assert folds[0, STEP - 1, FAIR, 0] == ONE // 2  # the middle of a price's bucket is compared
    assert raises[0, 24, FREE, 0] == pytest.approx(0.84 * ONE, abs=1)


@pytest.mark.parametrize("name", ["loose", "typical", "tight"])
def test_nobody_folds_for_free_or_pays_for_a_hand_that_cannot_win(name: str) -> None:
    folds, _ = tables(name)
    assert not folds[:, :, FREE].any()
    assert (folds[LAST, :, 1:, 1] == ONE).all()
    assert (folds[0, 0, DEAR] == ONE).all()


def test_chances_never_exceed_one_together() -> None:
    for name in ("loose", "typical", "tight"):
        folds, raises = tables(name)
        assert folds.shape == raises.shape == SHAPE
        assert (folds >= 0).all()
        assert (raises >= 0).all()
        assert (folds + raises <= ONE).all()


def test_shipped_policies_go_from_staying_to_tight() -> None:
    assert shipped()[0] == STAY.name
    assert load("stay") == STAY
    assert STAY.stays
    assert not STAY.looks
    folded = [int(tables(name)[0].astype(np.int64).sum()) for name in shipped()[1:]]
    assert folded == sorted(folded)
    assert all(load(name).summary for name in shipped())


def test_policies_that_act_alike_are_equal_whatever_they_are_called() -> None:
    assert load("fold:0") == STAY
    assert Policy.family("mine", 0.9, 1.5) == load("typical")
    assert hash(Policy.family("mine", 0.9, 1.5)) == hash(load("typical"))
    assert Policy.family("mine", 0.9, 1.6) != load("typical")
    assert load("fold:0.1") != load("fold:0.2")


@pytest.mark.parametrize("text", ["stay", "typical", "fold:0.25,0,0.5,1,0.1"])
def test_a_policy_is_made_again_from_what_a_store_keeps(text: str) -> None:
    policy = load(text)
    again = Policy.from_json(policy.as_json())
    assert (again, again.name) == (policy, policy.name)


def test_tables_are_made_again_to_the_last_chance() -> None:
    random = np.random.default_rng(7)
    fold = random.random(SHAPE)
    policy = Policy.of_tables("own", fold, (1 - fold) * random.random(SHAPE))
    assert Policy.from_json(policy.as_json()) == policy
    assert policy.looks


def test_numbers_after_fold_belong_to_it() -> None:
    seats = load_seats("tight,fold:0.1,0.2,0.3,0.2,.1,loose,fold:1, stay")
    assert [seat.name for seat in seats] == [
        "tight", "fold:0.1,0.2,0.3,0.2,0.1", "loose", "fold:1", "stay",
    ]  # fmt: skip
    assert seats[1].blind == (6554, 13107, 19661, 13107, 6554)
    assert seats[3].blind == (ONE,) * 5
    assert label(seats[:2]) == "tight,fold:0.1,0.2,0.3,0.2,0.1"
    assert label(load_seats("loose,loose,loose")) == "loose"


def test_a_page_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "nit.toml"
    path.write_text('name = "nit"\nsummary = "Waits."\ncaution = 2\naggression = 3.5\n')
    assert load(str(path)) == Policy.family("nit", 2.0, 3.5)
    for chances in ("[0.5]", "0.5"):
        assert parse_page(f'name = "half"\nfold = {chances}') == load("fold:0.5")
    fold = np.full(SHAPE, 0.25)
    page = f'name = "calm"\n[tables]\nfold = {fold.tolist()}\nraise = {fold.tolist()}'
    assert parse_page(page) == Policy.of_tables("other", fold, fold)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ('name = "a"', "caution and aggression, or of fold"),
        ('name = "a"\ncaution = 1', "caution and aggression"),
        ('name = "a"\ncaution = 1\naggression = 1\nfold = [0.1]', "either"),
        ('name = "a"\ncaution = 1\nfold = 0.1', "either"),
        ('name = "a"\ncaution = true\naggression = 1', "caution = True"),
        ('name = "a"\ncaution = 1\naggression = "1"', "aggression = '1'"),
        ('name = "a"\nfold = true', "True"),
        ('name = "a"\ncaution = -1\naggression = 1', "caution"),
        ('name = "a"\nfold = [1.5]', "fold"),
        ('name = "a"\nfold = [0.1, 0.2]', "one for all streets, or five"),
        ('name = "a"\nfold = ["x"]', "fold"),
        ('name = "A b"\nfold = [0.1]', "name"),
        ('name = "a"\nfolds = [0.1]', "did you mean fold"),
        ('name = "a"\n[tables]\nfold = [0.1]\nraise = [0.1]', "(5, 64, 34, 2)"),
        ('name = "a"\n[tables]\nfold = [0.1]', "tables.raise is missing"),
        ('name = "a"\n[tables]\nfold = [[1], [1, 2]]\nraise = [0.1]', "one shape"),
        ("name = ", "not TOML"),
    ],
)
def test_a_page_that_says_no_policy_is_refused(page: str, words: str, refused: Callable) -> None:
    refused(lambda: parse_page(page), words)


def test_tables_of_impossible_chances_are_refused(refused: Callable) -> None:
    none, all_of_it = np.zeros(SHAPE), np.ones(SHAPE)
    refused(lambda: Policy.of_tables("own", all_of_it * 1.01, none), "own", "from 0 to 1")
    refused(lambda: Policy.of_tables("own", none - 0.1, none), "from 0 to 1")
    refused(lambda: Policy.of_tables("own", none * np.nan, none), "from 0 to 1")
    refused(lambda: Policy.of_tables("own", all_of_it, all_of_it), "exceed 1 together")
    refused(lambda: Policy.of_tables("own", none[0], none), "(5, 64, 34, 2)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("typicle", "did you mean typical"),
        ("fold:", "fold:0.1"),
        ("fold:x", "fold:0.1"),
        ("fold:1.5", "from 0 to 1"),
        ("fold:-0.1", "from 0 to 1"),
        ("fold:nan", "from 0 to 1"),
        ("fold:0.1,0.2", "one for all streets, or five"),
        ("", "there is no policy"),
        ("stay,", "there is no policy"),
        ("nowhere.toml", "cannot be read"),
        (",".join(["stay"] * 9), "9 policies"),
    ],
)
def test_what_names_no_policy_is_refused(text: str, words: str, refused: Callable) -> None:
    refused(lambda: load_seats(text), words)


def test_a_page_may_not_take_a_shipped_name(tmp_path: Path, refused: Callable) -> None:
    path = tmp_path / "own.toml"
    path.write_text('name = "tight"\nfold = [0.1]\n')
    refused(lambda: load(str(path)), "shipped policy")


def test_policies_of_one_name_at_one_table_must_act_alike(refused: Callable) -> None:
    page, pair = games.load("spades"), [Policy.family("nit", 2.0, width) for width in (1.5, 2.5)]
    refused(lambda: Scenario(page, 2, tuple(pair)), "same name")
    assert Scenario(page, 2, (pair[0], Policy.family("nit", 2.0, 1.5))).policy == "nit"


@pytest.mark.parametrize("name", ["", "a,b", "x\n", "Stay", "fold:0.2", "a" * 41])
def test_names_that_results_could_not_be_told_by_are_refused(name: str, refused: Callable) -> None:
    page = games.load("spades")
    refused(lambda: Scenario(page, 2, (Policy.family(name, 1.0, 1.5),)), "cannot be called")
    refused(lambda: Scenario(page, 2, (Policy.family("stay", 1.0, 1.5),)), "shipped")


def test_a_policys_tables_cannot_be_changed() -> None:
    for table in load("typical").tables or ():
        with pytest.raises(ValueError, match="read-only"):
            table[...] = 0


def test_numbers_of_numpy_and_paths_will_do(tmp_path: Path) -> None:
    policy = Policy.family("own", np.float32(0.5), np.int64(2))
    assert json.loads(json.dumps(policy.as_json())) == policy.as_json()
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\ncaution = 0.5\naggression = 2\n')
    assert load_tables(path) == load_tables([path]) == load_tables([[path]]) == [(policy,)]
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - our own


@pytest.mark.parametrize(
    "chances", [("1e-05", "fold:0.00001"), ("0.10", "fold:0.1"), ("1", "fold:1")]
)
def test_chances_are_named_as_they_are_typed(chances: tuple[str, str]) -> None:
    assert load(f"fold:{chances[0]}").name == chances[1]


@pytest.mark.parametrize("wrong", [None, [None], 1, [1], b"stay", {"stay": 1}, [Policy], []])
def test_what_is_no_policy_is_refused(wrong: Any, refused: Callable) -> None:
    refused(lambda: load_tables(wrong), "policy")


@pytest.mark.parametrize(
    "number",
    ["1", None, True, float("nan"), float("inf"), -1, 1e308, 10**400, np.timedelta64(1, "s")],
)
def test_impossible_numbers_are_refused(number: Any, refused: Callable) -> None:
    refused(lambda: Policy.family("own", number, 1.0), "own: caution", "0 to 100")
    refused(lambda: Policy.folding("own", [number]), "own: a chance to fold", "0 to 1")
    refused(lambda: Policy.folding("own", number), "own: a chance to fold")


def test_tables_that_never_fold_or_raise_are_those_of_stay() -> None:
    none = np.zeros(SHAPE)
    idle = Policy.of_tables("idle", none, none + 0.4 / ONE)  # less than chances are kept to
    assert idle == STAY
    page = games.load("spades")
    alike, stay = Scenario(page, 4, (idle,)), Scenario(page, 4, (STAY,))
    assert (alike.key, alike.policy) == (stay.key, "stay")
    frames = [sim.exact("spades", 4, policies=[one]) for one in (idle, "stay")]
    assert len(frames[0]) > 0
    assert frames[0].equals(frames[1])
    assert Policy.from_json(idle.as_json()) == STAY
    assert idle != Policy.of_tables("busy", none, none + 1 / ONE)


def test_a_policy_is_made_of_its_recipe_alone(refused: Callable) -> None:
    refused(lambda: Policy("own", {}, blind=(10**9,) * 5), "Policy.folding")
    refused(lambda: Policy.from_json({"name": "own"}), "no policy")
    refused(lambda: Policy.from_json({"name": "own", "packed": "x"}), "no policy")
    refused(lambda: Policy.folding("own", 0.1, summary=5), "summary")
    refused(lambda: Policy.folding(5, 0.1), "name")


def test_masked_chances_are_refused(refused: Callable) -> None:
    none, mask = np.zeros(SHAPE), np.arange(np.prod(SHAPE)).reshape(SHAPE) == 7
    for table in (np.ma.array(none, mask=mask), list(np.ma.array(none, mask=mask))):
        refused(lambda table=table: Policy.of_tables("own", table, none), "masked")


@pytest.mark.parametrize(
    "path", ["/dev/zero", "a\0b/x.toml", "\ud800/x.toml", "x/" * 900 + ".toml"]
)
def test_what_is_no_page_is_not_read(path: str, refused: Callable) -> None:
    refused(lambda: load(path))


def test_tables_of_no_numbers_are_refused(refused: Callable) -> None:
    none = np.zeros(SHAPE)
    for wrong in (none.astype(complex), none.astype(str), [10**400], none.astype(object)):
        refused(lambda table=wrong: Policy.of_tables("own", table, none), "array of numbers")


# --- Tables that heed the situation ------------------------------------------------------------


def by_situation(name: str = "own") -> Policy:
    """Return who folds the more, the more are in, and once more if there was a bet."""
    sizes, bets = np.arange(SITUATIONS[0])[:, None], np.arange(SITUATIONS[1])
    fold = np.broadcast_to((sizes + bets)[..., None, None, None, None] / 16, (*SITUATIONS, *SHAPE))
    return Policy.of_tables(name, fold, np.zeros(SHAPE))


def test_tables_may_heed_how_many_are_still_in_and_how_often_there_was_a_bet() -> None:
    folds, raises = by_situation().tables or ()
    assert folds.shape == raises.shape == (*SITUATIONS, *SHAPE)
    assert [int(folds[size, 2, 0, 0, 0, 0]) for size in range(SITUATIONS[0])] == [
        ONE * (size + 2) // 16 for size in range(SITUATIONS[0])
    ]


def test_tables_alike_in_any_situation_are_the_tables_without_it() -> None:
    folds, raises = load("typical").tables or ()
    more = (np.broadcast_to(table / ONE, (*SITUATIONS, *SHAPE)) for table in (folds, raises))
    assert Policy.of_tables("same", *more).digest == load("typical").digest


@pytest.mark.parametrize("policy", [by_situation(), load("tight"), load("fold:0.1,0,0,0,1")])
def test_a_policy_is_read_again_from_its_page(policy: Policy) -> None:
    page = Policy.from_json({**policy.as_json(), "name": "read"}).with_summary('So "it" is.')
    again = parse_page(page.as_page())
    assert again == policy
    assert (again.name, again.summary) == ("read", 'So "it" is.')
    assert Policy.from_json(policy.as_json()) == policy


def packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "AAAA", packed(b""), packed(b"1234"), packed(bytes(2 * 4 * 21760 * 3)),
        packed(bytes(1 << 26)), packed(bytes(2 * 4 * 21760))[:-8], "é",
        packed(np.full((2, *SHAPE), ONE, "<i4").tobytes()),
    ],
)  # fmt: skip
def test_what_is_packed_wrongly_is_refused(text: str, refused: Callable) -> None:
    refused(lambda: parse_page(f'name = "own"\npacked = "{text}"'), "policy")


def test_a_page_has_tables_packed_or_not(refused: Callable) -> None:
    page = by_situation().as_page() + "caution = 1.0\naggression = 1.0\n"
    refused(lambda: parse_page(page), "packed or not")

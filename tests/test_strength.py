"""Hand strength before the last card, against every way to complete a hand; and its file."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, floor, sqrt
from pathlib import Path

import numba
import numpy as np
import platformdirs
import pytest
from numpy.typing import NDArray

import sim
from sim import hands
from sim import strength as module
from sim.cards import DECK, cards_in, mask_of, parse_cards, parse_set
from sim.kernels import strength as kernel
from sim.kernels.census import count_hands
from sim.kernels.evaluate import CardWords, card_words
from sim.kernels.ranks import MAX_CARDS, RankTables
from sim.kernels.strength import ONE, StrengthTable, expected_strength
from sim.odds.hands import natural_choices
from sim.strength import strength_table, strength_table_key

PAGES = [
    ("none", False),
    ("spades", False),
    ("spades", True),
    ("deuces", False),
    ("Js Jh", False),
    ("2c 3d 4h", False),  # no two suits alike, and the most cells
]
SAMPLE = {3: 3, 4: 20, 5: 150, 6: 300, 7: 300}
"""Hands tried, by number of cards: about a million finished hands for each page."""
OPPONENTS = range(1, kernel.MAX_OPPONENTS + 1)
SMALL = parse_set("clubs diamonds hearts")
"""Wild cards that leave few different hands, and so a file that is quickly made."""


@cache
def made(wild: str, flush_repeats: bool = False) -> StrengthTable:
    return kernel.build(hands.tables(), parse_set(wild), flush_repeats)


@cache
def words_of(wild: str) -> CardWords:
    return card_words(parse_set(wild))


def worth(page: StrengthTable) -> NDArray[np.uint16]:
    """Return what finished hands are worth, (7, strengths)."""
    return page.values[:, page.layout[0]["slots"][MAX_CARDS] :]


def looked_up(page: StrengthTable, wild: str, hand: list[int], opponents: int = 1) -> int:
    """Return the value of a hand from the table."""
    words = words_of(wild)
    total = np.append(words.words[hand], hands.tables().starts[len(hand)]).sum(dtype=np.uint64)
    suits = words.suits[hand].sum(dtype=np.uint64)
    return int(expected_strength(page, hands.tables(), total, suits, len(hand), opponents))


def value(wild: str, cards: str, opponents: int = 1) -> int:
    return looked_up(made(wild), wild, parse_cards(cards), opponents)


def random_hands(size: int, number: int) -> NDArray[np.int64]:
    order = np.random.default_rng(size).random((number, DECK)).argsort(axis=1)
    return order[:, :size]


@cache
def completions(size: int) -> NDArray[np.int64]:
    """Return every choice, by number, of the cards that a hand of a size still lacks."""
    return np.array(list(combinations(range(DECK - size), MAX_CARDS - size)), np.int64)


def finished_hands(hand: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every hand of seven cards that a hand may become."""
    rest = np.setdiff1d(np.arange(DECK), hand)
    further = rest[completions(len(hand))]
    return np.hstack([np.tile(hand, (len(further), 1)), further])


@cache
def counted(wild: str, flush_repeats: bool = False) -> NDArray[np.int64]:
    """Count all hands of seven cards by strength: ranks every one, wild cards being alike."""
    cards, page = parse_set(wild), card_words(parse_set(wild), flush_repeats=flush_repeats)
    every = np.arange(len(hands.tables().values), dtype=np.uint16)
    fields = [hands.tables()[name] for name in RankTables._fields]
    tables = RankTables(*fields)._replace(categories=every)
    choices = natural_choices(page, cards)
    counts = np.zeros((len(every), MAX_CARDS + 1), np.int64)
    for held in range(min(cards.bit_count(), MAX_CARDS) + 1):
        found = np.zeros_like(counts)
        jokers = np.full(held, page.words[next(cards_in(cards))] if held else 0, np.uint64)
        start = np.append(jokers, tables.starts[MAX_CARDS]).sum(dtype=np.uint64)
        count_hands(tables, page.flushes, choices, start, MAX_CARDS - held, found)
        counts += comb(cards.bit_count(), held) * found
    return counts[:, 0]


@pytest.mark.parametrize(
    ("wild", "flush_repeats"),
    [("spades", False), ("spades", True), pytest.param("none", False, marks=pytest.mark.slow)],
)
def test_a_finished_hand_counts_the_hands_it_beats_and_half_of_its_ties(wild, flush_repeats):
    counts = [int(count) for count in counted(wild, flush_repeats)]
    everything = comb(DECK, MAX_CARDS)
    assert sum(counts) == everything
    below = 0
    for strength, count in enumerate(counts):
        share = Fraction(2 * below + count, 2 * everything)
        for opponents in (1, 7):
            expected = min(floor(ONE * share**opponents + Fraction(1, 2)), ONE - 1)
            assert worth(made(wild, flush_repeats))[opponents - 1, strength] == expected
        below += count


@pytest.mark.parametrize("size", SAMPLE)
@pytest.mark.parametrize(("wild", "flush_repeats"), PAGES)
def test_a_value_is_the_mean_over_all_ways_to_complete_the_hand(wild, flush_repeats, size):
    page = made(wild, flush_repeats)
    for hand in random_hands(size, SAMPLE[size]):
        finished = finished_hands(hand)
        strengths = hands.evaluate(finished, wild, flush_repeats=flush_repeats)
        for opponents in OPPONENTS:
            total = int(worth(page)[opponents - 1, strengths].sum(dtype=np.int64))
            mean = (2 * total + len(finished)) // (2 * len(finished))
            assert looked_up(page, wild, list(hand), opponents) == mean


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("wild", ["none", "spades", "Js Jh"])
def test_fewer_cards_are_worth_the_mean_over_the_next_card(wild, size):
    for hand in random_hands(size, 8).tolist():
        rest = [card for card in range(DECK) if card not in hand]
        for opponents in (1, 4, 7):
            nexts = [looked_up(made(wild), wild, [*hand, card], opponents) for card in rest]
            mean = sum(nexts) / len(nexts)
            assert looked_up(made(wild), wild, hand, opponents) == pytest.approx(mean, abs=1)


@pytest.mark.parametrize("wild", ["none", "spades", "deuces"])
def test_no_cards_are_worth_their_share(wild):
    """One in two exactly; a little less against more, as ties count by halves to the power."""
    page = made(wild)
    assert looked_up(page, wild, []) == ONE // 2
    for opponents in OPPONENTS:
        share = looked_up(page, wild, [], opponents) / ONE
        assert 0.999 / (opponents + 1) < share < 1 / (opponents + 1) + 1 / ONE


@pytest.mark.parametrize("wild", ["none", "spades"])
def test_a_finished_hand_beats_its_share_of_dealt_hands(wild):
    dealt = hands.deal(7, 20_000, seed=1)[:, 0]
    strengths = hands.evaluate(dealt, wild).astype(np.int64)
    for hand in random_hands(MAX_CARDS, 20):
        own = int(hands.evaluate(hand, wild))
        share = looked_up(made(wild), wild, list(hand)) / ONE
        beaten = (strengths < own).mean() + (strengths == own).mean() / 2
        assert abs(beaten - share) < 4.5 * sqrt(share * (1 - share) / len(dealt)) + 1e-4


def test_better_cards_are_worth_more():
    for wild in ("none", "spades"):
        assert value(wild, "Ac Ad Ah") > value(wild, "2c 2d 2h")
        assert value(wild, "Ah Kh Qh Jh") > value(wild, "Ah Kh Qh Jd") > value(wild, "Ah Kh Qd 9c")
        assert value(wild, "Ac Ad Kc Kd Qc Qd") > value(wild, "3c 3d 4c 4d 5c 7d")
    assert value("spades", "2s 3s Kd") > value("none", "2s 3s Kd")
    assert value("none", "9h 8h 7h 6h 2c 2d") > value("none", "9h 8h 7h 6d 2c 2d")


def test_suits_of_a_kind_may_change_places():
    assert value("none", "Ah Kh Qh 9c") == value("none", "As Ks Qs 9d")
    assert value("spades", "Ah Kh Qh 9c 2s") == value("spades", "Ad Kd Qd 9h 7s")
    assert value("Js", "9h Th 8h 7h Qh 2c") > value("Js", "9s Ts 8s 7s Qs 2c")  # no natural jack


@pytest.mark.parametrize("wild", ["none", "spades"])
def test_more_opponents_are_harder_to_beat(wild):
    for size in range(MAX_CARDS + 1):
        for hand in random_hands(size, 50):
            values = [looked_up(made(wild), wild, list(hand), number) for number in OPPONENTS]
            assert values == sorted(values, reverse=True)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep files in a directory of the test's own, and nothing in memory."""
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(tmp_path / name))
    return tmp_path / "spadework" / "strength"


def fresh(wild: int = SMALL, flush_repeats: bool = False) -> StrengthTable:
    """Return a table as a new process would get them."""
    strength_table.cache_clear()
    return strength_table(wild, flush_repeats)


def same(one: StrengthTable, other: StrengthTable) -> bool:
    """Whether two are alike, to the compiler too."""
    equal = all(np.array_equal(own, its) for own, its in zip(one, other, strict=True))
    return equal and numba.typeof(one) == numba.typeof(other)


def kept(directory: Path) -> Path:
    """Make the small file and return it."""
    fresh()
    return directory / f"{strength_table_key(SMALL, False)}.npz"


def refuse(*_: object) -> StrengthTable:
    raise AssertionError("made again")


def test_strength_tables_are_made_once(directory: Path, monkeypatch: pytest.MonkeyPatch):
    first = fresh()
    assert strength_table(SMALL, False) is first
    monkeypatch.setattr(kernel, "build", refuse)
    assert same(fresh(), first)
    assert [path.name for path in directory.iterdir()] == [
        f"{strength_table_key(SMALL, False)}.npz"
    ]


def test_the_same_file_is_made_again(directory: Path):
    path = kept(directory)
    before = path.read_bytes()
    path.unlink()
    fresh()
    assert path.read_bytes() == before


def test_a_file_cut_short_is_made_again(directory: Path):
    path = kept(directory)
    whole = path.read_bytes()
    expected = fresh()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert same(fresh(), expected)
        assert path.read_bytes() == whole


def test_a_changed_byte_never_changes_a_value(directory: Path):
    path = kept(directory)
    whole = path.read_bytes()
    expected = fresh()
    for offset in [*range(0, len(whole), len(whole) // 15), *range(len(whole) - 40, len(whole), 4)]:
        spoilt = bytearray(whole)
        spoilt[offset] ^= 0x55
        path.write_bytes(spoilt)
        assert same(fresh(), expected)


def as_text(path: Path) -> None:
    path.write_text("not an archive")


def as_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.arange(5))


def as_objects(path: Path) -> None:
    np.savez(path, maker=np.array([None, {}], dtype=object))


def as_other_cards(path: Path) -> None:
    fresh(parse_set("clubs diamonds spades"))
    other = path.with_name(f"{strength_table_key(parse_set('clubs diamonds spades'), False)}.npz")
    other.replace(path)


def as_older_code(path: Path) -> None:
    change(path, maker=np.array("somebody else"))


def as_other_type(path: Path) -> None:
    change(path, values=np.zeros((7, 10)))


def as_other_shape(path: Path) -> None:
    change(path, shifts=np.zeros(1, np.uint16))


def as_other_layout(path: Path) -> None:
    change(path, layout=np.zeros(1, kernel.LAYOUT))


def change(path: Path, **others: NDArray[np.generic]) -> None:
    """Replace arrays of a file."""
    with np.load(path) as arrays:
        parts = dict(arrays) | others
    np.savez(path, **parts)


SPOILERS = [
    as_text, as_array, as_objects, as_other_cards, as_older_code, as_other_type, as_other_shape,
    as_other_layout,
]  # fmt: skip


@pytest.mark.parametrize("spoil", SPOILERS)
def test_a_file_that_is_not_ours_is_made_again(directory: Path, spoil: Callable[[Path], None]):
    path = kept(directory)
    whole = path.read_bytes()
    expected = fresh()
    spoil(path)
    assert same(fresh(), expected)
    assert path.read_bytes() == whole


def test_strength_tables_that_cannot_be_kept_are_made_all_the_same(directory: Path):
    directory.parent.mkdir()
    directory.write_text("in the way")
    assert same(fresh(), kernel.build(hands.tables(), SMALL, False))
    assert directory.read_text() == "in the way"


def test_a_key_tells_pages_apart_and_is_found_without_making_anything(
    directory: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kernel, "build", refuse)
    pages = [(mask_of([51]), False), *((parse_set(wild), repeats) for wild, repeats in PAGES)]
    keys = {strength_table_key(*page) for page in pages}
    assert len(keys) == len(pages)
    assert keys == {strength_table_key(*page) for page in pages}
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert not keys & {strength_table_key(*page) for page in pages}
    assert not directory.exists()


def test_the_face_reads_hands_as_evaluate_does() -> None:
    """A finished hand is worth the share of random hands it beats, ties half."""
    sample = sim.deal(players=2, tables=20_000, seed=3)
    first, second = (sim.evaluate(sample[:, seat], wild="spades") for seat in range(2))
    won = (first > second) + 0.5 * (first == second)
    known = sim.expected_strength(sample[:, 0], wild="spades")
    assert abs((won - known).mean()) < 4 * (won - known).std() / 20_000**0.5
    assert (
        sim.expected_strength("As Ah Ad")
        > sim.expected_strength("2s 2h 2d")
        > sim.expected_strength("2s 7h 9d")
    )
    assert sim.expected_strength("As Ah Ad", opponents=7) < sim.expected_strength(
        "As Ah Ad", opponents=1
    )
    for bad in (
        lambda: sim.expected_strength("As As"),
        lambda: sim.expected_strength("As", opponents=0),
    ):
        with pytest.raises(sim.InputError):
            bad()


def test_the_old_name_is_refused_with_the_new_one():
    with pytest.raises(AttributeError, match=r"sim\.expected_strength"):
        _ = sim.chance
    assert not hasattr(sim, "chance")

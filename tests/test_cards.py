"""Cards: what is written is read, and what is no card is refused in one sentence."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import cards
from sim.errors import InputError

MASKS = st.integers(0, 2**52 - 1)


@pytest.mark.parametrize("symbols", [False, True])
def test_every_card_is_read_as_it_is_written(symbols: bool) -> None:
    written = [cards.format_card(card, symbols=symbols) for card in range(52)]
    assert [cards.parse_card(text) for text in written] == list(range(52))
    assert cards.parse_cards(" ".join(written)) == list(range(52))
    assert len(set(written)) == 52


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("2c", 0), ("2♦", 1), ("3c", 4), ("Ks", 47), ("K♠", 47), ("kS", 47),
        ("10h", 34), ("Th", 34), ("th", 34), ("10♥", 34), ("As", 51),
    ],
)  # fmt: skip
def test_ways_to_write_a_card(text: str, card: int) -> None:
    assert cards.parse_card(text) == card


@pytest.mark.parametrize(
    "text", ["", "K", "s", "1s", "11s", "0h", "Kx", "sK", "KKs", "K s", "♠", "K♠♠"]
)
def test_what_is_no_card_is_refused(text: str, refused: Callable) -> None:
    refused(lambda: cards.parse_card(text), repr(text), "Ks")


def assert_one_line(message: str) -> None:
    assert len(message.splitlines()) == 1


@given(st.text())
def test_any_text_is_a_card_or_refused(text: str) -> None:
    try:
        assert 0 <= cards.parse_card(text) < 52
    except InputError as error:
        message = str(error)
        assert_one_line(message)


def test_several_cards_keep_their_order() -> None:
    assert cards.parse_cards("As, 2c 10♥,Kd") == [51, 0, 34, 45]
    assert cards.parse_cards("  ") == []


@pytest.mark.parametrize("text", ["Ks Ks", "10h,Th", "K♠ 2c Ks"])
def test_a_card_twice_is_refused(text: str, refused: Callable) -> None:
    refused(lambda: cards.parse_cards(text), "appears twice")


@pytest.mark.parametrize("card", [-1, 52, 1000])
def test_a_number_that_is_no_card_is_refused(card: int, refused: Callable) -> None:
    refused(lambda: cards.mask_of([3, card]), str(card), "0 to 51")


@given(MASKS)
def test_every_set_is_read_as_it_is_written(mask: int) -> None:
    assert cards.mask_of(cards.cards_in(mask)) == mask
    assert cards.parse_set(cards.format_set(mask)) == mask
    assert cards.parse_set(cards.format_set(mask, symbols=True)) == mask


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("none", []),
        ("", []),
        ("spades", list(range(3, 52, 4))),
        ("Deuces", [0, 1, 2, 3]),
        ("sixes", [16, 17, 18, 19]),
        ("Js Qs K♠", [39, 43, 47]),
        ("deuces, 3c", [0, 1, 2, 3, 4]),
        ("twos", [0, 1, 2, 3]),
        ("Threes nines", [4, 5, 6, 7, 28, 29, 30, 31]),
        ("trey two ace", [0, 1, 2, 3, 4, 5, 6, 7, 48, 49, 50, 51]),
        ("spade", list(range(3, 52, 4))),
        ("Ks Ks", [47]),
        ("clubs diamonds hearts spades", list(range(52))),
    ],
)
def test_ways_to_write_a_set(text: str, held: list[int]) -> None:
    assert list(cards.cards_in(cards.parse_set(text))) == held


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Ks Qs Js", "Js Qs Ks"),
        ("2c 2d 2h 2s", "deuces"),
        ("aces kings", "kings aces"),
        ("spades 2c", "spades 2c"),
        ("none", "none"),
    ],
)
def test_sets_are_written_the_shortest_way(text: str, written: str) -> None:
    assert cards.format_set(cards.parse_set(text)) == written


@pytest.mark.parametrize("text", ["spades 1x", "elevens", "jokers"])
def test_what_is_no_set_is_refused(text: str, refused: Callable) -> None:
    names = ("hearts", "deuces or twos", "treys or threes", "fours", "tens", "jacks", "aces")
    refused(lambda: cards.parse_set(text), repr(text.split()[-1]), *names)


@pytest.mark.parametrize("text", ["low hole card", "low-hole", "lowest hole", "3c LOW"])
def test_cards_that_hang_on_what_one_holds_are_told_from_mistakes(
    text: str, refused: Callable
) -> None:
    refused(lambda: cards.parse_set(text), repr(text), "cannot be played here")


def test_every_rank_is_named_as_people_name_it() -> None:
    names = [
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "jack",
        "queen",
        "king",
        "ace",
    ]
    for rank, name in enumerate(names):
        for word in (name, f"{name}es" if name == "six" else f"{name}s"):
            assert cards.parse_set(word) == 0b1111 << 4 * rank

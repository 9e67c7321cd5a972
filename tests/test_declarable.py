"""What hands can be claimed as: against every naming of every wild card, and the census."""

from math import comb

import naive
import numpy as np
import pytest

from sim import cards
from sim.kernels.ranks import CATEGORIES
from sim.odds import can_be, census, claims, fair_orders, named

USUAL = CATEGORIES[::-1]
WILD = ["none", "spades", "deuces", "Qs", "2d 2c 9h Qs"]
DEUCES, SPADES = cards.parse_set("deuces"), cards.parse_set("spades")


def names(categories):
    return tuple(CATEGORIES[category] for category in sorted(categories, reverse=True))


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("wild", WILD)
def test_a_hand_can_be_what_some_naming_makes_of_it(wild, size):
    mask, random = cards.parse_set(wild), np.random.default_rng(size)
    seen = 0
    while seen < 25:
        hand = random.choice(52, size, replace=False).tolist()
        if sum(mask >> card & 1 for card in hand) <= 2:  # more take too long to name
            assert can_be(hand, mask) == names(naive.claims_of(hand, mask)), hand
            seen += 1


@pytest.mark.parametrize(
    ("hand", "wild"),
    [
        ("Ah Kh Qh Jh Th 9h 8h", "none"),  # nothing but flushes
        ("Ah Kh Qh Jh Th 9h 9c", "none"),
        ("Ah Kh Qh Jh Th 2c 2d", "none"),
        ("Ah Kh Qh Jh Tc 5h 2h", "none"),
        ("Ac 2h 3h 4h 5h 6h", "none"),
        ("2h 3h 4h 5h 7h Ac", "none"),
        ("As 2h 3h 4h 5h 6h", "As"),
        ("Ah Ac Ad As 2s", "2s"),
        ("2c 2d 2h 2s 3c", "deuces"),
        ("Kh Kd 9c 5s 2s", "2s"),
    ],
)
def test_hands_on_a_border_can_be_what_some_naming_makes_of_them(hand, wild):
    held, mask = cards.parse_cards(hand), cards.parse_set(wild)
    assert can_be(held, mask) == names(naive.claims_of(held, mask))


@pytest.mark.parametrize("size", [5, 7])
@pytest.mark.parametrize("wild", WILD)
def test_the_best_claims_are_the_census(wild, size):
    mask = cards.parse_set(wild)
    counts = claims(mask, size)
    assert counts.sum() == comb(52, size)
    for held, row in enumerate(census(mask, 0, size).sum(axis=2)):
        found = named(counts[held], USUAL)
        assert [found[name] for name in CATEGORIES] == row.tolist()


def test_only_the_usual_order_is_fair_to_five_plain_cards():
    fair = list(fair_orders(claims(0, 5)))
    assert fair == [USUAL[1:]]  # nobody has five of a kind


@pytest.mark.parametrize(("wild", "size"), [(SPADES, 5), (DEUCES, 5), (SPADES, 7), (0, 7)])
def test_no_order_is_fair_where_holders_choose(wild, size):
    assert not list(fair_orders(claims(wild, size)))


def test_deuces_wild_turn_four_of_a_kind_and_a_full_house_round_and_round():
    """Whichever of the two ranks higher is the more common one (Emert and Umbach 1996)."""
    counts = claims(DEUCES, 5)
    standard = named(counts, USUAL)
    quads, full = USUAL.index("four of a kind"), USUAL.index("full house")
    swapped = list(USUAL)
    swapped[quads], swapped[full] = swapped[full], swapped[quads]
    other = named(counts, swapped)
    assert standard["four of a kind"] > standard["full house"]
    assert other["full house"] > other["four of a kind"]


def test_orders_are_found_wherever_there_are_several():
    """Two categories that as many hands can be, and never the same hands, may stand either way."""
    counts = np.zeros(1 << len(CATEGORIES), np.int64)
    counts[0b001], counts[0b010], counts[0b100] = 5, 5, 7
    assert set(fair_orders(counts)) == {
        ("high card", "one pair", "two pair"), ("one pair", "high card", "two pair")
    }  # fmt: skip
    counts[0b101] = 3  # now two pair is claimed where it ranks above, and rarest where it does not
    assert named(counts, ["two pair", "high card"]) == {"two pair": 10, "high card": 5}
    assert named(counts, ["high card", "two pair"]) == {"high card": 8, "two pair": 7}


def test_fewer_than_five_cards_are_refused():
    with pytest.raises(ValueError, match="cards of a hand = 4"):
        claims(0, 4)

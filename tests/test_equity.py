"""Equity: what a hand wins over real deals, against every deal there is, one card after another."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import naive
import numpy as np
import pytest
from phevaluator import evaluate_cards

import sim
from sim import showdown
from sim.cards import DECK, format_card, parse_cards
from sim.game import Game
from sim.game import load as load_game
from sim.hands import tables
from sim.kernels import equity as kernel


class Deal(NamedTuple):
    """What a deal came to: a killer ended it, or put the hand out, or it won a share."""

    killed: bool = False
    out: bool = False
    share: Fraction = Fraction(0)


@cache
def value(cards: frozenset[int], wild: int) -> naive.Value:
    return naive.best_hand(sorted(cards), wild)


def deals_of(
    page: Game, own: list[int], boards: list[list[int]], unseen: Sequence[int]
) -> Iterator[Deal]:
    """Deal the unseen cards in each order, street by street and seat by seat, as at a table."""
    shown = min(len(own) - 2, 4)
    seats = range(len(boards) + 1)
    hidden = sum(shown - len(board) for board in boards)
    to_come = (4 - shown) * len(seats)
    down = 2 * len(boards) + (len(seats) if len(own) < 7 else len(boards))
    for order in permutations(unseen, hidden + to_come + down):
        cards = iter(order)
        hands = [[*own], *([*board] for board in boards)]
        for hand in hands[1:]:
            hand += [next(cards) for _ in range(shown - len(hand))]
        if any(page.kill.cards >> card & 1 for hand in hands[1:] for card in hand):
            continue  # it would not be on
        yield finish(page, hands, cards, shown)


def finish(page: Game, hands: list[list[int]], cards: Iterator[int], shown: int) -> Deal:
    """Deal on from where all have so many up cards; each seat's hole cards come last."""
    still_in = set(range(len(hands)))
    for _ in range(shown, 4):
        for seat, hand in enumerate(hands):
            card = next(cards)
            if page.kill.cards >> card & 1:
                if page.kill.treatment == "redeal":
                    return Deal(killed=True)
                if seat in still_in and len(still_in) > 1:
                    still_in.remove(seat)
            hand.append(card)
    for hand in hands:
        hand += [next(cards) for _ in range(7 - len(hand))]
    if 0 not in still_in:
        return Deal(out=True)
    values = {seat: value(frozenset(hands[seat]), page.wild) for seat in still_in}
    winners = [seat for seat in still_in if values[seat] == max(values.values())]
    return Deal(share=Fraction(1, len(winners)) if 0 in winners else Fraction(0))


SITUATIONS = {
    "seventh street, spades wild": ("spades", "9s 9h 7c 2d 4c 3c 4h", ["Kd Kc 8h 8d"]),
    "seventh street, ties": ("seven-card-stud", "Ah Kh Qd Jc Ts 2c 2d", ["9c Ad Kc Qh"]),
    "up cards to come": ("faces-of-death", "Ac Ad 3h 3d 5c", ["9c 9d 2h"]),
    "a killer in the hole": ("faces-of-death", "Js Ad 3h 3d 5c", ["9c 9d 2h"]),
    "put out": ("faces-of-death kill.treatment=player-out", "Ac Ad 3h 3d 5c", ["9c 8c 2h"]),
    "half a board": ("faces-of-death", "Ac Ad 3h 3d 5c", ["9c 9d"]),
    "two others": ("spades", "9s 9h 7c 2d 4c 3c 4h", ["Kd 2c 8h 3d", "Ah Qh Jh 6d"]),
    "one of whom nothing is known": ("spades", "9s 9h 7c 2d 4c 3c 4h", [""]),
}
"""A page, a hand, and what others show."""
REST = "Qs Th Jd 5h Kh Ks 7d 6c 2s 6s 7h"
"""What has not been seen, as far as it is needed."""


def situation(name: str) -> tuple[Game, list[int], list[list[int]], list[int], list[int]]:
    """Return the page, the hand, boards, unseen and dead cards: one more unseen than to come."""
    text, hand, shown = SITUATIONS[name]
    page = load_game(text.split()[0], text.split()[1:])
    own, boards = parse_cards(hand), [parse_cards(board) for board in shown]
    known = {*own, *(card for board in boards for card in board)}
    to_come = 7 * (len(boards) + 1) - len(own) - sum(map(len, boards))
    unseen = [card for card in parse_cards(REST) if card not in known][: to_come + 1]
    assert len(unseen) == to_come + 1
    dead = [card for card in range(DECK) if card not in known and card not in unseen]
    return page, own, boards, unseen, dead


@pytest.mark.parametrize("name", SITUATIONS)
def test_all_completions_are_those_of_the_table(name: str) -> None:
    page, own, boards, unseen, dead = situation(name)
    told = sim.equity(own, boards=boards, dead=dead, game=page)
    deals = list(deals_of(page, own, boards, unseen))
    finished = [deal for deal in deals if not deal.killed]
    share, number = sum(deal.share for deal in deals), len(deals)
    killed = number - len(finished)
    expected = {
        "killed": (told.killed, killed, number),
        "out": (told.out, sum(deal.out for deal in deals), number),
        "win": (told.win, sum(deal.share == 1 for deal in deals), number),
        "tie": (told.tie, sum(0 < deal.share < 1 for deal in deals), number),
        "share": (told.share, share, number),
        "share of what finishes": (told.finished.share, share, len(finished)),
    }
    if page.kill.treatment == "player-out":
        assert told.pot_share is None
    else:
        expected["a kill worth a fair share"] = (
            told.pot_share, share + Fraction(killed, len(boards) + 1), number,
        )  # fmt: skip
    assert told.exact
    assert 0 < share < number
    for what, (value, part, whole) in expected.items():
        assert value.estimate == pytest.approx(float(part / whole), abs=1e-12), what
        assert value.low != value.low, what  # no interval


@pytest.mark.parametrize("name", SITUATIONS)
def test_sampled_deals_are_spread_over_all_of_them(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, own, boards, _, dead = situation(name)
    every = sim.equity(own, boards=boards, dead=dead, game=page)
    monkeypatch.setattr(showdown, "MOST_COMPLETIONS", 0)
    some = sim.equity(own, boards=boards, dead=dead, game=page, deals=200_000, seed=3)
    pairs = [
        (some.win, every.win), (some.tie, every.tie), (some.share, every.share),
        (some.killed, every.killed), (some.out, every.out),
        (some.finished.share, every.finished.share),
    ]  # fmt: skip
    for sampled, exact in pairs:
        assert abs(sampled.estimate - exact.estimate) <= 4.5 * sampled.se + 1e-12
        assert sampled.low <= sampled.estimate <= sampled.high


def test_on_the_plain_deck_all_completions_equal_a_public_evaluator() -> None:
    own, board = ["9d", "9h", "9c", "7h", "2d", "4c", "3c"], ["Kd", "Kc", "8h", "8d"]
    unseen = [name for name in map(format_card, range(DECK)) if name not in {*own, *board}]
    mine = evaluate_cards(*own)  # the lower the better
    theirs = [evaluate_cards(*board, *down) for down in combinations(unseen, 3)]
    told = sim.equity(" ".join(own), boards=[" ".join(board)], game="seven-card-stud")
    assert told.deals == len(theirs)
    assert told.win.estimate == sum(other > mine for other in theirs) / len(theirs)
    assert told.tie.estimate == sum(other == mine for other in theirs) / len(theirs)


def test_on_the_plain_deck_deals_agree_with_a_public_evaluator() -> None:
    """Split aces with a king against two others, dealt by NumPy."""
    own, pots = ["Ah", "Ac", "Kd"], 10_000
    roll = np.random.default_rng(5)
    unseen = [name for name in map(format_card, range(DECK)) if name not in own]
    shares = []
    for _ in range(pots):
        dealt = roll.choice(unseen, 18, replace=False).tolist()
        hands = [own + dealt[:4], dealt[4:11], dealt[11:]]
        ranks = [evaluate_cards(*hand) for hand in hands]
        shares.append((ranks[0] == min(ranks)) / ranks.count(min(ranks)))
    told = sim.equity(" ".join(own), opponents=2, game="seven-card-stud", deals=1_000_000).share
    error = np.std(shares) / math.sqrt(pots)
    assert abs(told.estimate - np.mean(shares)) < 4 * math.hypot(error, told.se)


def test_a_deal_has_its_own_place_in_the_stream() -> None:
    def counted(*parts: tuple[int, int]) -> bytes:
        page, own, boards, _, dead = situation("two others")
        state, _ = showdown._situation(page, own, boards, dead, len(boards) + 1)
        counts = np.zeros(1, kernel.COUNTS)
        for first, deals in parts:
            kernel.sample_deals(tables(), state, np.uint64(9), first, deals, counts)
        return counts.tobytes()

    assert counted((0, 1000)) == counted((600, 400), (0, 600))
    assert counted((0, 1000)) != counted((1000, 1000))


def test_where_all_come_back_a_kill_is_worth_a_seats_share() -> None:
    def worth(treatment: str, players: int) -> float:
        page = load_game("faces-of-death", [treatment])
        told = sim.equity("Ac Ad 3h", opponents=2, game=page, players=players, seed=4)
        assert told.pot_share is not None
        return (told.pot_share.estimate - told.share.estimate) / told.killed.estimate

    assert worth("kill.everyone=false", 6) == pytest.approx(1 / 3)
    assert worth("kill.everyone=true", 6) == pytest.approx(1 / 6)


def test_eight_share_their_last_card() -> None:
    """So it may kill; of 46 cards unseen after sixth street three do, and none lies face up."""
    before = sim.equity("Ac Kc 2c 3d 4h 6h", opponents=7, game="faces-of-death", deals=400_000)
    # The other boards, 28 cards, are no killers: these are among the 18 that are left.
    assert abs(before.killed.estimate - 3 / 18) < 4.5 * before.killed.se
    after = sim.equity("Ac Kc 2c 3d 4h 6h 9c", opponents=7, game="faces-of-death")
    assert after.killed.estimate == 0
    straight = "Th Jd Qc Kh 2c 3d Ad"  # with the ace in everybody's hand
    assert sim.equity(straight, opponents=7, game="seven-card-stud").tie.estimate > 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hand": "As Ad"}, ("three to seven", "2")),
        ({"hand": "As Ad As"}, ("As", "twice")),
        ({"dead": "Kd"}, ("Kd", "twice")),
        ({"boards": ["9h 8h"]}, ("2 cards", "1")),
        ({"boards": ["9h"], "opponents": 0}, ("opponents", "0")),
        ({"opponents": None, "boards": ()}, ("nobody",)),
        ({"opponents": 8}, ("8", "7")),
        ({"players": 2, "opponents": 3}, ("players", "2")),
        ({"boards": ["Qs"], "game": "faces-of-death"}, ("Qs", "kill")),
        ({"hand": "Js Qs Ks", "game": "faces-of-death"}, ("face down",)),
        ({"opponents": 6, "dead": "2c 3c 4c 5c 6c 7c 8c 9c"}, ("seen",)),
        ({"deals": 0}, ("deals", "0")),
        ({"seed": -1}, ("seed", "-1")),
    ],
    ids=str,
)
def test_what_cannot_lie_so_is_refused(
    changed: dict[str, Any], said: tuple[str, ...], refused: Callable
) -> None:
    refused(lambda: sim.equity(**{"hand": "As Ad Kd", "opponents": 2, **changed}), *said)

"""What a hand wins against others who stay: over real deals of the cards that nobody has seen."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim import hands
from sim.arguments import one_name, several, whole_number
from sim.cards import DECK, cards_in, format_card, mask_of, parse_cards
from sim.errors import InputError
from sim.formatting import percent
from sim.game import MAX_PLAYERS, UP_STREETS, Game, load
from sim.kernels import equity as kernel
from sim.kernels.equity import DOWN, EVERYBODY, SHARE, SHOWN, UP
from sim.kernels.evaluate import card_words
from sim.kernels.ranks import MAX_CARDS
from sim.parsing import Count, count, table_size
from sim.stats.intervals import Estimate, each_of, of_mean, of_share

FEWEST_CARDS = 3
"""A hand is in play from third street on."""
MOST_COMPLETIONS = 5_000_000
"""Up to so many ways for the cards to fall, all are gone through."""
MOST_DEALS = 10**9

Cards = str | Iterable[int]
"""Cards as text, or as numbers 0..51."""


@dataclass(frozen=True)
class Shares:
    """How often a hand wins alone, ties, and its share of the pots, in shares of the deals."""

    win: Estimate
    tie: Estimate
    share: Estimate


@dataclass(frozen=True)
class Equity(Shares):
    """What a hand wins, in shares of all deals, killed ones included; 95 % intervals.

    Where all completions were gone through the values are exact, and intervals are NaN.
    """

    killed: Estimate
    """Deals that a killer ends."""
    out: Estimate
    """Deals in which a killer puts the hand out, where it puts out its receiver alone."""
    finished: Shares
    """The same, of the deals that no killer ends."""
    pot_share: Estimate | None
    """The share of the pot if a killed deal is worth one player's fair share of it; None where
    killers put out their receivers."""
    deals: int
    """Deals sampled, or ways in which the cards may fall."""
    exact: bool

    def __str__(self) -> str:
        """Say it in a line or two."""
        lines = [f"wins {_said(self.win)}, ties {_said(self.tie)}: {_said(self.share)} of the pot"]
        if self.killed.estimate:
            worth = self.pot_share or self.finished.share
            lines += [
                f"killed {_said(self.killed)}; of the rest {_said(self.finished.share)} of the "
                f"pot, and {_said(worth)} with a kill worth a fair share"
            ]
        if self.out.estimate:
            lines += [f"put out by a killer {_said(self.out)}"]
        how = "all {:,} ways for the cards to fall" if self.exact else "{:,} deals"
        return "\n".join([*lines, f"({how.format(self.deals)})"])


def _said(value: Estimate) -> str:
    """Write a share with its interval, if it has one."""
    if math.isnan(value.low):
        return percent(value.estimate)
    return f"{percent(value.estimate)} ({percent(value.low)} to {percent(value.high)})"


@one_name
def equity(
    hand: Cards,
    opponents: int | None = None,
    boards: Sequence[Cards] = (),
    *,
    dead: Cards = (),
    game: str | Path | Game = "spades",
    players: int | str | None = None,
    deals: Count = 100_000,
    seed: int = 0,
) -> Equity:
    """Return what a hand of three to seven cards wins against others who stay to the end.

    ``boards`` are what others show, up to four cards each as the street allows; there are as many
    ``opponents``, or more of whom nothing is known. What nobody has seen, but for ``dead`` cards,
    is dealt ``deals`` times to all of them; where it can fall in no more than five million ways,
    each is counted once instead. Since the deal is still on, no up card so far was a killer. Under
    player-out, up cards come to the hand before they come to the others.

    ``players`` are the seats of the table (of opponents and the hand, unless given): where those
    who folded come back in for a redeal, a kill is worth one seat's share, and at eight seats the
    last card may be for everybody, which is then the hand's last. Cards are text or 0..51.

    >>> print(sim.equity("9d 9h 9c 7h 2d 4c 3c", boards=["Kd Kc 8h 8d"], game="seven-card-stud"))
    wins 71.8 %, ties 0.0 %: 71.8 % of the pot
    (all 10,660 ways for the cards to fall)

    Raises ``InputError`` for cards that repeat or cannot lie so.
    """
    page = load(game)
    own, out_of_play = _read(hand), _read(dead)
    shown = [_read(board) for board in several(boards, "boards")]
    opponents = _opponents(opponents, len(shown))
    seats = whole_number(
        opponents + 1 if players is None else table_size(players),
        "players",
        opponents + 1,
        MAX_PLAYERS,
    )
    deals = count(deals, "deals", 1, MOST_DEALS)
    key = hands.check_seed(seed)
    shown += [[] for _ in range(opponents - len(shown))]
    _refuse(page, own, shown, out_of_play)
    situation, completions = _situation(page, own, shown, out_of_play, seats)
    counts = np.zeros(1, kernel.COUNTS)
    exact = completions <= MOST_COMPLETIONS
    if exact:
        kernel.enumerate_deals(hands.tables(), situation, counts)
    else:
        kernel.sample_deals(hands.tables(), situation, key, 0, deals, counts)
    fair = seats if page.kill.everyone else opponents + 1
    return _equity(counts[0], None if page.kill.treatment == "player-out" else fair, exact)


def _read(cards: Cards) -> list[int]:
    """Return cards as numbers."""
    if isinstance(cards, str):
        return parse_cards(cards)
    return [whole_number(card, "a card", 0, DECK - 1) for card in several(cards, "cards")]


def _opponents(opponents: int | None, boards: int) -> int:
    """Return how many others there are."""
    if opponents is None and not boards:
        raise InputError("there is nobody to win from: say how many opponents, or give boards")
    return whole_number(
        boards if opponents is None else opponents, "opponents", max(boards, 1), MAX_PLAYERS - 1
    )


def _refuse(page: Game, own: list[int], boards: list[list[int]], dead: list[int]) -> None:
    """Refuse cards that cannot lie so."""
    if not FEWEST_CARDS <= len(own) <= MAX_CARDS:
        raise InputError(f"a hand in play has three to seven cards, not {len(own)}")
    known = [*own, *dead, *(card for board in boards for card in board)]
    repeated = next((card for card in known if known.count(card) > 1), None)
    if repeated is not None:
        raise InputError(f"{format_card(repeated)} appears twice")
    ups = min(len(own) - 2, UP_STREETS)
    for board in boards:
        if len(board) > ups:
            raise InputError(
                f"a board shows {len(board)} cards, and beside a hand of {len(own)} it has {ups}"
            )
        for card in board:
            if page.kill.cards >> card & 1:
                raise InputError(f"{format_card(card)} on a board would have ended it: it kills")
    down = len(own) - ups
    if sum(page.kill.cards >> card & 1 for card in own) > down:
        raise InputError(
            f"only {down} cards of a hand of {len(own)} lie face down, and one of the killers that "
            "it holds would have been dealt face up"
        )


Slot = tuple[int, int]
"""The seat that gets a card, and its face."""


def _slots(page: Game, own: list[int], boards: list[list[int]], *, common: bool) -> list[Slot]:
    """Return the cards to come, in the kernel's order; those that are alike follow each other."""
    everyone = range(len(boards) + 1)
    ups = min(len(own) - 2, UP_STREETS)
    shown = [(seat, SHOWN) for seat in everyone[1:] for _ in range(ups - len(boards[seat - 1]))]
    to_come = [(seat, UP) for _ in range(ups, UP_STREETS) for seat in everyone]
    holes = [(seat, DOWN) for seat in everyone[1:] for _ in range(2)]
    last = [(seat, DOWN) for seat in everyone if seat or len(own) < MAX_CARDS]
    if common:
        last = [(EVERYBODY, UP)] if len(own) < MAX_CARDS else []
    if not page.kill.cards:  # then no face matters, and more slots are alike
        return sorted((seat, DOWN) for seat, _ in [*shown, *to_come, *holes, *last])
    if page.kill.treatment == "player-out":  # who is out first matters
        return [*shown, *to_come, *sorted([*holes, *last])]
    return [*shown, *sorted(to_come), *sorted([*holes, *last])]


def _situation(
    page: Game, own: list[int], boards: list[list[int]], dead: list[int], seats: int
) -> tuple[NDArray[np.void], int]:
    """Return what the kernel deals from, (1,) of ``SITUATION``, and in how many ways it can."""
    players = len(boards) + 1
    folded = seats - players
    dealt = 6 * players + 2 * folded + max(folded, len(dead))
    common = seats == MAX_PLAYERS and dealt + players > DECK
    slots = _slots(page, own, boards, common=common)
    known = mask_of([*own, *dead, *(card for board in boards for card in board)])
    unseen = list(cards_in(~known & (1 << DECK) - 1))
    killers = [card for card in unseen if page.kill.cards >> card & 1]
    if len(slots) > len(unseen):
        raise InputError(
            f"{len(slots)} cards are still to come, and only {len(unseen)} have not been seen"
        )
    words = card_words(page.wild, flush_repeats=page.flush_repeats)
    situation = np.zeros(1, kernel.SITUATION)
    state = situation[0]
    state["players"], state["slots"] = players, len(slots)
    state["seat"][: len(slots)], state["face"][: len(slots)] = zip(*slots, strict=True)
    state["alike"][1 : len(slots)] = [one == other for one, other in pairwise(slots)]
    state["unseen"][: len(unseen)] = sorted(unseen, key=killers.__contains__)
    state["cards"], state["harmless"] = len(unseen), len(unseen) - len(killers)
    state["killers"] = page.kill.cards
    state["player_out"] = page.kill.treatment == "player-out"
    state["words"], state["suit_masks"], state["flushes"] = words
    for seat, board in enumerate([own, *boards]):
        held = [*board, *own[MAX_CARDS - 1 :]] if seat and common else board
        state["known_totals"][seat] = hands.tables().starts[MAX_CARDS] + words.words[held].sum()
        state["known_suits"][seat] = np.bitwise_or.reduce(words.suits[held])
    return situation, _completions(state, slots)


def _completions(state: np.void, slots: list[Slot]) -> int:
    """Return in how many ways the cards may fall, slots that are alike in any order."""
    ways, dealt = 1, 0
    for (_, face), group in groupby(slots):
        size = len(list(group))
        among = state["harmless"] if face == SHOWN else state["cards"]
        ways *= math.comb(int(among) - dealt, size)
        dealt += size
    return ways


def _shares(counts: np.void, deals: int, exact: bool) -> Shares:
    """Return how often a hand wins, of so many deals."""
    return Shares(
        _share(counts["wins"], deals, exact),
        _share(counts["ties"], deals, exact),
        _mean(counts["share"], counts["share_squares"], deals, exact),
    )


def _share(hits: int, deals: int, exact: bool) -> Estimate:
    value = of_share(int(hits), deals)
    return Estimate(value.estimate) if exact else value


def _mean(total: float, squares: float, deals: int, exact: bool) -> Estimate:
    value = each_of(of_mean([total, squares], deals), SHARE) if deals else Estimate(math.nan)
    return Estimate(value.estimate) if exact else value


def _equity(counts: np.void, fair: int | None, exact: bool) -> Equity:
    """Return what the counts come to; a kill is worth a share of one in ``fair``, if anything."""
    deals, killed = int(counts["deals"]), int(counts["killed"])
    pot_share = None
    if fair is not None:
        each = SHARE // fair
        total, squares = int(counts["share"]), int(counts["share_squares"])
        pot_share = _mean(total + killed * each, squares + killed * each**2, deals, exact)
    whole = _shares(counts, deals, exact)
    return Equity(
        whole.win,
        whole.tie,
        whole.share,
        killed=_share(killed, deals, exact),
        out=_share(counts["out"], deals, exact),
        finished=_shares(counts, deals - killed, exact),
        pot_share=pot_share,
        deals=deals,
        exact=exact,
    )

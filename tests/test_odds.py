"""Exact values against published counts, closed forms, full enumeration and a plain simulation."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product
from math import comb, perm, sqrt
from pathlib import Path
from typing import Self

import numpy as np
import pytest
from numpy.typing import NDArray
from test_intervals import AMOUNTS

from sim import hands
from sim.cards import DECK, parse_set
from sim.game import MAX_PLAYERS, STREETS, Game, load, parse_page, up_cards
from sim.kernels.ranks import CATEGORIES
from sim.odds import exact_values
from sim.odds.deals import Ending, deals_per_pot, kill_rate, outcomes
from sim.odds.hands import census, shown_weight
from sim.odds.tolls import over_deals, spread_of_tolls, table_tolls, toll_pot
from sim.tally import ante_by_seat, most_deals, price_list

FACTS = json.loads((Path(__file__).parent / "facts" / "census.json").read_text(encoding="utf-8"))
KEYS_OF_A_SPREAD = AMOUNTS - {"mean"}
NOT_TOLD = {"hand", "kill_rate_dealt"}
LIMIT = 4.0


def page(wild: str = "none", kill: str = "", toll: str = "", ante: str = "") -> Game:
    """Write and read a page."""
    sections = f"[ante]\n{ante}\n[kill]\n{kill}\n[toll]\n{toll}"
    return parse_page(f'name = "own"\ntitle = "Own"\nwild = "{wild}"\n{sections}')


SIX_PRICES = page(
    wild="Js deuces",
    kill='cards = "Js Jd 2c 9h 9d"\nante_again = true',
    toll='cards = "hearts"\nprices = [1, 3, 4, 9, 20, 50]',
    ante="amount = 2",
)
BOTH = page(
    wild="Qs Qh",
    kill='cards = "Qs"\neveryone = true\nmax_deals = 3',
    toll='cards = "Qs 4d 5d 6d 7d 8d"\nprices = [2, 5]',
    ante='amount = 3\nwho = "dealer"',
)
PLAYER_OUT = page(
    wild="Js Qs Ks",
    kill='cards = "Js Qs Ks 3c 3d"\ntreatment = "player-out"',
    toll='cards = "Ks 3d aces 8h"\nprices = [2, 5, 10]',
    ante="amount = 1",
)


# The plain reference: deals round the table as the rule book says.

Folds = Callable[[int, int], bool]
"""Whether a seat folds before the betting of a street, if others are left."""


def nobody(seat: int, street: int) -> bool:
    return False


def by_chance(chances: Sequence[Sequence[float]], source: random.Random) -> Folds:
    """Return who folds by a chance for each seat and street."""
    return lambda seat, street: source.random() < chances[seat][street]


class Deal:
    """One deal, from the top of a deck, with all its up cards to those still in."""

    def __init__(self, game: Game, players: int, dealt_in: Sequence[int]) -> None:
        self.game, self.players, self.dealt_in = game, players, list(dealt_in)
        self.still_in = list(dealt_in)
        self.hands: dict[int, list[int]] = {seat: [] for seat in dealt_in}
        self.tolls: dict[int, list[int]] = {seat: [] for seat in dealt_in}
        """By seat, the chips paid for each toll card."""
        self.kills: list[tuple[int, int]] = []
        """(seat, street) of each killer; the community card belongs to seat ``players``."""
        self.killed = False
        self.up_cards = self.cards = 0
        self.folds: list[int] = []
        """The street of each fold."""
        self.rounds: list[int] = []
        """How many are in each round of betting."""
        self.shown: list[list[int]] = []
        """The hands shown."""

    def play(self, deck: Sequence[int], folds: Folds = nobody) -> Self:
        """Deal and bet until a killer ends it, one is left, or hands are shown."""
        self.top = iter(deck)
        for _ in range(2):
            for seat in self.dealt_in:
                self.take(seat)
        for street in range(4):
            for seat in tuple(self.still_in):
                self.deal_up(seat, street)
                if self.over():
                    return self
            self.bet(street, folds)
            if self.over():
                return self
        self.deal_seventh_street()
        if not self.killed:
            self.bet(4, folds)
        if not self.over():
            self.shown = [self.hands[seat] for seat in self.still_in]
        return self

    def over(self) -> bool:
        return self.killed or len(self.still_in) == 1

    def take(self, *seats: int) -> int:
        """Take the next card, for one seat or for all."""
        card = next(self.top)
        self.cards += 1
        for seat in seats:
            self.hands[seat].append(card)
        return card

    def deal_up(self, seat: int, street: int) -> None:
        card = self.take(seat)
        self.up_cards += 1
        if self.game.toll.cards >> card & 1:
            self.tolls[seat].append(price_list(self.game)[len(self.tolls[seat])])
        if self.game.kill.cards >> card & 1:
            self.kills.append((seat, street))
            if self.game.kill.treatment == "redeal":
                self.killed = True
            else:
                self.still_in.remove(seat)

    def deal_seventh_street(self) -> None:
        if len(self.still_in) <= DECK - self.cards:
            for seat in self.still_in:
                self.take(seat)
            return
        card = self.take(*self.still_in)
        self.up_cards += 1
        if self.game.kill.cards >> card & 1 and self.game.kill.treatment == "redeal":
            self.kills.append((self.players, 4))
            self.killed = True

    def bet(self, street: int, folds: Folds) -> None:
        """Let each fold who will, but not the last; then those left have a round."""
        for seat in tuple(self.still_in):
            if len(self.still_in) > 1 and folds(seat, street):
                self.still_in.remove(seat)
                self.folds.append(street)
        if len(self.still_in) > 1:
            self.rounds.append(len(self.still_in))


def play(game: Game, players: int, source: random.Random, folds: Folds = nobody) -> list[Deal]:
    """Play one pot."""
    deals: list[Deal] = []
    seats: Sequence[int] = range(players)
    while len(deals) < most_deals(game):
        deck = source.sample(range(DECK), DECK)
        deals.append(Deal(game, players, seats).play(deck, folds))
        if not deals[-1].killed:
            break
        seats = range(players) if game.kill.everyone else deals[-1].still_in
    return deals


Shares = dict[str, tuple[int, dict[str, int]]]
"""By metric: what a share or mean is taken of in this pot, and how much falls to each level."""


def told(game: Game, players: int, deals: list[Deal]) -> Shares:
    """Tell what one pot adds to every metric."""
    redeal = game.kill.treatment == "redeal"
    number = len(deals)
    kills = [kill for deal in deals for kill in deal.kills]
    streets = Counter(("community" if s == 4 else STREETS[s]) for _, s in kills)
    seats = Counter("community" if seat == players else str(seat + 1) for seat, _ in kills)
    by_seat = [sum(sum(deal.tolls.get(seat, [])) for deal in deals) for seat in range(players)]
    tolls = sum(by_seat)
    again = game.kill.ante_again or game.kill.everyone
    antes = ante_by_seat(game, players)
    paid_antes = [antes[seat] for deal in (deals if again else deals[:1]) for seat in deal.dealt_in]
    rounds = [number for deal in deals for number in deal.rounds]
    third = [deal.rounds[0] for deal in deals if deal.rounds]
    chips = sum(paid_antes) + game.betting.bring_in * sum(third) + tolls
    carried = sum(
        antes[seat] for deal in (deals[:-1] if again else deals[:-1][:1]) for seat in deal.dealt_in
    )
    carried += game.betting.bring_in * sum(deal.rounds[0] for deal in deals[:-1] if deal.rounds)
    dealt = sum(len(deal.dealt_in) for deal in deals)
    folds = Counter(STREETS[street] for deal in deals for street in deal.folds)
    turns = sum(rounds) - (len(third) if game.betting.bring_in else 0) + folds.total()
    left = len(deals[-1].still_in)
    shown = [hand for deal in deals for hand in deal.shown]
    ranked = hands.category(hands.evaluate(np.array(shown), game.wild)) if shown else []
    shares: Shares = {
        "deals_per_pot": (1, {"mean": number, str(number): 1}),
        "cards_per_pot": (1, {"mean": sum(deal.cards for deal in deals)}),
        "hand": (len(shown), Counter(map(str, ranked))),
        "pot_size": (1, {"mean": chips}),
        "chips_in": (players, {"mean": chips}),
        "decisions": (1, {"mean": turns}),
        "survivors": (1, {"mean": left, str(left): 1}),
        "showdowns": (1, {"all": int(not deals[-1].over())}),
        "folds": (dealt, Counter(folds | {"all": folds.total()} if folds else {})),
    }
    if game.kill.cards:
        shares["killed_pots"] = (1, {"all": int(bool(kills))})
        shares["killed_seat"] = (number, seats)
    if game.kill.cards and redeal:
        killed = [deal.up_cards for deal in deals if deal.killed]
        alive = {
            str(card): number - sum(killer <= card for killer in killed)
            for card in range(1, up_cards(players) + 1)
        }
        shares["survival"] = (number, alive)
        shares["kill_rate"] = (number, streets | {"all": len(kills)})
        shares["abandoned_pots"] = (1, {"all": int(deals[-1].killed)})
        shares |= {} if game.toll.cards else {"carried": (1, {"mean": carried})}
    if game.kill.cards and not redeal:
        shares["players_out"] = (1, streets | {"mean": len(kills), str(len(kills)): 1})
    if game.toll.cards:
        paid = Counter(str(len(tolls)) for deal in deals for tolls in deal.tolls.values())
        shares["toll_share"] = (chips, {"all": tolls})
        shares["toll_pot"] = (1, {"mean": tolls, str(tolls): 1})
        shares["toll_player"] = (players, Counter(map(str, by_seat)) | {"mean": tolls})
        shares["tolls_paid"] = (dealt, paid)
    return shares


def scores(
    exact: dict[tuple[str, str], Fraction | float], pots: list[Shares]
) -> dict[tuple[str, str], float]:
    """Return by metric and level how many standard errors a simulation is from the exact value.

    If the value is right, count - value * trials has mean 0 in every pot. Its spread is measured,
    and of a share at least that of independent trials: of a rare thing that happened too seldom too
    small a spread is measured. Levels expected fewer than 25 times, or all but 25, are left out.
    """
    trials = {metric: np.array([pot[metric][0] for pot in pots], float) for metric in pots[0]}
    found: dict[tuple[str, str], float] = {}
    for (metric, level), exact_value in exact.items():
        if metric not in trials:
            continue
        value, of = float(exact_value), trials[metric]
        expected = value * of.sum()
        share = level != "mean" and not (metric == "players_out" and level in STREETS)
        if level in KEYS_OF_A_SPREAD or (share and min(expected, of.sum() - expected) < 25):
            continue
        error = np.array([pot[metric][1].get(level, 0) for pot in pots]) - value * of
        least = expected * (1 - value) if share else 0
        found[metric, level] = float(error.sum() / sqrt(max(error @ error, least, 1e-9)))
    return found


# Hands.


@pytest.mark.parametrize(
    ("row", "size", "wild"),
    [
        ("five cards, nothing wild", 5, "none"),
        ("seven cards, nothing wild", 7, "none"),
        ("five cards, four deuces wild", 5, "deuces"),
    ],
)
def test_a_census_has_the_published_counts(row: str, size: int, wild: str) -> None:
    counts = census(parse_set(wild), size=size).sum(axis=(0, 2))
    found = dict(zip(CATEGORIES, counts.tolist(), strict=True))
    assert found == dict(zip(FACTS["order"], FACTS[row]["counts"], strict=True))
    assert counts.sum() == FACTS[row]["total"] == comb(DECK, size)


@cache
def every_hand(size: int) -> NDArray[np.uint8]:
    cards = chain.from_iterable(combinations(range(DECK), size))
    return np.fromiter(cards, np.uint8).reshape(-1, size)


@pytest.mark.parametrize("size", [3, 5])
@pytest.mark.parametrize(
    ("wild", "killers"),
    [
        ("none", "none"),  # four suits alike
        ("spades", "none"),  # three
        ("none", "Js Qs Ks"),
        ("2s 2h", "Kc Kd"),  # two and two
        ("Js Qs 3c 3d 3h", "Js 3c 3d 8h 8d 8c 8s"),  # two
        ("2c 3d 4h", "none"),  # none
        ("hearts spades diamonds 2c", "clubs Ah"),  # hardly any natural cards
    ],
)
def test_a_census_by_wild_cards_and_killers_is_that_of_ranking_every_hand(
    wild: str, killers: str, size: int
) -> None:
    jokers, deadly, cards = parse_set(wild), parse_set(killers), every_hand(size)
    category = hands.tables().categories[hands.evaluate(cards, jokers)]

    def held(mask: int) -> NDArray[np.int64]:
        return np.array([mask >> card & 1 for card in range(DECK)])[cards].sum(axis=1)

    slow = np.zeros((size + 1, len(CATEGORIES), size + 1), np.int64)
    np.add.at(slow, (held(jokers), category, held(deadly)), 1)
    np.testing.assert_array_equal(census(jokers, deadly, size), slow)


@pytest.mark.parametrize("killers", ["Qs", "Js Qs Ks", "spades", "spades hearts"])
@pytest.mark.parametrize("treatment", ["redeal", "player-out"])
def test_the_weights_of_hands_add_up_to_the_hands_shown(killers: str, treatment: str) -> None:
    game = page(kill=f'cards = "{killers}"\ntreatment = "{treatment}"')
    number = game.kill.cards.bit_count()
    for players in range(2, MAX_PLAYERS + 1):
        weighted = sum(
            players
            * Fraction(comb(number, held) * comb(DECK - number, 7 - held), comb(DECK, 7))
            * shown_weight(game, players, held)
            for held in range(min(number, 7) + 1)
        )
        shown = sum(
            way.probability * sum(not board.killer for board in way.boards)
            for way in outcomes(game, players)
            if way.ending is Ending.SHOWDOWN
        )
        assert weighted == shown


def test_no_share_is_given_of_hands_that_are_never_shown() -> None:
    game = page(wild="spades hearts", kill='cards = "spades hearts"')
    assert not [key for key in exact_values(game, MAX_PLAYERS) if key[0] == "hand"]


# Kills.


@pytest.mark.parametrize("players", range(2, MAX_PLAYERS + 1))
def test_kill_rates_have_their_closed_form(players: int) -> None:
    rates = kill_rate(load("faces-of-death"), players)
    shown = up_cards(players)
    assert rates["all"] == 1 - Fraction(comb(DECK - shown, 3), comb(DECK, 3))
    assert sum(rates.values()) == 2 * rates["all"]
    assert ("community" in rates) == (players == MAX_PLAYERS)


@pytest.mark.parametrize("treatment", ["redeal", "player-out"])
@pytest.mark.parametrize("killers", ["Qs", "Js Qs Ks", "spades"])
def test_what_can_happen_in_a_deal_adds_up_to_one(treatment: str, killers: str) -> None:
    game = page(kill=f'cards = "{killers}"\ntreatment = "{treatment}"')
    for players in range(2, MAX_PLAYERS + 1):
        assert sum(way.probability for way in outcomes(game, players)) == 1


def test_deals_per_pot_end_at_the_page_s_largest_number() -> None:
    game = load("faces-of-death").with_options(["kill.max_deals=40"])
    values = deals_per_pot(game, 7)
    mean = values.pop("mean")
    assert sum(values.values()) == pytest.approx(1)
    assert mean == pytest.approx(sum(int(level) * float(share) for level, share in values.items()))
    assert float(values["40"]) == pytest.approx(float(kill_rate(game, 7)["all"]) ** 39)
    assert isinstance(values["30"], Fraction)


# Everything but hands, over every place that the cards that matter can have.


def arrangements(game: Game, players: int) -> Iterator[tuple[list[int], int]]:
    """Yield decks with killers and tolls in every way among the up cards, and their weights."""
    special = [card for card in range(DECK) if (game.kill.cards | game.toll.cards) >> card & 1]
    plain = next(card for card in range(DECK) if card not in special)
    slots = range(2 * players, 2 * players + up_cards(players))
    for chosen in product([-1, *slots], repeat=len(special)):
        used = [slot for slot in chosen if slot >= 0]
        if len(set(used)) == len(used):
            deck = [plain] * DECK
            for card, slot in zip(special, chosen, strict=True):
                if slot >= 0:
                    deck[slot] = card
            yield deck, perm(DECK - len(slots), len(special) - len(used))


def enumerated(game: Game, players: int) -> dict[tuple[str, str], Fraction]:
    """Return every metric but hands, from one deal for every arrangement."""
    hits: Counter[tuple[str, str]] = Counter()
    trials: Counter[str] = Counter()
    for deck, weight in arrangements(game, players):
        deal = Deal(game, players, range(players)).play(deck)
        deal.shown = []
        for metric, (of, levels) in told(game, players, [deal]).items():
            trials[metric] += weight * of
            for level, count in levels.items():
                hits[metric, level] += weight * count
    return {key: Fraction(count, trials[key[0]]) for key, count in hits.items() if count}


TWO_KILLERS = 'cards = "Qs Qh"\nmax_deals = 1'
TWO_OUT = 'cards = "Qs Qh"\ntreatment = "player-out"'
THREE_OUT = 'cards = "Qs Qh Qd"\ntreatment = "player-out"'


def small(**sections: str) -> Game:
    """Write a page whose hands, not looked at here, are quickly counted: most cards are wild."""
    return page(wild="clubs diamonds hearts", **sections)


SMALL = [
    (small(kill=TWO_KILLERS, toll='cards = "Qs 4c"\nprices = [1, 3]', ante="amount = 2"), 3),
    (small(kill=TWO_OUT, toll='cards = "Qs 4c 5c"\nprices = [1, 3]', ante="amount = 2"), 3),
    (small(kill=THREE_OUT, toll='cards = "Qs Qd"\nprices = [7, 1]'), 4),
    (small(kill=THREE_OUT, toll='cards = "Qs Qd 5c"\nprices = [7, 1]'), 2),
    (small(toll='cards = "4c 5c 6c"\nprices = [2, 5, 10, 20]'), 4),
    (small(kill=TWO_KILLERS), MAX_PLAYERS),
    (small(kill=TWO_OUT), MAX_PLAYERS),
]


@pytest.mark.parametrize(("game", "players"), SMALL)
def test_one_deal_is_what_dealing_every_arrangement_gives(game: Game, players: int) -> None:
    slow = enumerated(game, players)
    fast = exact_values(game, players)
    amounts = {
        int(level): chance
        for (metric, level), chance in slow.items()
        if metric == "toll_pot" and level != "mean"
    }
    for (metric, level), value in fast.items():
        if metric not in NOT_TOLD and level not in KEYS_OF_A_SPREAD:
            assert value == slow.get((metric, level), 0), (metric, level)
    assert set(slow) <= set(fast)
    if amounts:
        mean = sum(chips * chance for chips, chance in amounts.items())
        variance = sum((chips - mean) ** 2 * chance for chips, chance in amounts.items())
        assert fast["toll_pot", "sd"] == pytest.approx(sqrt(variance))
        assert fast["toll_pot", "max"] == max(amounts)
        for level in ("p50", "p95", "p99"):
            share = Fraction(int(level[1:]), 100)
            chips = fast["toll_pot", level]
            assert sum(chance for amount, chance in amounts.items() if amount <= chips) >= share
            assert sum(chance for amount, chance in amounts.items() if amount < chips) < share


# Tolls.


@pytest.mark.parametrize("players", range(2, MAX_PLAYERS + 1))
def test_the_mean_toll_is_a_sum_of_prices(players: int) -> None:
    game = load("spades")
    at_least = [
        sum(Fraction(comb(13, j) * comb(39, 4 - j), comb(DECK, 4)) for j in range(number, 5))
        for number in range(1, 5)
    ]
    mean = players * sum(
        price * chance for price, chance in zip(price_list(game), at_least, strict=True)
    )
    values = toll_pot(game, players)
    shares = {int(level): share for level, share in values.items() if level.isdigit()}
    assert values["mean"] == mean
    # Three players may have four spades each face up; the thirteenth is a fourth player's first.
    assert values["max"] == (37 * players if players <= 3 else 3 * 37 + 2)
    assert sum(shares.values()) == pytest.approx(1, abs=1e-9)
    assert sum(chips * share for chips, share in shares.items()) == pytest.approx(float(mean))


@pytest.mark.parametrize("deals", [2, 3, 7])
def test_tolls_over_several_deals_are_sums_of_single_deals(deals: int) -> None:
    ends = table_tolls(SIX_PRICES, 2)
    slow: Counter[int] = Counter()
    so_far: dict[int, Fraction] = {0: Fraction(1)}
    for deal in range(deals):
        following: Counter[int] = Counter()
        for before, chance in so_far.items():
            for chips, more in ends.ended.items():
                slow[before + chips] += chance * more
            for chips, more in ends.killed.items():
                goes_on = slow if deal == deals - 1 else following
                goes_on[before + chips] += chance * more
        so_far = following
    fast = over_deals(ends, deals)
    mean = sum(chips * chance for chips, chance in slow.items())
    variance = sum((chips - mean) ** 2 * chance for chips, chance in slow.items())
    assert sum(slow.values()) == 1
    assert all(fast.get(chips, 0) == pytest.approx(float(slow[chips]), abs=2e-12) for chips in slow)
    assert set(fast) <= set(slow)
    assert spread_of_tolls(ends, deals) == pytest.approx(sqrt(variance))


def test_a_distribution_without_end_is_left_out_and_its_mean_kept() -> None:
    game = load("faces-of-death").with_options(
        ["toll.cards=spades", "toll.prices=[9999, 10000]", "kill.max_deals=10000"]
    )
    values = toll_pot(game, MAX_PLAYERS)
    assert set(values) == {"mean", "sd"}


# Whole pots against the plain simulation.

WHOLE = [
    ("six prices", SIX_PRICES, 3, 3000),
    ("killer and toll at once", BOTH, MAX_PLAYERS, 3000),
    ("player out", PLAYER_OUT, 3, 8000),
    ("player out, full table", PLAYER_OUT, MAX_PLAYERS, 3000),
]


@pytest.fixture(scope="module")
def simulated() -> dict[str, list[Shares]]:
    source = random.Random(20240229)  # noqa: S311
    return {
        name: [told(game, players, play(game, players, source)) for _ in range(pots)]
        for name, game, players, pots in WHOLE
    }


@pytest.mark.parametrize(("name", "game", "players"), [case[:3] for case in WHOLE])
def test_whole_pots_are_those_of_a_plain_simulation(
    name: str, game: Game, players: int, simulated: dict[str, list[Shares]]
) -> None:
    exact = exact_values(game, players)
    found = scores(exact, simulated[name])
    too_rare = {metric for metric, _ in exact} - {metric for metric, _ in found} - NOT_TOLD
    assert too_rare <= {"abandoned_pots", "killed_pots", "showdowns", "survivors"}
    assert {key: score for key, score in found.items() if abs(score) > LIMIT} == {}
    seen = {
        (metric, level)
        for pot in simulated[name]
        for metric, (_, levels) in pot.items()
        for level in levels
    }
    assert seen <= set(exact)


@pytest.mark.parametrize(
    ("name", "key", "factor"),
    [
        ("six prices", ("kill_rate", "all"), 1.03),
        ("six prices", ("toll_player", "mean"), 0.95),
        ("killer and toll at once", ("abandoned_pots", "all"), 0.8),
        ("player out", ("players_out", "mean"), 0.96),
        ("player out, full table", ("cards_per_pot", "mean"), 1.005),
    ],
)
def test_a_wrong_number_does_not_pass(
    name: str, key: tuple[str, str], factor: float, simulated: dict[str, list[Shares]]
) -> None:
    game, players = next(case[1:3] for case in WHOLE if case[0] == name)
    wrong = {key: factor * float(exact_values(game, players)[key])}
    assert abs(scores(wrong, simulated[name])[key]) > LIMIT


@pytest.mark.parametrize("name", ["six prices", "player out"])
def test_the_plain_census_does_not_pass_for_the_hands_shown(
    name: str, simulated: dict[str, list[Shares]]
) -> None:
    game = next(case[1] for case in WHOLE if case[0] == name)
    counts = census(game.wild).sum(axis=(0, 2))
    plain = {
        ("hand", category): Fraction(int(count), comb(DECK, 7))
        for category, count in zip(CATEGORIES, counts, strict=True)
    }
    assert max(map(abs, scores(plain, simulated[name]).values())) > LIMIT

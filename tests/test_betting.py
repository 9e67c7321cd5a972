"""Betting: the kernel and the rule book fold, call and raise alike, event by event."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise, product
from pathlib import Path

import naive
import numpy as np
import pytest
from conftest import ODD, SHIPPED, SIZES, happened, page, parts_of_table, reference_of, stack
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import NOBODY, Happening, Pot
from pairwise import grid

from sim.cards import parse_card, parse_cards
from sim.events import Event
from sim.game import Game
from sim.policy import ONE, SHAPE, STAY, Policy, load, load_seats
from sim.scenario import Scenario
from sim.tally import Counts, amounts

ACTIONS = (Event.FOLD, Event.CHECK, Event.CALL, Event.BET, Event.RAISE)
BETTING = (*ACTIONS, Event.BRING_IN)
CHIPS = {
    "pot_size",
    "pot_size_sums",
    "chips_in",
    "net_by_seat",
    "net_by_policy",
    "net_by_tolls",
    "toll_pot_sums",
    "carried",
    "net_of_opener",
}
"""The fields of a tally that tell of chips."""

UNUSUAL = [
    "seven-card-stud betting.raises=0",
    "seven-card-stud betting.raises=10 betting.bets=[3,1,7,2,5] betting.bring_in=2",
    "seven-card-stud betting.bring_in=0",
    "seven-card-stud toll.cards=hearts toll.prices=[1,3]",
    "spades betting.bring_in=1",
    "spades betting.opens=low-card betting.bring_in=1 toll.prices=[2,40,0,7]",
    "spades kill.cards=Qs,7s kill.everyone=true kill.max_deals=3",
    "spades kill.cards=Qs,7s kill.treatment=player-out betting.bets=[5,10,5,10,20]",
    "faces-of-death betting.opens=high-hand kill.max_deals=3",
    "faces-of-death kill.everyone=true betting.raises=1 ante.who=dealer",
    "faces-of-death kill.ante_again=true ante.who=dealer ante.amount=4",
    "faces-of-death wild=deuces toll.cards=diamonds toll.prices=[3,1]",
    "black-mariah kill.treatment=player-out wild=deuces betting.bring_in=0",
]


def of_chances(name: str, seed: int, fold: float, raise_: float) -> Policy:
    """Return a policy with random chances of such sizes in every place of its tables."""
    random = np.random.default_rng(seed)
    chances = [random.random(SHAPE) * most for most in (2 * fold, 2 * raise_)]
    total = np.maximum(sum(chances), 1)
    return Policy.of_tables(name, *(chance / total for chance in chances))


def of_certainties(name: str, seed: int, fold: float, raise_: float) -> Policy:
    """Return a policy that always does the same in the same place, so that no roll hides it."""
    random = np.random.default_rng(seed).random(SHAPE)
    return Policy.of_tables(name, random < fold, (random >= fold) & (random < fold + raise_))


def acting(fold: str = "", raise_: str = "") -> Policy:
    """Return a policy that surely folds, or raises, on streets 3 to 7 named by their digits."""
    chances = [np.zeros(SHAPE), np.zeros(SHAPE)]
    for table, streets in zip(chances, (fold, raise_), strict=True):
        for street in streets:
            table[int(street) - 3] = 1
    return Policy.of_tables(f"folds-{fold}-raises-{raise_}", *chances)


FOLDER, CALLER, RAISER = acting(fold="34567"), acting(), acting(raise_="34567")


def looking() -> Policy:
    """Return a policy that looks, and would fold the worst hand at a price that nobody is asked."""
    fold = np.zeros(SHAPE)
    fold[0, 0, -1] = 1
    return Policy.of_tables("looking", fold, np.zeros(SHAPE))


SURE = of_certainties("sure", 1, 0.12, 0.25)
SURE_AND_CALM = of_certainties("sure-and-calm", 2, 0.03, 0.1)
UNSURE = of_chances("unsure", 3, 0.1, 0.2)
RAISING = of_chances("raising", 4, 0.02, 0.8)
FOLDING = of_chances("folding", 5, 0.3, 0.1)
EVERYBODY_DIFFERS = [
    *load_seats("tight,loose,fold:0.15"),
    SURE,
    STAY,
    RAISING,
    UNSURE,
    load("typical"),
]
TABLES: dict[str, list[Policy]] = {
    "stay": [STAY],
    "loose": [load("loose")],
    "typical": [load("typical")],
    "tight": [load("tight")],
    "fold:0.1": [load("fold:0.1")],
    "fold by street": [load("fold:0.3,0,0.05,0.2,0.5")],
    "sure": [SURE],
    "calm": [SURE_AND_CALM],
    "unsure": [UNSURE],
    "raising": [RAISING],
    "folding": [FOLDING],
    "mixed": EVERYBODY_DIFFERS,
    "mixed, the other way round": EVERYBODY_DIFFERS[::-1],
    "two kinds": [load("typical"), STAY],
    "blind and not": [load("fold:0.2,0,0.2,0,0.2"), RAISING, SURE_AND_CALM],
}
SOME = ["calm", "mixed", "unsure", "raising", "blind and not", "typical"]


def seats_of(table: str, players: int) -> tuple[Policy, ...]:
    """Return the policy of each seat; the kinds at a table take turns."""
    kinds = TABLES[table]
    return tuple(kinds[seat % len(kinds)] for seat in range(players))


CASES = [
    (label, size, SOME[(offset + size) % len(SOME)])
    for offset, label in enumerate(SHIPPED + ODD + UNUSUAL)
    for size in SIZES
] + [
    (label, SIZES[(offset + number * step) % len(SIZES)], table)
    for offset, label in enumerate(SHIPPED)
    for number, table in enumerate(TABLES)
    for step in (1, 3)
]
"""Every page at every size of table, and the shipped ones with every kind of players."""
FEW = 10


@pytest.mark.parametrize(("label", "players", "table"), grid(CASES, parts_of_table))
def test_kernel_bets_as_the_rule_book_says(
    label: str, players: int, table: str, kernel_plays: Callable
) -> None:
    game, seats = page(label), seats_of(table, players)
    pots = [reference_of(game, players, seats, pot) for pot in range(FEW)]
    tally, logged = kernel_plays(game, players, seats, pots=FEW)
    for events, pot in zip(logged, pots, strict=True):
        assert events == pot.events
    reference = naive.tally_of(game, players, pots, seats)
    for field in Counts._fields:
        counted, expected = getattr(tally.counts, field), getattr(reference.counts, field)
        np.testing.assert_array_equal(counted, expected, err_msg=field)


@pytest.mark.parametrize(("label", "players", "table"), grid(CASES[::4], parts_of_table))
def test_a_log_changes_nothing(
    label: str, players: int, table: str, kernel_plays: Callable
) -> None:
    game, seats = page(label), seats_of(table, players)
    unlogged, _ = kernel_plays(game, players, seats, capacity=0)
    assert unlogged == kernel_plays(game, players, seats)[0]


def test_all_of_betting_happens_in_these_pots(kernel_plays: Callable) -> None:
    """Otherwise they would prove little: each kind of event, and what is rare."""
    seen: Counter[str] = Counter()
    for label in ("spades kill.cards=Qs,7s", "faces-of-death", UNUSUAL[6]):
        for players in (2, 8):
            for table in SOME:
                seats = seats_of(table, players)
                for events in kernel_plays(page(label), players, seats)[1]:
                    seen.update(rarities(page(label), seats, events))
    assert {event.name for event in Event} - {"OUT"} < set(seen)
    assert min(seen[name] for name in RARE) > 0


RARE = (
    "folded though checking was free",
    "raised to the cap",
    "folded to the bring-in",
    "folded and came back",
    "won by folds",
    "redealt to fewer",
    "killed in spite of folds",
    "own last cards at a table of eight",
)


def rarities(game: Game, seats: Sequence[Policy], events: Sequence[Happening]) -> Iterator[str]:
    """Yield the names of a pot's events, and which rare things happened."""
    deals = naive.deals_of(events)
    yield from (Event(event).name for event, _, _ in events)
    if any(
        event == Event.FOLD and value == 0 and seats[seat].looks for event, seat, value in events
    ):
        yield "folded though checking was free"
    if not happened(events, Event.SHOW, Event.ABANDON):
        yield "won by folds"
    for deal in deals:
        bets = Counter(
            street
            for street, (event, _, _) in naive.streets_of(deal)
            if event in (Event.BET, Event.RAISE)
        )
        if max(bets.values(), default=0) == 1 + game.betting.raises:
            yield "raised to the cap"
        if happened(deal, Event.FOLD) and happened(deal, Event.KILL):
            yield "killed in spite of folds"
        dealt_in = len(naive.dealt_in(deal))
        if dealt_in < len(seats):
            yield "redealt to fewer"
        if dealt_in == 8 and happened(deal, Event.SHOW) and not happened(deal, Event.COMMUNITY):
            yield "own last cards at a table of eight"
        if [event for event, _, _ in happened(deal, *BETTING)] == [
            Event.BRING_IN,
            *[Event.FOLD] * (dealt_in - 1),
        ]:
            yield "folded to the bring-in"
    for before, after in pairwise(deals):
        if {seat for _, seat, _ in happened(before, Event.FOLD)} & naive.dealt_in(after):
            yield "folded and came back"


def test_policies_do_not_change_the_cards(players: int, kernel_plays: Callable) -> None:
    """The same pot is dealt the same cards whoever plays it, so that policies can be compared."""
    game, first = page("faces-of-death"), 3 * players

    def begins(table: str) -> list[list[Happening]]:
        pots = kernel_plays(game, players, seats_of(table, players))[1]
        return [happened(events, Event.DOWN, Event.UP)[:first] for events in pots]

    unfolded = begins("stay")
    assert all(begins(table) == unfolded for table in ("mixed", "raising", "fold:0.1"))


# --- Players who stay -------------------------------------------------------------------------


def equal_but_for(one: Counts, other: Counts, but: set[str]) -> bool:
    return all(
        np.array_equal(getattr(one, field), getattr(other, field))
        for field in Counts._fields
        if field not in but
    )


@pytest.mark.parametrize(("label", "players"), grid(product(SHIPPED, SIZES), parts_of_table))
def test_amounts_of_bets_change_nothing_but_chips(
    label: str, players: int, kernel_plays: Callable
) -> None:
    """When everybody stays; without a bring-in there is one more turn: who brings in has none."""
    game = page(label)
    here = kernel_plays(game, players, capacity=0)[0].counts
    for options in (
        "betting.bets=[90,1,7,3,5] betting.raises=0",
        "betting.bets=[9,1,1,1,1] betting.bring_in=8 betting.opens=high-hand",
        "betting.bets=[9,1,1,1,1] betting.bring_in=0",
    ):
        other = game.with_options(options.split())
        there = kernel_plays(other, players, capacity=0)[0].counts
        same = (game.betting.bring_in > 0) == (other.betting.bring_in > 0)
        assert equal_but_for(here, there, CHIPS if same else CHIPS | {"decisions"})


@pytest.mark.parametrize(
    ("label", "players"),
    grid(product([*SHIPPED, "spades kill.cards=Qs,7s"], SIZES), parts_of_table),
)
def test_who_looks_and_stays_is_as_who_stays(
    label: str, players: int, kernel_plays: Callable
) -> None:
    game = page(label)
    quick, betting = (
        kernel_plays(game, players, policy, capacity=0)[0].counts for policy in (STAY, looking())
    )
    sizes = {"pot_size", "chips_in"}
    assert equal_but_for(quick, betting, sizes | {"folds_by_price"})
    turns = betting.folds_by_price[3].sum()
    assert turns == betting.decisions[0] == quick.decisions[0] > 0
    assert not betting.folds_by_price[0].any()


# --- What holds on every pot ------------------------------------------------------------------


@st.composite
def labels(draw: st.DrawFn) -> str:
    """Return a page: wild cards, killers, tolls, antes and bets of every kind."""
    bets = draw(st.lists(st.integers(1, 9), min_size=5, max_size=5))
    options = [
        f"wild={draw(st.sampled_from(['none', 'spades', 'deuces']))}",
        f"betting.bets={bets}".replace(" ", ""),
        f"betting.raises={draw(st.integers(0, 4))}",
        f"betting.bring_in={draw(st.integers(0, bets[0] - 1))}",
        f"betting.opens={draw(st.sampled_from(['low-card', 'high-hand']))}",
        f"ante.amount={draw(st.integers(0, 3))}",
        f"ante.who={draw(st.sampled_from(['everyone', 'dealer']))}",
        draw(
            st.sampled_from(
                [
                    "toll.prices=[]",
                    "toll.cards=spades toll.prices=[2,5,10,20]",
                    "toll.cards=hearts,Qs toll.prices=[0,3]",
                ]
            )
        ),
        draw(
            st.sampled_from(
                [
                    "kill.cards=none",
                    "kill.cards=Js,Qs,Ks kill.treatment=player-out",
                    "kill.cards=hearts kill.treatment=player-out",
                    "kill.cards=Js,Qs,Ks",
                    "kill.cards=Qs kill.ante_again=true",
                    "kill.cards=Qs,deuces kill.everyone=true kill.max_deals=4",
                    "kill.cards=Js,Qs,Ks kill.max_deals=1",
                ]
            )
        ),
    ]
    return "seven-card-stud " + " ".join(options)


KINDS = sorted({*chain(*TABLES.values()), FOLDER, RAISER, load("fold:1")}, key=str)


@given(
    label=labels(),
    seats=st.lists(st.sampled_from(KINDS), min_size=2, max_size=8).map(tuple),
    seed=st.integers(0, 2**63 - 1),
)
@settings(max_examples=250)
def test_what_holds_on_every_pot(
    label: str, seats: tuple[Policy, ...], seed: int, kernel_plays: Callable
) -> None:
    game, players = page(label), len(seats)
    _, pots = kernel_plays(game, players, seats, pots=4, seed=seed, capacity=100_000)
    for events in pots:
        check_chips(game, seats, events)
        still_in = set(range(players))
        for deal in naive.deals_of(events):
            if game.kill.everyone:
                still_in = set(range(players))
            check_deal(game, seats, deal, still_in)
        check_end(events, still_in)
    assert pots[0] == reference_of(game, players, seats, 0, seed).events


def check_chips(game: Game, seats: Sequence[Policy], events: Sequence[Happening]) -> None:
    """Chips are conserved, within the bounds of the page, and multiples of its unit."""
    limits = amounts(game, len(seats), bets=any(policy.looks for policy in seats))
    paid = naive.by_player(events, len(seats), *naive.CHIPS_IN)
    assert sum(naive.net_of(events, len(seats))) == 0
    assert sum(paid) == sum(naive.values_of(events, Event.WIN)) <= limits.most_pot
    assert max(paid) <= limits.most_player
    assert all(chips % limits.pot_unit == 0 for chips in paid)
    assert all(value >= 0 for event, _, value in events if event != Event.SHOW)


def check_deal(
    game: Game, seats: Sequence[Policy], deal: Sequence[Happening], still_in: set[int]
) -> None:
    """Follow those still in through a deal: nobody else is dealt a card, or acts."""
    rounds: dict[int, list[Happening]] = {street: [] for street in range(5)}
    for street, (event, seat, value) in naive.streets_of(deal):
        assert seat in still_in or seat == NOBODY
        if event in BETTING:
            rounds[street].append((event, seat, value))
        if event in (Event.FOLD, Event.OUT):
            still_in.remove(seat)
    assert still_in
    ended = Event(deal[-1][0])
    for street, happenings in rounds.items():
        check_round(game, seats, street, happenings)
        last = happened(deal, *BETTING)[-1:] == happenings[-1:]
        if not (last and ended is Event.WIN and len(still_in) == 1):
            paid = Counter(dict.fromkeys(still_in, 0))
            for event, seat, value in happenings:
                paid[seat] += value * (event != Event.FOLD)
            assert len({paid[seat] for seat in still_in}) == 1


def check_round(
    game: Game, seats: Sequence[Policy], street: int, happenings: Sequence[Happening]
) -> None:
    """Everybody is asked for what he lacks, and no bet is raised above the cap."""
    matched, paid, bets = 0, Counter(), 0
    for event, seat, value in happenings:
        lacks, blind = matched - paid[seat], not seats[seat].looks
        match event:
            case Event.BRING_IN:
                matched = game.betting.bring_in
                assert (street, value, bets) == (0, matched, 0)
            case Event.BET | Event.RAISE:
                bets += 1
                matched = bets * game.betting.bets[street]
                assert bets <= 1 + game.betting.raises
                assert (event == Event.BET) == (bets == 1)
                assert value == matched - paid[seat]
                assert not blind
            case Event.FOLD:
                assert value == (0 if blind else lacks)
                assert not blind or not paid
            case _:
                assert value == lacks
                assert (event == Event.CHECK) == (lacks == 0)
        if event != Event.FOLD:
            paid[seat] += value


def check_end(events: Sequence[Happening], still_in: set[int]) -> None:
    """Hands are shown if several are left, and only those still in win."""
    shown = [seat for _, seat, _ in happened(events, Event.SHOW)]
    won = [seat for _, seat, _ in happened(events, Event.WIN)]
    abandoned = bool(happened(events, Event.ABANDON))
    assert shown == (sorted(still_in) if len(still_in) > 1 and not abandoned else [])
    assert won == sorted(won)
    assert set(won) <= still_in
    assert not abandoned or set(won) == still_in


# --- The rule book itself, on stacked decks ---------------------------------------------------


def reference(
    label: str,
    seats: Sequence[Policy],
    *decks: dict[int, str],
    ahead: Callable[[Sequence[int], int], int] | None = None,
) -> Pot:
    """Play a pot in which each deal has a stacked deck; the last is dealt again and again."""
    stacked = [stack(len(seats), hands) for hands in decks]
    return Pot(
        page(label),
        len(seats),
        lambda deal: stacked[min(deal, len(stacked) - 1)],
        seats,
        naive.decisions_of(0, len(seats), 0),
        ahead,
    ).play()


def by_street(events: Sequence[Happening]) -> list[list[Happening]]:
    """Return the betting of a pot of one deal, street by street."""
    streets: list[list[Happening]] = [[] for _ in range(5)]
    for street, happening in naive.streets_of(events):
        if happening[0] in BETTING:
            streets[street].append(happening)
    return streets


THREE = {
    0: "4h 9s 2d 8h Kd 5s 3h",
    1: "4c 9c 2c 8c Qd 6d 3s",
    2: "5h 10s 9h 7c Jd 7d 4d",
}
"""Third street shows 2♦, 2♣, 9♥, and fourth Eight, Eight, Seven; sixth is a pair for the dealer."""


def test_the_lowest_card_brings_in_and_suits_break_ties() -> None:
    third, fourth, *_ = by_street(reference("seven-card-stud", [STAY] * 3, THREE).events)
    assert third == [(Event.BRING_IN, 1, 1), (Event.CALL, 2, 1), (Event.CALL, 0, 1)]
    assert fourth == [(Event.CHECK, 2, 0), (Event.CHECK, 0, 0), (Event.CHECK, 1, 0)]


def test_a_bring_in_that_is_only_called_is_not_asked_again() -> None:
    third = by_street(reference("seven-card-stud", [STAY, RAISER, STAY], THREE).events)[0]
    assert third == [(Event.BRING_IN, 1, 1), (Event.CALL, 2, 1), (Event.CALL, 0, 1)]


def test_completing_the_bring_in_is_the_first_bet() -> None:
    seats = [STAY, CALLER, RAISER]
    label = "seven-card-stud betting.bets=[5,5,5,5,5] betting.bring_in=2"
    assert by_street(reference(label, seats, THREE).events)[0] == [
        (Event.BRING_IN, 1, 2),
        (Event.BET, 2, 5),
        (Event.CALL, 0, 5),
        (Event.CALL, 1, 3),
    ]


def test_a_round_has_a_bet_and_three_raises() -> None:
    """And who may raise no more calls: seat 0 is the last to raise, and seat 2 would like to."""
    seats = [RAISER, STAY, RAISER]
    third, *_, seventh = by_street(reference("seven-card-stud", seats, THREE).events)
    assert third == [
        (Event.BRING_IN, 1, 1),
        (Event.BET, 2, 2),
        (Event.RAISE, 0, 4),
        (Event.CALL, 1, 3),
        (Event.RAISE, 2, 4),
        (Event.RAISE, 0, 4),
        (Event.CALL, 1, 4),
        (Event.CALL, 2, 2),
    ]
    assert seventh == [
        (Event.BET, 2, 4),
        (Event.RAISE, 0, 8),
        (Event.CALL, 1, 8),
        (Event.RAISE, 2, 8),
        (Event.RAISE, 0, 8),
        (Event.CALL, 1, 8),
        (Event.CALL, 2, 4),
    ]


@pytest.mark.parametrize(
    ("raises", "chips"),
    [(0, [2, 2]), (1, [2, 4, 2]), (3, [2, 4, 4, 4, 2]), (4, [2, 4, 4, 4, 4, 2])],
)
def test_the_cap_holds_heads_up(raises: int, chips: list[int]) -> None:
    hands = {0: "4h 9d 2d 8h Kd 5c 3h", 1: "4c 9c 3c 8c Qd 6d 3d"}
    third = by_street(reference(f"spades betting.raises={raises}", [RAISER] * 2, hands).events)[0]
    opener_first = [Event.BET, *[Event.RAISE] * raises, Event.CALL]
    seats = [(1 + turn) % 2 for turn in range(len(chips))]
    assert third == list(zip(opener_first, seats, chips, strict=True))


def test_the_highest_board_opens_with_wild_cards_counted() -> None:
    """2♠ is an ace, and level with the A♦: the dealer's left opens; then nines, then fives."""
    hands = {
        0: "3c 7c 9h 9d Jc 10c 2c",
        1: "3d 7d 2s 5c 5h 10d 2d",
        2: "4c 7h Ad Kc Qh 8c 2h",
    }
    third, fourth, fifth, *_ = by_street(reference("spades", [STAY] * 3, hands).events)
    assert third == [(Event.CHECK, 1, 0), (Event.CHECK, 2, 0), (Event.CHECK, 0, 0)]
    assert fourth == [(Event.CHECK, 0, 0), (Event.CHECK, 1, 0), (Event.CHECK, 2, 0)]
    assert fifth == [(Event.CHECK, 1, 0), (Event.CHECK, 2, 0), (Event.CHECK, 0, 0)]


def test_everybody_folds_to_one_who_wins_at_once() -> None:
    cards = parse_cards("4h 4c 5h 9s 9c 10s 2d 2c 9h")
    assert reference("seven-card-stud", [FOLDER, STAY, FOLDER], THREE).events == [
        (Event.DEAL, NOBODY, 0),
        (Event.ANTE, 0, 1),
        (Event.ANTE, 1, 1),
        (Event.ANTE, 2, 1),
        *[(Event.DOWN, place % 3, card) for place, card in enumerate(cards[:6])],
        *[(Event.UP, place, card) for place, card in enumerate(cards[6:])],
        (Event.BRING_IN, 1, 1),
        (Event.FOLD, 2, 1),
        (Event.FOLD, 0, 1),
        (Event.WIN, 1, 4),
    ]


def test_who_folds_blindly_does_so_before_the_bring_in_and_the_last_never() -> None:
    seats = [load("fold:1")] * 3
    events = reference("seven-card-stud", seats, THREE).events
    assert events[-3:] == [(Event.FOLD, 0, 0), (Event.FOLD, 1, 0), (Event.WIN, 2, 3)]
    third, fourth, *_ = by_street(
        reference("seven-card-stud", [STAY, load("fold:1,0,0,0,0"), STAY], THREE).events
    )
    assert third == [(Event.FOLD, 1, 0), (Event.BRING_IN, 0, 1), (Event.CALL, 2, 1)]
    assert fourth == [(Event.CHECK, 2, 0), (Event.CHECK, 0, 0)]


def test_who_folded_gets_no_card_and_his_board_does_not_open() -> None:
    seats = [STAY, STAY, acting(fold="4")]
    events = reference("seven-card-stud", seats, THREE).events
    _, fourth, fifth, sixth, seventh = by_street(events)
    assert fourth == [(Event.FOLD, 2, 0), (Event.CHECK, 0, 0), (Event.CHECK, 1, 0)]
    for street in (fifth, sixth, seventh):
        assert street == [(Event.CHECK, 0, 0), (Event.CHECK, 1, 0)]
    assert sum(seat == 2 for _, seat, _ in happened(events, Event.DOWN, Event.UP)) == 4
    assert happened(events, Event.SHOW)[-1][1] == 1


KILLED = {0: "4h 9d 2d", 1: "4c 9c 3c Ks", 2: "5h 10s 9h 7c"}
FAIR = {0: "4h 9d 2d 8h Kd 5c 3h", 1: "4c 9c 3c 8c Qd 6d 3d", 2: "5h 10s 9h 7c Jd 7d 4d"}


def test_a_kill_interrupts_and_the_pot_carries() -> None:
    """Seat 0 folds on the third street of the first deal, and stays out."""
    seats = [acting(fold="3"), STAY, acting(raise_="3")]
    events = reference("faces-of-death", seats, KILLED, FAIR).events
    killed, fair = naive.deals_of(events)
    assert happened(killed, *BETTING, Event.ANTE, Event.KILL) == [
        (Event.ANTE, 0, 1),
        (Event.ANTE, 1, 1),
        (Event.ANTE, 2, 1),
        (Event.BRING_IN, 0, 1),
        (Event.CALL, 1, 1),
        (Event.BET, 2, 2),
        (Event.FOLD, 0, 1),
        (Event.CALL, 1, 1),
        (Event.KILL, 1, parse_card("Ks")),
    ]
    assert killed[-1][0] == Event.KILL
    assert naive.dealt_in(fair) == {1, 2}
    assert by_street(fair)[0] == [(Event.BRING_IN, 1, 1), (Event.BET, 2, 2), (Event.CALL, 1, 1)]
    assert not happened(fair, Event.ANTE)
    assert happened(fair, Event.WIN) == [(Event.WIN, 2, 3 + 1 + 4 + 4)]


def test_who_folded_comes_back_where_the_page_says_so() -> None:
    seats = [load("fold:1,0,0,0,0"), STAY, STAY]
    events = reference("faces-of-death kill.everyone=true", seats, KILLED, FAIR).events
    _, fair = naive.deals_of(events)
    assert naive.dealt_in(fair) == {0, 1, 2}
    assert [seat for _, seat, _ in happened(fair, Event.ANTE)] == [0, 1, 2]
    assert by_street(fair)[0] == [(Event.FOLD, 0, 0), (Event.BRING_IN, 1, 1), (Event.CALL, 2, 1)]
    assert sum(naive.values_of(fair, Event.WIN)) == 3 + 2 + 3 + 2


def test_an_abandoned_pot_is_shared_by_those_still_in() -> None:
    seats = [load("fold:1,0,0,0,0"), STAY, STAY]
    for option in ("kill.ante_again=true", "kill.everyone=true"):
        events = reference(f"faces-of-death kill.max_deals=1 {option}", seats, KILLED).events
        assert events[-3:] == [(Event.ABANDON, NOBODY, 1), (Event.WIN, 1, 3), (Event.WIN, 2, 2)]


def test_a_dear_toll_drives_a_player_out_though_checking_is_free() -> None:
    hands = {0: "3c 7c 9s 8d Jc 10c 2c", 1: "3d 7d Ad Kc 5h 10d 2d"}
    tight = load("tight")
    dear, cheap = (
        by_street(reference(f"spades toll.prices={prices}", [tight, STAY], hands).events)[0]
        for prices in ("[2,400]", "[2,0]")
    )
    assert dear == [(Event.FOLD, 0, 0)]
    assert cheap == [(Event.CHECK, 0, 0), (Event.CHECK, 1, 0)]


def test_who_is_put_out_leaves_the_betting_to_the_others() -> None:
    label = "faces-of-death kill.treatment=player-out"
    _, fourth, fifth, *_ = by_street(
        reference(
            label, [STAY, STAY, RAISER], KILLED | {0: "4h 9d 2d 8h Ad", 2: "5h 10s 9h 7c Jd 7d 4d"}
        ).events
    )
    assert fourth == [(Event.BET, 2, 2), (Event.CALL, 0, 2)]
    assert fifth == [(Event.CHECK, 0, 0), (Event.BET, 2, 4), (Event.CALL, 0, 4)]


# --- What a player sees -----------------------------------------------------------------------

HALF = ONE // 2


class Watched(Pot):
    """A pot that keeps what its players see at their turns, by street and seat."""

    def decide(self, seat: int) -> Event:
        """Decide as always."""
        asked, there = self.price(seat)
        self.__dict__.setdefault("views", {})[self.round.street, seat] = (
            self.survival(seat),
            self.value_bucket(seat),
            (asked, there),
            self.price_bucket(asked, there),
            self.is_beaten(seat),
        )
        return super().decide(seat)


def views(
    label: str, seats: Sequence[Policy], hands: dict[int, str]
) -> dict[tuple[int, int], tuple]:
    """Return what players see whose hands win half of the time against anybody."""
    deck = stack(len(seats), hands)
    pot = Watched(page(label), len(seats), lambda _: deck, seats, ahead=lambda _, __: HALF)
    return pot.play().__dict__["views"]


def bucket(value: int, players_in: int) -> int:
    return min(value * players_in * 16 // ONE, 63)


def test_what_a_player_sees_without_killers_and_tolls() -> None:
    """The dealer sees 5 cards; he is asked for the bring-in, one chip, and four are there."""
    seen = views("seven-card-stud", [CALLER] * 3, THREE)
    assert seen[0, 2] == (ONE, 24, (47, 4 * 47 + 47), 1 + 47 * 3 * 16 // 235, False)
    assert seen[0, 0] == (ONE, 24, (47, 5 * 47 + 47), 1 + 47 * 3 * 16 // 282, False)
    assert (0, 1) not in seen
    assert seen[4, 2] == (ONE, 24, (0, 6 * 37), 0, False)


def test_what_a_player_sees_of_killers() -> None:
    """On third street 9 cards face up are to come out of 47 that he has not seen."""
    hands = THREE | {2: "5h Js 9h 7c Jd 7d 4d"}
    survival = 38 * 37 * 36 * ONE // (47 * 46 * 45)
    seen = views("faces-of-death", [CALLER] * 3, THREE)[0, 0]
    assert seen[:2] == (
        survival,
        bucket((survival * HALF + (ONE - survival) * (ONE // 3)) // ONE, 3),
    )
    assert views("faces-of-death", [CALLER] * 3, hands)[0, 2][0] == 38 * 37 * ONE // (47 * 46)
    assert views("faces-of-death", [CALLER] * 3, hands)[3, 2][0] == ONE


def test_what_a_player_sees_who_may_be_put_out() -> None:
    """Three cards face up are to come to him."""
    survival = 44 * 43 * 42 * ONE // (47 * 46 * 45)
    seen = views("faces-of-death kill.treatment=player-out", [CALLER] * 3, THREE)
    assert seen[0, 0][:2] == (survival, bucket(survival * HALF // ONE, 3))
    assert seen[1, 0][0] == 41 * 40 * ONE // (44 * 43)
    assert seen[2, 0][0] == 38 * ONE // 41
    assert seen[3, 0][0] == seen[4, 0][0] == ONE


def test_what_a_player_sees_at_a_table_of_eight() -> None:
    """The unstacked deck deals killers to seats 3, 5 and 7 face down, and 25 cards face up more.

    One of these is the community card; but if one of the eight has folded there is none.
    """
    seen = views("faces-of-death", [CALLER] * 8, {})
    assert seen[0, 1][0] == 17 * 16 * 15 * ONE // (42 * 41 * 40)
    assert seen[0, 3][0] == 17 * 16 * ONE // (42 * 41)
    assert seen[3, 1][0] == 15 * ONE // 18
    assert seen[4, 1][0] == ONE
    seen = views("faces-of-death", [CALLER, FOLDER, *[CALLER] * 6], {})
    assert seen[0, 1][0] == 17 * 16 * 15 * ONE // (42 * 41 * 40)
    assert seen[0, 2][0] == 21 * 20 * 19 * ONE // (42 * 41 * 40)
    assert seen[3, 2][0] == ONE


def test_what_a_player_sees_of_tolls() -> None:
    """Seat 0 has one spade up and one down, so that 5 may be asked for 11 cards out of 47."""
    hands = {0: "3s 7c 9s 8d Jc 10c 2c", 1: "3d 7d 4d Kc 5h 10d 2d", 2: "4c 7h 6d Kd Qh 8c 2h"}
    seen = views("spades", [CALLER] * 3, hands)
    assert seen[0, 0][2:4] == ((5 * 11, 3 * 47 + 55), 1 + 55 * 3 * 16 // 196)
    assert seen[0, 1][2] == (2 * 12, 3 * 47 + 24)
    assert seen[2, 0][2] == (5 * 11, 3 * 41 + 55)
    assert seen[3, 0][2:4] == ((0, 3 * 38), 0)
    seen = views("spades", [RAISER, CALLER, CALLER], hands)
    assert seen[0, 1][2] == (2 * 47 + 2 * 12, (3 + 2) * 47 + 94 + 24)
    assert seen[4, 2][2:4] == ((5 * 37, (3 + 4 * 3 * 2 + 2 * 5) * 37 + 185), 1 + 5 * 48 // 42)


def test_the_dearest_price_and_the_best_value_have_the_last_place() -> None:
    hands = {0: "3s 7c 9s 8d Jc 10c 2c", 1: "3d 7d 4d Kc 5h 10d 2d"}
    assert views("spades toll.prices=[0,9999]", [CALLER] * 2, hands)[0, 0][3] == 1 + 31
    seen = views("spades toll.prices=[0,9999]", [CALLER] * 8, {0: "3s 7c 9s"})[0, 0]
    assert (seen[1], seen[3]) == (63, 33)


def test_a_board_beats_what_a_player_holds_all_told() -> None:
    """Two aces show at seat 2 from fourth street on; seat 3's are as good, and he has a six."""
    hands = {
        0: "4h 9s 2d 8h Kd 5s 3h",
        1: "9c 8c 3c 8d 9d 6d 3s",
        2: "5h 10s Ah Ad Jd 7d 4d",
        3: "Ac As 2c 6h Kh 10h 4s",
    }

    def beaten(seats: Sequence[Policy]) -> list[bool]:
        seen = views("seven-card-stud", seats, hands)
        return [seen[1, seat][-1] for seat in range(4) if (1, seat) in seen]

    assert beaten([CALLER] * 4) == [True, True, False, False]
    assert beaten([CALLER, CALLER, acting(fold="3"), CALLER]) == [False, False, False]


# --- Players who cannot play ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("fold:0.1,0.2,0.3,0.4,0.5,0.6", ["6 chances", "five"]),
        ("nobody", ["nobody", "stay, loose, typical, tight"]),
        ("loose,,tight", ["no policy"]),
        ("loose,0.5", ["0.5", "no policy"]),
        ("no\nname", ["no policy"]),
    ],
)
def test_policies_that_are_none(words: str, expected: list[str], refused: Callable) -> None:
    """``test_policy`` has more of them."""
    refused(lambda: load_seats(words), *expected)


def test_no_policies_are_none(refused: Callable) -> None:
    refused(lambda: load_seats([]), "0 policies")


@pytest.mark.parametrize("words", ["tight,loose", "tight,loose,tight,loose,tight"])
def test_as_many_policies_as_seats_or_one(words: str, refused: Callable) -> None:
    number = str(len(words.split(",")))
    refused(
        lambda: Scenario(page("spades"), 4, load_seats(words)), f"{number} policies", "4 players"
    )


def test_a_file_that_is_not_text(tmp_path: Path, refused: Callable) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe")
    refused(lambda: load(str(path)), str(path), "not text")

"""The best answer to a table: replays, what is learned of them, and what is said of it."""

from collections.abc import Callable, Sequence
from functools import cache, partial

import naive
import numpy as np
import pytest
import toy
from conftest import SEED, AnyScenario, page, reference_of
from naive import Pot
from test_betting import of_certainties

import sim
from sim.events import Event
from sim.game import Game
from sim.game import load as load_game
from sim.kernels import counting
from sim.kernels.learning import CALLING, FOLDING, RAISING, SUMS, VISITS
from sim.kernels.log import new_log
from sim.kernels.play import new_table, play_pots
from sim.kernels.ranks import RankTables
from sim.kernels.rows import new_deals, new_rows
from sim.policy import ONE, SIZES, STAY, Policy, load, load_seats
from sim.runs import threads
from sim.solving.answer import BestResponse
from sim.solving.table import BUCKETS, Seating
from sim.solving.training import CALL, FOLD, RAISE, best_actions, train, worths_of
from sim.tally import Tally

ACTIONS = (Event.FOLD, Event.CALL, Event.RAISE)
TABLES = [
    ("spades", 3, "typical"),
    ("spades", 2, "fold:0.1,0.2,0.1,0,0.1"),
    ("faces-of-death", 4, "loose"),
    ("faces-of-death kill.everyone=true kill.max_deals=4", 3, "tight"),
    ("black-mariah kill.treatment=player-out", 3, "typical,stay,loose"),
    ("seven-card-stud betting.raises=0", 8, "stay"),
]


class Forced(Pot):
    """A pot of the rule book in which one seat's decisions are numbered, and one may be forced."""

    watched, forced_at, forced, strays = 0, -1, Event.CALL, False

    def decide(self, seat: int) -> Event:
        """Decide as always, but where it is forced."""
        own = super().decide(seat)
        if seat != self.watched:
            return own
        found = self.__dict__.setdefault("found", [])
        asked, there = self.price(seat)
        place = (
            len(self.still_in) - 2, self.round.street, self.value_bucket(seat),
            self.price_bucket(asked, there), int(self.is_beaten(seat)),
        )  # fmt: skip
        may_raise = self.round.bets_and_raises <= self.game.betting.raises
        paid = sum(
            chips for event, who, chips in self.events if who == seat and event in naive.CHIPS_IN
        )
        found.append((place, paid, may_raise))
        number = len(found) - 1
        if number == self.forced_at:
            return self.forced
        roll = naive.mix((naive.mix(self.decisions[0]) + number) % naive.WORD)
        if self.strays and (self.forced_at < 0 or number < self.forced_at) and roll >> 61 == 0:
            return (Event.CALL, Event.RAISE, Event.FOLD)[roll % 2**16 % 3]
        return own


def forced_pot(
    game: Game,
    seats: Sequence[Policy],
    number: int,
    at: int = -1,
    to: Event = Event.CALL,
    *,
    strays: bool = False,
) -> tuple[int, list[tuple[tuple[int, ...], int, bool]]]:
    """Return what the watched seat wins of a pot, and its decisions."""
    players = len(seats)
    deck = partial(naive.deck_of, SEED, players, number)
    pot = Forced(game, players, deck, seats, naive.decisions_of(SEED, players, number))
    pot.watched, pot.forced_at, pot.forced, pot.strays = number % players, at, to, strays
    pot.play()
    return naive.net_of(pot.events, players)[pot.watched], pot.__dict__.get("found", [])


def learner() -> Policy:
    """Return somebody who does everything now and then, and heeds how many are still in."""
    chances = [
        of_certainties("one", 5, 0.15, 0.3).tables,
        of_certainties("two", 6, 0.1, 0.4).tables,
    ]
    folds, raises = (
        np.array([chances[size % 2][kind] for size in range(SIZES)]) / ONE for kind in range(2)
    )
    return Policy.of_tables("learner", folds, raises)


@pytest.mark.parametrize("strays", [False, True])
@pytest.mark.parametrize(("label", "players", "against"), TABLES)
def test_replays_are_those_of_the_rule_book(
    label: str, players: int, against: str, strays: bool
) -> None:
    game, pots, answer = page(label), 2 * players, learner()
    seats = AnyScenario(game, players, load_seats(against)).seats
    expected = np.zeros((*BUCKETS, 4), np.int64)
    nets = []
    for number in range(pots):
        table = [answer if seat == number % players else seats[seat] for seat in range(players)]
        net, found = forced_pot(game, table, number, strays=strays)
        nets.append(net)
        for at, (place, paid, may_raise) in enumerate(found):
            won = [
                paid + forced_pot(game, table, number, at, to, strays=strays)[0] for to in ACTIONS
            ]
            assert may_raise or won[2] == won[1]
            assert won[0] == 0 or game.kill.everyone
            expected[place] += [1, *won]
    played = Seating(AnyScenario(game, players, seats), 2).play(
        answer, SEED, 0, pots, 64, explored=int(strays)
    )
    np.testing.assert_array_equal(played.nets, nets)
    np.testing.assert_array_equal(played.sums[..., : RAISING + 1], expected)
    assert expected[..., VISITS].sum() > pots


# --- The learner, where all can be known -----------------------------------------------------


class Toy:
    """Learning on the toy."""

    def __init__(self) -> None:
        self.numbers: dict[toy.Spot, int] = {}

    def replay(self, answer: Callable[[toy.Spot], int], first: int, pots: int) -> np.ndarray:
        sums = np.zeros((8000, SUMS), np.int64)
        for pot in range(first, first + pots):
            for spot, won in toy.replays(pot, answer):
                place = self.numbers.setdefault(spot, len(self.numbers))
                sums[place, [VISITS, FOLDING, CALLING, RAISING]] += [1, *won]
        return sums

    def decide(self, sums: np.ndarray) -> Callable[[toy.Spot], int]:
        actions = best_actions(worths_of(sums))
        return lambda spot: int(actions[self.numbers[spot]]) if spot in self.numbers else CALL


def test_the_toy_is_the_tree() -> None:
    """What replays win on average is what the tree says, for one who does now this, now that."""

    def choose(spot: toy.Spot) -> int:
        return sum(spot) % 3 if sum(spot) % 3 != FOLD or len(spot) > 4 else CALL

    nets = [toy.Played(toy.dealt(pot)[0], choose).net for pot in range(20_000)]
    error = np.std(nets) / len(nets) ** 0.5
    assert abs(np.mean(nets) - toy.Tree(choose).value()) < 3.5 * error


def test_who_learns_finds_the_best_there_is_in_a_tree() -> None:
    tree = toy.Tree()
    best, staying = tree.value(), toy.Tree(lambda _: CALL).value()
    assert staying < best - 1
    found = []
    for pots in (500, 3000):
        own = Toy()
        answer, _ = train(own.replay, own.decide, lambda _: CALL, [pots] * 8)
        found.append(toy.Tree(answer).value())
    assert found[0] < found[1] <= best + 1e-9
    assert found[1] > best - 0.03
    sure = {spot: tree.best[spot] for spot, margin in tree.margin.items() if margin > 0.4}
    assert {spot: answer(spot) for spot in sure} == sure
    assert len(set(sure.values())) > 1


def test_ties_go_to_calling_then_folding_then_raising() -> None:
    worths = [[0, 0, 0], [1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 0, 1], [-2, -3, -2]]
    assert best_actions(np.array(worths)).tolist() == [CALL, FOLD, FOLD, CALL, RAISE, FOLD]


# --- Replays ---------------------------------------------------------------------------------


def test_any_number_of_threads_plays_the_same() -> None:
    scenario = AnyScenario(page("faces-of-death"), 5, load_seats("typical"))
    one, three = (
        Seating(scenario, count).play(learner(), 7, 100, 5000, 6, explored=3) for count in (1, 3)
    )
    assert one.plays == three.plays
    np.testing.assert_array_equal(one.nets, three.nets)
    np.testing.assert_array_equal(one.sums, three.sums)


def test_what_is_forced_to_what_it_does_anyway_changes_nothing(tables: RankTables) -> None:
    """Whole rows, of the pot and of its deals, are the same."""
    scenario = AnyScenario(page("faces-of-death"), 3, load_seats([learner(), *["typical"] * 2]))
    thinking, rules = threads.decision_tables(scenario), threads.rules_of(scenario)
    actions = set()

    def rows(pot: int, at: int = -1, forced: int = 0) -> tuple[list[np.ndarray], np.void]:
        batches, deals, table = new_rows(2), new_deals(), new_table()
        table["watched"], table["every"] = 0, 1
        table["forced_at"], table["forced"] = at, forced
        tally = Tally(scenario.shapes)
        workspace = counting.new_workspace(tables.categories)
        play_pots(
            tables, thinking, rules, table, batches, deals, workspace, tally.filled, new_log(),
            np.uint64(SEED), pot, 1,
        )  # fmt: skip
        return [batches, deals], table[0]

    for pot in range(40):
        before, table = rows(pot)
        for number in range(table["noted"]):
            action = int(table["noted_actions"][number])
            actions.add(action)
            after, _ = rows(pot, int(table["noted_numbers"][number]), action)
            for one, other in zip(before, after, strict=True):
                assert one.tobytes() == other.tobytes()
    assert actions == {int(action) for action in ACTIONS}


def test_a_few_of_many_decisions_stand_for_all() -> None:
    scenario = AnyScenario(page("faces-of-death"), 4, load_seats("typical"))
    seating = Seating(scenario, 2)
    whole, few = (seating.play(learner(), 3, 0, 20_000, most).sums for most in (64, 2))
    visits = [sums[..., VISITS].sum() for sums in (whole, few)]
    assert visits[1] == pytest.approx(visits[0], rel=0.02)
    worth = [sums[..., CALLING].sum() / sums[..., VISITS].sum() for sums in (whole, few)]
    assert worth[1] == pytest.approx(worth[0], abs=0.5)
    one = seating.play(learner(), 3, 0, 20_000, 1).sums
    assert one[..., VISITS].sum() == visits[0]  # of D decisions one, which counts D times


def test_last_decisions_of_real_pots_are_worth_what_the_cards_say() -> None:
    """Heads-up against one who stays, on seventh street: a bet is called, and the hands tell."""
    game, pots, players = page("seven-card-stud"), 60, 2
    seats = AnyScenario(game, players, load_seats("stay")).seats
    bet, expected = game.betting.bets[-1], np.zeros(3)
    for number in range(pots):
        me = number % players
        pot = reference_of(game, players, seats, number)
        mine, theirs = (
            sim.evaluate([card for kind in (pot.down, pot.up) for card in kind[seat]])
            for seat in (me, 1 - me)
        )
        won = pot.chips * (2 if mine > theirs else mine == theirs) / 2
        expected += [0, won, won + bet * (int(mine > theirs) - int(mine < theirs))]
    sums = Seating(AnyScenario(game, players, seats), 1).play(STAY, SEED, 0, pots, 64).sums[:, 4]
    found = [int(sums[..., what].sum()) for what in (FOLDING, CALLING, RAISING)]
    assert found == expected.tolist()


# --- Known answers ---------------------------------------------------------------------------


@cache
def found(
    game: str, players: int, against: str, pots: int = 60_000, options: tuple[str, ...] = ()
) -> BestResponse:
    return sim.best_response(
        load_game(game, options), players, against, pots=pots, scoring_pots=50_000, threads=2
    )


def test_who_waits_for_all_to_fold_never_folds_before() -> None:
    """All fold before the betting of seventh street but the last one in."""
    answer = found("spades", 2, "fold:0,0,0,0,1")
    buckets = answer.buckets
    assert (buckets[buckets.street == "sixth"].action != "fold").all()
    assert answer.gain.low > 0


def test_an_unbeatable_hand_raises() -> None:
    buckets = found("seven-card-stud", 2, "stay").buckets
    last = buckets[(buckets.street == "seventh") & ~buckets.beaten]
    best = last[last.value >= 31 / 16]
    assert len(best) > 3
    assert (best.action == "raise").all()


@pytest.mark.parametrize(
    ("game", "options", "folds"),
    [
        ("spades", (), True),
        ("spades", ("toll.prices=[0]",), False),
        ("seven-card-stud", (), False),
    ],
)
def test_a_hand_is_folded_for_free_where_something_may_fall_due(
    game: str, options: tuple[str, ...], folds: bool, kernel_plays: Callable
) -> None:
    answer = found(game, 4, "typical", options=options)
    page_of = load_game(game, options)
    _, pots = kernel_plays(page_of, 4, [answer.policy, *map(load, ["typical"] * 3)], 0, 2000)
    free = [event for pot in pots for event in pot if event == (Event.FOLD, 0, 0)]
    assert bool(free) == folds

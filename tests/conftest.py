"""What the tests share: tables, pages, and pots played by the kernel and by its reference."""

import subprocess
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import settings
from pairwise import grid, pairs_of

from sim import cards, cli, hands
from sim import game as pages
from sim.errors import InputError
from sim.events import Event
from sim.game import Game
from sim.kernels import evaluate
from sim.kernels.compile import is_cold
from sim.kernels.fast import rank_array
from sim.kernels.log import new_log
from sim.kernels.ranks import RankTables
from sim.policy import STAY, Policy, load_seats
from sim.runs.threads import Block, play_into
from sim.scenario import Scenario
from sim.tally import Tally

settings.register_profile("house", derandomize=True, deadline=None, database=None)
settings.load_profile("house")

TO_COMPILE = (
    "sim.simulate('faces-of-death', 2, 9, policies='tight'); sim.deal(2); sim.evaluate('As')",
    "sim.simulate('spades', 2, 9); sim.simulate('spades', 2, 9, options=['kill.cards=Qs,7s']); "
    "sim.best_response('spades', 2, pots=1000, scoring_pots=1000)",
)
"""Halves of about the same length: with betting, and where everybody stays."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile kernels that are not kept yet once for all workers, on two processors."""
    if session.config.getoption("numprocesses", None) and is_cold():
        begun = [
            subprocess.Popen([sys.executable, "-c", f"import sim; {calls}"]) for calls in TO_COMPILE
        ]
        assert [process.wait() for process in begun] == [0, 0]


SEED, POTS = 20_240_613, 40
CAPACITY = 1_000_000

SHIPPED = [
    "seven-card-stud",
    "black-mariah",
    "faces-of-death",
    "faces-of-death kill.ante_again=true",
    "faces-of-death kill.everyone=true",
    "faces-of-death kill.treatment=player-out",
    "spades",
]
ODD = [
    # A killer that is a toll card too; tolls and antes paid again.
    "spades kill.cards=Qs,7s kill.ante_again=true",
    "spades kill.cards=Qs,7s,deuces kill.treatment=player-out",
    # So many killers that pots are abandoned; from four players on no deal can finish.
    "seven-card-stud kill.cards=clubs,diamonds,hearts kill.max_deals=4",
    "faces-of-death kill.cards=spades kill.max_deals=3 kill.everyone=true ante.amount=7",
    "faces-of-death kill.max_deals=1",
    # Everybody is put out but the last.
    "seven-card-stud kill.cards=clubs,diamonds,hearts,spades kill.treatment=player-out",
    "seven-card-stud kill.cards=clubs kill.treatment=player-out",
    # Prices: more than can be paid, fewer than can be paid, and for every card.
    "spades toll.prices=[1,2,3,4,5,6]",
    "spades toll.prices=[6,9]",
    "spades toll.cards=clubs,diamonds,hearts,spades toll.prices=[0,3] ante.amount=0",
    # Amounts beyond the last bin of a distribution.
    "spades toll.cards=clubs,hearts,spades toll.prices=[1,9999,10000,9998]",
    "seven-card-stud ante.amount=0",
    "faces-of-death ante.who=dealer ante.amount=3 kill.ante_again=true",
    "seven-card-stud wild=deuces",
    "spades flush_repeats=true",
    "faces-of-death wild=deuces,jacks flush_repeats=true",
]


@cache
def page(label: str) -> Game:
    """Return a shipped page with options."""
    name, *options = label.split()
    return pages.load(name).with_options(options)


def stack(players: int, hands: dict[int, str], community: str = "") -> list[int]:
    """Return a deck that deals these seats these cards, street by street, and low cards else."""
    deck = [-1] * 52
    for seat, text in hands.items():
        hole = 4 * players + 2 * seat
        slots = [hole, hole + 1, *(street * players + seat for street in range(4))]
        slots.append(6 * players + seat)
        for slot, card in zip(slots, cards.parse_cards(text), strict=False):
            deck[slot] = card
    if community:
        deck[6 * players] = cards.parse_card(community)
    others = (card for card in range(52) if card not in deck)
    return [next(others) if card < 0 else card for card in deck]


def happened(events: Sequence[naive.Happening], *kinds: Event) -> list[naive.Happening]:
    """Return the events of these kinds."""
    return [happening for happening in events if happening[0] in kinds]


SIZES = range(pages.MIN_PLAYERS, pages.MAX_PLAYERS + 1)


def mechanisms(label: str) -> tuple[Hashable, ...]:
    """Return what tells pages apart and may meet: kills, tolls, wild cards, bets."""
    game = page(label)
    kill, betting = game.kill, game.betting
    treatment = (kill.treatment, kill.everyone, kill.ante_again) if kill.cards else None
    tolls = bool(game.toll.cards), bool(game.toll.cards & kill.cards)
    return treatment, kill.max_deals < 10, tolls, game.wild, betting.opens, betting.bring_in > 0


def parts_of_table(label: str, *others: Hashable) -> set[Hashable]:
    """Return what a sample of tables covers: every page, and all that meets at one."""
    return {label} | pairs_of(*mechanisms(label), *others)


EVERY_TABLE = pytest.mark.parametrize(
    ("game", "players"), grid(product(SHIPPED + ODD, SIZES), parts_of_table), indirect=True
)
"""Every page at every table size: a sample, and the whole grid where slow tests run."""


@pytest.fixture(params=SHIPPED + ODD)
def game(request: pytest.FixtureRequest) -> Game:
    """Every shipped page, every treatment of a kill, and odd pages."""
    return page(request.param)


@pytest.fixture(params=SIZES)
def players(request: pytest.FixtureRequest) -> int:
    """Every table size."""
    return int(request.param)


@pytest.fixture(scope="session")
def tables() -> RankTables:
    """The rank tables that the package plays with."""
    return hands.tables()


@pytest.fixture(scope="session")
def strengths(tables: RankTables) -> Callable[..., Any]:
    """A function of hands, (n, k), and wild cards that returns the kernel's strengths, (n,)."""

    def rank(cards: Any, wild: int = 0, flush_repeats: bool = False) -> Any:
        rows = np.array(cards, np.uint8)
        out = np.zeros(len(rows), np.uint16)
        words = evaluate.card_words(wild, flush_repeats=flush_repeats)
        assert rank_array(tables, words, rows, out) == -1
        return out

    return rank


@pytest.fixture(scope="session")
def value_of_strength(tables: RankTables) -> Callable[[int], naive.Value]:
    """A function that turns a strength into the reference's value of a hand."""

    @cache
    def value(strength: int) -> naive.Value:
        packed = int(tables.values[strength])
        return (packed >> 20, *((packed >> shift & 15) - 1 for shift in (16, 12, 8, 4, 0)))

    return value


class AnyScenario(Scenario):
    """A scenario that may be one of which no deal can finish: then every pot is abandoned."""

    def __post_init__(self, stored: bool) -> None:
        """Refuse nothing."""


def reference_of(
    game: Game, players: int, seats: Sequence[Policy], pot: int, seed: int = SEED
) -> naive.Pot:
    """Return a pot as the rule book has it."""
    deck = partial(naive.deck_of, seed, players, pot)
    decisions = naive.decisions_of(seed, players, pot)
    return naive.Pot(game, players, deck, seats, decisions).play()


@cache
def _reference_pots(game: Game, players: int, pots: int) -> list[naive.Pot]:
    return [reference_of(game, players, [STAY] * players, pot) for pot in range(pots)]


@pytest.fixture
def reference_pots(game: Game, players: int) -> list[naive.Pot]:
    """The first pots when everybody stays, as the rule book has them."""
    return _reference_pots(game, players, POTS)


@pytest.fixture(scope="session")
def kernel_plays(
    tables: RankTables, value_of_strength: Callable[[int], naive.Value]
) -> Callable[..., tuple[Tally, list[list[naive.Happening]]]]:
    """A function of game, players, policies, first pot and pots: the kernel's tally and events."""

    def split(rows: Any) -> Iterator[list[naive.Happening]]:
        starts = np.flatnonzero((rows[:, 0] == Event.DEAL) & (rows[:, 2] == 0))
        for start, end in pairwise([*starts, len(rows)]):
            yield [
                (event, seat, value_of_strength(value) if event == Event.SHOW else value)
                for event, seat, value in rows[start:end].tolist()
            ]

    def run(
        game: Game,
        players: int,
        policies: str | Policy | Sequence[Policy] = "stay",
        first: int = 0,
        pots: int = POTS,
        seed: int = SEED,
        capacity: int = CAPACITY,
    ) -> tuple[Tally, list[list[naive.Happening]]]:
        scenario = AnyScenario(game, players, load_seats(policies))
        tally, log = Tally(scenario.shapes), new_log(capacity)
        play_into(tally, log, Block(scenario, seed, first, pots))
        assert log.length[0] <= capacity
        return tally, list(split(log.rows[: log.length[0]]))

    return run


@pytest.fixture
def spadework(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """A function that runs a command in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> tuple[int, str, str]:
        code = cli.main([str(word) for word in words])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def refused() -> Callable[..., str]:
    """A function: calling this is refused in one sentence that holds these words."""

    def check(call: Callable[[], object], *words: str) -> str:
        with pytest.raises(InputError) as caught:
            call()
        message = str(caught.value)
        assert message.strip()
        assert len(message.splitlines()) == 1
        for expected in words:
            assert expected in message
        return message

    return check

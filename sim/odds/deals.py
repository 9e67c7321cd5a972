"""What killers do: every way that a deal can go, and how many deals and cards a pot takes.

All players stay to the end. Cards of a shuffled deck are exchangeable, so the chance of a pattern
of killers and harmless cards depends only on how many of each it shows.
"""

from collections import Counter
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from math import comb, factorial, prod
from typing import NamedTuple

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game, up_cards
from sim.tally import ante_by_seat, most_deals

HOLE_CARDS = 2
EXACT_LEVELS = 30
"""Shares of pots that take more deals than this are floats: as fractions they would fill a page."""
RAREST_DEALS = 1e-9
NOBODY = -1


class Ending(Enum):
    """How a deal ends."""

    SHOWDOWN = "showdown"
    KILLED = "killed"
    LAST_LEFT = "last left"


class Board(NamedTuple):
    """A player's up cards when the deal ends."""

    harmless: int
    killer: bool
    """Whether a killer came after the harmless ones."""


class Outcome(NamedTuple):
    """One way that a deal can go, as far as killers tell."""

    probability: Fraction
    ending: Ending
    seat: int
    """Whose card killed the deal (``players``: the community card), or who is the last left."""
    boards: tuple[Board, ...]
    """By seat on a page that redeals; under player-out all their arrangements are meant."""


def choose(things: int, chosen: int) -> int:
    """Return the number of ways to choose; none from or of fewer than nothing."""
    return comb(things, chosen) if min(things, chosen) >= 0 else 0


def outcomes(game: Game, players: int) -> tuple[Outcome, ...]:
    """Return all ways that a deal to this many players can go, with their probabilities."""
    player_out = game.kill.treatment == "player-out"
    return _outcomes(game.kill.cards.bit_count(), player_out, players)


@lru_cache(maxsize=256)
def _outcomes(killers: int, player_out: bool, players: int) -> tuple[Outcome, ...]:
    ways = _player_out(killers, players) if player_out else _redeal(killers, players)
    return tuple(outcome for outcome in ways if outcome.probability)


def _chance(killers: int, harmless_seen: int, killers_seen: int) -> Fraction:
    """Return the chance that certain cards are harmless and certain others killers."""
    unseen = DECK - harmless_seen - killers_seen
    return Fraction(choose(unseen, killers - killers_seen), comb(DECK, killers))


def _redeal(killers: int, players: int) -> Iterator[Outcome]:
    """Yield a deal's outcomes when the first killer face up ends it."""
    for up_card in range(UP_STREETS * players):
        street, seat = divmod(up_card, players)
        boards = tuple(
            Board(street + (other < seat), killer=other == seat) for other in range(players)
        )
        yield Outcome(_chance(killers, up_card, 1), Ending.KILLED, seat, boards)
    full, shown = (Board(UP_STREETS, killer=False),) * players, up_cards(players)
    if players == MAX_PLAYERS:
        yield Outcome(_chance(killers, shown - 1, 1), Ending.KILLED, players, full)
    yield Outcome(_chance(killers, shown, 0), Ending.SHOWDOWN, NOBODY, full)


def _player_out(killers: int, players: int) -> Iterator[Outcome]:
    """Yield a deal's outcomes when a killer puts out its receiver."""
    still_in = Board(UP_STREETS, killer=False)
    for outs in _outs_by_street(range(players - 1)):
        ways = _arrangements((*outs, players - sum(outs)))
        boards = _out_boards(outs) + (still_in,) * (players - sum(outs))
        yield _weighted(ways, killers, Ending.SHOWDOWN, NOBODY, boards)
    if killers >= players - 1:
        for (last, boards), ways in _last_left(players).items():
            yield _weighted(ways, killers, Ending.LAST_LEFT, last, boards)


def _last_left(players: int) -> Counter[tuple[int, tuple[Board, ...]]]:
    """Count the ways to be the last left, by who it is and by the boards.

    The deal stops with the card that puts out the last but one, so those put out on the same street
    sit before him.
    """
    ways: Counter[tuple[int, tuple[Board, ...]]] = Counter()
    for last, other in permutations(range(players), 2):
        before = other - (last < other)
        for street in range(UP_STREETS):
            board = Board(street + (last < other), killer=False)
            for same in range(before + 1):
                rest = players - 2 - same
                for outs in _outs_by_street(range(rest, rest + 1), street):
                    boards = (*_out_boards((*outs, same + 1)), board)
                    ways[last, boards] += comb(before, same) * _arrangements(outs)
    return ways


def _outs_by_street(totals: range, streets: int = UP_STREETS) -> Iterator[tuple[int, ...]]:
    """Yield how many may be put out on each street, so many in all."""
    numbers = range(totals.stop)
    return (outs for outs in product(numbers, repeat=streets) if sum(outs) in totals)


def _arrangements(groups: tuple[int, ...]) -> int:
    """Return in how many ways players fall into groups of these sizes."""
    return factorial(sum(groups)) // prod(map(factorial, groups))


def _out_boards(outs: tuple[int, ...]) -> tuple[Board, ...]:
    return tuple(
        Board(street, killer=True) for street, number in enumerate(outs) for _ in range(number)
    )


def _weighted(
    ways: int, killers: int, ending: Ending, seat: int, boards: tuple[Board, ...]
) -> Outcome:
    harmless = sum(board.harmless for board in boards)
    out = sum(board.killer for board in boards)
    return Outcome(ways * _chance(killers, harmless, out), ending, seat, boards)


def chance_killed(game: Game, players: int) -> Fraction:
    """Return the share of deals that a killer ends, to be dealt again."""
    return _total(way for way in outcomes(game, players) if way.ending is Ending.KILLED)


def kill_rate(game: Game, players: int) -> dict[str, Fraction]:
    """Return the share of deals killed, by street; a redeal page."""
    streets = [*STREETS[:UP_STREETS], *(["community"] if players == MAX_PLAYERS else [])]
    rates = dict.fromkeys(streets, Fraction(0))
    for way in outcomes(game, players):
        if way.ending is Ending.KILLED:
            community = way.seat == players
            street = "community" if community else STREETS[way.boards[way.seat].harmless]
            rates[street] += way.probability
    return rates | {"all": chance_killed(game, players)}


def survival(game: Game, players: int) -> dict[str, Fraction]:
    """Return the share of deals still alive after so many up cards; a redeal page."""
    killers = game.kill.cards.bit_count()
    return {str(shown): _chance(killers, shown, 0) for shown in range(1, up_cards(players) + 1)}


def killed_seat(game: Game, players: int) -> dict[str, Fraction]:
    """Return the share of deals in which a killer is dealt face up to each seat."""
    seats = dict.fromkeys(range(players), Fraction(0))
    if game.kill.treatment == "player-out":
        for way in outcomes(game, players):
            out = Fraction(sum(board.killer for board in way.boards), players)
            for seat in seats:
                share = out if way.ending is Ending.SHOWDOWN else int(seat != way.seat)
                seats[seat] += way.probability * share
    else:
        if players == MAX_PLAYERS:
            seats[players] = Fraction(0)
        for way in outcomes(game, players):
            if way.ending is Ending.KILLED:
                seats[way.seat] += way.probability
    return {"community" if seat == players else str(seat + 1): seats[seat] for seat in seats}


def killed_pots(game: Game, players: int) -> Fraction:
    """Return the share of pots in which a killer is dealt face up, and not without effect."""
    killers = game.kill.cards.bit_count()
    if game.kill.treatment == "player-out":
        return 1 - _chance(killers, UP_STREETS * players, 0)
    return 1 - _chance(killers, up_cards(players), 0)


def players_out(game: Game, players: int) -> dict[str, Fraction]:
    """Return how many are put out: mean, share of pots with so many, mean by street; player-out."""
    numbers = {str(number): Fraction(0) for number in range(players)}
    streets = dict.fromkeys(STREETS[:UP_STREETS], Fraction(0))
    for way in outcomes(game, players):
        numbers[str(sum(board.killer for board in way.boards))] += way.probability
        for board in way.boards:
            if board.killer:
                streets[STREETS[board.harmless]] += way.probability
    return {"mean": sum(streets.values(), Fraction(0))} | numbers | streets


def mean_deals(game: Game, players: int) -> Fraction:
    """Return how many deals a pot takes on average."""
    return reached(chance_killed(game, players), most_deals(game))


def reached(killed: Fraction, deals: int) -> Fraction:
    """Return the mean number of deals when each is killed with this chance, out of so many."""
    return Fraction(deals) if killed == 1 else (1 - killed**deals) / (1 - killed)


def deals_per_pot(game: Game, players: int) -> dict[str, Fraction | float]:
    """Return the mean number of deals of a pot, and the share of pots that take so many."""
    killed, most = chance_killed(game, players), most_deals(game)
    values: dict[str, Fraction | float] = {"mean": mean_deals(game, players)}
    for number in range(1, most + 1):
        again = killed if number <= EXACT_LEVELS else float(killed)
        share = again ** (number - 1) * (1 if number == most else 1 - again)
        if share >= RAREST_DEALS:
            values[str(number)] = share
    return values


def abandoned_pots(game: Game, players: int) -> Fraction:
    """Return the share of pots that are killed as often as the page allows."""
    return chance_killed(game, players) ** most_deals(game)


def cards_per_pot(game: Game, players: int) -> Fraction:
    """Return how many cards a pot takes on average."""
    a_deal = sum(way.probability * _cards_dealt(way) for way in outcomes(game, players))
    return a_deal * mean_deals(game, players)


def _cards_dealt(way: Outcome) -> int:
    cards = sum(HOLE_CARDS + board.harmless + board.killer for board in way.boards)
    if way.ending is Ending.SHOWDOWN:
        still_in = sum(not board.killer for board in way.boards)
        return cards + (still_in if cards + still_in <= DECK else 1)
    return cards + (way.seat == len(way.boards))


def betting_rounds(game: Game, players: int) -> list[tuple[Fraction, Fraction]]:
    """Return by street the rounds of betting in a deal on average, and the players in them."""
    rounds = [(Fraction(0), Fraction(0))] * len(STREETS)
    for way in outcomes(game, players):
        for street, number in enumerate(_players_in_rounds(way)):
            rounds_held, in_rounds = rounds[street]
            rounds[street] = rounds_held + way.probability, in_rounds + way.probability * number
    return rounds


def _players_in_rounds(way: Outcome) -> list[int]:
    """Return how many are in each round of betting; a round of one is none."""
    out = [board.harmless for board in way.boards if board.killer]
    streets = len(STREETS)
    if way.ending is Ending.KILLED:
        streets, out = min([*out, UP_STREETS]), []
    numbers = [len(way.boards) - sum(on <= street for on in out) for street in range(streets)]
    return [number for number in numbers if number > 1]


def decisions(game: Game, players: int) -> Fraction:
    """Return the turns in a pot on average: each decides once a round, but who brings in."""
    rounds = betting_rounds(game, players)
    turns = sum(in_rounds for _, in_rounds in rounds) - rounds[0][0] * (game.betting.bring_in > 0)
    return turns * mean_deals(game, players)


def carried(game: Game, players: int) -> Fraction:
    """Return the chips in a pot before the antes of its last deal on average, if no toll is due.

    All deals before the last are killed, and those that bet on third street are brought in.
    """
    most, rates = most_deals(game), kill_rate(game, players)
    killed, again = rates["all"], game.kill.ante_again or game.kill.everyone
    redealt = killed if most > 1 else Fraction(0)
    before = mean_deals(game, players) - 1
    antes = sum(ante_by_seat(game, players)) * (before if again else redealt)
    bet_on = 1 - rates[STREETS[0]] / killed if killed else Fraction(0)
    return antes + before * bet_on * game.betting.bring_in * players


def survivors(game: Game, players: int) -> dict[str, Fraction]:
    """Return how many are still in at the end: mean, and the share of pots with so many."""
    if game.kill.treatment == "redeal":
        return {"mean": Fraction(players), str(players): Fraction(1)}
    out = players_out(game, players)
    shares = {str(left): out[str(players - left)] for left in range(1, players + 1)}
    return {"mean": players - out["mean"]} | {
        left: share for left, share in shares.items() if share
    }


def showdowns(game: Game, players: int) -> Fraction:
    """Return the share of pots that end with hands shown."""
    if game.kill.treatment == "redeal":
        return 1 - abandoned_pots(game, players)
    ways = outcomes(game, players)
    return _total(way for way in ways if way.ending is Ending.SHOWDOWN)


def _total(ways: Iterator[Outcome]) -> Fraction:
    return sum((way.probability for way in ways), Fraction(0))

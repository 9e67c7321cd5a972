"""Exact values where players fold blind to cards, as far as they are known: floats."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean

import numpy as np

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game, up_cards
from sim.kernels.ranks import MAX_CARDS
from sim.odds.chain import Blind, Floats, Pots, fold, follow, sizes
from sim.odds.deals import HOLE_CARDS, RAREST_DEALS, Board, choose
from sim.odds.hands import weighted_hands
from sim.odds.tolls import Number, TollDeck, board_tolls, described, levels, toll_deck
from sim.policy import ONE, Policy
from sim.tally import ante_by_seat, most_deals

Metrics = dict[str, Mapping[str, Number]]


def folding_values(game: Game, seats: Sequence[Policy]) -> Metrics:
    """Return exact values by metric and level for a table of policies that are blind to cards."""
    blind, players = tuple(policy.blind for policy in seats), len(seats)
    pots = follow(game, blind)
    values: Metrics = {}
    if game.kill.cards:
        player_out = game.kill.treatment == "player-out"
        values |= _players_out(pots) if player_out else _kills(pots, players)
        values |= _killers(pots, player_out)
    values |= _deals(pots) | _players_left(game, pots) | _chips(game, pots)
    if game.toll.cards:
        values |= _tolls(game, pots, blind) | _tolls_by_policy(game, pots, seats)
    return values | {"hand": _hands(game, pots)}


def _shares(numbers: Mapping[str, float], things: float = 1) -> dict[str, float]:
    return {level: float(number) / things for level, number in numbers.items()}


def _kills(pots: Pots, players: int) -> Metrics:
    """Return what killers do on a page that redeals."""
    rates = dict(zip(STREETS, pots.sums.killers.sum(axis=0), strict=False))
    if players == MAX_PLAYERS:
        rates["community"] = pots.sums.community_kills
    killed = np.cumsum(pots.sums.kills_by_card)
    alive = {str(card): pots.deals - killed[card] for card in range(1, up_cards(players) + 1)}
    dealt = enumerate(zip(pots.kills_by_number, pots.deals_by_number, strict=True))
    return {
        "kill_rate_dealt": {str(number): float(kills / of) for number, (kills, of) in dealt if of},
        "kill_rate": _shares(rates | {"all": killed[-1]}, pots.deals),
        "survival": _shares(alive, pots.deals),
        "abandoned_pots": {"all": pots.abandoned},
    }


def _players_out(pots: Pots) -> Metrics:
    """Return how many are put out, under player-out."""
    by_street = pots.sums.killers.sum(axis=0)
    numbers = {str(number): share for number, share in enumerate(pots.sums.outs)}
    streets = dict(zip(STREETS, by_street, strict=False))
    return {"players_out": _shares({"mean": by_street.sum()} | numbers | streets)}


def _killers(pots: Pots, player_out: bool) -> Metrics:
    """Return whom killers hit."""
    by_seat = pots.sums.killers.sum(axis=1)
    seats = {str(seat): number for seat, number in enumerate(by_seat, 1)}
    if len(by_seat) == MAX_PLAYERS and not player_out:
        seats["community"] = pots.sums.community_kills
    return {"killed_seat": _shares(seats, pots.deals), "killed_pots": {"all": pots.killed}}


def _deals(pots: Pots) -> Metrics:
    """Return how many deals and cards a pot takes."""
    numbers = {str(number): share for number, share in enumerate(pots.shares, 1)}
    frequent = {level: share for level, share in numbers.items() if share >= RAREST_DEALS}
    face_up = pots.sums.harmless.sum() + pots.sums.killers.sum()
    cards = HOLE_CARDS * pots.dealt.sum() + face_up + pots.sums.last_cards
    return {
        "deals_per_pot": _shares({"mean": pots.deals} | frequent),
        "cards_per_pot": _shares({"mean": cards}),
    }


def _players_left(game: Game, pots: Pots) -> Metrics:
    """Return who folds, how many are left, and how often players decide."""
    folds = dict(zip(STREETS, pots.sums.folds, strict=True)) | {"all": pots.sums.folds.sum()}
    left = {str(number): share for number, share in enumerate(pots.survivors) if share > 0}
    left["mean"] = pots.survivors @ np.arange(len(pots.survivors))
    brought_in = pots.sums.rounds[0] * (game.betting.bring_in > 0)
    turns = pots.sums.folds.sum() + pots.sums.round_players.sum() - brought_in
    return {
        "folds": _shares(folds, pots.dealt.sum()),
        "survivors": _shares(left),
        "showdowns": _shares({"all": pots.sums.ended[2:].sum()}),
        "decisions": _shares({"mean": turns}),
    }


def _chips(game: Game, pots: Pots) -> Metrics:
    """Return the chips in a pot: antes, bring-ins and tolls; nobody bets."""
    players, kill = len(pots.dealt), game.kill
    antes = pots.dealt if kill.ante_again else np.ones(players)
    antes = np.full(players, pots.deals) if kill.everyone else antes
    tolls = sum(map(_mean, _toll_chips(game, pots)))
    brought = game.betting.bring_in * pots.sums.round_players[0]
    chips = float(antes @ ante_by_seat(game, players) + brought) + tolls
    values: Metrics = {"pot_size": {"mean": chips}, "chips_in": {"mean": chips / players}}
    if game.toll.cards and chips:
        values["toll_share"] = {"all": tolls / chips}
    return values


def _hands(game: Game, pots: Pots) -> dict[str, float]:
    """Return the share of hands shown by category: given its killers, any hand is as likely."""
    killers = game.kill.cards.bit_count()
    ways = (
        choose(killers, held) * choose(DECK - killers, MAX_CARDS - held)
        for held in range(MAX_CARDS + 1)
    )
    shown = zip(pots.sums.held, ways, strict=True)
    return weighted_hands(game, [float(hands) / max(number, 1) for hands, number in shown])


def _boards(pots: Pots, seat: int) -> dict[Board, float]:
    """Return how many deals leave a seat with each board."""
    harmless, killers = pots.sums.harmless[seat], pots.sums.killers[seat]
    stopped = [pots.dealt[seat], *harmless] - np.array([*harmless + killers, 0])
    alive = {Board(number, killer=False): max(deals, 0) for number, deals in enumerate(stopped)}
    boards = alive | {Board(street, killer=True): deals for street, deals in enumerate(killers)}
    return {board: float(deals) for board, deals in boards.items()}


def _board_chances(deck: TollDeck, boards: tuple[Board, ...]) -> dict[int, float]:
    """Return how likely the tolls on these boards come to each amount."""
    ways = board_tolls(deck, boards)
    total = sum(ways.values())
    return {chips: number / total for chips, number in ways.items()} if total else {}


def _toll_chips(game: Game, pots: Pots) -> list[dict[int, float]]:
    """Return by seat how many deals cost it so many chips."""
    return [_amounts(toll_deck(game), pots, seat) for seat in range(len(pots.dealt))]


def _amounts(deck: TollDeck, pots: Pots, seat: int) -> dict[int, float]:
    amounts: dict[int, float] = defaultdict(float)
    for board, deals in _boards(pots, seat).items():
        for chips, chance in _board_chances(deck, (board,)).items():
            amounts[chips] += deals * chance
    return amounts


def _mean(amounts: Mapping[int, float]) -> float:
    return sum(chips * number for chips, number in amounts.items())


def _together(parts: list[dict[int, float]], things: float) -> dict[int, float]:
    """Add up, and divide by a number of things."""
    amounts = sorted(set().union(*parts))
    return {chips: sum(part.get(chips, 0) for part in parts) / things for chips in amounts}


def _tolls(game: Game, pots: Pots, blind: Blind) -> Metrics:
    """Return what tolls cost; how they are distributed only where a pot takes one deal."""
    players, by_seat = len(blind), _toll_chips(game, pots)
    mean = sum(map(_mean, by_seat))
    counting = toll_deck(game)._replace(costs=tuple(range(UP_STREETS + 1)))
    paid = [_amounts(counting, pots, seat) for seat in range(players)]
    shares = _together(paid, float(pots.dealt.sum()))
    pot: dict[str, Number] = {"mean": mean}
    player: dict[str, Number] = {"mean": mean / players}
    if most_deals(game) == 1:
        player |= levels(_together(by_seat, players), game)
    if not game.kill.cards:
        pot |= _spread_of_tolls(game, blind)
    return {
        "toll_pot": pot,
        "toll_player": player,
        "tolls_paid": {str(number): shares.get(number, 0.0) for number in counting.costs},
    }


def _tolls_by_policy(game: Game, pots: Pots, seats: Sequence[Policy]) -> Metrics:
    """Return what a seat that plays each policy pays in tolls, where there are several."""
    means: dict[Policy, list[float]] = defaultdict(list)
    for policy, amounts in zip(seats, _toll_chips(game, pots), strict=True):
        means[policy].append(_mean(amounts))
    if len(means) == 1:
        return {}
    return {"toll_by_policy": {policy.name: fmean(paid) for policy, paid in means.items()}}


def _spread_of_tolls(game: Game, blind: Blind) -> dict[str, Number]:
    """Return spread, quantiles and distribution of the tolls of a pot without killers."""
    spread: dict[int, float] = defaultdict(float)
    for boards, share in _all_boards(blind).items():
        for chips, chance in _board_chances(toll_deck(game), boards).items():
            spread[chips] += share * chance
    mean, squares = (sum(chips**power * spread[chips] for chips in spread) for power in (1, 2))
    likely = {chips: chance for chips, chance in spread.items() if chance > 0}
    return {"sd": sqrt(max(squares - mean**2, 0))} | described(likely, game)


def _all_boards(blind: Blind) -> dict[tuple[Board, ...], float]:
    """Return how likely players without killers end with these boards, in no order."""
    players, chances = len(blind), np.array(blind) / ONE
    start = np.zeros(1 << players)
    start[-1] = 1
    paths: dict[tuple[int, ...], Floats] = {(): start}
    for street in range(UP_STREETS):
        following: dict[tuple[int, ...], Floats] = {}
        for path, state in paths.items():
            for number in range(1, players + 1):
                part = state * (sizes(players) == number)
                if part.any():
                    fold(part[None], chances[None, :, street])
                    following[*path, number] = part
        paths = following
    boards: dict[tuple[Board, ...], float] = defaultdict(float)
    for path, state in paths.items():
        boards[_boards_of(path)] += float(state.sum())
    return boards


def _boards_of(path: tuple[int, ...]) -> tuple[Board, ...]:
    """Return the boards when so many are still in on each street; one alone gets no card."""
    dealt = [number if number > 1 else 0 for number in path]
    up_cards = [sum(seat < number for number in dealt) for seat in range(path[0])]
    return tuple(Board(number, killer=False) for number in up_cards)

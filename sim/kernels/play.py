"""Play: one pot from the antes to the payout, over as many deals as kills ask for.

Where everybody stays there are no ``minds``, and the compiler leaves the betting out; most of those
pots are played by ``staying``.
"""

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.events import Event
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game
from sim.kernels.betting import LAST, add_up_hand, begin_deal, betting_round, distinct
from sim.kernels.compile import kernel, part, piece
from sim.kernels.deck import COURT, fill, first_hole, fresh, holds
from sim.kernels.evaluate import (
    FIVE_OF_A_SUIT,
    best_flush,
    card_words,
    rank_hand,
    rank_without_flush,
)
from sim.kernels.log import emit
from sim.kernels.stream import CARDS, DECISIONS, pot_stream, root
from sim.policy import Policy
from sim.tally import (
    CATEGORY_COUNT,
    PRICE_BORDERS,
    TOLL_LEVELS,
    amounts,
    ante_by_seat,
    most_deals,
    price_list,
    toll_costs,
)

NOBODY = -1
TOLL_SHIFT = np.uint64(13)
"""Where the sum of a hand's ``up_suits`` counts its toll cards: three bits between two suits."""
FINISHED, KILLED, LAST_LEFT = 0, 1, 2
"""How a deal ends: at the showdown, by a killer, or because one player is left."""

DEAL, ANTE, DOWN, UP = int(Event.DEAL), int(Event.ANTE), int(Event.DOWN), int(Event.UP)
COMMUNITY, TOLL, KILL, OUT = int(Event.COMMUNITY), int(Event.TOLL), int(Event.KILL), int(Event.OUT)
SHOW, ABANDON, WIN = int(Event.SHOW), int(Event.ABANDON), int(Event.WIN)


RULES = np.dtype(
    [
        ("players", np.int64),
        ("killers", np.uint64),  # cards that kill, as a mask
        ("player_out", np.bool_),  # a killer puts out its receiver alone
        ("court_kills", np.uint8, len(COURT)),  # which of ``COURT`` kill
        ("court_tells", np.bool_),  # where all stay, their places alone tell how a deal ends
        ("max_deals", np.int64),
        ("toll_cards", np.uint64),
        ("prices", np.int64, UP_STREETS),  # of a player's first, second, … toll card of a deal
        ("costs", np.int64, UP_STREETS + 1),  # of 0, 1, 2, … toll cards of a deal together
        ("antes", np.int64, MAX_PLAYERS),  # before the first deal
        ("antes_again", np.int64, MAX_PLAYERS),  # before every further deal, from those in it
        ("toll_unit", np.int64),
        ("pot_unit", np.int64),
        ("words", np.uint64, DECK),  # ``CardWords``
        ("suits", np.uint64, DECK),
        ("up_suits", np.uint64, DECK),  # the same, and a toll card counted
        ("flushes", np.int64),
        ("wild_cards", np.int64),  # how many
        ("everyone", np.bool_),  # who folded comes back in for a redeal
        ("killer_count", np.int64),
        ("toll_count", np.int64),  # toll cards in the deck
        ("bets", np.int64, len(STREETS)),
        ("most_bets", np.int64),  # a bet and its raises in a round
        ("bring_in", np.int64),
        ("low_card", np.bool_),  # opens third street
        ("policy_count", np.int64),
        ("policies", np.int64, MAX_PLAYERS),  # the number of each seat's
        ("any_looks", np.bool_),
        ("looks", np.uint8, MAX_PLAYERS),  # at cards and price
        ("blind", np.int64, (MAX_PLAYERS, len(STREETS))),  # chances to fold, times ``ONE``
    ],
    align=True,
)
"""A game's page for one table size, as the kernels read it.

A record is one pointer, and a field of it a fixed distance from there.
"""

TABLE = np.dtype(
    [
        ("deck", np.uint8, DECK),
        ("rest", np.uint8, DECK),  # before ``COURT`` trade places
        ("still_in", np.uint8, MAX_PLAYERS),
        ("up_cards", np.int64, MAX_PLAYERS),  # up cards each seat holds in this deal
        ("toll_cards", np.int64, MAX_PLAYERS),  # toll cards each seat has paid for in this deal
        ("tolls", np.int64, MAX_PLAYERS),  # chips each seat has paid in tolls in this pot
        ("last_card", np.int64, MAX_PLAYERS),  # where each seat's seventh card lies
        ("totals", np.uint64, MAX_PLAYERS),  # sum of the words of each seat's cards
        ("suits", np.uint64, MAX_PLAYERS),  # suit masks of each seat's cards
        ("strengths", np.int64, MAX_PLAYERS),
        ("showing", np.int64, MAX_PLAYERS),  # strength of each board; 0: not in
        ("seats_in", np.int64, MAX_PLAYERS + 1),  # at the start of a round
        ("ahead", np.int64),  # prospects touched so far
        ("places", np.int64, MAX_PLAYERS),  # where each hand's prospects lie
        ("looked", np.bool_),  # whether hands have been looked at in this round,
        ("boards_ranked", np.bool_),  # and boards
        ("filled", np.int64),  # settled positions of the deck
        ("own_killers", np.int64, MAX_PLAYERS),  # killers that each seat holds face down
        ("own_tolls", np.int64, MAX_PLAYERS),  # toll cards that each seat holds face down
        ("dealt_in", np.int64),
        ("shown", np.int64),  # cards face up in this deal,
        ("killers_shown", np.int64),  # killers among them,
        ("tolls_shown", np.int64),  # and toll cards
        ("round_paid", np.int64, MAX_PLAYERS),  # chips put in in this round
        ("turns", np.int64, MAX_PLAYERS),  # each seat's turns in this round
        ("pot", np.int64),
        ("paid", np.int64, MAX_PLAYERS),  # chips each seat has put into this pot
        ("won", np.int64, MAX_PLAYERS),
        ("net", np.int64, MAX_PLAYERS),
        ("levels", np.int64, MAX_PLAYERS),  # each seat's bin of an amount; -1: no such seat
        ("toll_numbers", np.int64, MAX_PLAYERS),  # toll cards each seat has paid for in this pot
        ("kills_by_card", np.int64, UP_STREETS * MAX_PLAYERS + 2),  # from here on: of this pot,
        ("kills_by_street", np.int32, UP_STREETS + 2),  # to be added to the tally
        ("kills_by_seat", np.int32, MAX_PLAYERS + 1),
        ("kills_by_dealt", np.int64, MAX_PLAYERS + 1),
        ("deals_by_dealt", np.int64, MAX_PLAYERS + 1),
        ("tolls_paid", np.int32, UP_STREETS + 1),
        ("hands", np.int32, CATEGORY_COUNT),
        ("folds", np.int32, len(STREETS) + 1),
        ("bets", np.int64, len(STREETS)),
        ("rounds", np.int64, len(STREETS)),
        ("folds_by_price", np.int64, len(PRICE_BORDERS) + 1),
        ("asked_by_price", np.int64, len(PRICE_BORDERS) + 1),
        ("policy_sums", np.int64, MAX_PLAYERS),
        ("toll_nets", np.int64, TOLL_LEVELS),
        ("toll_players", np.int64, TOLL_LEVELS),
        ("decisions", np.int64),
        ("out", np.int64),  # players put out by killers
    ],
    align=True,
)
"""What lies on the table while a pot is played; made once, used for every pot."""


def rules_of(game: Game, seats: tuple[Policy, ...]) -> NDArray[np.void]:
    """Put a page and the seats' policies into the form that the kernels read: (1,) of ``RULES``."""
    players = len(seats)
    limits = amounts(game, players, bets=any(policy.looks for policy in seats))
    antes = ante_by_seat(game, players)
    again = game.kill.ante_again or game.kill.everyone
    cards = card_words(game.wild, flush_repeats=game.flush_repeats)
    rules = np.zeros(1, RULES)
    values = {
        "players": players,
        "killers": game.kill.cards,
        "player_out": game.kill.treatment == "player-out",
        "court_kills": [game.kill.cards >> int(card) & 1 for card in COURT],
        "court_tells": _court_tells(game),
        "max_deals": most_deals(game),
        "toll_cards": game.toll.cards,
        "prices": price_list(game),
        "costs": toll_costs(game),
        "toll_unit": limits.toll_unit,
        "pot_unit": limits.pot_unit,
        "words": cards.words,
        "suits": cards.suits,
        "up_suits": [
            int(suit) + ((game.toll.cards >> card & 1) << int(TOLL_SHIFT))
            for card, suit in enumerate(cards.suits)
        ],
        "flushes": cards.flushes,
        "wild_cards": game.wild.bit_count(),
        "everyone": game.kill.everyone,
        "killer_count": game.kill.cards.bit_count(),
        "toll_count": game.toll.cards.bit_count(),
        "bets": game.betting.bets,
        "most_bets": 1 + game.betting.raises,
        "bring_in": game.betting.bring_in,
        "low_card": game.betting.opens == "low-card",
    }
    for name, value in values.items():
        rules[0][name] = value
    numbers = distinct(seats)
    rules[0]["policy_count"] = len(numbers)
    rules[0]["any_looks"] = any(policy.looks for policy in seats)
    for seat, policy in enumerate(seats):
        rules[0]["policies"][seat] = numbers.index(policy)
        rules[0]["looks"][seat] = policy.looks
        rules[0]["blind"][seat] = policy.blind
    rules[0]["antes"][:players] = antes
    rules[0]["antes_again"][:players] = antes if again else 0
    return rules


def _court_tells(game: Game) -> bool:
    """Whether the places of ``COURT`` tell how a deal ends, and no toll is due in one killed."""
    if game.kill.cards and (game.kill.treatment == "player-out" or game.toll.cards):
        return False
    return not game.kill.cards & ~sum(1 << int(card) for card in COURT)


def new_table() -> NDArray[np.void]:
    """Make an empty table: one record of ``TABLE``, (1,)."""
    return np.zeros(1, TABLE)


@piece
def count_kill(table, up_card, street, seat):
    """Note where in the deal a killer fell; nobody's is the community card."""
    table.kills_by_card[up_card] += 1
    table.kills_by_street[street] += 1
    table.kills_by_street[UP_STREETS + 1] += 1
    table.kills_by_seat[seat] += 1


@piece
def pay_toll(rules, table, log, seat):
    """Take from a seat what its next toll card of the deal costs."""
    price = rules.prices[table.toll_cards[seat]]
    table.toll_cards[seat] += 1
    table.tolls_shown += 1
    table.tolls[seat] += price
    table.paid[seat] += price
    table.pot += price
    emit(log, TOLL, seat, price)


@piece
def collect_tolls(rules, table):
    """Take what the toll cards of this deal cost from their receivers.

    They were due card by card; where nobody bets meanwhile, adding them up once a deal is quicker.
    """
    for seat in range(rules.players):
        cost = rules.costs[table.toll_cards[seat]]
        table.tolls[seat] += cost
        table.paid[seat] += cost
        table.pot += cost


@piece
def call_around(rules, table, street, players_in):
    """Play a betting round in which everybody stays, the bring-in included."""
    table.rounds[street] += 1
    table.decisions += players_in
    if street == 0 and rules.bring_in:
        table.decisions -= 1
        for seat in range(rules.players):
            if table.still_in[seat]:
                table.paid[seat] += rules.bring_in
        table.pot += rules.bring_in * players_in


@part
def log_hole_cards(rules, table, log):
    """Show in a log the two rounds dealt face down before the first up card."""
    for hole in range(2):
        for seat in range(rules.players):
            if table.still_in[seat]:
                emit(log, DOWN, seat, table.deck[first_hole(rules.players, seat) + hole])


@piece
def last_street(rules, table, log, filled, stream, deal, cards, players_in):
    """Deal the seventh street to those still in; return (killer or not, cards dealt).

    Eight players may leave too few cards; then one is for everybody. Eight players' own seventh
    cards lie behind the hole cards, then where the up cards of those put out would have been.
    """
    players = rules.players
    if cards + players_in > 52:
        place = 6 * players
        fill(table.deck, table.rest, filled, place + 1, stream, deal)
        card = table.deck[place]
        emit(log, COMMUNITY, NOBODY, card)
        table.last_card[:] = place
        killed = holds(rules.killers, card) and not rules.player_out
        if killed:
            emit(log, KILL, NOBODY, card)
        return killed, 1
    spare = 0
    fill(table.deck, table.rest, filled, min(7 * players, 52), stream, deal)
    for seat in range(players):
        if table.still_in[seat]:
            place = 6 * players + seat
            if players == MAX_PLAYERS:
                place = 6 * players + spare
                while place >= 52:
                    place = spare - 4
                    if place // players < table.up_cards[place % players]:
                        spare += 1
                        place = 52
                spare += 1
            table.last_card[seat] = place
            emit(log, DOWN, seat, table.deck[place])
    return False, players_in


@piece
def play_deal(tables, minds, rules, table, log, stream, rolls, deal, players_in):
    """Deal until showdown, kill or one player left; return (ending, cards, players in)."""
    players = rules.players
    fresh(table.rest)
    table.up_cards[:] = 0
    table.toll_cards[:] = 0
    cards = 2 * players_in
    up_card = filled = 0
    if minds is not None:
        begin_deal(table, players_in)
        if log.rows.shape[0]:
            filled = fill(table.deck, table.rest, filled, 6 * players, stream, deal)
            log_hole_cards(rules, table, log)
    for street in range(UP_STREETS + 1):
        if street == UP_STREETS:
            killed, more = last_street(rules, table, log, filled, stream, deal, cards, players_in)
            cards += more
            filled = 52  # or as many as are needed
            if killed:
                count_kill(table, up_card + 1, UP_STREETS, MAX_PLAYERS)
                return KILLED, cards, players_in
        else:
            filled = fill(table.deck, table.rest, filled, (street + 1) * players, stream, deal)
            for seat in range(players):
                if not table.still_in[seat]:
                    continue
                card = table.deck[street * players + seat]
                cards += 1
                up_card += 1
                table.up_cards[seat] += 1
                toll = holds(rules.toll_cards, card)
                if minds is None:
                    table.toll_cards[seat] += toll
                else:
                    emit(log, UP, seat, card)
                    if toll:
                        pay_toll(rules, table, log, seat)
                if holds(rules.killers, card):
                    count_kill(table, up_card, street, seat)
                    if not rules.player_out:
                        emit(log, KILL, seat, card)
                        return KILLED, cards, players_in
                    emit(log, OUT, seat, card)
                    table.still_in[seat] = False
                    table.killers_shown += 1
                    table.out += 1
                    players_in -= 1
                    if players_in == 1:
                        return LAST_LEFT, cards, players_in
        if minds is None:
            call_around(rules, table, street, players_in)
        else:
            table.shown, table.filled = up_card, filled
            players_in = betting_round(
                tables, minds, rules, table, log, stream, rolls, deal, street, players_in
            )
            filled = table.filled
            if players_in == 1:
                return LAST_LEFT, cards, players_in
    return FINISHED, cards, players_in


@piece
def add_up_hands(tables, rules, table):
    """Add up the seven cards of every seat, in or not."""
    players = np.uint64(rules.players)
    for seat in range(rules.players):
        place = np.uint64(seat)
        hole = np.uint64(4) * players + np.uint64(2) * place
        card = table.deck[np.uint64(table.last_card[seat])]
        total = tables.starts[7] + rules.words[card]
        suits = rules.suits[card]
        for down in range(2):
            card = table.deck[hole + np.uint64(down)]
            total += rules.words[card]
            suits |= rules.suits[card]
        for _ in range(UP_STREETS):
            card = table.deck[place]
            total += rules.words[card]
            suits |= rules.suits[card]
            place += players
        table.totals[seat] = total
        table.suits[seat] = suits


@piece
def rank_hands(tables, rules, table):
    """Rank every seat's hand, step by step for all: so that look-ups do not wait for each other."""
    add_up_hands(tables, rules, table)
    for seat in range(rules.players):
        table.strengths[seat] = rank_without_flush(tables, table.totals[seat])
    for seat in range(rules.players):
        total = table.totals[seat]
        if rules.wild_cards or total & FIVE_OF_A_SUIT:
            flush = np.int64(best_flush(tables, rules.flushes, total, table.suits[seat]))
            table.strengths[seat] = max(table.strengths[seat], flush)


@piece
def rank_hands_in(tables, rules, table):
    """Rank the hands of those still in, if they have not been looked at in the last round."""
    if not table.looked:
        for seat in range(rules.players):
            if table.still_in[seat]:
                add_up_hand(tables, rules, table, LAST, seat)
                total, suits = table.totals[seat], table.suits[seat]
                table.strengths[seat] = rank_hand(tables, rules.flushes, total, suits)


@piece
def showdown(tables, minds, rules, table, sums, log, players_in):
    """Rank the hands of those still in and count them; return (best strength, how many hold it)."""
    if minds is None:
        rank_hands(tables, rules, table)
    else:
        rank_hands_in(tables, rules, table)
    best = winners = 0
    for seat in range(rules.players):
        if table.still_in[seat]:
            strength = table.strengths[seat]
            table.hands[tables.categories[strength]] += 1
            emit(log, SHOW, seat, strength)
            winners = 1 if strength > best else winners + (strength == best)
            best = max(best, strength)
    sums.winning_hands[tables.categories[best]] += 1
    sums.split_pots[0] += winners > 1
    add_kinds(sums.hands, table.hands, players_in)
    sums.hands_shown[0] += players_in
    sums.hands_shown[1] += players_in * players_in
    return best, winners


@piece
def add_ratio(sums, level, value, number):
    """Add a pot's count c and its things t to a level of a tally's RATIO rows."""
    sums[0, level] += value
    sums[1, level] += value * value
    sums[2, level] += value * number
    sums[3, level] += number
    sums[4, level] += number * number


@piece
def add_ratios(sums, values, things):
    """Add a pot's counts c and their things t to a tally's RATIO rows; clear both."""
    for level in range(len(values)):
        if things[level]:
            add_ratio(sums, level, values[level], things[level])
            values[level] = things[level] = 0


@piece
def add_kinds(sums, values, things):
    """Add a pot's counts c, their squares and c·things to a tally's KIND rows; clear the counts.

    Counts and things have 32 bits, their products 64: so all levels are multiplied at once, which
    is quicker than to ask which of them are nought.
    """
    many = np.int32(things)
    for level in range(len(values)):
        value = values[level]
        sums[0, level] += value
        sums[1, level] += np.int64(value) * np.int64(value)
        sums[2, level] += np.int64(value) * np.int64(many)
        values[level] = 0


@piece
def pay_out(rules, table, log, best, winners):
    """Share the pot among the best hands; odd chips go one by one from the dealer's left."""
    share, odd = table.pot, 0
    if winners > 1:
        share = table.pot // winners
        odd = table.pot - share * winners
    for seat in range(rules.players):
        table.won[seat] = 0
        if table.still_in[seat] and (best == 0 or table.strengths[seat] == best):
            table.won[seat] = share + (odd > 0)
            emit(log, WIN, seat, table.won[seat])
            odd -= 1


@piece
def count_kills(rules, table, sums, deals):
    """Add where a pot's killers fell; by card, c counts all killers up to that card."""
    if table.kills_by_street[UP_STREETS + 1] == 0:
        return
    sums.killed_pots[0] += 1
    add_kinds(sums.kills_by_street, table.kills_by_street, deals)
    add_kinds(sums.kills_by_seat, table.kills_by_seat, deals)
    so_far = 0
    for up_card in range(UP_STREETS * rules.players + 2):
        kills = table.kills_by_card[up_card]
        if kills:  # only steps are stored: the sums up to a card are taken when they are read
            sums.kills_by_card[0, up_card] += kills
            sums.kills_by_card[1, up_card] += kills * (2 * so_far + kills)
            sums.kills_by_card[2, up_card] += kills * deals
            so_far += kills
            table.kills_by_card[up_card] = 0


@piece
def bin_of(amount, unit, last):
    """Return an amount's bin; few units are not 1, and a division is slow."""
    return min(amount if unit == 1 else amount // unit, last)


@piece
def count_amounts(rules, table, bins, paid, unit):
    """Add to a distribution of players, c and c², what each of them paid in a pot."""
    last = bins.shape[1] - 1
    for seat in range(MAX_PLAYERS):
        level = bin_of(paid[seat], unit, last)
        table.levels[seat] = level if seat < rules.players else -1
    for seat in range(rules.players):
        level = table.levels[seat]
        same = 0
        for other in range(MAX_PLAYERS):  # a constant number, so that they are compared at once
            same += table.levels[other] == level
        bins[0, level] += 1
        bins[1, level] += same


@piece
def count_by_policy(rules, table, sums, chips):
    """Add what the seats of each policy have together, and squares."""
    for seat in range(rules.players):
        table.policy_sums[rules.policies[seat]] += chips[seat]
    for policy in range(rules.policy_count):
        amount = table.policy_sums[policy]
        sums[0, policy] += amount
        sums[1, policy] += amount * amount
        table.policy_sums[policy] = 0


@piece
def count_tolls(rules, table, sums, filled, dealt_in):
    """Add what a pot's players paid in tolls, together and each."""
    tolls = 0
    for seat in range(MAX_PLAYERS):
        tolls += table.tolls[seat]
    last = len(filled.toll_pot) - 1
    filled.toll_pot[bin_of(tolls, rules.toll_unit, last)] += 1
    sums.toll_pot_sums[0] += tolls
    sums.toll_pot_sums[1] += tolls * tolls
    sums.toll_pot_sums[2] += tolls * table.pot
    count_amounts(rules, table, filled.toll_player, table.tolls, rules.toll_unit)
    count_by_policy(rules, table, sums.toll_by_policy, table.tolls)
    for seat in range(rules.players):
        level = min(table.toll_numbers[seat], TOLL_LEVELS - 1)
        table.toll_nets[level] += table.net[seat]
        table.toll_players[level] += 1
    add_ratios(sums.net_by_tolls, table.toll_nets, table.toll_players)
    add_kinds(sums.tolls_paid, table.tolls_paid, dealt_in)
    table.tolls[:] = 0
    table.toll_numbers[:] = 0


@piece
def count_nets(rules, table, sums):
    """Add what each seat, and the seats of each policy, won less what they put in."""
    for seat in range(MAX_PLAYERS):
        net = table.won[seat] - table.paid[seat]
        table.net[seat] = net
        sums.net_by_seat[0, seat] += net
        sums.net_by_seat[1, seat] += net * net
    if rules.policy_count > 1:  # the nets of all are nought together
        count_by_policy(rules, table, sums.net_by_policy, table.net)


@piece
def count_bets(minds, table, sums, dealt_in):
    """Add a pot's betting rounds, and what players did in them."""
    if minds is not None:
        add_kinds(sums.folds, table.folds, dealt_in)
        add_ratios(sums.folds_by_price, table.folds_by_price, table.asked_by_price)
    add_ratios(sums.bets, table.bets, table.rounds)
    sums.decisions[0] += table.decisions
    sums.decisions[1] += table.decisions * table.decisions
    table.decisions = 0


@piece
def begin_pot(rules, table):
    """Seat everybody, with nothing paid."""
    table.still_in[: rules.players] = True
    table.paid[:] = 0
    table.pot = 0
    table.out = 0


@piece
def note_tolls(rules, table, players_in):
    """Note how many tolls each player who was dealt in has paid in this deal."""
    for seat in range(rules.players):
        if table.up_cards[seat]:
            table.tolls_paid[table.toll_cards[seat]] += 1
            table.toll_numbers[seat] += table.toll_cards[seat]
            players_in -= 1
    table.tolls_paid[0] += players_in  # killed before their first up card


@piece
def collect_antes(rules, table, log, deal):
    """Take the antes of a deal from those in it."""
    for seat in range(rules.players):
        ante = rules.antes_again[seat] if deal else rules.antes[seat]
        if table.still_in[seat] and ante:
            emit(log, ANTE, seat, ante)
            table.paid[seat] += ante
            table.pot += ante


@piece
def play_pot(tables, minds, rules, table, filled, log, stream, rolls):
    """Play one pot and count it; return its chips."""
    sums = filled.sums[0]
    begin_pot(rules, table)
    players_in = rules.players
    cards = deals = dealt_in = 0
    ending = KILLED
    while ending == KILLED and deals < rules.max_deals:
        if deals and rules.everyone:
            table.still_in[: rules.players] = True
            players_in = rules.players
        emit(log, DEAL, NOBODY, deals)
        collect_antes(rules, table, log, deals)
        before = players_in
        ending, more_cards, players_in = play_deal(
            tables, minds, rules, table, log, stream, rolls, deals, players_in
        )
        dealt_in += before
        table.deals_by_dealt[before] += 1
        table.kills_by_dealt[before] += ending == KILLED
        cards += more_cards
        deals += 1
        if rules.toll_cards:
            if minds is None:
                collect_tolls(rules, table)
            note_tolls(rules, table, before)
    best, winners = 0, players_in
    if ending == FINISHED:
        best, winners = showdown(tables, minds, rules, table, sums, log, players_in)
    elif ending == KILLED:
        emit(log, ABANDON, NOBODY, deals)
        sums.abandoned_pots[0] += 1
    pay_out(rules, table, log, best, winners)

    sums.pots[0] += 1
    filled.deals[deals] += 1
    sums.cards[0] += cards
    sums.cards[1] += cards * cards
    sums.survivors[players_in] += 1
    sums.players_dealt[0] += dealt_in
    sums.players_dealt[1] += dealt_in * dealt_in
    add_ratios(sums.kills_by_dealt, table.kills_by_dealt, table.deals_by_dealt)
    if rules.killers:
        count_kills(rules, table, sums, deals)
        sums.players_out[table.out] += 1
    count_nets(rules, table, sums)
    if rules.toll_cards:
        count_tolls(rules, table, sums, filled, dealt_in)
    count_amounts(rules, table, filled.chips_in, table.paid, rules.pot_unit)
    count_bets(minds, table, sums, dealt_in)
    filled.pot_size[bin_of(table.pot, rules.pot_unit, len(filled.pot_size) - 1)] += 1
    sums.pot_size_sums[0] += table.pot
    sums.pot_size_sums[1] += table.pot * table.pot
    return table.pot


@kernel
def play_pots(tables, minds, rules, table, filled, log, seed, first, pots):
    """Play pots number ``first`` to ``first + pots - 1`` and add them to a tally's ``filled``.

    ``rules`` and ``table`` are records, (1,); ``seed`` is uint64. Without ``minds`` everybody stays
    and nothing is logged. Return the chips of the largest pot.
    """
    shared = root(seed, rules[0].players, CARDS)
    deciding = root(seed, rules[0].players, DECISIONS)
    largest = 0
    for pot in range(first, first + pots):
        stream, rolls = pot_stream(shared, pot), pot_stream(deciding, pot)
        chips = play_pot(tables, minds, rules[0], table[0], filled, log, stream, rolls)
        largest = max(largest, chips)
    return largest

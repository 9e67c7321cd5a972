"""Betting: what a player sees, what he makes of it, and a round of it.

A player values his hand by what it will be worth at the showdown, if the deal gets there, and looks
one card ahead at what the next toll may cost him. Value and price are counted in sixteenths of a
fair share, so that one table of chances serves any number of opponents. All that decides is whole
numbers, compared by cross-multiplication.
"""

from math import comb, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.events import Event
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game
from sim.kernels.compile import piece
from sim.kernels.deck import fill, first_hole, holds
from sim.kernels.evaluate import rank_hand, rank_without_flush
from sim.kernels.log import emit
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.rules import distinct
from sim.kernels.stream import mix, word
from sim.kernels.strength import StrengthTable, slot_of
from sim.policy import ONE, PRICES, SHAPE, SITUATIONS, STEP, VALUES, Policy
from sim.tally import PRICE_BORDERS

FOLD, CHECK, CALL = int(Event.FOLD), int(Event.CHECK), int(Event.CALL)
BET, RAISE, BRING_IN = int(Event.BET), int(Event.RAISE), int(Event.BRING_IN)

BLIND_TURN = 15
"""The turn of a round whose word is for folding before it, blind to cards."""
ALWAYS = ONE - 1
"""Half the size, and no roll reaches it."""
ONE_BITS = ONE.bit_length() - 1
MOST_UP_CARDS = UP_STREETS * MAX_PLAYERS + 1
"""Up cards of a deal, the eight-player community card among them."""
LAST = len(STREETS) - 1
NOBODY_WATCHED = NONE_FORCED = -1
MOST_NOTED = 64
"""Decisions that are noted of a pot."""
MOST_POLICIES = MAX_PLAYERS + 1
"""One a seat, and one that learns to do better."""


POLICIES = np.dtype(
    [
        # By policy and situation: the chance to fold, and that to fold or raise, times ``ONE``, of
        # which ``ALWAYS`` stands for the whole; both again for a hand that a visible board beats.
        # A policy that does not heed the situation has its chances in the first alone.
        ("chances", np.uint16, (MOST_POLICIES, prod(SITUATIONS), *SHAPE[:-1], 4)),
        ("heeds", np.int64, MOST_POLICIES),  # 1 or 0
        # By policy: whether chances to fold fall, and chances to raise grow, with value.
        ("monotone", np.uint8, MOST_POLICIES),
        # By killers unseen, cards unseen and cards to come face up: the chance that none of these
        # is a killer, times ``ONE``.
        ("survive", np.int32, (DECK + 1, DECK + 1, MOST_UP_CARDS + 1)),
        ("fair", np.int64, MAX_PLAYERS + 1),  # one player's share among so many, times ``ONE``
        # By cards and opponents: what the worst and the best hand is worth.
        ("worst", np.int64, (MAX_CARDS, MAX_PLAYERS)),
        ("best", np.int64, (MAX_CARDS, MAX_PLAYERS)),
    ],
    align=True,
)


class DecisionTables(NamedTuple):
    """What players decide by; there is None where everybody stays."""

    policies: NDArray[np.void]
    """(1,) of ``POLICIES``"""
    strength: StrengthTable


def decision_tables_of(
    game: Game, seats: tuple[Policy, ...], strength: StrengthTable
) -> DecisionTables:
    """Put the policies of a table into the form that the kernels read."""
    record = np.zeros(1, POLICIES)
    for index, policy in enumerate(distinct(seats)):
        if policy.tables:
            folds, raises = policy.tables
            both = np.minimum(np.stack([folds, folds + raises], axis=-1), ALWAYS)
            chances = both.reshape(-1, *SHAPE[:-1], 4)
            record["chances"][0, index, : len(chances)] = chances
            record["heeds"][0, index] = len(chances) > 1
            falls, grows = np.diff(folds, axis=-3) <= 0, np.diff(raises, axis=-3) >= 0
            record["monotone"][0, index] = falls.all() and grows.all()
    survive = survival(game.kill.cards.bit_count())
    record["survive"][0, : len(survive)] = survive
    record["fair"][0, 1:] = ONE // np.arange(1, MAX_PLAYERS + 1)
    slots = strength.layout["slots"][0]
    for cards in range(3, MAX_CARDS) if strength.values.size else ():
        values = strength.values[:, slots[cards] : slots[cards + 1]]
        record["worst"][0, cards, 1:], record["best"][0, cards, 1:] = (
            values.min(axis=1),
            values.max(axis=1),
        )
    return DecisionTables(record, strength)


def survival(killers: int) -> NDArray[np.int32]:
    """Return the survival of a page with so many killers, as in ``POLICIES``."""
    chances = np.zeros((killers + 1, DECK + 1, MOST_UP_CARDS + 1), np.int32)
    for left in range(killers + 1):
        for unseen in range(left, DECK + 1):
            for to_come in range(min(unseen, MOST_UP_CARDS) + 1):
                ways = comb(unseen - left, to_come) * ONE // comb(unseen, to_come)
                chances[left, unseen, to_come] = ways
    return chances


@piece
def begin_deal(table, players_in):
    """Forget the cards of the deal before."""
    table.own_tolls[:] = 0
    table.dealt_in = players_in
    table.shown = 0
    table.killers_shown = 0
    table.tolls_shown = 0


@piece
def count_own_tolls(rules, table):
    """Note how many toll cards each seat still in holds face down."""
    for seat in range(rules.players):
        if table.still_in[seat]:
            hole = first_hole(rules.players, seat)
            for card in table.deck[hole : hole + 2]:
                table.own_tolls[seat] += holds(rules.toll_cards, card)


@piece
def rank_boards(tables, rules, table, street):
    """Rank what each seat still in shows, 0 for others: at most four cards, which make no flush."""
    ups = min(street + 1, UP_STREETS)
    for seat in range(rules.players):
        table.showing[seat] = 0
        if table.still_in[seat]:
            total = tables.starts[ups]
            for up in range(ups):
                total += rules.words[table.deck[up * rules.players + seat]]
            table.showing[seat] = rank_without_flush(tables, total)
    table.boards_ranked = True


@piece
def add_up_hand(tables, rules, table, street, seat):
    """Add up the cards that a seat holds, and count killers among its first two."""
    total, suits = tables.starts[3 + street], np.uint64(0)
    killers, hole = 0, first_hole(rules.players, seat)
    for down in range(2):
        card = table.deck[hole + down]
        total += rules.words[card]
        suits |= rules.suits[card]
        killers += holds(rules.killers, card)
    for up in range(min(street + 1, UP_STREETS)):
        card = table.deck[up * rules.players + seat]
        total += rules.words[card]
        suits |= rules.suits[card]
    if street == LAST:
        card = table.deck[table.last_card[seat]]
        total += rules.words[card]
        suits |= rules.suits[card]
    table.totals[seat], table.suits[seat] = total, suits
    table.own_killers[seat] = killers


@piece
def look_at_hands(tables, decision_tables, rules, table, street, players_in):
    """Note what each seat still in holds, and where its expected strength lies.

    Step by step for all, so that look-ups do not wait for each other.
    """
    seats = 0
    for seat in range(rules.players):
        table.seats_in[seats] = seat
        seats += table.still_in[seat]
    for index in range(players_in):
        add_up_hand(tables, rules, table, street, table.seats_in[index])
    for index in range(players_in):
        seat = table.seats_in[index]
        total, suits = table.totals[seat], table.suits[seat]
        if street == LAST:
            table.strengths[seat] = rank_hand(tables, rules.flushes, total, suits)
            finished = decision_tables.strength.layout[0].slots[MAX_CARDS]
            table.slots[seat] = finished + table.strengths[seat]
        else:
            table.slots[seat] = slot_of(decision_tables.strength, total, suits, 3 + street)
    # Touched together they come to the cache together, and are read one by one as seats act.
    for index in range(players_in):
        seat = table.seats_in[index]
        table.touched += decision_tables.strength.values[players_in - 2, table.slots[seat]]
    table.looked = True


@piece
def opener_of_third(rules, table):
    """Return who opens third street: the lowest up card, or the highest, as the page says."""
    first, best = -1, 0
    for seat in range(rules.players):
        if table.still_in[seat]:
            rank = rules.opening[table.deck[seat]]
            if rank > best:
                first, best = seat, rank
    return first


@piece
def opener(tables, rules, table, street):
    """Return who opens a later street: the highest board; seventh street's are those of sixth."""
    if street == LAST:
        table.boards_ranked = True
    else:
        rank_boards(tables, rules, table, street)
    first, best = -1, -1
    for seat in range(rules.players):
        if table.still_in[seat] and table.showing[seat] > best:
            first, best = seat, table.showing[seat]
    return first


@piece
def is_beaten(tables, rules, table, street, seat):
    """Whether the board of another player still in beats a seat's hand; its own never does."""
    if not table.boards_ranked:
        rank_boards(tables, rules, table, street)
    best = 0
    for other in range(MAX_PLAYERS):  # a constant number; who is out has a board of 0
        best = max(best, table.showing[other])
    return best > np.int64(rank_hand(tables, rules.flushes, table.totals[seat], table.suits[seat]))


@piece
def chance_to_finish(decision_tables, rules, table, street, own_killers, players_in):
    """Return the chance, times ``ONE``, that no killer that a player cannot see stops him.

    That is any up card to come, or under player-out one of his own.
    """
    to_come = UP_STREETS - 1 - street
    if not rules.player_out:
        to_come *= players_in
        dealt = 2 * table.dealt_in + table.shown
        to_come += rules.players == MAX_PLAYERS and dealt + to_come + players_in > DECK
    killers = rules.killer_count - table.killers_shown - own_killers
    unseen = DECK - 2 - table.shown
    return np.int64(decision_tables.policies[0].survive[max(killers, 0), unseen, to_come])


@piece
def weigh(decision_tables, rules, strength, survive, players_in):
    """Return the value of a hand, times ``ONE``, that wins so often if the deal finishes."""
    value = survive * strength
    if not rules.player_out:
        value += (ONE - survive) * decision_tables.policies[0].fair[players_in]
    return value >> ONE_BITS


@piece
def share_of(value, players_in):
    """Return the bucket of a value."""
    return min(value * players_in * STEP >> ONE_BITS, VALUES - 1)


@piece
def calls_anyway(decision_tables, rules, table, roll, street, seat, price, players_in, situation):
    """Whether a roll makes a player call whatever he holds, so that nobody need look.

    Where many killers are still to come all hands are worth about the same. With chances to fold
    that fall, and chances to raise that grow, with value, the worst and the best hand tell.
    """
    policies, policy = decision_tables.policies[0], rules.policies[seat]
    chances, situation = policies.chances, policies.heeds[policy] * situation
    own_killers, hole = 0, first_hole(rules.players, seat)
    for down in range(2):
        own_killers += holds(rules.killers, table.deck[hole + down])
    survive = chance_to_finish(decision_tables, rules, table, street, own_killers, players_in)
    low, high = (
        policies.worst[3 + street, players_in - 1],
        policies.best[3 + street, players_in - 1],
    )
    worst = share_of(weigh(decision_tables, rules, low, survive, players_in), players_in)
    best = share_of(weigh(decision_tables, rules, high, survive, players_in), players_in)
    fold = max(
        np.int64(chances[policy, situation, street, worst, price, 0]),
        np.int64(chances[policy, situation, street, worst, price, 2]),
    )
    more = max(
        np.int64(chances[policy, situation, street, best, price, 1])
        - np.int64(chances[policy, situation, street, best, price, 0]),
        np.int64(chances[policy, situation, street, best, price, 3])
        - np.int64(chances[policy, situation, street, best, price, 2]),
    )
    return roll > fold + more


@piece
def price_of(rules, table, street, seat, to_call):
    """Return what a seat has to pay and what is then there to win, both times the cards unseen."""
    unseen = DECK - 2 - table.shown
    cost = to_call * unseen
    if street < UP_STREETS - 1 and rules.toll_cards:
        tolls = rules.toll_count - table.tolls_shown - table.own_tolls[seat]
        cost += rules.prices[table.toll_cards[seat]] * tolls
    return cost, table.pot * unseen + cost


@piece
def note_price(table, cost, winnable, folds):
    """Count a turn by the band of its price."""
    band = 0
    if cost:
        for border in PRICE_BORDERS:
            band += cost * 100 >= border * winnable
    table.asked_by_price[band] += 1
    table.folds_by_price[band] += folds


@piece
def choose(roll, fold, fold_or_raise):
    """Return what a roll makes a player do."""
    if roll < fold:
        return FOLD
    return RAISE if roll < fold_or_raise else CALL


@piece
def watch(table, bucket, may_raise, action):
    """Return what the watched seat does: what it is forced to, or its own choice, which is noted.

    Its decisions of a pot are numbered; of ``every`` so many one is noted, as long as there is
    room. Who explores strays from his policy now and then, in a replay until he is forced.
    """
    number = table.decided
    table.decided += 1
    if number == table.forced_at:
        return table.forced
    if table.explores and (table.forced_at < 0 or number < table.forced_at):
        roll = mix(table.key + np.uint64(number))
        if roll >> np.uint64(61) == 0:  # one time in eight
            action = (CALL, RAISE, FOLD)[(roll & np.uint64(0xFFFF)) % np.uint64(3)]
    noted = table.noted
    if table.forced_at < 0 and number % table.every == table.offset and noted < MOST_NOTED:
        table.noted_numbers[noted] = number
        table.noted_buckets[noted] = bucket
        table.noted_paid[noted] = table.paid[table.watched]
        table.noted_actions[noted] = action if may_raise or action != RAISE else CALL
        table.noted_may_raise[noted] = may_raise
        table.noted += 1
    return action


@piece
def decide(tables, decision_tables, rules, table, roll, street, seat, to_call, players_in, made):
    """Return what a player who looks does: ``FOLD``, ``RAISE`` or ``CALL``."""
    cost, winnable = price_of(rules, table, street, seat, to_call)
    price, policy = 0, rules.policies[seat]
    if cost:  # unsigned numbers divide quicker
        price = 1 + min(
            np.int64(np.uint64(cost * players_in * STEP) // np.uint64(winnable)), PRICES - 2
        )
    uncertain = rules.killers and street < LAST
    watched = seat == table.watched
    seen = (players_in - 2) * SITUATIONS[1] + min(made, SITUATIONS[1] - 1)
    if not table.looked:
        if (
            uncertain
            and not watched
            and decision_tables.policies[0].monotone[policy]
            and calls_anyway(
                decision_tables, rules, table, roll, street, seat, price, players_in, seen
            )
        ):
            note_price(table, cost, winnable, False)
            return CALL
        look_at_hands(tables, decision_tables, rules, table, street, players_in)
    value = np.int64(decision_tables.strength.values[players_in - 2, table.slots[seat]])
    if uncertain:
        survive = chance_to_finish(
            decision_tables, rules, table, street, table.own_killers[seat], players_in
        )
        value = weigh(decision_tables, rules, value, survive, players_in)
    share = share_of(value, players_in)
    policies = decision_tables.policies[0]
    chances, situation = policies.chances, policies.heeds[policy] * seen
    action = choose(
        roll,
        chances[policy, situation, street, share, price, 0],
        chances[policy, situation, street, share, price, 1],
    )
    beaten = 0
    if_beaten = choose(
        roll,
        chances[policy, situation, street, share, price, 2],
        chances[policy, situation, street, share, price, 3],
    )
    # Most rolls come to the same, and ranking hands is slow.
    if (action != if_beaten or watched) and is_beaten(tables, rules, table, street, seat):
        action, beaten = if_beaten, 1
    if watched:
        bucket = ((seen * len(STREETS) + street) * VALUES + share) * PRICES + price
        action = watch(table, bucket * 2 + beaten, made < rules.most_bets, action)
    note_price(table, cost, winnable, action == FOLD)
    return action


@piece
def roll_of(rolls, deal, street, seat, turn):
    """Return a player's roll of one turn: 0 … ``ALWAYS`` - 1, the last twice as likely."""
    index = ((np.int64(deal) * 16 + street) * 8 + seat) * 16 + turn
    return min(np.int64(word(rolls, index) >> np.uint64(48)), ALWAYS - 1)


@piece
def put_in(table, seat, chips):
    """Put a seat's chips into the pot."""
    table.round_paid[seat] += chips
    table.paid[seat] += chips
    table.pot += chips


@piece
def fold(table, street, seat):
    """Take a seat out of the pot."""
    table.still_in[seat] = False
    table.exit_street[seat] = street
    table.showing[seat] = 0
    table.folds[street] += 1


@piece
def fold_blindly(rules, table, log, rolls, deal, street, players_in):
    """Let those who fold without looking roll for it; return how many are left, at least one."""
    for seat in range(rules.players):
        chance = rules.blind[seat, street]
        may_fold = chance and table.still_in[seat] and players_in > 1
        if may_fold and roll_of(rolls, deal, street, seat, BLIND_TURN) < chance:
            fold(table, street, seat)
            emit(log, FOLD, seat, 0)
            table.decisions += 1
            players_in -= 1
    return players_in


@piece
def betting_round(
    tables, decision_tables, rules, table, log, stream, rolls, deal, street, players_in
):
    """Let those still in bet after a street's cards; return how many are left, at least one."""
    table.looked = table.boards_ranked = False
    players_in = fold_blindly(rules, table, log, rolls, deal, street, players_in)
    if players_in == 1:
        return 1
    if street == 0 and rules.any_looks:  # a deal killed before needs no hole cards
        table.filled = fill(table.deck, table.rest, table.filled, 6 * rules.players, stream, deal)
        if rules.toll_cards:
            count_own_tolls(rules, table)
    if rules.any_looks and (street or not rules.killers):
        # Before boards are ranked, so that both wait for their look-ups together. On third street
        # killers may still make all hands worth about the same: ``calls_anyway``.
        look_at_hands(tables, decision_tables, rules, table, street, players_in)
    table.rounds[street] += 1
    table.round_paid[:] = 0
    table.turns[:] = 0
    bet = rules.bets[street]
    seat = opener(tables, rules, table, street) if street else opener_of_third(rules, table)
    matched = made = turns = 0
    to_act = players_in
    if street == 0:
        table.opener = seat
    if street == 0 and rules.bring_in:
        matched = rules.bring_in
        put_in(table, seat, matched)
        emit(log, BRING_IN, seat, matched)
        to_act -= 1
        seat += 1
    while to_act:
        if seat == rules.players:
            seat = 0
        if table.still_in[seat]:
            to_call = matched - table.round_paid[seat]
            action = CALL
            if rules.looks[seat]:
                roll = roll_of(rolls, deal, street, seat, table.turns[seat])
                action = decide(
                    tables, decision_tables, rules, table, roll, street, seat, to_call,
                    players_in, made,
                )  # fmt: skip
            table.turns[seat] += 1
            turns += 1
            to_act -= 1
            if action == FOLD:
                emit(log, FOLD, seat, to_call)
                fold(table, street, seat)
                players_in -= 1
                if players_in == 1:
                    break
            elif action == RAISE and made < rules.most_bets:
                made += 1
                table.bets[street] += 1
                matched = made * bet
                chips = matched - table.round_paid[seat]
                put_in(table, seat, chips)
                emit(log, BET if made == 1 else RAISE, seat, chips)
                to_act = players_in - 1
            elif to_call:
                put_in(table, seat, to_call)
                emit(log, CALL, seat, to_call)
            else:
                emit(log, CHECK, seat, 0)
        seat += 1
    table.decisions += turns
    return players_in

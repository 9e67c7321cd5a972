"""Play: a pot from the antes to the payout, over as many deals as kills ask for, becomes a row.

Where everybody stays there are no ``decision_tables``, and the compiler leaves the betting out;
most of those pots are played by ``fast``.
"""

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.events import Event
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS
from sim.kernels.betting import (
    LAST,
    MOST_NOTED,
    NOBODY_WATCHED,
    NONE_FORCED,
    add_up_hand,
    begin_deal,
    betting_round,
    opener_of_third,
)
from sim.kernels.compile import kernel, part, piece, step
from sim.kernels.counting import count_course, count_results
from sim.kernels.deck import fill, first_hole, fresh, holds
from sim.kernels.evaluate import FIVE_OF_A_SUIT, best_flush, rank_hand, rank_without_flush
from sim.kernels.log import emit
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.rows import BANDS, BATCH, FINISHED, KILLED, LAST_LEFT, NEVER, NOBODY
from sim.kernels.stream import CARDS, DECISIONS, pot_stream, root
from sim.tally import LARGEST_POT

NO_SEAT = -1
"""In a log."""
DEAL, ANTE, DOWN, UP = int(Event.DEAL), int(Event.ANTE), int(Event.DOWN), int(Event.UP)
COMMUNITY, TOLL, KILL, OUT = int(Event.COMMUNITY), int(Event.TOLL), int(Event.KILL), int(Event.OUT)
SHOW, ABANDON, WIN = int(Event.SHOW), int(Event.ABANDON), int(Event.WIN)


TABLE = np.dtype(
    [
        ("deck", np.uint8, DECK),
        ("rest", np.uint8, DECK),  # before ``COURT`` trade places
        ("filled", np.int64),  # settled positions of the deck
        ("still_in", np.uint8, MAX_PLAYERS),
        ("exit_street", np.uint8, MAX_PLAYERS),  # as in ``ROWS``
        ("out_card", np.uint8, MAX_PLAYERS),
        ("up_cards", np.int64, MAX_PLAYERS),  # up cards each seat holds in this deal
        ("toll_cards", np.int64, MAX_PLAYERS),  # toll cards each seat has paid for in this deal
        ("last_card", np.int64, MAX_PLAYERS),  # where each seat's seventh card lies
        ("totals", np.uint64, MAX_PLAYERS),  # sum of the words of each seat's cards
        ("suits", np.uint64, MAX_PLAYERS),  # suit masks of each seat's cards
        ("strengths", np.int64, MAX_PLAYERS),
        ("showing", np.int64, MAX_PLAYERS),  # strength of each board; 0: not in
        ("seats_in", np.int64, MAX_PLAYERS + 1),  # at the start of a round
        ("touched", np.int64),  # sum of hand strengths read so far
        ("slots", np.int64, MAX_PLAYERS),  # where each hand's expected strength lies
        ("looked", np.bool_),  # whether hands have been looked at in this round,
        ("boards_ranked", np.bool_),  # and boards
        ("own_killers", np.int64, MAX_PLAYERS),  # killers that each seat holds face down
        ("own_tolls", np.int64, MAX_PLAYERS),  # toll cards that each seat holds face down
        ("dealt_in", np.int64),
        ("shown", np.int64),  # cards face up in this deal,
        ("killers_shown", np.int64),  # killers among them,
        ("tolls_shown", np.int64),  # and toll cards
        ("round_paid", np.int64, MAX_PLAYERS),  # chips put in in this round
        ("turns", np.int64, MAX_PLAYERS),  # each seat's turns in this round
        ("pot", np.int64),
        ("watched", np.int64),  # the seat whose decisions are noted,
        ("decided", np.int64),  # how many it has made of this pot,
        ("forced_at", np.int64),  # the number of that in which it is forced,
        ("forced", np.int64),  # and to what
        ("explores", np.uint8),  # whether it strays from its policy before that,
        ("key", np.uint64),  # and what says where
        ("every", np.int64),  # of so many decisions one is noted,
        ("offset", np.int64),  # from which on
        ("noted", np.int64),
        ("noted_numbers", np.int64, MOST_NOTED),
        ("noted_buckets", np.int64, MOST_NOTED),  # where in tables of chances
        ("noted_paid", np.int64, MOST_NOTED),  # chips that the seat had paid so far
        ("noted_actions", np.int64, MOST_NOTED),
        ("noted_may_raise", np.uint8, MOST_NOTED),
        ("paid", np.int64, MAX_PLAYERS),  # from here on: of this pot, to be written as a row
        ("won", np.int64, MAX_PLAYERS),
        ("tolls", np.int64, MAX_PLAYERS),
        ("pot_toll_cards", np.int64, MAX_PLAYERS),
        ("cards", np.int64),
        ("deals", np.int64),
        ("players_dealt", np.int64),
        ("carried", np.int64),
        ("opener", np.int64),
        ("decisions", np.int64),
        ("folds", np.int64, len(STREETS)),
        ("bets", np.int64, len(STREETS)),
        ("rounds", np.int64, len(STREETS)),
        ("folds_by_price", np.int64, BANDS),
        ("asked_by_price", np.int64, BANDS),
    ],
    align=True,
)
"""The state of a pot; made once, used for one pot after another."""


def new_table() -> NDArray[np.void]:
    """Make an empty table: one record of ``TABLE``, (1,)."""
    table = np.zeros(1, TABLE)
    table["watched"], table["forced_at"] = NOBODY_WATCHED, NONE_FORCED
    return table


@step
def pay_toll(rules, table, log, seat):
    """Take from a seat what its next toll card of the deal costs."""
    price = rules.prices[table.toll_cards[seat]]
    table.toll_cards[seat] += 1
    table.tolls_shown += 1
    table.tolls[seat] += price
    table.paid[seat] += price
    table.pot += price
    emit(log, TOLL, seat, price)


@step
def collect_tolls(rules, table):
    """Take what the toll cards of this deal cost from their receivers.

    They were due card by card; where nobody bets meanwhile, adding them up once a deal is quicker.
    """
    for seat in range(rules.players):
        cost = rules.costs[table.toll_cards[seat]]
        table.tolls[seat] += cost
        table.paid[seat] += cost
        table.pot += cost


@step
def call_around(rules, table, street, players_in):
    """Play a betting round in which everybody stays, the bring-in included."""
    table.rounds[street] += 1
    table.decisions += players_in
    if street == 0:
        table.opener = opener_of_third(rules, table)
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


@step
def note_killer(row, up_card, street, seat):
    """Write down which up card killed a deal."""
    row.killer_card, row.killer_street, row.killer_seat = up_card, street, seat


@step
def put_out(table, log, street, seat, up_card, card):
    """Take the receiver of a killer out of the pot."""
    emit(log, OUT, seat, card)
    table.still_in[seat] = False
    table.exit_street[seat], table.out_card[seat] = street, up_card
    table.killers_shown += 1


@step
def next_undealt(rules, table, slot):
    """Return the next slot of the deck whose card nobody has: behind the end, an up card's.

    Only at a table of eight is the end reached, and then up cards of those put out were not dealt.
    """
    slot = (slot + 1) % DECK
    while (
        slot < UP_STREETS * rules.players
        and slot // rules.players < table.up_cards[slot % rules.players]
    ):
        slot += 1
    return slot


@step
def deal_last_cards(rules, table, log):
    """Deal one card down to each player still in; at tables of less than eight each has a slot."""
    slot = 6 * rules.players
    for seat in range(rules.players):
        if table.still_in[seat]:
            table.last_card[seat] = slot
            emit(log, DOWN, seat, table.deck[slot])
        if table.still_in[seat] or rules.players < MAX_PLAYERS:
            slot = next_undealt(rules, table, slot)


@step
def deal_community_card(rules, table, log):
    """Deal one card to everybody; return whether it kills the deal."""
    slot = 6 * rules.players
    card = table.deck[slot]
    table.last_card[:] = slot
    emit(log, COMMUNITY, NO_SEAT, card)
    killed = holds(rules.killers, card) and not rules.player_out
    if killed:
        emit(log, KILL, NO_SEAT, card)
    return killed


@step
def last_street(rules, table, log, filled, stream, deal, cards, players_in):
    """Deal the seventh street to those still in; return (killed or not, cards dealt).

    Eight players may leave too few cards; then one is for everybody.
    """
    fill(table.deck, table.rest, filled, min(MAX_CARDS * rules.players, DECK), stream, deal)
    if cards + players_in > DECK:
        return deal_community_card(rules, table, log), 1
    deal_last_cards(rules, table, log)
    return False, players_in


@piece
def play_deal(tables, decision_tables, rules, table, row, log, stream, rolls, deal, players_in):
    """Deal until showdown, kill or one player left; return (ending, cards, players in)."""
    players = rules.players
    fresh(table.rest)
    table.up_cards[:] = 0
    table.toll_cards[:] = 0
    cards = 2 * players_in
    up_card = filled = 0
    if decision_tables is not None:
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
                note_killer(row, up_card + 1, UP_STREETS, MAX_PLAYERS)
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
                if decision_tables is None:
                    table.toll_cards[seat] += toll
                else:
                    emit(log, UP, seat, card)
                    if toll:
                        pay_toll(rules, table, log, seat)
                if holds(rules.killers, card):
                    if not rules.player_out:
                        note_killer(row, up_card, street, seat)
                        emit(log, KILL, seat, card)
                        return KILLED, cards, players_in
                    put_out(table, log, street, seat, up_card, card)
                    players_in -= 1
                    if players_in == 1:
                        return LAST_LEFT, cards, players_in
        if decision_tables is None:
            call_around(rules, table, street, players_in)
        else:
            table.shown, table.filled = up_card, filled
            players_in = betting_round(
                tables, decision_tables, rules, table, log, stream, rolls, deal, street, players_in
            )
            filled = table.filled
            if players_in == 1:
                return LAST_LEFT, cards, players_in
    return FINISHED, cards, players_in


@step
def add_up_hands(tables, rules, table):
    """Add up the seven cards of every seat, in or not."""
    players = np.uint64(rules.players)
    for seat in range(rules.players):
        slot = np.uint64(seat)
        hole = np.uint64(4) * players + np.uint64(2) * slot
        card = table.deck[np.uint64(table.last_card[seat])]
        total = tables.starts[7] + rules.words[card]
        suits = rules.suits[card]
        for down in range(2):
            card = table.deck[hole + np.uint64(down)]
            total += rules.words[card]
            suits |= rules.suits[card]
        for _ in range(UP_STREETS):
            card = table.deck[slot]
            total += rules.words[card]
            suits |= rules.suits[card]
            slot += players
        table.totals[seat] = total
        table.suits[seat] = suits


@step
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


@step
def rank_hands_in(tables, rules, table):
    """Rank the hands of those still in, if they have not been looked at in the last round."""
    if not table.looked:
        for seat in range(rules.players):
            if table.still_in[seat]:
                add_up_hand(tables, rules, table, LAST, seat)
                total, suits = table.totals[seat], table.suits[seat]
                table.strengths[seat] = rank_hand(tables, rules.flushes, total, suits)


@piece
def showdown(tables, decision_tables, rules, table, log):
    """Rank the hands of those still in; return (best strength, how many hold it)."""
    if decision_tables is None:
        rank_hands(tables, rules, table)
    else:
        rank_hands_in(tables, rules, table)
    best = winners = 0
    for seat in range(rules.players):
        if table.still_in[seat]:
            strength = table.strengths[seat]
            emit(log, SHOW, seat, strength)
            winners = 1 if strength > best else winners + (strength == best)
            best = max(best, strength)
    return best, winners


@step
def pay_out(rules, table, log, best, winners):
    """Share the pot among the best hands; odd chips go one by one from the dealer's left."""
    share, odd = table.pot, 0
    if winners > 1:
        share = table.pot // winners
        odd = table.pot - share * winners
    for seat in range(rules.players):
        if table.still_in[seat] and (best == 0 or table.strengths[seat] == best):
            table.won[seat] = share + (odd > 0)
            emit(log, WIN, seat, table.won[seat])
            odd -= 1


@step
def collect_antes(rules, table, log, deal):
    """Take the antes of a deal from those in it."""
    for seat in range(rules.players):
        ante = rules.antes_again[seat] if deal else rules.antes[seat]
        if table.still_in[seat] and ante:
            emit(log, ANTE, seat, ante)
            table.paid[seat] += ante
            table.pot += ante


@step
def begin_pot(rules, table):
    """Seat everybody, with nothing paid."""
    seat_everybody(rules, table)
    table.paid[:] = table.won[:] = table.tolls[:] = table.pot_toll_cards[:] = 0
    table.out_card[:] = 0
    table.pot = table.cards = table.deals = table.players_dealt = table.decisions = 0
    table.decided = 0
    table.folds[:] = table.bets[:] = table.rounds[:] = 0
    table.folds_by_price[:] = table.asked_by_price[:] = 0


@step
def seat_everybody(rules, table):
    """Let everybody be in."""
    table.still_in[: rules.players] = True
    table.exit_street[:] = NEVER


@step
def write_deal(rules, table, row, players_in, cards, ending):
    """Write the row of a deal to so many players."""
    row.players, row.cards, row.ending = players_in, cards, ending
    row.tolls = 0
    if rules.toll_cards:
        row.toll_payers[:] = 0
        for seat in range(rules.players):
            if table.up_cards[seat]:
                tolls = table.toll_cards[seat]
                row.tolls += rules.costs[tolls]
                row.toll_payers[tolls] += 1
                table.pot_toll_cards[seat] += tolls
                players_in -= 1
        row.toll_payers[0] += players_in  # killed before their first up card


@step
def write_seats(rules, table, rows, lane, shows):
    """Write what a row tells of each seat."""
    for seat in range(rules.players):
        rows.paid[seat, lane] = table.paid[seat]
        rows.won[seat, lane] = table.won[seat]
        rows.tolls[seat, lane] = table.tolls[seat]
        rows.toll_cards[seat, lane] = table.pot_toll_cards[seat]
        rows.strength[seat, lane] = table.strengths[seat] if shows and table.still_in[seat] else 0
        rows.exit_street[seat, lane] = table.exit_street[seat]
        rows.out_card[seat, lane] = table.out_card[seat]


@step
def write_row(rules, table, rows, lane):
    """Write what became of a pot."""
    rows.turns[lane] = table.decisions
    rows.cards[lane] = table.cards
    rows.dealt_in[lane] = table.players_dealt
    rows.carried[lane] = table.carried
    rows.deals[lane] = table.deals
    rows.opener[lane] = table.opener
    for street in range(len(STREETS)):
        rows.bets[street, lane] = table.bets[street]
        rows.rounds[street, lane] = table.rounds[street]
        rows.folds[street, lane] = table.folds[street]
    if rules.any_looks:
        for band in range(BANDS):
            rows.asked[band, lane] = table.asked_by_price[band]
            rows.price_folds[band, lane] = table.folds_by_price[band]


@piece
def play_deals(tables, decision_tables, rules, table, deals, first, log, stream, rolls):
    """Deal until a deal is not killed, or the pot is abandoned; return (ending, players in)."""
    players_in, ending = rules.players, KILLED
    while ending == KILLED and table.deals < rules.max_deals:
        deal = table.deals
        if deal and rules.everyone:
            seat_everybody(rules, table)
            players_in = rules.players
        emit(log, DEAL, NO_SEAT, deal)
        table.carried, table.opener = table.pot, NOBODY
        collect_antes(rules, table, log, deal)
        before, row = players_in, deals[first + deal]
        row.killer_card = 0
        ending, cards, players_in = play_deal(
            tables, decision_tables, rules, table, row, log, stream, rolls, deal, players_in
        )
        if decision_tables is None and rules.toll_cards:
            collect_tolls(rules, table)
        write_deal(rules, table, row, before, cards, ending)
        table.players_dealt += before
        table.cards += cards
        table.deals += 1
    return ending, players_in


@piece
def play_pot(tables, decision_tables, rules, table, rows, lane, deals, first, log, stream, rolls):
    """Play one pot and write its row, and those of its deals from ``first`` on."""
    begin_pot(rules, table)
    ending, winners = play_deals(
        tables, decision_tables, rules, table, deals, first, log, stream, rolls
    )
    best = 0
    if ending == FINISHED:
        best, winners = showdown(tables, decision_tables, rules, table, log)
    elif ending == KILLED:
        emit(log, ABANDON, NO_SEAT, table.deals)
    pay_out(rules, table, log, best, winners)
    rows.best[lane], rows.holders[lane] = best, winners if best else 0
    rows.ending[lane] = ending
    write_seats(rules, table, rows, lane, ending == FINISHED)
    write_row(rules, table, rows, lane)


@kernel
def play_pots(
    tables, decision_tables, rules, table, batches, deals, counting, filled, log, seed, first, pots
):
    """Play pots number ``first`` to ``first + pots - 1``, or as many as the batches hold.

    ``rules`` and ``table`` are records, (1,); ``seed`` is uint64. Without ``decision_tables``
    everybody stays and nothing is logged. Rows go to ``batches``, (n,) of ``ROWS``, and ``deals``.
    One batch is used over and over, and counted in a tally's ``filled``; more than one are filled
    one after another and kept. Return the chips of a pot that is too large, or 0.
    """
    page, state = rules[0], table[0]
    shared = root(seed, page.players, CARDS)
    deciding = root(seed, page.players, DECISIONS)
    keep = len(batches) > 1
    pot, end, first_deal = first, first + pots, 0
    for number in range(len(batches) if keep else (pots + BATCH - 1)):
        rows = batches[number if keep else 0]
        rows.count = 0
        while rows.count < BATCH and pot < end and first_deal + page.max_deals <= len(deals):
            stream, rolls = pot_stream(shared, pot), pot_stream(deciding, pot)
            play_pot(
                tables, decision_tables, page, state, rows, rows.count, deals, first_deal,
                log, stream, rolls,
            )  # fmt: skip
            if state.pot > LARGEST_POT:
                return state.pot
            pot += 1
            first_deal += state.deals
            rows.count += 1
        if rows.count == 0:
            break
        if not keep:
            count_results(page, rows, counting[0], filled)
            count_course(page, rows, deals, counting[0], filled, decision_tables)
            first_deal = 0
    return 0

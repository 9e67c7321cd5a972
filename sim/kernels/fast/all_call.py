"""Pots in which everybody stays, many side by side, one step for all of them at a time.

Where all stay, the slots of jack, queen and king of spades tell which deals are killed, and cards
are needed for a pot's last deal alone. Rolls and swaps of many such deals are made side by side
(``lanes``), then sums of their hands (``byte_planes``), then look-ups, which alone are made one by
one. Rows are those of ``play``, which plays every other pot.
"""

import numpy as np

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS
from sim.kernels.compile import kernel, piece, step
from sim.kernels.counting import count_course, count_results
from sim.kernels.deck import ORDER, court_slots
from sim.kernels.fast import byte_planes, chips, toll_vectors
from sim.kernels.fast.byte_planes import (
    best_made,
    compare_hands,
    fill_faces,
    find_openers,
    locate_hands,
    look_up_hands,
    wild_of,
)
from sim.kernels.fast.lanes import (
    GROUPS,
    begin_lanes,
    deal_lanes,
    find_slots,
    roll_lanes,
    workspace_of,
)
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.rows import BATCH, FINISHED, KILLED
from sim.kernels.simd import BYTES, TABLE
from sim.kernels.stream import CARDS, WORDS_PER_DEAL, Stream, root
from sim.tally import LARGEST_POT

WORKSPACE = workspace_of(
    [
        *byte_planes.FIELDS,
        *chips.FIELDS,
        *toll_vectors.FIELDS,
        ("shown", np.int16, BATCH),  # -1, all bits; 0 if every deal was killed, or beyond the last
        ("opening", np.uint8, (4, BYTES)),  # as ``find_openers`` takes it
        ("opened", np.uint8, BATCH),  # whether the last deal's third street was bet on
        ("ended", np.int32, len(STREETS) + 1),  # a pot's deals by how many streets were bet on
        ("antes", np.int64),  # of all seats together
        ("antes_again", np.int64),
        ("street_of", np.uint8, UP_STREETS * MAX_PLAYERS),  # of each up card, in order
        ("seat_of", np.uint8, UP_STREETS * MAX_PLAYERS),
    ]
)
"""Where pots lie while they are played."""


# --- What is known before any card is dealt ----------------------------------------------------


@step
def begin(rules, workspace):
    """Say where cards lie and what they stand for, and begin as if no deal was ever killed."""
    find_slots(workspace, rules.players)
    fill_faces(workspace.faces, ORDER, wild_of(rules.suits), rules.toll_cards)
    for slot in range(UP_STREETS * rules.players):
        workspace.street_of[slot] = slot // rules.players
        workspace.seat_of[slot] = slot % rules.players
    for index in range(DECK):
        for half in range(BYTES // TABLE):
            at = half * TABLE + index % TABLE
            workspace.opening[index // TABLE, at] = rules.opening[ORDER[index]]
    workspace.antes = workspace.antes_again = 0
    for seat in range(rules.players):
        workspace.antes += rules.antes[seat]
        workspace.antes_again += rules.antes_again[seat]
    workspace.bases[:] = 0
    workspace.shown[:] = -1
    workspace.opened[:] = True
    workspace.again[:] = 0
    workspace.bring_ins[:] = 1


@piece
def cards_of(players):
    """Return how many cards a deal to the end takes; eight players share their last."""
    return min(MAX_CARDS * players, 6 * players + 1 if MAX_CARDS * players > DECK else DECK)


# --- Pots dealt again when they are killed, in which no toll is due ----------------------------


@piece
def first_killer(rules, stream, deal, ups, community):
    """Return where the first killer of ``COURT`` lies that is dealt face up, or ``DECK``."""
    first = np.uint64(DECK)
    slots = court_slots(stream, deal)
    for number in range(3):
        slot = slots[number]
        face_up = slot < np.uint64(ups) or slot == np.uint64(community)
        if rules.court_kills[number] and face_up:
            first = min(first, slot)
    return np.int64(first)


@step
def write_deal(rules, workspace, row, killer, ups):
    """Write a deal's row, given the slot of its killer; return how many streets were bet on."""
    players = rules.players
    row.players, row.ending, row.tolls = players, KILLED, 0
    if killer < ups:
        row.killer_card, row.cards = killer + 1, 2 * players + killer + 1
        row.killer_street, row.killer_seat = workspace.street_of[killer], workspace.seat_of[killer]
        return np.int64(row.killer_street)
    row.cards = cards_of(players)
    if killer < DECK:  # the community card
        row.killer_card, row.killer_street, row.killer_seat = ups + 1, UP_STREETS, MAX_PLAYERS
        return UP_STREETS
    row.killer_card, row.ending = 0, FINISHED
    return len(STREETS)


@step
def deal_until_shown(rules, rows, deals, first, workspace, stream, lane):
    """Deal a pot until a deal is not killed; write all of its row but cards and chips of the end.

    Its deals are written from ``first`` on. Return how many there are.
    """
    players, ups = rules.players, UP_STREETS * rules.players
    community = 6 * players if MAX_CARDS * players > DECK else DECK
    number = cards = opened = before = streets = 0
    workspace.ended[:] = 0
    while streets < len(STREETS) and number < rules.max_deals:
        killer = first_killer(rules, stream, number, ups, community)
        row = deals[first + number]
        streets = write_deal(rules, workspace, row, killer, ups)
        workspace.ended[streets] += 1
        cards += row.cards
        before = opened
        opened += streets > 0
        number += 1
    finished = streets == len(STREETS)
    rows.deals[lane], rows.cards[lane], rows.dealt_in[lane] = number, cards, number * players
    rows.ending[lane] = FINISHED if finished else KILLED
    rows.carried[lane] = carried(rules, workspace, number, before)
    write_rounds(rules, rows, workspace, lane)
    workspace.again[lane], workspace.bring_ins[lane] = number - 1, opened
    workspace.bases[lane] = np.uint64(number - 1) * np.uint64(WORDS_PER_DEAL)
    workspace.shown[lane] = -np.int16(finished)
    workspace.opened[lane] = streets > 0
    return number


@step
def write_rounds(rules, rows, workspace, lane):
    """Write a pot's betting rounds, one for each deal that ends behind a street, and turns."""
    rounds = turns = 0
    for street in range(len(STREETS) - 1, -1, -1):
        rounds += workspace.ended[street + 1]
        turns += rounds * rules.players
        rows.rounds[street, lane] = rounds
    rows.turns[lane] = turns - rounds if rules.bring_in else turns


@step
def carried(rules, workspace, deals, bring_ins):
    """Return the chips in a pot before the last of its deals, with so many bring-ins of each."""
    if deals == 1:
        return 0
    brought_in = rules.bring_in * bring_ins * rules.players
    return workspace.antes + workspace.antes_again * (deals - 2) + brought_in


@step
def begin_pots(rules, rows, deals, first, workspace, pots):
    """Deal as many pots until shown as there are, or as the batch holds; return their deals."""
    most = min(BATCH, pots)
    rows.count = number = min(most, len(deals) - first)
    if rules.killers:
        rows.count = number = 0
        while rows.count < most and first + number + rules.max_deals <= len(deals):
            lane = rows.count
            stream = Stream(workspace.starts[lane], workspace.steps[lane])
            number += deal_until_shown(rules, rows, deals, first + number, workspace, stream, lane)
            rows.count += 1
    workspace.shown[rows.count :] = 0
    return number


# --- All of them -------------------------------------------------------------------------------


@step
def show_hands(tables, rules, rows, workspace):
    """Rank each seat's hand in each lane, and note its toll cards dealt face up."""
    for seat in range(np.uint64(rules.players)):
        locate_hands(
            workspace.cards, workspace.slots, seat, workspace.faces, workspace.indices,
            rows.toll_cards,
        )  # fmt: skip
        look_up_hands(tables, np.uint64(rules.flushes), workspace)
        for lane in range(BATCH):
            strength = np.int16(best_made(workspace, lane))
            rows.strength[seat, lane] = strength & workspace.shown[lane]
    compare_hands(
        rows.strength,
        np.uint64(rules.players),
        workspace.shown,
        rows.best,
        rows.holders,
    )


@step
def play_batch(tables, rules, rows, deals, first, workspace, pots):
    """Play as many pots as there are, or as the batch holds; return how many deals they took."""
    groups = min(rules.players, GROUPS)
    number = begin_pots(rules, rows, deals, first, workspace, pots)
    roll_lanes(workspace, groups)
    deal_lanes(workspace, groups)
    show_hands(tables, rules, rows, workspace)
    chips.charge(rules, rows, workspace)
    chips.pay_out(rules, rows, workspace)
    return number


@step
def largest_pot(rows, workspace):
    """Return the chips in the largest pot of a batch."""
    largest = np.int32(0)
    for lane in range(rows.count):
        largest = max(largest, workspace.chips[lane])
    return np.int64(largest)


@kernel
def play_pots_all_call(
    tables, rules, workspace, batches, deals, counting, filled, seed, first, pots
):
    """Do what ``play_pots`` does for pots of which the court's slots tell how their deals end.

    ``workspace`` is one record of ``WORKSPACE``, at first with nothing in it; what all pots have in
    common stands in ``batches``. First all pots are played, then, if they are counted by toll
    vector, the vectors that came are laid out.
    """
    page, work = rules[0], workspace[0]
    keep = len(batches) > 1
    by_vectors = not (page.killers or keep)
    shared = root(seed, page.players, CARDS)
    begin(page, work)
    pot, end, number, first_deal, taken = first, first + pots, 0, 0, 0
    while (pot < end or work.distinct) and number < len(batches):
        rows, playing = batches[number], pot < end
        if playing:
            begin_lanes(work, shared, pot)
            taken = play_batch(tables, page, rows, deals, first_deal, work, end - pot)
            pot += rows.count
            if rows.count == 0:
                break
            if page.killers and largest_pot(rows, work) > LARGEST_POT:
                return largest_pot(rows, work)
            if keep or page.bring_in:
                players = np.uint64(page.players)
                find_openers(work.cards, players, work.opening, work.opened, rows.opener)
            if not keep:
                count_results(page, rows, counting[0], filled)
            if by_vectors:
                toll_vectors.count_vectors(page, rows, work)
                continue
        else:
            toll_vectors.lay_out_some(page, rows, work)
        if not page.killers:
            chips.write_deals(page, rows, deals, first_deal)
        if keep:
            number, first_deal = number + 1, first_deal + taken
        else:
            count_course(page, rows, deals, counting[0], filled, None)
    return 0

"""Chips in and out of pots in which all stay, a batch at a time."""

from typing import Any

import numpy as np

from sim.game import UP_STREETS
from sim.kernels.compile import part, piece, step
from sim.kernels.rows import BATCH, FINISHED

FIELDS: list[Any] = [
    ("again", np.int32, BATCH),  # how often antes are due again,
    ("bring_ins", np.int32, BATCH),  # and how often all bring in
    ("chips", np.int32, BATCH),  # in the pot
]
"""What a workspace needs to pay pots in and out."""


@piece
def charge(rules, rows, workspace):
    """Take from each seat its antes, bring-ins and tolls."""
    workspace.chips[:] = 0
    bring_in = np.int32(rules.bring_in)
    for seat in range(rules.players):
        ante, again = np.int32(rules.antes[seat]), np.int32(rules.antes_again[seat])
        if rules.toll_cards:
            charge_tolls(rules, rows, seat)
        for lane in range(BATCH):
            antes = np.int32(ante + again * workspace.again[lane])
            paid = np.int32(antes + bring_in * workspace.bring_ins[lane]) + rows.tolls[seat, lane]
            rows.paid[seat, lane] = paid
            workspace.chips[lane] += np.int32(paid)


@step
def charge_tolls(rules, rows, seat):
    """Take from a seat what its toll cards of a pot's only deal cost."""
    cost_1, cost_2, cost_3, cost_4 = rules.costs[1], rules.costs[2], rules.costs[3], rules.costs[4]
    for lane in range(BATCH):
        held = np.int32(rows.toll_cards[seat, lane])
        tolls = np.int32(cost_1) if held == 1 else np.int32(0)
        tolls = np.int32(cost_2) if held == 2 else tolls
        tolls = np.int32(cost_3) if held == 3 else tolls
        rows.tolls[seat, lane] = np.int32(cost_4) if held == UP_STREETS else tolls


@step
def pay_out(rules, rows, workspace):
    """Give each pot to the best hand; some are shared."""
    for seat in range(rules.players):
        for lane in range(BATCH):
            wins = rows.strength[seat, lane] == rows.best[lane]
            rows.won[seat, lane] = workspace.chips[lane] if wins else np.int32(0)
    for lane in range(rows.count):
        if rows.holders[lane] != 1:
            share(rules, rows, workspace, lane)


@part
def share(rules, rows, workspace, lane):
    """Share a pot among equal hands, or all if none is shown; odd chips go from the dealer's left.

    Who does not hold the best hand has won nothing; all hold it, if none is shown.
    """
    winners = np.int64(rows.holders[lane] if rows.holders[lane] else rules.players)
    each = workspace.chips[lane] // winners
    odd = workspace.chips[lane] - each * winners
    for seat in range(rules.players):
        if rows.strength[seat, lane] == rows.best[lane]:
            rows.won[seat, lane] = each + (odd > 0)
            odd -= 1


@step
def write_deals(rules, rows, deals, first):
    """Write the only deal of each pot, from ``first`` on."""
    for lane in range(rows.count):
        row = deals[first + lane]
        row.players, row.cards, row.ending = rules.players, rows.cards[lane], FINISHED
        row.killer_card = row.tolls = 0
        if rules.toll_cards:
            row.toll_payers[:] = 0
            for seat in range(rules.players):
                row.tolls += rows.tolls[seat, lane]
                row.toll_payers[rows.toll_cards[seat, lane]] += 1

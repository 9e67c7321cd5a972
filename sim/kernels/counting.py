"""Counting: rows are read, and added to a tally.

``count_results`` counts who won what with which hand, ``count_course`` how a pot came about: its
deals, killers, tolls, bets and chips. The second counts a row as often as its weight says.

Loops over a batch have a whole register of pots to work on; what is counted by bin, and what is
told of each deal, goes pot by pot.
"""

from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from sim.game import MAX_PLAYERS, STREETS, UP_STREETS
from sim.kernels.bits import trailing_zeros
from sim.kernels.compile import part, piece, step
from sim.kernels.rows import BATCH, KILLED, NEVER, SEATS
from sim.kernels.simd import SIZE, Variable, Vector, rows_of
from sim.tally import CATEGORY_COUNT, TOLL_LEVELS

WORKSPACE = np.dtype(
    [
        ("lowest", np.int16, CATEGORY_COUNT),  # strengths of the categories
        ("chips", np.int32, BATCH),  # in the pot
        ("tolls", np.int32, BATCH),
        ("players", np.int16, BATCH),  # of a pot: who stay, show a hand, are of a kind
        ("level", np.int16, SEATS),  # bin of an amount
        ("net", np.int32, SEATS),  # chips won less chips put in
        ("number", np.int32, SEATS),  # of tolls paid
        ("together", np.int32, BATCH),  # of several seats,
        ("alike", np.int32, BATCH),  # and how many they are
        ("killer_cards", np.uint64),  # which up cards killed, as a mask,
        ("kills_by_card", np.int64, UP_STREETS * MAX_PLAYERS + 2),  # from here on: of one pot
        ("kills_by_street", np.int32, UP_STREETS + 2),
        ("kills_by_seat", np.int32, MAX_PLAYERS + 1),
        ("toll_payers", np.int32, UP_STREETS + 1),
    ],
    align=True,
)
"""Where counting keeps what it needs meanwhile; made once, left clear."""


def new_workspace(categories: Any) -> Any:
    """Return what counting works with, given each strength's category: (1,) of ``WORKSPACE``."""
    workspace = np.zeros(1, WORKSPACE)
    lowest = np.searchsorted(categories[1:], np.arange(CATEGORY_COUNT)) + 1
    workspace["lowest"] = lowest
    return workspace


# --- Sums over a batch -------------------------------------------------------------------------


@part
def sums_of(values, weights, count):
    """Return the sums of so many values v, and of v²."""
    total = squares = 0
    for lane in range(count):
        value = np.int64(values[lane])
        weighted = np.int64(weights[lane]) * value
        total += weighted
        squares += weighted * value
    return total, squares


@part
def product_sum(values, things, weights, count):
    """Return the sum of so many products."""
    total = 0
    for lane in range(count):
        total += np.int64(weights[lane]) * np.int64(values[lane]) * np.int64(things[lane])
    return total


@step
def add_sums(sums, values, weights, count):
    """Add a batch's values and their squares to (2,) sums."""
    total, squares = sums_of(values, weights, count)
    sums[0] += total
    sums[1] += squares


@step
def add_kinds(sums, level, values, things, weights, count):
    """Add a batch's counts c, c² and c·things to a level of KIND rows."""
    total, squares = sums_of(values, weights, count)
    sums[0, level] += total
    sums[1, level] += squares
    sums[2, level] += product_sum(values, things, weights, count)


@step
def add_things(sums, level, things, weights, count):
    """Add a batch's things t and t² to a level of RATIO rows, which begin with KIND rows."""
    total, squares = sums_of(things, weights, count)
    sums[3, level] += total
    sums[4, level] += squares


@step
def bin_of(amount, unit, last):
    """Return an amount's bin; few units are not 1, and a division is slow."""
    return min(amount if unit == 1 else amount // unit, last)


@step
def add_to_bins(bins, values, unit, weights, count):
    """Count pots by an amount."""
    for lane in range(count):
        bins[bin_of(np.int64(values[lane]), unit, len(bins) - 1)] += weights[lane]


@part
def add_players_to_bins(bins, amounts, unit, players, workspace, weights, count):
    """Count a pot's players by an amount of each, and squares of how many fall into a bin."""
    last = np.int64(bins.shape[1] - 1)
    for seat in range(players):
        for lane in range(count):
            workspace.level[seat, lane] = bin_of(amounts[seat, lane], unit, last)
    for seat in range(players):
        workspace.players[:] = 0
        for other in range(players):
            for lane in range(BATCH):
                same = workspace.level[other, lane] == workspace.level[seat, lane]
                workspace.players[lane] += np.int16(same)
        for lane in range(count):
            level, weight = workspace.level[seat, lane], np.int64(weights[lane])
            bins[0, level] += weight
            bins[1, level] += weight * workspace.players[lane]


# --- Who won what, with which hand -------------------------------------------------------------


@intrinsic
def count_categories(_context, strengths, players, best, shown, lowest, hands, winning):  # noqa: ARG001
    """Add to ``hands``, (3, categories) int64, how many of each are shown, and to ``winning``.

    ``strengths`` is (seats, lanes) int16, ``best`` and ``shown`` (lanes,) int16, and ``lowest``,
    (categories,) int16, each category's lowest strength. Of each pot's hands are counted their
    number, its square, and its product with those shown; of best hands, pots. Lanes are 64.
    """
    signature = types.void(strengths, types.uint64, best, shown, lowest, hands, winning)

    def codegen(context, builder, signature, args):
        strengths, best, shown, lowest, hands, winning = rows_of(context, builder, signature, args)
        none = Vector.of(builder, 16, 0, BATCH)
        held, held_best = Variable(none), Variable(none)
        with cgutils.for_range(builder, lowest.lanes) as done:
            category = builder.sub(builder.sub(lowest.lanes, SIZE(1)), done.index)
            below = builder.sub(lowest.item(SIZE(0), category), lowest.data.type.pointee(1))
            so_far = Variable(none)
            with cgutils.for_range(builder, args[1]) as seat:
                strength = strengths.load(seat.index, SIZE(0), BATCH)
                so_far.set(so_far.get() + strength.above(below, signed=True).wide(16))
            best_so_far = best.load(SIZE(0), SIZE(0), BATCH).above(below, signed=True).wide(16)
            own = so_far.get() - held.get()
            hands.add(SIZE(0), category, own.total())
            hands.add(SIZE(1), category, (own * own).total())
            hands.add(SIZE(2), category, (own * shown.load(SIZE(0), SIZE(0), BATCH)).total())
            winning.add(SIZE(0), category, (best_so_far - held_best.get()).total())
            held.set(so_far.get())
            held_best.set(best_so_far)
        return context.get_dummy_value()

    return signature, codegen


@step
def count_hands(rules, rows, workspace, sums):
    """Count the hands shown, and the best ones."""
    count, players = rows.count, rules.players
    rows.best[count:] = 0
    for seat in range(players):
        rows.strength[seat, count:] = 0
    workspace.players[:] = 0
    for seat in range(players):
        for lane in range(BATCH):
            workspace.players[lane] += np.int16(rows.strength[seat, lane] > 0)
    shown = squares = split = 0
    for lane in range(count):
        number = np.int32(workspace.players[lane])
        shown += number
        squares += number * number
        split += rows.holders[lane] > 1
    sums.hands_shown[0] += shown
    sums.hands_shown[1] += squares
    sums.split_pots[0] += split
    count_categories(
        rows.strength,
        np.uint64(players),
        rows.best,
        workspace.players,
        workspace.lowest,
        sums.hands,
        sums.winning_hands,
    )


@part
def count_by_policy(rules, chips, sums, workspace, count):
    """Add what the seats of each policy have together, and squares."""
    for policy in range(rules.policy_count):
        workspace.together[:] = 0
        for seat in range(rules.players):
            if rules.policies[seat] == policy:
                for lane in range(BATCH):
                    workspace.together[lane] += chips[seat, lane]
        total = squares = 0
        for lane in range(count):
            amount = np.int64(workspace.together[lane])
            total += amount
            squares += amount * amount
        sums[0, policy] += total
        sums[1, policy] += squares


@step
def count_nets(rules, rows, workspace, sums):
    """Count what each seat, and the seats of each policy, won less what they put in."""
    for seat in range(rules.players):
        total = squares = 0
        for lane in range(rows.count):
            net = rows.won[seat, lane] - rows.paid[seat, lane]
            workspace.net[seat, lane] = net
            total += np.int64(net)
            squares += np.int64(net) * np.int64(net)
        sums.net_by_seat[0, seat] += total
        sums.net_by_seat[1, seat] += squares
    if rules.policy_count > 1:  # the nets of all are nought together
        count_by_policy(rules, workspace.net, sums.net_by_policy, workspace, rows.count)


@step
def count_nets_by_tolls(rules, rows, workspace, sums):
    """Count the nets of players by how many tolls they paid, the last level for more."""
    levels = TOLL_LEVELS if rules.killers else TOLL_LEVELS - 1  # of one deal four can be paid
    for seat in range(rules.players):
        for lane in range(BATCH):
            tolls = np.int32(rows.toll_cards[seat, lane])
            workspace.number[seat, lane] = min(tolls, np.int32(TOLL_LEVELS - 1))
    for level in range(levels):
        workspace.together[:] = 0
        workspace.alike[:] = 0
        for seat in range(rules.players):
            for lane in range(BATCH):
                alike = np.int32(workspace.number[seat, lane] == level)
                workspace.together[lane] += workspace.net[seat, lane] & -alike
                workspace.alike[lane] += alike
        add_nets(rows.count, workspace, sums.net_by_tolls, level)


@part
def add_nets(count, workspace, sums, level):
    """Add what the players of a level won together, and how many they are."""
    total = squares = products = 0
    players = players_squared = np.int32(0)
    for lane in range(count):
        net, number = workspace.together[lane], workspace.alike[lane]
        total += np.int64(net)
        squares += np.int64(net) * np.int64(net)
        products += np.int64(net) * np.int64(number)
        players = np.int32(players + number)
        players_squared = np.int32(players_squared + np.int32(number * number))
    sums[0, level] += total
    sums[1, level] += squares
    sums[2, level] += products
    sums[3, level] += players
    sums[4, level] += players_squared


@step
def count_winners(rules, rows, workspace, sums):
    """Count what those who win have paid in tolls."""
    workspace.together[:] = 0
    workspace.alike[:] = 0
    for seat in range(rules.players):
        for lane in range(BATCH):
            wins = np.int32(rows.won[seat, lane] > 0)
            workspace.together[lane] += rows.tolls[seat, lane] & -wins
            workspace.alike[lane] += wins
    add_nets(rows.count, workspace, sums.winner_tolls, 0)


@step
def count_openers(rules, rows, workspace, sums):
    """Count the nets of those who bring in."""
    workspace.together[:] = 0
    workspace.alike[:] = 0
    for seat in range(rules.players):
        for lane in range(BATCH):
            opens = np.int32(rows.opener[lane] == seat)
            workspace.together[lane] += workspace.net[seat, lane] & -opens
            workspace.alike[lane] += opens
    add_nets(rows.count, workspace, sums.net_of_opener, 0)


@part
def count_results(rules, rows, workspace, filled):
    """Count who won what with which hand."""
    sums = filled.sums[0]
    sums.pots[0] += rows.count
    count_hands(rules, rows, workspace, sums)
    count_nets(rules, rows, workspace, sums)
    if rules.toll_cards:
        count_nets_by_tolls(rules, rows, workspace, sums)
        if rules.policy_count > 1:  # else they are the tolls of all, which ``count_chips`` counts
            count_by_policy(rules, rows.tolls, sums.toll_by_policy, workspace, rows.count)
        count_winners(rules, rows, workspace, sums)
    if rules.bring_in:
        count_openers(rules, rows, workspace, sums)


# --- How the pot came about --------------------------------------------------------------------


@step
def count_kill(workspace, up_card, street, seat):
    """Note where in a deal of the pot a killer fell."""
    workspace.killer_cards |= np.uint64(1) << np.uint64(up_card)
    workspace.kills_by_card[up_card] += 1
    workspace.kills_by_street[street] += 1
    workspace.kills_by_seat[seat] += 1


@piece
def add_pot(sums, values, things, weight):
    """Add a pot's counts c, c² and c·things to KIND rows; clear the counts.

    Counts and things have 32 bits, their products 64: so all levels are multiplied at once.
    """
    many = np.int32(things)
    for level in range(len(values)):
        value = values[level]
        sums[0, level] += np.int64(weight) * np.int64(value)
        sums[1, level] += np.int64(weight) * np.int64(np.int32(value * value))
        sums[2, level] += np.int64(weight) * np.int64(np.int32(value * many))
        values[level] = 0


@step
def add_kills(workspace, sums, kills, deals):
    """Add where a pot's killers fell; by card, c counts all killers up to that card.

    Where there are killers, no row stands for more than one pot.
    """
    sums.killed_pots[0] += 1
    workspace.kills_by_street[UP_STREETS + 1] = kills
    add_pot(sums.kills_by_street, workspace.kills_by_street, deals, np.int32(1))
    add_pot(sums.kills_by_seat, workspace.kills_by_seat, deals, np.int32(1))
    so_far, left = 0, workspace.killer_cards
    workspace.killer_cards = 0
    while left:
        up_card = trailing_zeros(left)
        left &= left - np.uint64(1)
        kills = workspace.kills_by_card[up_card]
        # Only steps are stored: the sums up to a card are taken when they are read.
        sums.kills_by_card[0, up_card] += kills
        sums.kills_by_card[1, up_card] += kills * (2 * so_far + kills)
        sums.kills_by_card[2, up_card] += kills * deals
        so_far += kills
        workspace.kills_by_card[up_card] = 0


@step
def add_deals(sums, players, killed, deals, weight):
    """Add how many of a pot's deals to so many players were killed, and how many there were."""
    sums[0, players] += weight * killed
    sums[1, players] += weight * killed * killed
    sums[2, players] += weight * killed * deals
    sums[3, players] += weight * deals
    sums[4, players] += weight * deals * deals


@step
def count_dealt_in(rows, lane, deals, first, killed, sums):
    """Count a pot's deals by how many were dealt in; those to as many follow each other."""
    number = np.int64(rows.deals[lane])
    start, players = 0, np.int64(deals[first].players)
    for deal in range(1, number + 1):
        now = np.int64(deals[first + deal].players) if deal < number else 0
        if now != players:
            alike = deal - start
            fallen = alike - (deal == number and killed < number)
            add_deals(sums.kills_by_dealt, players, fallen, alike, rows.weight[lane])
            start, players = deal, now


@step
def count_killers(rules, rows, lane, deals, first, killed, workspace, sums):
    """Count where the killers of a pot's deals fell."""
    for deal in range(first, first + killed):
        row = deals[deal]
        count_kill(workspace, row.killer_card, row.killer_street, row.killer_seat)
    out = count_players_out(rules, rows, lane, workspace) if rules.player_out else 0
    sums.players_out[out] += 1
    if killed + out:
        add_kills(workspace, sums, killed + out, np.int64(rows.deals[lane]))


@step
def count_toll_payers(rows, lane, deals, first, workspace, sums):
    """Count players dealt in by how many tolls they paid in the deal."""
    for deal in range(first, first + np.int64(rows.deals[lane])):
        for tolls in range(UP_STREETS + 1):
            workspace.toll_payers[tolls] += deals[deal].toll_payers[tolls]
    dealt_in = np.int64(rows.dealt_in[lane])
    add_pot(sums.tolls_paid, workspace.toll_payers, dealt_in, rows.weight[lane])


@step
def count_deals(rules, rows, lane, deals, first, workspace, sums, acting):
    """Count a pot's deals, which begin at ``first``; all but the last are killed."""
    number = np.int64(rows.deals[lane])
    killed = number - (rows.ending[lane] != KILLED)
    if acting is not None:
        count_dealt_in(rows, lane, deals, first, killed, sums)
    else:
        add_deals(sums.kills_by_dealt, rules.players, killed, number, rows.weight[lane])
    if rules.killers:
        count_killers(rules, rows, lane, deals, first, killed, workspace, sums)
    if rules.toll_cards:
        count_toll_payers(rows, lane, deals, first, workspace, sums)


@step
def count_players_out(rules, rows, lane, workspace):
    """Count the players of a pot that killers put out; return how many."""
    out = 0
    for seat in range(rules.players):
        if rows.out_card[seat, lane]:
            out += 1
            count_kill(workspace, rows.out_card[seat, lane], rows.exit_street[seat, lane], seat)
    return out


@step
def count_survivors(rules, rows, workspace, sums):
    """Count pots by how many are still in at the end, and those abandoned."""
    workspace.players[:] = 0
    for seat in range(rules.players):
        for lane in range(BATCH):
            workspace.players[lane] += np.int16(rows.exit_street[seat, lane] == NEVER)
    for lane in range(rows.count):
        sums.survivors[workspace.players[lane]] += rows.weight[lane]
        sums.abandoned_pots[0] += rows.weight[lane] * (rows.ending[lane] == KILLED)


@piece
def count_bets(rows, workspace, sums, acting):
    """Count a pot's betting rounds, and what players did in them."""
    weights, count = rows.weight, rows.count
    for street in range(len(STREETS)):
        add_things(sums.bets, street, rows.rounds[street], weights, count)
    if acting is not None:
        workspace.together[:] = 0
        for street in range(len(STREETS)):
            bets, rounds = rows.bets[street], rows.rounds[street]
            add_kinds(sums.bets, street, bets, rounds, weights, count)
            add_kinds(sums.folds, street, rows.folds[street], rows.dealt_in, weights, count)
            for lane in range(BATCH):
                workspace.together[lane] += np.int32(rows.folds[street, lane])
        add_kinds(sums.folds, len(STREETS), workspace.together, rows.dealt_in, weights, count)
        for band in range(len(rows.asked)):
            folds, turns = rows.price_folds[band], rows.asked[band]
            add_kinds(sums.folds_by_price, band, folds, turns, weights, count)
            add_things(sums.folds_by_price, band, turns, weights, count)


@step
def add_up_seats(together, chips, players):
    """Add up what all seats have."""
    together[:] = 0
    for seat in range(players):
        for lane in range(BATCH):
            together[lane] += chips[seat, lane]


@step
def count_chips(rules, rows, workspace, filled):
    """Count what pots hold, and what players put in, tolls apart."""
    sums, weights, count = filled.sums[0], rows.weight, rows.count
    players = rules.players
    add_up_seats(workspace.chips, rows.paid, players)
    add_to_bins(filled.pot_size, workspace.chips, rules.pot_unit, weights, count)
    add_sums(sums.pot_size_sums, workspace.chips, weights, count)
    add_players_to_bins(
        filled.chips_in, rows.paid, rules.pot_unit, players, workspace, weights, count
    )
    if rules.toll_cards:
        add_up_seats(workspace.tolls, rows.tolls, players)
        add_to_bins(filled.toll_pot, workspace.tolls, rules.toll_unit, weights, count)
        add_sums(sums.toll_pot_sums, workspace.tolls, weights, count)
        if rules.policy_count == 1:
            add_sums(sums.toll_by_policy[:, 0], workspace.tolls, weights, count)
        sums.toll_pot_sums[2] += product_sum(workspace.tolls, workspace.chips, weights, count)
        add_players_to_bins(
            filled.toll_player,
            rows.tolls,
            rules.toll_unit,
            rules.players,
            workspace,
            weights,
            count,
        )


@part
def count_course(rules, rows, deals, workspace, filled, acting):
    """Count how pots came about, each as often as its weight says.

    ``acting`` is None where nobody bets or folds, and the compiler leaves those counts out.
    """
    sums, weights, count = filled.sums[0], rows.weight, rows.count
    first = 0
    for lane in range(count):
        count_deals(rules, rows, lane, deals, first, workspace, sums, acting)
        first += np.int64(rows.deals[lane])
    add_to_bins(filled.deals, rows.deals, 1, weights, count)
    add_sums(sums.cards, rows.cards, weights, count)
    add_sums(sums.players_dealt, rows.dealt_in, weights, count)
    add_sums(sums.decisions, rows.turns, weights, count)
    if rules.killers:  # elsewhere a pot has one deal
        add_sums(sums.carried, rows.carried, weights, count)
    count_survivors(rules, rows, workspace, sums)
    count_bets(rows, workspace, sums, acting)
    count_chips(rules, rows, workspace, filled)

"""Learning: pots are played, and those decisions of one seat that were noted are played otherwise.

Cards and rolls depend on their place in the random stream alone, so that a replay from the first
card with one decision forced differs from the pot in what follows from it, and in nothing else: the
seat's earlier decisions are the same by themselves, its later ones follow its policy.
"""

import numpy as np

from sim.kernels.betting import CALL, FOLD, NONE_FORCED, RAISE
from sim.kernels.compile import kernel, part, step
from sim.kernels.play import play_pot
from sim.kernels.stream import CARDS, DECISIONS, mix, pot_stream, root
from sim.tally import LARGEST_POT

VISITS, FOLDING, CALLING, RAISING, CALL_SQUARES, RAISE_SQUARES = range(6)
"""What is summed of a bucket: decisions; what each action wins, in chips from there on; and the
squares of what calling wins more than folding, and raising more than calling."""
SUMS = 6


@part
def play(tables, decision_tables, rules, table, rows, deals, log, stream, rolls):
    """Play a pot and return what the watched seat wins of it."""
    play_pot(tables, decision_tables, rules, table, rows, 0, deals, 0, log, stream, rolls)
    return table.won[table.watched] - table.paid[table.watched]


@step
def sample_decisions(table, stream, most):
    """Say of how many decisions one is noted so that about ``most`` are, and from which on."""
    table.noted = 0
    table.every = (table.decided + most - 1) // most
    table.offset = np.int64(mix(stream.start) >> np.uint64(1)) % table.every


@step
def add_visit(visit, weight, fold, call, more):
    """Add what the actions win at a decision that stands for so many."""
    visit[VISITS] += weight
    visit[FOLDING] += weight * fold
    visit[CALLING] += weight * call
    visit[RAISING] += weight * more
    visit[CALL_SQUARES] += weight * (call - fold) ** 2
    visit[RAISE_SQUARES] += weight * (more - call) ** 2


@kernel
def play_and_replay(
    tables,
    decision_tables,
    pages,
    table,
    rows,
    deals,
    log,
    sums,
    nets,
    seed,
    first,
    pots,
    most,
    explored,
):
    """Play pots from number ``first`` on, and up to ``most`` decisions of each otherwise.

    ``pages`` are (players,) of ``RULES``: in pot p the seat p % players is watched, and acts as its
    page says. ``nets``, (pots,), is what it wins; to ``sums``, (buckets, ``SUMS``), is added what
    each action wins where. A raise beyond the cap is a call. Of more decisions than ``most`` one in
    E is replayed, and counts E times. In one pot of ``explored`` (0: none) that seat strays from
    its policy. Return (plays, chips of a pot that is too large or 0).
    """
    state, batch = table[0], rows[0]
    players = len(pages)
    shared = root(seed, players, CARDS)
    deciding = root(seed, players, DECISIONS)
    plays = 0
    for pot in range(first, first + pots):
        stream, rolls = pot_stream(shared, pot), pot_stream(deciding, pot)
        state.watched = pot % players
        page = pages[state.watched]
        state.forced_at, state.every, state.offset, state.noted = NONE_FORCED, 1, 0, 0
        state.explores = explored > 0 and pot // players % explored == 0
        state.key = mix(rolls.start)
        net = play(tables, decision_tables, page, state, batch, deals, log, stream, rolls)
        plays += 1
        if state.pot > LARGEST_POT:
            return plays, state.pot
        nets[pot - first] = net
        if most == 0:
            continue
        if state.decided > most:
            sample_decisions(state, stream, most)
            play(tables, decision_tables, page, state, batch, deals, log, stream, rolls)
            plays += 1
        for note in range(state.noted):
            paid, taken = state.noted_paid[note], state.noted_actions[note]
            fold = call = more = np.int64(0)
            for action in (FOLD, CALL, RAISE):
                if action == RAISE and not state.noted_may_raise[note]:
                    more = call
                    continue
                if action == FOLD and not page.everyone:
                    continue  # who has folded pays and wins no more
                worth = paid + net
                if state.explores or action != taken:
                    state.forced_at, state.forced = state.noted_numbers[note], action
                    worth = paid + play(
                        tables, decision_tables, page, state, batch, deals, log, stream, rolls
                    )
                    plays += 1
                    if state.pot > LARGEST_POT:
                        return plays, state.pot
                if action == FOLD:
                    fold = worth
                elif action == CALL:
                    call = worth
                else:
                    more = worth
            add_visit(sums[state.noted_buckets[note]], state.every, fold, call, more)
    return plays, 0

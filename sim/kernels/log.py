"""The log of a pot: where events are written down, if anybody reads them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.kernels.compile import part, piece


class Log(NamedTuple):
    """Where events are written down, if anybody reads them."""

    rows: NDArray[np.int64]
    """(capacity, 3): event, seat, value. Of capacity 0: nothing is written."""
    length: NDArray[np.int64]
    """(1,): events so far; more than its capacity are counted only."""


def new_log(capacity: int = 0) -> Log:
    """Make a log with a capacity of so many events."""
    return Log(np.zeros((capacity, 3), np.int64), np.zeros(1, np.int64))


@piece
def emit(log, event, seat, value):
    """Write down an event, if there is a log."""
    if log.rows.shape[0]:
        write(log, np.int64(event), np.int64(seat), np.int64(value))


@part
def write(log, event, seat, value):
    """Write down an event, if the log holds it."""
    row = log.length[0]
    if row < log.rows.shape[0]:
        log.rows[row, 0], log.rows[row, 1], log.rows[row, 2] = event, seat, value
    log.length[0] = row + 1

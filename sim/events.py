"""What can happen in a pot: the words of the log that a replay narrates and the tests compare.

An event is three integers: what, seat (0 is to the dealer's left, -1 is nobody) and a value.
"""

from enum import IntEnum


class Event(IntEnum):
    """What happened; the comment says what the value is."""

    DEAL = 0  # a new deal begins: its number, from 0
    ANTE = 1  # chips
    DOWN = 2  # a hole card
    UP = 3  # an up card
    COMMUNITY = 4  # the card for everybody, to nobody
    TOLL = 5  # chips for the card just dealt
    KILL = 6  # the killer: the deal stops here
    OUT = 7  # the killer: its receiver is out
    SHOW = 8  # strength of the hand shown
    ABANDON = 9  # the number of deals after which the pot is shared
    WIN = 10  # chips
    FOLD = 11  # chips that a call would have cost
    CHECK = 12  # 0
    CALL = 13  # chips
    BET = 14  # chips: the first of a round, or what completes the bring-in
    RAISE = 15  # chips
    BRING_IN = 16  # chips

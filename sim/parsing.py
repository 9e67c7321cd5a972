"""Reading what people write for a value, on a command line, in a plan or in Python alike."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from sim import arguments
from sim.cards import format_card, parse_cards
from sim.errors import InputError, shown
from sim.game import MAX_PLAYERS, MIN_PLAYERS, UP_STREETS

Sizes = int | str | Iterable[int | str]
"""Table sizes: 4, ``"2-8"``, or several of either."""
Count = int | float | str
"""A number of pots or the like: 1000, 1e3, ``"1k"``, ``"1_000"``."""
_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9}


def player_counts(text: str) -> list[int]:
    """Read table sizes: ``4``, ``3,6`` or ``2-8``."""
    sizes: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        if not match:
            raise InputError(
                f"players {shown(text)} is not a number of players: write 4, 3,6 or 2-8"
            )
        low, high = int(match[1]), int(match[2] or match[1])
        if not MIN_PLAYERS <= low <= high <= MAX_PLAYERS:
            raise InputError(
                f"players {shown(part.strip())} will not do: {MIN_PLAYERS} to {MAX_PLAYERS} can "
                "play, and a range goes up, as in 2-8"
            )
        sizes += [size for size in range(low, high + 1) if size not in sizes]
    return sizes


def table_sizes(value: Any) -> list[int]:
    """Return table sizes however they are given: 4, ``"2-8"``, or several of either."""
    given = arguments.several(value, "players") if _are_several(value) else [value]
    if not given:
        raise InputError("no table size is asked for: 2 to 8 players can play")
    read = (player_counts(one) if isinstance(one, str) else [one] for one in given)
    return [arguments.whole_number(size, "players") for sizes in read for size in sizes]


def table_size(value: Any) -> int:
    """Return the one table size that is asked for: 4 or ``"4"``."""
    sizes = player_counts(value) if isinstance(value, str) else [value]
    if len(sizes) > 1:
        raise InputError(f"players {shown(value)} are several table sizes: name one, as in 4")
    return arguments.whole_number(sizes[0], "players")


def _are_several(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def count(value: Any, what: str = "pots", least: int = 1, most: int | None = None) -> int:
    """Return a number of pots or the like however it is given: 1000, 1e3, ``"1k"``, ``"1_000"``."""
    if isinstance(value, str):
        value = _read_count(value, what, least)
    elif isinstance(value, (float, np.floating)) and np.isfinite(value) and value == int(value):
        value = int(value)
    return arguments.whole_number(value, what, least, most)


def _read_count(text: str, what: str, least: int) -> int:
    match = re.fullmatch(
        r"(-?\d{1,3}(?:[_,]\d{3})*|-?\d{1,20})(\.\d{1,9})?(e\+?\d{1,2})?\s*([kmgb]?)",
        text.strip().lower(),
    )
    if not match or (match[3] and match[4]):
        raise InputError(
            f"{what} {shown(text)} is not a number of {what}: write 1000, 10k, 1e4 or 2.5M"
        )
    whole, part, power, suffix = match.groups("")
    number = Decimal(re.sub("[_,]", "", whole) + part + power) * _SUFFIXES[suffix]
    if number < least or number != int(number):
        raise InputError(
            f"{what} {shown(text)} will not do: ask for a whole number of at least {least}"
        )
    return int(number)


def named_numbers(texts: Iterable[str], what: str) -> dict[str, float]:
    """Read settings of numbers: ``deals=6``; ``what`` names them in the error."""
    numbers: dict[str, float] = {}
    for text in [texts] if isinstance(texts, str) else arguments.several(texts, what):
        name, _, value = arguments.instance(text, str, what).partition("=")
        name = name.strip().replace("-", "_")
        if name in numbers:
            raise InputError(f"{what} {name} is set twice: say which is meant")
        try:
            numbers[name] = float(value)
        except ValueError:
            raise InputError(
                f"{what} {shown(text)} sets nothing: write its name, = and a number "
                "(a share as 0.2)"
            ) from None
    return numbers


def hand_and_up(cards_text: str, up_text: str) -> tuple[list[int], list[int]]:
    """Read a hand of one to seven cards and which of them are up cards, in the order dealt."""
    hand, up = parse_cards(cards_text), parse_cards(up_text)
    if not 1 <= len(hand) <= 7:
        raise InputError(f"a hand has one to seven cards, and {shown(cards_text)} has {len(hand)}")
    strangers = [card for card in up if card not in hand]
    if strangers:
        raise InputError(f"the up card {format_card(strangers[0])} is not in the hand")
    if len(up) > UP_STREETS:
        raise InputError(f"a player is dealt at most {UP_STREETS} cards face up, not {len(up)}")
    return hand, up

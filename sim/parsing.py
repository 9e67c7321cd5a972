"""Reading what is typed on a command line."""

import re
from collections.abc import Iterable
from decimal import Decimal

from sim.cards import format_card, parse_cards
from sim.errors import InputError, shown
from sim.game import MAX_PLAYERS, MIN_PLAYERS, UP_STREETS

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


def pot_count(text: str) -> int:
    """Read a number of pots: ``1000``, ``10k``, ``2.5M``, ``1_000_000``."""
    match = re.fullmatch(
        r"(-?\d{1,3}(?:[_,]\d{3})*|-?\d{1,20})(\.\d{1,9})?\s*([kmgb]?)", text.strip().lower()
    )
    if not match:
        raise InputError(f"pots {shown(text)} is not a number of pots: write 1000, 10k or 2.5M")
    whole, part, suffix = match.groups()
    count = Decimal(whole.replace("_", "").replace(",", "") + (part or "")) * _SUFFIXES[suffix]
    if count < 1 or count != int(count):
        raise InputError(f"pots {shown(text)} will not do: ask for a whole number of at least 1")
    return int(count)


def named_numbers(texts: Iterable[str], what: str) -> dict[str, float]:
    """Read settings of numbers: ``deals=6``; ``what`` names them in the error."""
    numbers: dict[str, float] = {}
    for text in texts:
        name, _, value = text.partition("=")
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

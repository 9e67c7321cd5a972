"""A card is an int 0..51: ``rank * 4 + suit``, deuce = 0 … ace = 12, clubs to spades = 0..3.

A set of cards is an int used as a 52-bit mask: bit ``c`` is card ``c``.
"""

import re
from collections.abc import Iterable, Iterator

from sim.arguments import whole_number
from sim.errors import InputError, shown

DECK = 52
RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_SYMBOLS = "♣♦♥♠"
RANK_NAMES = (
    "deuce", "trey", "four", "five", "six", "seven", "eight",
    "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
RANK_PLURALS = tuple(name + ("es" if name == "six" else "s") for name in RANK_NAMES)
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
OTHER_NAMES = {"two": 0, "three": 1}
"""What the lowest ranks are called as well."""
HELD = {"low", "lowest", "hole", "down", "follow"}
"""Words of cards that hang on what a player holds or is dealt, as a low hole card."""

_RANK_OF = {letter: rank for rank, letter in enumerate(RANKS)} | {"10": 8}
_SUIT_OF = {letter: suit for suit, letter in enumerate(SUITS)} | {
    symbol: suit for suit, symbol in enumerate(SUIT_SYMBOLS)
}
_SUIT_SETS = [sum(1 << card for card in range(suit, DECK, 4)) for suit in range(4)]
_RANK_SETS = [0b1111 << 4 * rank for rank in range(13)]
_SETS = (
    {"none": 0}
    | {name[:end]: _SUIT_SETS[suit] for suit, name in enumerate(SUIT_NAMES) for end in (None, -1)}
    | {name: _RANK_SETS[rank] for rank, name in [*enumerate(RANK_NAMES), *enumerate(RANK_PLURALS)]}
    | {name + end: _RANK_SETS[rank] for name, rank in OTHER_NAMES.items() for end in ("", "s")}
)
"""Sets of cards by name."""


def parse_card(text: str) -> int:
    """Read one card: ``"Ks"``, ``"K♠"``, ``"10h"``, ``"Th"``; case does not matter."""
    rank = _RANK_OF.get(text[:-1].upper())
    suit = _SUIT_OF.get(text[-1:].lower())
    if rank is None or suit is None:
        raise InputError(
            f"{shown(text)} is not a card: write a rank (2-9, T or 10, J, Q, K, A) "
            "and a suit (c, d, h, s), as in Ks"
        )
    return rank * 4 + suit


def parse_cards(text: str) -> list[int]:
    """Read cards separated by spaces or commas, in order; a repeated card is refused."""
    cards: list[int] = []
    for word in text.replace(",", " ").split():
        card = parse_card(word)
        if card in cards:
            raise InputError(f"{format_card(card)} appears twice")
        cards.append(card)
    return cards


def format_card(card: int, *, symbols: bool = False) -> str:
    """Write one card: ``Ks``, or ``K♠`` with ``symbols``."""
    return RANKS[card // 4] + (SUIT_SYMBOLS if symbols else SUITS)[card % 4]


def mask_of(cards: Iterable[int]) -> int:
    """Return the set of these cards as a 52-bit mask."""
    mask = 0
    for card in cards:
        mask |= 1 << whole_number(card, "a card", 0, DECK - 1)
    return mask


def cards_in(mask: int) -> Iterator[int]:
    """Yield the cards of a set, lowest first."""
    return (card for card in range(DECK) if mask >> card & 1)


def parse_set(text: str) -> int:
    """Read a set of cards: ``"none"``, ``"spades"``, ``"deuces"``, ``"Js Qs Ks"``, or a mixture.

    Suits and ranks may be named in the singular, deuces and treys as twos and threes as well.
    """
    if HELD.intersection(re.split("[^a-z]+", text.lower())):
        raise InputError(
            f"{shown(text)} cannot be played here: a set is the same cards for everybody, whatever "
            "he is dealt, so name cards, suits or ranks"
        )
    mask = 0
    for word in text.replace(",", " ").split():
        known = _SETS.get(word.lower())
        mask |= _card_of_a_set(word) if known is None else known
    return mask


def _card_of_a_set(word: str) -> int:
    try:
        return 1 << parse_card(word)
    except InputError:
        ranks = list(RANK_PLURALS)
        for name, rank in OTHER_NAMES.items():
            ranks[rank] += f" or {name}s"
        raise InputError(
            f"{shown(word)} is no card, suit or rank: write cards as Ks or 10h, suits as "
            f"{', '.join(SUIT_NAMES)}, ranks as {', '.join(ranks)}, or none"
        ) from None


def format_set(mask: int, *, symbols: bool = False) -> str:
    """Write a set of cards, whole suits and ranks by name, then single cards."""
    parts: list[str] = []
    for names, sets in (
        (SUIT_NAMES, _SUIT_SETS),
        (RANK_PLURALS, _RANK_SETS),
    ):
        for name, cards in zip(names, sets, strict=True):
            if mask & cards == cards:
                parts.append(name)
                mask &= ~cards
    parts += [format_card(card, symbols=symbols) for card in cards_in(mask)]
    return " ".join(parts) or "none"

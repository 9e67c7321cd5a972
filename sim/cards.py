"""A card is an int 0..51: ``rank * 4 + suit``, deuce = 0 … ace = 12, clubs to spades = 0..3.

A set of cards is an int used as a 52-bit mask: bit ``c`` is card ``c``.
"""

from collections.abc import Iterable, Iterator

from sim.errors import InputError

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

_RANK_OF = {letter: rank for rank, letter in enumerate(RANKS)} | {"10": 8}
_SUIT_OF = {letter: suit for suit, letter in enumerate(SUITS)} | {
    symbol: suit for suit, symbol in enumerate(SUIT_SYMBOLS)
}


def parse_card(text: str) -> int:
    """Read one card: ``"Ks"``, ``"K♠"``, ``"10h"``, ``"Th"``; case does not matter."""
    rank = _RANK_OF.get(text[:-1].upper())
    suit = _SUIT_OF.get(text[-1:].lower())
    if rank is None or suit is None:
        raise InputError(
            f"{text!r} is not a card: write a rank (2-9, T or 10, J, Q, K, A) "
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


def format_cards(cards: Iterable[int], *, symbols: bool = False) -> str:
    """Write cards separated by spaces."""
    return " ".join(format_card(card, symbols=symbols) for card in cards)


def mask_of(cards: Iterable[int]) -> int:
    """Return the set of these cards as a 52-bit mask."""
    mask = 0
    for card in cards:
        if not 0 <= card < DECK:
            raise InputError(f"{card} is not a card: cards are numbered 0 to 51")
        mask |= 1 << int(card)
    return mask


def cards_in(mask: int) -> Iterator[int]:
    """Yield the cards of a set, lowest first."""
    return (card for card in range(DECK) if mask >> card & 1)


def parse_set(text: str) -> int:
    """Read a set of cards: ``"none"``, ``"spades"``, ``"deuces"``, ``"Js Qs Ks"``, or a mixture."""
    mask = 0
    for word in text.replace(",", " ").split():
        name = word.lower()
        if name == "none":
            continue
        if name in SUIT_NAMES:
            mask |= mask_of(range(SUIT_NAMES.index(name), DECK, 4))
        elif name in RANK_PLURALS:
            rank = RANK_PLURALS.index(name)
            mask |= mask_of(range(4 * rank, 4 * rank + 4))
        else:
            mask |= 1 << parse_card(word)
    return mask


def format_set(mask: int, *, symbols: bool = False) -> str:
    """Write a set of cards, whole suits and ranks by name, then single cards."""
    words: list[str] = []
    for names, sets in (
        (SUIT_NAMES, [mask_of(range(suit, DECK, 4)) for suit in range(4)]),
        (RANK_PLURALS, [0b1111 << 4 * rank for rank in range(13)]),
    ):
        for name, cards in zip(names, sets, strict=True):
            if mask & cards == cards:
                words.append(name)
                mask &= ~cards
    words += [format_card(card, symbols=symbols) for card in cards_in(mask)]
    return " ".join(words) or "none"

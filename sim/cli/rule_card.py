"""A game's page as a card to read out at the table."""

import textwrap

from sim import cards, game, policy
from sim.game import Game

WIDTH = 88
STREETS = (
    ("Third street", "two down, one up"),
    ("Fourth street", "one up"),
    ("Fifth street", "one up"),
    ("Sixth street", "one up"),
    ("Seventh street", "one down, then showdown"),
)


def listing() -> str:
    """Return the shipped games, one a line."""
    pages = [game.load(name) for name in game.shipped()]
    width = max(len(page.name) for page in pages)
    lines = [f"{page.name:{width}}  {page.summary}" for page in pages]
    return "\n".join([*lines, "", "`spadework games NAME` prints a game's rules and open choices."])


def policies() -> str:
    """Return the shipped policies, one a line, and how others are written."""
    pages = [policy.load(name) for name in policy.shipped()]
    width = max(len(page.name) for page in pages)
    lines = [f"{page.name:{width}}  {page.summary}{_numbers(page)}" for page in pages]
    own = (
        "fold:0.1 folds one time in ten before the betting of each street, blind to cards; "
        "fold:0.2,0.1,0.1,0,0 says it street by street. A policy of your own is a TOML file with "
        "a name and either caution and aggression, or fold, or tables of chances."
    )
    return "\n".join([*lines, "", *_wrap(own)])


def _numbers(page: policy.Policy) -> str:
    recipe = page.recipe
    if "caution" not in recipe:
        return ""
    return f" (caution {recipe['caution']:g}, aggression {recipe['aggression']:g})"


def card(page: Game) -> str:
    """Return a page as a rule card: rules, amounts, what the dealer announces, open choices."""
    lines = [page.title, "=" * len(page.title), *_wrap(page.summary)]
    lines += _wrap(f"Source: {page.source or 'a house rule'}") if page.source else []
    if page.changed:
        lines += _wrap(f"Changed here: {', '.join(page.changed)}")
    lines += ["", *(f"{street:15} {dealt}" for street, dealt in STREETS), ""]
    lines += [f"{name:15} {text}" for name, text in _rules(page)]
    lines += ["", "The dealer announces", *_wrap(page.announcement(), "  ")]
    if page.choices:
        lines += ["", "Open choices (change with --set OPTION=VALUE)"]
        for choice in page.choices:
            lines += [
                f"  {choice.option} = {page.option(choice.option)}",
                *_wrap(choice.why, "    "),
            ]
    return "\n".join(lines)


def _rules(page: Game) -> list[tuple[str, str]]:
    """Return the amounts and cards that make this page a game of its own."""
    who = "each player" if page.ante.who == "everyone" else "the dealer"
    rules = [("Ante", f"{page.ante.amount} from {who}" if page.ante.amount else "none")]
    rules.insert(0, ("Players", "2 to 8; of eight, all may share one seventh card, dealt face up"))
    rules.append(("Wild", cards.format_set(page.wild, symbols=True)))
    if page.kill.cards:
        rules.append(("Killers", cards.format_set(page.kill.cards, symbols=True)))
    if page.toll.cards:
        prices = ", ".join(map(str, page.toll.prices))
        rules.append(("Tolls", f"{cards.format_set(page.toll.cards, symbols=True)} for {prices}"))
    rules += _betting(page.betting)
    wild_hands = "five of a kind, " if page.wild else ""
    rules.append(("Hands", f"{wild_hands}royal flush, straight flush, four of a kind, full house,"))
    rules.append(("", "flush, straight, three of a kind, two pair, one pair, high card"))
    return rules


def _betting(betting: game.Betting) -> list[tuple[str, str]]:
    """Return who opens a betting round, and what a bet is."""
    opens = "the highest hand showing"
    if betting.opens == "low-card":
        opens = f"the lowest up card on third street, then {opens}"
    bets = ", ".join(map(str, betting.bets))
    bring_in = betting.bring_in
    return [
        ("Opens", f"{opens}; {f'must bring in {bring_in}' if bring_in else 'may check'}"),
        ("Bets", f"{bets} by street; at most {betting.raises} raises"),
    ]


def _wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)

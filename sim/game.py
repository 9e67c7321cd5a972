"""A game is a page: a TOML file of rules, read and checked here, and impossible ones refused."""

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from sim import arguments, cards, paths
from sim.errors import LONGEST, InputError, brief, printable, shown

MIN_PLAYERS, MAX_PLAYERS = 2, 8
STREETS = ("third", "fourth", "fifth", "sixth", "seventh")
UP_STREETS = 4
PAGES = Path(__file__).parent / "games"


def _read_set(value: object) -> object:
    return cards.parse_set(value) if isinstance(value, str) else value


CardSet = Annotated[
    int,
    BeforeValidator(_read_set),
    Field(ge=0, lt=1 << cards.DECK),
    PlainSerializer(lambda mask: cards.format_set(mask), return_type=str),
]
_LISTED = Field(strict=False)  # TOML and JSON have lists where a page has tuples


def _read_words(text: str) -> str:
    """Return text as one line; refuse what could steer a terminal."""
    line = " ".join(text.split())
    if printable(line) != line:
        raise ValueError("it holds a control character: leave it out")
    return line


Words = Annotated[str, AfterValidator(_read_words)]
Chips = Annotated[int, Field(ge=0, le=10_000)]
Bet = Annotated[int, Field(ge=1, le=10_000)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Ante(_Section):
    """What is put in before the first card."""

    amount: Chips = 0
    """Chips from each who antes."""
    who: Literal["everyone", "dealer"] = "everyone"
    """Who antes."""


class Kill(_Section):
    """What happens when a killer is dealt face up."""

    cards: CardSet = 0
    """The killers."""
    treatment: Literal["redeal", "player-out"] = "redeal"
    """``redeal``: dealt again to those still in; ``player-out``: only its receiver is out."""
    ante_again: bool = False
    """Those still in ante again for every redeal."""
    everyone: bool = False
    """Folded players come back in for a redeal, and all ante again."""
    max_deals: Annotated[int, Field(ge=1, le=10_000)] = 1000
    """A pot killed this often is abandoned: shared evenly by those still in."""

    @model_validator(mode="after")
    def _options_have_effect(self) -> Self:
        if self.treatment == "player-out":
            if not self.cards:
                raise ValueError("player-out needs killer cards, and this page has none")
            if self.ante_again or self.everyone:
                raise ValueError(
                    "ante_again and everyone belong to a redeal, and player-out never deals again"
                )
        return self


class Toll(_Section):
    """What a player pays the moment a toll card is dealt to him face up."""

    cards: CardSet = 0
    """The toll cards."""
    prices: Annotated[tuple[Chips, ...], _LISTED] = ()
    """Chips for a player's first, second, … toll card of the deal; the last price stays."""

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if bool(self.cards) != bool(self.prices):
            missing = "prices" if self.cards else "cards"
            raise ValueError(f"tolls need both cards and prices, and {missing} is missing")
        return self


class Betting(_Section):
    """Fixed-limit betting, a round after each street."""

    bets: Annotated[tuple[Bet, Bet, Bet, Bet, Bet], _LISTED] = (2, 2, 4, 4, 4)
    """Chips of a bet, and of each raise, on third, fourth, … seventh street."""
    raises: Annotated[int, Field(ge=0, le=10)] = 3
    """How often a bet may be raised in a round, heads-up too."""
    bring_in: Chips = 1
    """What the opener of third street must put in; completing it to a full bet is the first bet."""
    opens: Literal["low-card", "high-hand"] = "low-card"
    """``low-card``: the lowest up card on third street (ties by suit, clubs lowest), then the
    highest hand showing; ``high-hand``: the highest hand showing on every street."""

    @model_validator(mode="after")
    def _bring_in_is_less_than_a_bet(self) -> Self:
        if self.bring_in >= self.bets[0]:
            raise ValueError(
                f"a bring_in of {self.bring_in} leaves nothing to complete: it must be less than "
                f"the bet on third street, {self.bets[0]}"
            )
        return self


class Choice(_Section):
    """A question that the source leaves open, and why this page answers as it does."""

    option: str
    """Where on the page the answer stands, as in ``kill.treatment``."""
    why: Words
    """The reason, as the rule card prints it."""


class Game(_Section):
    """One page of rules.

    >>> page = sim.Game.load("Faces of Death", {"kill.ante_again": True})
    >>> page.label
    'faces-of-death kill.ante_again=true'
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    """What the game is called in results: small letters, digits and hyphens, and no shipped game's
    name."""
    title: Words
    """What the game is called on charts and by the dealer."""
    source: Words = ""
    """The document that the rules come from."""
    summary: Words = ""
    """The rules in one sentence."""
    wild: CardSet = 0
    """The wild cards."""
    flush_repeats: bool = False
    """Whether a wild card in a flush may repeat a rank (the "double-ace flush")."""
    ante: Ante = Ante()
    kill: Kill = Kill()
    toll: Toll = Toll()
    betting: Betting = Betting()
    choices: Annotated[tuple[Choice, ...], _LISTED] = ()
    """Open questions of the rules, for the rule card: a list of sections, ``[[choices]]``."""
    changed: Annotated[tuple[str, ...], _LISTED] = ()
    """Options set away from the page, as ``kill.treatment=player-out``."""
    original: Annotated[tuple[str, ...], _LISTED] = ()
    """What the page says there, as ``kill.treatment=redeal``."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.flush_repeats and not self.wild:
            raise ValueError("flush_repeats needs wild cards, and this page has none")
        if not self.can_finish(MIN_PLAYERS):
            raise ValueError(
                f"no deal could ever finish: {self.kill.cards.bit_count()} of 52 cards kill, "
                f"and even {MIN_PLAYERS} players are dealt {up_cards(MIN_PLAYERS)} cards face up"
            )
        for choice in self.choices:
            _option_value(self.rules(), choice.option)
        return self

    @classmethod
    def load(cls, page: "str | Path | Game", options: "Options" = ()) -> "Game":
        """Return a shipped game by name or title, or a page of one's own by its path.

        >>> sim.Game.load("spades", "wild=none").changed
        ('wild=none',)
        """
        return load(page, options)

    def can_finish(self, players: int) -> bool:
        """Whether any deal to this many players could reach its end."""
        harmless = cards.DECK - self.kill.cards.bit_count()
        return self.kill.treatment == "player-out" or harmless >= up_cards(players)

    @property
    def label(self) -> str:
        """The name, with the options that were set away from the page."""
        return " ".join((self.name, *self.changed))

    def rules(self) -> dict[str, Any]:
        """Everything that decides how a pot is played, as plain JSON values; no words."""
        unplayed = {"name", "title", "source", "summary", "choices", "changed", "original"}
        return self.model_dump(mode="json", exclude=unplayed)

    @property
    def digest(self) -> str:
        """A hash of the rules, whatever the game is called."""
        return digest_of(self.rules())

    def with_options(self, options: Iterable[str]) -> "Game":
        """Return this page with ``section.option=value`` settings made; values as in TOML."""
        data = self.model_dump(mode="json", exclude={"changed", "original"})
        original = dict(setting.split("=", 1) for setting in self.original)
        for path, value in map(_read_option, options):
            original.setdefault(path, self.option(path))
            section = data
            *sections, key = path.split(".")
            for name in sections:
                section = section[name]
            section[key] = value
        game = _validated(data, where=self.name)
        changed = {path: (game.option(path), before) for path, before in original.items()}
        changed = {path: (now, before) for path, (now, before) in changed.items() if now != before}
        return game.model_copy(
            update={
                "changed": tuple(f"{path}={now}" for path, (now, _) in changed.items()),
                "original": tuple(f"{path}={before}" for path, (_, before) in changed.items()),
            }
        )

    def options(self) -> dict[str, Any]:
        """Return every option of the page by its path, as ``kill.ante_again``; lists as text."""
        sections = {name: value if isinstance(value, dict) else {"": value}
                    for name, value in self.rules().items()}  # fmt: skip
        return {
            f"{name}.{key}".removesuffix("."): written(value) if isinstance(value, list) else value
            for name, section in sections.items()
            for key, value in section.items()
        }

    def option(self, path: str) -> str:
        """Return an option's value as it is written on a command line."""
        return written(_option_value(self.rules(), path))

    def announcement(self) -> str:
        """What the dealer announces before the deal (OPR-672 asks for it)."""
        *most, last = cards.format_set(self.kill.cards, symbols=True).split(" ")
        killers = f"{', '.join(most)} or {last}" if most else last
        sentences = [f"{self.title}, seven-card stud."]
        if self.wild:
            sentences.append(f"Wild: {cards.format_set(self.wild, symbols=True)}.")
        if self.kill.cards and self.kill.treatment == "player-out":
            sentences.append(f"Whoever is dealt {killers} face up is out, and the deal goes on.")
        elif self.kill.cards:
            back = "everybody, folded or not" if self.kill.everyone else "those still in"
            again = self.kill.ante_again or self.kill.everyone
            sentences.append(
                f"If {killers} is dealt face up the hand is killed: all cards are shuffled and "
                f"dealt again to {back}, for the same pot, "
                f"{'with' if again else 'without'} a new ante."
            )
        if self.toll.cards:
            toll_cards = cards.format_set(self.toll.cards, symbols=True)
            prices = ", then ".join(map(str, self.toll.prices))
            sentences.append(
                f"Whoever is dealt a toll card ({toll_cards}) face up pays {prices} into the pot."
            )
        return " ".join(sentences)


def digest_of(content: Mapping[str, Any]) -> str:
    """Return a hash of plain JSON values, whatever their order: 16 hexadecimal digits."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def up_cards(players: int) -> int:
    """Return how many cards a finished deal shows, the eight-player community card among them."""
    return UP_STREETS * players + (players == MAX_PLAYERS)


def shipped() -> list[str]:
    """Return the names of the pages that come with the package."""
    return sorted(page.stem for page in PAGES.glob("*.toml"))


Games = str | Path | Game | Iterable[str | Path | Game]
"""One page or several: names of shipped games, paths of TOML pages, or games."""


Options = Iterable[str] | Mapping[str, Any]
"""Settings of a page: ``["kill.ante_again=true"]`` or ``{"kill.ante_again": True}``."""


def settings(options: Options) -> list[str]:
    """Return options as ``section.option=value``, however they are given."""
    if isinstance(options, Mapping):
        return [f"{path}={written(value)}" for path, value in options.items()]
    given = [options] if isinstance(options, str) else arguments.several(options, "an option")
    return [arguments.instance(option, str, "an option") for option in given]


def load_games(games: Games, options: Options = ()) -> list[Game]:
    """Read one page or several, however they are named, and set options on each."""
    pages = [games] if isinstance(games, (str, Path, Game)) else arguments.several(games, "a game")
    if not pages:
        raise InputError(f"no game is asked for: there are {', '.join(shipped())}")
    return [load(page, options) for page in pages]


def load(page: str | Path | Game, options: Options = (), folder: Path = Path()) -> Game:
    """Read a shipped page by name or title, or a user's own by its path (``-``: stdin).

    Then set ``options`` on it; paths are seen from ``folder``.
    """
    if not isinstance(page, (str, Path, Game)):
        raise InputError(f"{shown(page)} is no game: name one, as in 'spades'")
    game = page if isinstance(page, Game) else _load_named(str(page), folder)
    changes = settings(options)
    return game.with_options(changes) if changes else game


def slug(title: str) -> str:
    """Return a title as the name that it makes: ``Faces of Death`` is ``faces-of-death``."""
    return re.sub(r"[\s_]+", "-", title.strip().lower())


def _load_named(text: str, folder: Path) -> Game:
    if text in shipped():
        return _read_page(PAGES / f"{text}.toml")
    path = text if text == paths.STANDARD else folder / text
    if path == text or text.endswith(".toml") or "/" in text or paths.is_file(path):
        page = _read_page(path)
        if page.name in shipped():
            raise InputError(
                f"{brief(path)}: the name {page.name} is a shipped game's: give your page "
                "another, so that results can be told apart"
            )
        return page
    if slug(text) in shipped():
        return _read_page(PAGES / f"{slug(text)}.toml")
    near = (
        difflib.get_close_matches(text[:LONGEST].lower(), shipped(), n=2, cutoff=0.4) or shipped()
    )
    raise InputError(
        f"there is no game {shown(text)}: did you mean {' or '.join(near)}, "
        "or the path of a page of your own, ending in .toml?"
    )


def parse_page(text: str, where: str = "page") -> Game:
    """Read a page from TOML text; ``where`` names it in errors."""
    data = paths.parse_toml(text, where)
    for name in {"changed", "original"} & data.keys():
        raise InputError(f"{where}: {name} is not an option of a page")
    return _validated(data, where)


def _read_page(path: str | Path) -> Game:
    return parse_page(paths.read_text(path, "the page"), where=brief(path))


def _validated(data: Mapping[str, Any], where: str) -> Game:
    for path in ("wild", "kill.cards", "toll.cards"):
        section, _, key = path.rpartition(".")
        values = data.get(section, {}) if section else data
        if isinstance(values, Mapping) and not isinstance(values.get(key, ""), str):
            raise InputError(
                f"{where}: {path} = {shown(values[key])} will not do: name cards, as in "
                '"Qs" or "threes nines"'
            )
    try:
        return Game.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{where}: {first_fault(error, Game)}") from None


def first_fault(error: ValidationError, page: type[BaseModel]) -> str:
    """Say the first of pydantic's complaints about a page in words."""
    first = error.errors()[0]
    path = brief(".".join(map(str, first["loc"])))
    if first["type"] == "extra_forbidden":
        known = _known_keys(page, first["loc"][:-1])
        near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
        return f"{path} is not an option of a page; {hint}"
    if first["type"] == "missing":
        return f"{path} is missing"
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] in ("value_error", "assertion_error"):
        return f"{path}: {reason}" if path else reason
    return f"{path} = {shown(first['input'])} will not do: {reason[0].lower()}{reason[1:]}"


def _known_keys(page: type[BaseModel], sections: tuple[int | str, ...]) -> list[str]:
    model: Any = page
    for name in sections:
        if isinstance(name, str) and name in model.model_fields:
            kind = model.model_fields[name].annotation
            model = Choice if name == "choices" else kind
    return [key for key in model.model_fields if key not in ("changed", "original")]


def _read_option(text: str) -> tuple[str, Any]:
    path, equals, value = text.partition("=")
    if not equals:
        raise InputError(
            f"{shown(text)} sets nothing: write option=value, as in kill.ante_again=true"
        )
    try:
        return path.strip(), tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):  # no TOML: then it is a word
        return path.strip(), value.strip()


def _option_value(rules: Mapping[str, Any], path: str) -> Any:
    value: Any = rules
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            known = [
                f"{a}.{b}" for a, sub in rules.items() if isinstance(sub, Mapping) for b in sub
            ]
            known += [a for a, sub in rules.items() if not isinstance(sub, Mapping)]
            near = difflib.get_close_matches(path, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(known))}"
            raise InputError(f"{brief(path)} is not an option of a page; {hint}")
        value = value[key]
    if isinstance(value, Mapping):
        raise InputError(f"{path} is a section, not an option; name one of {', '.join(value)}")
    return value


def written(value: Any) -> str:
    """Write an option's value as it is written on a command line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return str(value)

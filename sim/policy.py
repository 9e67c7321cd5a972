"""A policy is how a player acts: one table from what he sees to the chance to fold and to raise.

A player sees the street, what his hand is worth, what it costs to stay in, and whether a board that
he can see already beats all he holds. Value and price are counted in fair shares: a value of 1 is
the chance of one player among as many as are still in, and a price of 1 is what breaks even at it.
So one table serves any number of opponents.
"""

import base64
import difflib
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from numbers import Real
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from sim import arguments, paths
from sim.errors import LONGEST, InputError, brief, shown
from sim.game import MAX_PLAYERS, STREETS, Words, first_fault

ONE = 1 << 16
"""The scale of chances."""
STEP = 16
"""Buckets in a fair share."""
VALUES = 64
"""Buckets of value, each 1/16 of a fair share; the last holds all from 63/16 on."""
PRICES = 34
"""Buckets of price: 0 is free, then steps of 1/16 of a fair share; the last holds all from 2 on."""
SHAPE = (len(STREETS), VALUES, PRICES, 2)
"""Street, value, price, and whether a visible board beats what the player holds."""
SITUATIONS = (MAX_PLAYERS - 1, 3)
"""Players still in, two to eight; bets and raises of the round so far: none, one, more. Axes before
``SHAPE``, of tables that heed them."""
PAGES = Path(__file__).parent / "policies"
LARGEST_PAGE = 1 << 24
"""Bytes of a page."""
NAME = r"[a-z0-9][a-z0-9-]{0,39}"
LAST = len(STREETS) - 1

Chances = NDArray[np.int32]
NEVER = (0,) * len(STREETS)
Share = Annotated[float, Field(ge=0, le=1, strict=True)]
Multiple = Annotated[float, Field(ge=0, le=100, strict=True)]


def _one_or_more(chances: Any) -> Any:
    return chances if isinstance(chances, (list, tuple)) else [chances]


class Tables(BaseModel):
    """The chances themselves, nested lists of ``SHAPE``, or of (*``SITUATIONS``, *``SHAPE``)."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    fold: list[Any]
    """Chances to fold."""
    raise_: Annotated[list[Any], Field(alias="raise")]
    """Chances to raise; with those to fold at most 1."""


class PolicyPage(BaseModel):
    """A policy as a page says it: two numbers, chances blind to cards, or whole tables."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    """What the policy is called in results: small letters, digits and hyphens, at most forty, and
    no shipped policy's name."""
    summary: Words = ""
    """How it plays, in one sentence."""
    caution: Multiple | None = None
    """Fold a hand worth less than so many times what breaks even."""
    aggression: Multiple | None = None
    """Raise with a hand worth more than so many fair shares."""
    fold: Annotated[tuple[Share, ...], BeforeValidator(_one_or_more)] | None = None
    """Chance to fold before the betting of each street, or of all, blind to cards."""
    tables: Tables | None = None
    """The chances themselves: street, value, price, and whether a visible board beats the hand;
    before them, if they matter, players still in and bets of the round so far."""
    packed: str | None = None
    """The same, packed, as `spadework solve` writes them."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        two = (self.caution is not None) + (self.aggression is not None)
        others = (self.fold, self.tables, self.packed)
        if (two > 0) + sum(kind is not None for kind in others) != 1 or two == 1:
            raise ValueError(
                "a policy is made either of caution and aggression, or of fold, or of tables, "
                "packed or not"
            )
        if self.fold is not None and len(self.fold) not in (1, len(STREETS)):
            raise ValueError(
                f"fold has {len(self.fold)} chances: give one for all streets, or five"
            )
        return self


def _checked(name: str, word: str, table: ArrayLike) -> NDArray[np.float64]:
    what = f"{brief(name)}: the table {word}"
    array = arguments.numbers(table, what, "biuf")
    if array.shape not in (SHAPE, (*SITUATIONS, *SHAPE)):
        raise InputError(
            f"{what} has shape {array.shape}, and it must be {SHAPE}: "
            f"street, value, price, beaten or not; or {(*SITUATIONS, *SHAPE)}: first the "
            "players still in, and the bets of the round so far"
        )
    if not ((array >= 0) & (array <= 1)).all():
        raise InputError(f"{what} holds chances that are not from 0 to 1")
    return array.astype(np.float64)


def _quantised(fold: NDArray[np.float64], raise_: NDArray[np.float64]) -> tuple[Chances, Chances]:
    """Return chances to fold and to raise times ``ONE``, together at most that.

    What lies within 1 of ``ONE`` is ``ONE``, so that kernels need no 17th bit.
    """
    folds, both = (np.rint(chances * ONE).astype(np.int32) for chances in (fold, fold + raise_))
    folds[folds >= ONE - 1] = ONE
    both[both >= ONE - 1] = ONE
    return folds, both - folds


def _unpacked(packed: str) -> NDArray[np.float64]:
    """Return chances to fold and to raise of what ``of_tables`` packed: (2, …) of ``SHAPE``."""
    most = 2 * int(np.prod(SITUATIONS + SHAPE)) * 4
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(base64.b64decode(packed, validate=True), most)
    if not unpacking.eof:
        raise ValueError("more than the largest tables hold")
    flat = np.frombuffer(content, "<i4") / ONE
    heeds = flat.size > 2 * np.prod(SHAPE)
    return flat.reshape(2, *(SITUATIONS if heeds else ()), *SHAPE)


@dataclass(frozen=True, eq=False, init=False)
class Policy:
    """How a player acts; policies that act alike are equal, whatever they are called.

    Made by ``family``, ``folding`` or ``of_tables``, and by nothing else, so that its chances are
    those of its recipe. Chances are kept to 1/65536.

    >>> careful = sim.Policy.family("careful", caution=1.1, aggression=2.0)
    >>> study = sim.simulate("spades", players=2, pots=100, seed=7, policies=["typical", careful])
    >>> study.frame().policy.unique().tolist()
    ['typical', 'careful']
    """

    name: str
    recipe: Mapping[str, Any] = field(repr=False)
    """What it was made of, as plain JSON values."""
    blind: tuple[int, ...]
    """Chances, times ``ONE``, to fold before the betting of each street, blind to cards."""
    tables: tuple[Chances, Chances] | None = field(repr=False)
    """Chances, times ``ONE``, to fold and to raise; together at most ``ONE``; each of ``SHAPE``, or
    of (*``SITUATIONS``, *``SHAPE``) if they heed these.
    None of who never does either, looking or not."""
    summary: str

    def __init__(self, *_: object, **__: object) -> None:
        raise InputError(
            "a policy is made by Policy.family, Policy.folding or Policy.of_tables, as in "
            "Policy.folding('own', 0.1)"
        )

    @classmethod
    def _made(
        cls,
        name: str,
        recipe: Mapping[str, Any],
        summary: str,
        *,
        blind: tuple[int, ...] = NEVER,
        tables: tuple[Chances, Chances] | None = None,
    ) -> "Policy":
        """Return a policy of chances that are checked."""
        policy = object.__new__(cls)
        if tables and not any(map(np.any, tables)):
            tables = None
        for table in tables or ():
            table.flags.writeable = False  # the digest is taken once
        vars(policy).update(
            name=arguments.instance(name, str, "a policy's name"),
            recipe=recipe,
            summary=arguments.instance(summary, str, f"{brief(name)}: the summary"),
            blind=blind,
            tables=tables,
        )
        return policy

    def check_name(self) -> None:
        """Refuse a name that results could not be told apart by."""
        fold = self.name == _fold_name(self.recipe.get("fold", ()))
        if not fold and not re.fullmatch(NAME, self.name):
            raise InputError(
                f"a policy cannot be called {shown(self.name)}: take small letters, digits and "
                "hyphens, at most forty"
            )
        if self.name in shipped() and self != load(self.name):
            raise InputError(
                f"the name {self.name} is a shipped policy's: give yours another, so that results "
                "can be told apart"
            )

    @property
    def looks(self) -> bool:
        """Whether the player looks at cards and price."""
        return self.tables is not None

    @property
    def stays(self) -> bool:
        """Whether the player never folds and never raises."""
        return not self.looks and not any(self.blind)

    @cached_property
    def digest(self) -> str:
        """A hash of the chances."""
        digest = hashlib.sha256(repr(self.blind).encode())
        for table in self.tables or ():
            digest.update(table.astype("<i4").tobytes())
        return digest.hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __str__(self) -> str:
        return self.name

    @classmethod
    def family(cls, name: str, caution: float, aggression: float, summary: str = "") -> "Policy":
        """Return the player who folds below caution × break-even and raises above aggression.

        Both are numbers from 0 to 100, counted in fair shares. On the last street a hand that a
        visible board beats cannot win: it is folded to any bet. Nobody raises against a board that
        beats him.
        """
        caution, aggression = (
            arguments.number(value, f"{brief(name)}: {word}", 0, 100)
            for word, value in (("caution", caution), ("aggression", aggression))
        )
        value = np.arange(VALUES)[:, None, None]
        price = np.maximum(np.arange(PRICES) - 0.5, 0)[:, None]
        beaten = np.array([False, True])
        below = np.clip(caution * price - value, 0, 1) * np.ones(2)
        above = np.clip(value + 1 - aggression * STEP, 0, 1) * ~beaten * np.ones((PRICES, 1))
        fold = np.array([below] * len(STREETS))
        fold[LAST][:, 1:, 1] = 1
        folds, raises = _quantised(fold, np.array([above] * len(STREETS)))
        recipe = {"caution": caution, "aggression": aggression}
        return cls._made(name, recipe, summary, tables=(folds, raises))

    @classmethod
    def folding(cls, name: str, chances: float | Sequence[float], summary: str = "") -> "Policy":
        """Return the player who rolls whether to fold, once a street and blind to cards.

        ``chances`` are one for all streets, or one for each.
        """
        what = f"{brief(name)}: a chance to fold"
        rolled = [chances] if isinstance(chances, Real) else arguments.several(chances, what)
        shares = [arguments.number(chance, what, 0, 1) for chance in rolled]
        if len(shares) not in (1, len(STREETS)):
            raise InputError(
                f"{brief(name)} has {len(shares)} chances: give one for all streets, or five"
            )
        by_street = np.array(shares * (len(STREETS) // len(shares)))
        blind = tuple(_quantised(by_street, np.zeros(len(STREETS)))[0].tolist())
        return cls._made(name, {"fold": shares}, summary, blind=blind)

    @classmethod
    def of_tables(
        cls, name: str, fold: ArrayLike, raise_: ArrayLike, summary: str = ""
    ) -> "Policy":
        """Return the player with these chances to fold and to raise, each of ``SHAPE``.

        Or of ``SITUATIONS + SHAPE``, if they heed how many players are still in, and how
        often there was a bet or a raise in the round.
        """
        chances = [_checked(name, *table) for table in (("fold", fold), ("raise", raise_))]
        if chances[0].ndim != chances[1].ndim:
            chances = list(np.broadcast_arrays(*chances))
        if (chances[0] + chances[1] > 1 + 1 / ONE).any():  # so much may be lost to rounding
            raise InputError(
                f"{brief(name)}: chances to fold and to raise exceed 1 together somewhere"
            )
        folds, raises = _quantised(*chances)
        if folds.ndim > len(SHAPE) and all(
            (table == table[0, 0]).all() for table in (folds, raises)
        ):
            folds, raises = folds[0, 0].copy(), raises[0, 0].copy()
        packed = zlib.compress(np.array([folds, raises], "<i4").tobytes())
        recipe = {"packed": base64.b64encode(packed).decode()}
        return cls._made(name, recipe, summary, tables=(folds, raises))

    def __reduce__(self) -> tuple[Any, ...]:
        return Policy.from_json, (self.as_json(),)  # its tables need not travel

    def as_json(self) -> dict[str, Any]:
        """Return all that is needed to make this policy again."""
        return {"name": self.name, **self.recipe}

    def with_summary(self, summary: str) -> "Policy":
        """Return this policy with other words for how it plays."""
        return Policy._made(self.name, self.recipe, summary, blind=self.blind, tables=self.tables)

    def as_page(self) -> str:
        """Return the TOML page that this policy is read from."""
        content = {"name": self.name, "summary": self.summary, **self.recipe}
        return "".join(
            f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in content.items()
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Policy":
        """Make a policy from what ``as_json`` returned."""
        arguments.instance(data, dict, "a policy as as_json returns it")
        try:
            name = data["name"]
            if "fold" in data:
                return cls.folding(name, data["fold"])
            if "packed" in data:
                return cls.of_tables(name, *_unpacked(data["packed"]))
            return cls.family(name, data["caution"], data["aggression"])
        except InputError:
            raise
        except (TypeError, KeyError, ValueError, zlib.error):
            raise InputError(f"{shown(data)} is no policy as as_json returns it") from None


STAY = Policy.folding("stay", [0.0])
Seats = str | Path | Policy | Iterable[str | Path | Policy]
"""One policy for the table, or one for each seat."""
Policies = str | Path | Policy | Iterable[str | Path | Policy | Iterable[str | Path | Policy]]
"""How players act: of one table, or of several."""


def shipped() -> list[str]:
    """Return the names of the policies that come with the package, calmest first."""
    return ["stay", "loose", "typical", "tight"]


@lru_cache(maxsize=64)
def _shipped_policy(name: str) -> Policy:
    return _read_page(PAGES / f"{name}.toml")


def load(policy: str | Path | Policy, folder: Path = Path()) -> Policy:
    """Read one policy: a shipped name, ``fold:0.1`` or the path of a TOML page, from ``folder``."""
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, (str, Path)):
        raise InputError(f"{shown(policy)} is no policy: name one, as in 'typical'")
    return _load_named(str(policy).strip(), folder)


def _load_named(word: str, folder: Path) -> Policy:
    if word.startswith("fold:"):
        return _folding(word)
    if word.lower() in shipped():
        return _shipped_policy(word.lower())
    if word.endswith(".toml") or "/" in word:
        policy = _read_page(folder / word)
        if policy.name in shipped():
            policy.check_name()
        return policy
    near = difflib.get_close_matches(word[:LONGEST].lower(), shipped(), n=1, cutoff=0.4)
    hint = near[0] if near else ", ".join(shipped())
    raise InputError(
        f"there is no policy {shown(word)}: did you mean {hint}, fold:0.1, or the path of a policy "
        "of your own, ending in .toml?"
    )


def load_seats(policies: Seats, folder: Path = Path()) -> tuple[Policy, ...]:
    """Read one policy for the table, or one for each seat: ``tight,loose,fold:0.1,0.2,…``.

    Numbers after ``fold:`` belong to it; paths of pages are seen from ``folder``.
    """
    if isinstance(policies, (Policy, Path)):
        policies = (policies,)
    if isinstance(policies, str):
        policies = _split(policies)
    seats = arguments.several(policies, "a policy")
    if not 1 <= len(seats) <= MAX_PLAYERS:
        raise InputError(
            f"{len(seats)} policies will not do: name one for the table, or one for each seat"
        )
    return tuple(load(policy, folder) for policy in seats)


def load_tables(policies: Policies) -> list[tuple[Policy, ...]]:
    """Read the policies of one table or of several, however they are named."""
    if isinstance(policies, (str, Path, Policy)):
        return [load_seats(policies)]
    tables = arguments.several(policies, "a policy")
    if not tables:
        raise InputError(f"no policy is asked for: there are {', '.join(shipped())}")
    return [load_seats(table) for table in tables]


def label(policies: Sequence[Policy]) -> str:
    """Return what a table's policies are called: one name if all are the same."""
    names = [_known_name(policy) for policy in policies]
    return names[0] if len(set(names)) == 1 else ",".join(names)


def _known_name(policy: Policy) -> str:
    """Return the name of the shipped policy that acts like this one, or else its own."""
    return next((name for name in shipped() if _shipped_policy(name) == policy), policy.name)


def parse_page(text: str, where: str = "policy") -> Policy:
    """Read a policy from TOML text; ``where`` names it in errors."""
    data = paths.parse_toml(text, where)
    try:
        page = PolicyPage.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{where}: {first_fault(error, PolicyPage)}") from None
    if page.fold is not None:
        return Policy.folding(page.name, page.fold, page.summary)
    if page.tables is not None or page.packed is not None:
        try:
            fold, raise_ = (
                _unpacked(page.packed or "")
                if page.tables is None
                else (page.tables.fold, page.tables.raise_)
            )
            return Policy.of_tables(page.name, fold, raise_, page.summary)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        except (ValueError, zlib.error):
            raise InputError(
                f"{where}: packed holds no tables of chances: take them from Policy.as_page"
            ) from None
    assert page.caution is not None and page.aggression is not None  # noqa: S101, PT018 - validated
    return Policy.family(page.name, page.caution, page.aggression, page.summary)


def _read_page(path: Path) -> Policy:
    text = paths.read_text(path, "the policy", LARGEST_PAGE)
    return parse_page(text, where=brief(path))


def _split(text: str) -> list[str]:
    """Split at commas, but for those between the chances of a ``fold:``."""
    parts: list[str] = []
    for part in text.split(","):
        if parts and parts[-1].startswith("fold:") and _is_number(part):
            parts[-1] += f",{part.strip()}"
        else:
            parts.append(part.strip())
    return parts


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _folding(word: str) -> Policy:
    chances = word.removeprefix("fold:").split(",")
    if not all(map(_is_number, chances)):
        raise InputError(f"{shown(word)} is no policy: write fold:0.1, or fold:0.1,0.2,0.2,0.1,0")
    policy = Policy.folding(word, [float(chance) for chance in chances])
    return Policy.folding(_fold_name(policy.recipe["fold"]), policy.recipe["fold"])


def _fold_name(chances: Iterable[float]) -> str:
    return f"fold:{','.join(np.format_float_positional(share, trim='-') for share in chances)}"

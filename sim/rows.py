"""A pot is a row: what became of each pot, seat by seat or deal by deal, and metrics made of it.

Pots are played and handed on in batches, in their order, so that memory stays flat and the number
of threads changes nothing.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim import arguments, errors, hands, parsing
from sim.errors import InputError, shown
from sim.game import STREETS, UP_STREETS, Game, Options, load
from sim.kernels.ranks import CATEGORIES
from sim.parsing import Count
from sim.policy import Seats, load_seats
from sim.runs import threads as runner
from sim.runs.run import check_threads
from sim.scenario import MOST_POTS, Scenario
from sim.stats.frame import MEASURED, names
from sim.stats.intervals import Estimate, of_mean, of_quotient, of_ratio, of_share
from sim.tally import PRICE_BORDERS

By = Literal["pot", "deal"]
Column = NDArray[Any]
Part = TypeVar("Part")
Function = Callable[[pd.DataFrame], Any]
BATCH = {"pot": 8_192, "deal": 1_024}
"""Pots whose rows are in memory together, of each thread; one pot may have many deals."""
MOST_ROWS = 5_000_000
"""Of one frame: with all columns 2 GB."""
LARGEST = 1e100
"""Of a user's values, so that squares add up."""

_POT = {
    "pot": "number of the pot under its seed, from 0",
    "seat": "seat, from 1 at the dealer's left; the last seat deals",
    "policy": "what the seat plays",
    "deals": "deals of the pot",
    "cards": "cards dealt in the pot, over all its deals",
    "dealt_in": "players dealt in, added up over the pot's deals",
    "turns": "turns taken by players in the pot: folds, blind ones too, checks, calls, bets and "
    "raises; the forced bring-in is none",
    "ending": "how the pot ended: showdown, one left, or abandoned (killed too often, and shared)",
    "carried": "chips in the pot before the antes of its last deal",
    "opener": "seat that opened third street of the last deal; blank if none did",
    "paid": "chips that the seat put in: antes, bring-in, tolls and bets",
    "won": "chips that the seat took out",
    "net": "chips won less chips paid",
    "tolls": "chips of those paid that are tolls",
    "toll_cards": "face-up toll cards that the seat paid for, over all deals",
    "folded": "street on which the seat folded, in the last deal that it was in; blank if it did "
    "not",
    "out": "street on which a killer put the seat out; blank if none did",
    "out_card": "which up card of the deal that killer was, from 1; blank if there was none",
    "strength": "strength of the hand shown, as sim.evaluate has it; 0 if none was shown",
    "category": "the hand shown in words, from high card to five of a kind; blank if none was",
}
_BANDS = ("free", *(f"from_{low}" for low in PRICE_BORDERS))
_PRICES = (
    "for nothing",
    *(f"at {low} to {high} % of what is to win" for low, high in pairwise(PRICE_BORDERS)),
    f"at {PRICE_BORDERS[-1]} % and more of what is to win",
)
_ACTS = (
    {f"bets_{street}": f"bets and raises of the pot on {street} street" for street in STREETS}
    | {f"rounds_{street}": f"betting rounds of the pot on {street} street" for street in STREETS}
    | {f"folds_{street}": f"folds of the pot on {street} street, all deals" for street in STREETS}
    | {
        f"asked_{band}": f"turns of the pot of players who look and may stay {price}"
        for band, price in zip(_BANDS, _PRICES, strict=True)
    }
    | {f"price_folds_{band}": f"folds among the turns of asked_{band}" for band in _BANDS}
)
"""Columns that a pot has where players act."""
_DEAL = {
    "pot": _POT["pot"],
    "deal": "number of the deal in its pot, from 1",
    "players": "players dealt in",
    "cards": "cards dealt",
    "ending": "how the deal ended: showdown, killed, or one left",
    "tolls": "chips paid in tolls",
    "killer_card": "which up card killed the deal, from 1; blank if none did",
    "killer_street": "street of that card, or community; blank if there was none",
    "killer_seat": "seat of that card; blank if there was none, or it was the community card",
} | {
    f"payers_{number}": f"players who paid for {number} face-up toll cards"
    for number in range(UP_STREETS + 1)
}
COLUMNS_BY: dict[str, dict[str, str]] = {"pot": _POT | _ACTS, "deal": _DEAL}
"""Every column of a row a pot and seat, and of a row a deal; those of streets and prices are there
where players act."""

ENDINGS = {"pot": ("showdown", "abandoned", "one left"), "deal": ("showdown", "killed", "one left")}
"""In the order of the kernels."""
WHERE_KILLED = (*STREETS[:UP_STREETS], "community")


def columns_of(scenario: Scenario, by: By) -> dict[str, str]:
    """Return the columns that rows of a scenario have, each with its meaning."""
    return _POT if by == "pot" and scenario.stays else COLUMNS_BY[by]


def table_of(
    game: str | Path | Game, players: int | str, policies: Seats, options: Options = ()
) -> Scenario:
    """Return the one table that arguments in the manner of ``sim.simulate`` tell."""
    return Scenario(load(game, options), parsing.table_size(players), load_seats(policies))


@arguments.one_name
def pots(
    game: str | Path | Game,
    players: int | str = 4,
    pots: Count = 10_000,
    *,
    seed: int = 0,
    policies: Seats = "stay",
    by: By = "pot",
    first: Count = 0,
    options: Options = (),
    threads: int | None = None,
) -> pd.DataFrame:
    """Play pots of one table and return what became of each: a row a pot and seat, or a deal.

    They are the pots number ``first`` to ``first + pots - 1`` that ``sim.simulate`` plays under
    this seed, in order, whatever ``threads`` are. ``policies`` are one for the table or one for
    each seat; ``options`` are settings of the page.

    ``sim.rows.COLUMNS_BY[by]`` says what each column means. Chips, cards and counts are int64,
    numbers that may be blank Int64, words categories, those of streets and hands in their order;
    what a pot has stands beside each of its seats. Rows tell every metric: docs/cookbook.md.
    Raises ``InputError`` for more than 5,000,000 rows, and what else a user can mend.

    >>> rows = sim.pots("spades", players=2, pots=100, seed=7)
    >>> len(rows)
    200
    >>> rows.groupby("seat").net.sum().tolist()
    [57, -57]
    """
    scenario = table_of(game, players, policies, options)
    pots = parsing.count(pots, most=MOST_POTS)
    parts, rows = [], 0
    for part in batches(scenario, seed, first, pots, by, threads, most=MOST_ROWS):
        rows += len(part)
        _check_rows(rows, pots)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _check_rows(rows: int, pots: int) -> None:
    if rows > MOST_ROWS:
        raise InputError(
            f"{pots:,} pots have more than {MOST_ROWS:,} rows, too many for one frame: play fewer "
            "at a time with first=…, write them with spadework pots, or read them with sim.metric"
        )


def batches(
    scenario: Scenario,
    seed: int,
    first: Count,
    pots: Count,
    by: By = "pot",
    threads: int | None = None,
    most: int | None = None,
) -> Iterator[pd.DataFrame]:
    """Yield the rows of pots, some whole pots at a time; refuses more than so many of seats."""
    arguments.one_of(by, COLUMNS_BY, "by")
    seed = int(hands.check_seed(seed))
    pots = parsing.count(pots, most=MOST_POTS)
    first = parsing.count(first, "first", 0, MOST_POTS - pots)
    if most is not None and by == "pot":
        _check_rows(pots * scenario.players, pots)
    end, step = first + pots, BATCH[by]
    calls = (
        partial(_batch, scenario, seed, begin, min(step, end - begin), by)
        for begin in range(first, end, step)
    )
    return in_order(calls, check_threads(threads))


def in_order(calls: Iterable[Callable[[], Part]], threads: int) -> Iterator[Part]:
    """Yield what calls return in their order, a few of them at work on threads at any time."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="spadework")
    working: deque[Future[Part]] = deque()
    try:
        for call in calls:
            working.append(pool.submit(call))
            if len(working) > threads:
                yield working.popleft().result()
        while working:
            yield working.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _batch(scenario: Scenario, seed: int, first: int, pots: int, by: By) -> pd.DataFrame:
    """Play pots and return their rows."""
    read = {"pot": _by_seat, "deal": _by_deal}[by]
    columns = read(scenario, runner.rows(scenario, seed, first, pots, by))
    return pd.DataFrame({name: columns[name] for name in columns_of(scenario, by)})


def _by_seat(scenario: Scenario, arrays: dict[str, Column]) -> dict[str, Any]:
    """Return the columns of a row a pot and seat."""
    players = scenario.players

    def repeated(column: Column) -> Column:
        return np.repeat(column.astype(np.int64), players)

    columns: dict[str, Any] = {
        name: repeated(column) if column.ndim == 1 else column.astype(np.int64).ravel()
        for name, column in arrays.items()
        if name in _POT
    }
    if not scenario.stays:
        for name, levels in (
            *((name, STREETS) for name in ("bets", "rounds", "folds")),
            *((name, _BANDS) for name in ("asked", "price_folds")),
        ):
            for level, column in zip(levels, arrays[name].T, strict=True):
                columns[f"{name}_{level}"] = repeated(column)
    names = list(dict.fromkeys(policy.name for policy in scenario.seats))
    playing = [names.index(policy.name) for policy in scenario.seats]
    strength = columns["strength"]
    category = np.where(strength > 0, hands.tables().categories[strength], -1)
    return columns | {
        "seat": np.tile(np.arange(1, players + 1), len(arrays["pot"])),
        "policy": _categorical(np.tile(playing, len(arrays["pot"])), names),
        "ending": _categorical(columns["ending"], ENDINGS["pot"]),
        "opener": _or_blank(columns["opener"]),
        "net": columns["won"] - columns["paid"],
        "folded": _categorical(columns["folded"], STREETS, ordered=True),
        "out": _categorical(columns["out"], STREETS[:UP_STREETS], ordered=True),
        "out_card": _or_blank(columns["out_card"]),
        "category": _categorical(category, CATEGORIES, ordered=True),
    }


def _by_deal(scenario: Scenario, arrays: dict[str, Column]) -> dict[str, Any]:
    """Return the columns of a row a deal."""
    columns: dict[str, Any] = {
        name: column.astype(np.int64) for name, column in arrays.items() if column.ndim == 1
    }
    payers = arrays["toll_payers"].astype(np.int64)
    if not scenario.game.toll.cards:  # then all pay for none
        payers[:, 0] = columns["players"]
    columns |= {f"payers_{number}": column for number, column in enumerate(payers.T)}
    return columns | {
        "deal": columns["deal"] + 1,
        "ending": _categorical(columns["ending"], ENDINGS["deal"]),
        "killer_card": _or_blank(columns["killer_card"]),
        "killer_street": _categorical(columns["killer_street"], WHERE_KILLED, ordered=True),
        "killer_seat": _or_blank(columns["killer_seat"]),
    }


def _categorical(codes: Column, names: Iterable[str], *, ordered: bool = False) -> Any:
    """Return the names of codes, as categories; what is none of them is blank."""
    dtype = pd.CategoricalDtype(list(names), ordered=ordered)
    known = np.where((codes >= 0) & (codes < len(dtype.categories)), codes, -1)
    return pd.Categorical.from_codes(known.astype(np.int8), dtype=dtype)


def _or_blank(numbers: Column) -> Any:
    """Return whole numbers, blank where they are 0."""
    return pd.arrays.IntegerArray(numbers, numbers == 0)


# --- A user's own metric -------------------------------------------------------------------------


@arguments.one_name
def metric(
    f: Function,
    game: str | Path | Game,
    players: int | str = 4,
    pots: Count = 1_000_000,
    *,
    seed: int = 0,
    policies: Seats = "stay",
    options: Options = (),
    threads: int | None = None,
) -> pd.DataFrame:
    """Play pots, have ``f`` measure them, and return a row as a study's frame has it.

    ``f`` gets a frame as ``sim.pots`` returns it, of some thousand whole pots at a time, and
    returns one value for each pot in their order (a Series whose index is the pots may have
    another): numbers, of which the mean is taken, or True and False, of which the share is; or a
    tuple of two such arrays, of which the quotient of sums is taken. The other arguments are those
    of ``sim.pots``.

    The pot is the replicate. ``metric`` is the name of ``f``, ``level`` is mean, or all of a share
    or ratio. Intervals are those of a study: Student's t of a mean, Wilson's of a share, the delta
    method of a ratio, which is a share if no pot has less than 0 or more than its second value.
    Raises ``InputError`` if ``f`` fails, or returns something else.

    >>> def a_dear_pot(rows):
    ...     return rows.groupby("pot").tolls.sum() >= 20
    >>> row = sim.metric(a_dear_pot, "spades", players=4, pots="10k", seed=7)
    >>> row[["metric", "level", "estimate"]].to_dict("records")
    [{'metric': 'a_dear_pot', 'level': 'all', 'estimate': 0.1575}]
    """
    if not callable(f):
        raise InputError(f"a metric must be a function of a frame, and {shown(f)} is none")
    scenario = table_of(game, players, policies, options)
    name = errors.brief(getattr(f, "__name__", type(f).__name__))
    frames = batches(scenario, seed, 0, pots, threads=threads)
    total = _sums_of(_values(f, name, next(frames)))
    for frame in frames:
        sums = _sums_of(_values(f, name, frame))
        if sums.kind != total.kind:
            raise InputError(
                f"{name} returned {total.kind} for some pots and {sums.kind} for others: return "
                "the same for all"
            )
        total = total.plus(sums)
    level, value = total.estimate()
    named = names([scenario])
    row = (*named.of[scenario.key], name, level, *value[:4], total.pots, np.nan, np.nan)
    return pd.DataFrame([row], columns=[*named.columns, *MEASURED])


class _Sums(NamedTuple):
    """Sums over pots of what a function returned: one value c, or a pair of c and t."""

    kind: str
    pots: int
    sums: tuple[float, ...]
    """Of c and c²; of a pair of c, c², c·t, t and t²."""
    within: bool
    """Whether every c is from 0 to its t."""

    def plus(self, other: "_Sums") -> "_Sums":
        together = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        within = self.within and other.within
        return _Sums(self.kind, self.pots + other.pots, together, within)

    def estimate(self) -> tuple[str, Estimate]:
        """Return a level and an estimate."""
        sums = np.array(self.sums, float)
        if self.kind == "True and False":
            return "all", of_share(sums[0], self.pots)
        if self.kind == "pairs" and self.within:
            return "all", of_ratio(sums[:3], sums[3:], self.pots)
        if self.kind == "pairs":
            level, value = "all", of_quotient(sums[:3], sums[3:], self.pots)
        else:
            level, value = "mean", of_mean(sums, self.pots)
        # What has never moved has no interval, as in a study.
        return level, value if value.se else value._replace(low=np.nan, high=np.nan)


def _sums_of(values: list[Column]) -> _Sums:
    """Return the sums of a batch."""
    first, *others = values
    moments = [_product(first, np.ones_like(first)), _product(first, first)]
    if not others:
        kind = "True and False" if first.dtype.kind == "b" else "numbers"
        return _Sums(kind, len(first), tuple(moments), within=True)
    things = others[0]
    moments += [
        _product(first, things), _product(things, np.ones_like(things)), _product(things, things)
    ]  # fmt: skip
    within = bool(((first >= 0) & (first <= things)).all())
    return _Sums("pairs", len(first), tuple(moments), within)


def _product(first: Column, second: Column) -> float:
    """Return the sum of products: of whole numbers an exact one, if 64 bits hold it."""
    whole = first.dtype.kind in "biu" and second.dtype.kind in "biu"
    if whole and len(first) * _most(first) * _most(second) < 1 << 63:
        return int(first.astype(np.int64) @ second.astype(np.int64))
    return float(first.astype(float) @ second.astype(float))


def _most(whole: Column) -> int:
    return max(abs(int(whole.max())), abs(int(whole.min())))


def _values(f: Function, name: str, frame: pd.DataFrame) -> list[Column]:
    """Return what a function says of a batch, checked: an array of a value a pot, or two."""
    numbers = frame["pot"].unique()
    try:
        returned = f(frame)
    except Exception as error:
        raise InputError(
            f"{name} failed on a frame of pots: {type(error).__name__}, {shown(str(error))}"
        ) from error
    parts = returned if isinstance(returned, tuple) else (returned,)
    if len(parts) not in (1, 2):
        raise InputError(
            f"{name} returned {len(parts)} things: return one value for each pot, or two arrays"
        )
    return [_checked(part, name, numbers) for part in parts]


def _checked(part: Any, name: str, numbers: Column) -> Column:
    """Return a value a pot, in the order of the pots."""
    if isinstance(part, pd.Series) and part.index.is_unique and part.index.isin(numbers).all():
        part = part.reindex(numbers) if len(part) == len(numbers) else part
    if isinstance(part, pd.Series) and part.isna().any():
        part = part.to_numpy(float, na_value=np.nan) if part.dtype.kind in "iufb" else part
    values = arguments.numbers(part, f"what {name} returns", "biuf")
    if values.shape != numbers.shape:
        raise InputError(
            f"{name} returned values of shape {values.shape} for {len(numbers):,} pots: return one "
            "for each pot, as frame.groupby('pot') does, or a tuple of two such arrays"
        )
    known = np.abs(values.astype(float)) <= LARGEST
    if not known.all():
        at = int(np.argmin(known))
        raise InputError(
            f"{name} returned {shown(values[at].item())} for pot {numbers[at]:,}: return a number "
            f"from {-LARGEST:g} to {LARGEST:g} for each"
        )
    return values

"""A frame and a host's limits → which table sizes work, each with its reason.

A constraint compares one figure of a pot with a limit. A figure with an exact value has no width;
any other passes or fails only if its whole 95 % interval does, and else needs more pots.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, TypeVar

import pandas as pd

from sim import arguments
from sim.cards import DECK
from sim.errors import InputError, brief, shown
from sim.formatting import amount, between, in_unit, percent
from sim.game import Game
from sim.parsing import named_numbers
from sim.policy import STAY
from sim.stats.frame import JUDGED, check_frame, differing, of_game
from sim.stats.intervals import SCORE, of_share
from sim.tally import most_deals

Verdict = Literal["pass", "fail", "unresolved"]
Answer = Literal["yes", "no", "not resolved"]
Kind = TypeVar("Kind")
ALL = "all"
"""The constraint of a frame's row that sums up a table size."""
ANSWERS: dict[Verdict, Answer] = {"pass": "yes", "fail": "no", "unresolved": "not resolved"}
CARDS_A_PLAYER = 7
SHARED = "; the deck runs out if all stay, and a card is shared"
LONG = 10
"""A pot of more deals than this is a long one."""
ALWAYS = 1 - 1e-6
"""A share above this is all."""
NO_LIMIT, UNLIMITED = math.inf, ("evening_buy_in",)
"""What may have no limit."""
LARGEST = 1e12
"""Of limits and seconds."""
COVERED = 0.99
"""The share of pots that a buy-in is to cover."""
LASTING = 0.9
"""The share of players whom a buy-in is to last an evening."""
HOURS, EVENING = 4, "four hours"
"""Of an evening."""
POWER = 1.2815515655446004
"""The normal score of nine times in ten: so surely do the pots still needed tell."""
FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0)
"""How far limits are moved to see what hangs on them."""
TREATMENTS: dict[str, tuple[str, ...]] = {
    "redeal": ("redeal", "false", "false"),
    "redeal, ante again": ("redeal", "true", "false"),
    "redeal to everyone": ("redeal", "false", "true"),
    "player-out": ("player-out", "false", "false"),
}
"""How a kill can be treated: ``kill.treatment``, ``kill.ante_again``, ``kill.everyone``."""


class Constraint(NamedTuple):
    """What a host may limit."""

    words: str
    short: str
    """For narrow columns."""
    unit: str
    why: str
    """Why the limit is what it is if nobody says otherwise."""
    at_most: bool = True
    """Whether the limit is the most that will do, or else the least."""


CONSTRAINTS: dict[str, Constraint] = {
    "deals": Constraint(
        "deals a pot", "deals", "deals",
        "beyond that a pot takes as long to deal as five hands of plain stud",
    ),
    "long_pots": Constraint(
        f"pots of over {LONG} deals", "long pots", "share",
        "an evening of fifteen pots has one or two of them",
    ),
    "minutes": Constraint(
        "minutes a pot", "minutes", "minutes",
        "four pots an hour let everybody deal in an evening",
    ),
    "buy_in": Constraint(
        f"buy-in for one pot, {percent(COVERED, 0)}", "buy-in", "chips",
        "a rack holds a hundred chips, and one pot should not take more than a rack",
    ),
    "evening_buy_in": Constraint(
        f"buy-in of an evening, {percent(LASTING, 0)}", "evening", "chips",
        "what guests can be asked to bring for an evening is for the host to say",
    ),
    "toll_share": Constraint(
        "tolls, of the pot", "tolls", "share",
        "beyond half the cards dealt put in more than the players bet",
    ),
    "cards": Constraint(
        "cards if all stay", "deck", "cards",
        "seven a player, from one deck; 56 accepts that eight may share a card, dealt face up",
    ),
    "showdowns": Constraint(
        "pots with a showdown", "showdowns", "share",
        "hands should be seen more often than not", at_most=False,
    ),
    "players_left": Constraint(
        "players in at the end", "players", "share",
        "with fewer than two of eight in, an evening is mostly looking on", at_most=False,
    ),
}  # fmt: skip
"""Every constraint, in the order in which they are listed."""


Numbers = Mapping[str, float] | str | Iterable[str]
"""Numbers by name: ``{"deals": 6}``, ``"deals=6"``, or several of the latter."""


@dataclass(frozen=True)
class Limits:
    """What a host will have; ``CONSTRAINTS`` says of each what it means, and why it is as it is.

    ``showdowns`` and ``players_left`` are the least that will do, all others the most.
    """

    deals: float = 5
    """A pot, on average."""
    long_pots: float = 0.1
    """Share of pots that take more than ten deals."""
    minutes: float = 15
    """A pot, on average."""
    buy_in: float = 100
    """Chips that cover what a player puts into a pot, 99 times in a hundred."""
    evening_buy_in: float = NO_LIMIT
    """Chips with which nine in ten players never run short in four hours."""
    toll_share: float = 0.5
    """Of the chips in pots; judged where players bet."""
    cards: float = DECK
    """Seven a player, if all stay."""
    showdowns: float = 0.5
    """Share of pots."""
    players_left: float = 0.25
    """Of the players who sit down, on average."""

    def __post_init__(self) -> None:
        for name, constraint in CONSTRAINTS.items():
            most = 1 if constraint.unit == "share" else LARGEST
            if name in UNLIMITED and getattr(self, name) == NO_LIMIT:
                continue
            arguments.number(getattr(self, name), name, 0, most)

    @classmethod
    def of(cls, values: "Limits | Numbers | None") -> "Limits":
        """Return limits by name, the others as they are if nobody says otherwise."""
        return _made(cls, values, "limit", CONSTRAINTS)


@dataclass(frozen=True)
class Pace:
    """How fast a table plays, in seconds."""

    card: float = 1.5
    """To deal one; a dealer of stud calls the up cards."""
    shuffle: float = 45
    """To gather, shuffle and cut before each deal: seven riffles mix a deck (Bayer and Diaconis,
    Annals of Applied Probability 1992), at about five seconds each."""
    decision: float = 6
    """For a player's turn to act."""

    def __post_init__(self) -> None:
        for part in fields(self):
            arguments.number(getattr(self, part.name), f"seconds of a {part.name}", 0, LARGEST)

    @classmethod
    def of(cls, values: "Pace | Numbers | None") -> "Pace":
        """Return seconds by name, the others as they are if nobody says otherwise."""
        return _made(cls, values, "pace", [part.name for part in fields(cls)])


def _made(cls: type[Kind], values: Kind | Numbers | None, what: str, known: Iterable[str]) -> Kind:
    if isinstance(values, cls):
        return values
    if not isinstance(values, Iterable | None):
        raise InputError(f"{shown(values)} is no {what}: give names and numbers, as a dictionary")
    if values is not None and not isinstance(values, Mapping):
        values = named_numbers(values, what)
    for name in values or {}:
        arguments.one_of(name, known, what)
    return cls(**(values or {}))


class Figure(NamedTuple):
    """What is known of a constraint's figure."""

    estimate: float
    low: float
    high: float
    pots: int
    exact: bool = False
    """Whether it is known exactly; low and high are then the same."""
    above: Callable[[float], float] | None = None
    """Of a quantile: the share of what is counted that lies above an amount."""


@dataclass(frozen=True)
class Finding:
    """A constraint at one table size."""

    name: str
    figure: Figure
    limit: float
    verdict: Verdict
    more_pots: float
    """About how many more it takes to tell: 0 if it is known, NaN if no number would."""

    @property
    def constraint(self) -> Constraint:
        """What it limits."""
        return CONSTRAINTS[self.name]

    @property
    def load(self) -> float:
        """How much of its limit is used up; above 1 it fails."""
        used, allowed = self.figure.estimate, self.limit
        if not self.constraint.at_most:
            used, allowed = allowed, used
        return used / allowed if allowed else math.inf if used else 1.0

    def __str__(self) -> str:
        figure = in_unit(self.figure.estimate, self.constraint.unit)
        return f"{self.constraint.words} {figure} ({bound(self.constraint, self.limit)})"


def bound(constraint: Constraint, limit: float, *, signs: bool = False) -> str:
    """Write a limit with the side on which a figure must be, in words or as a sign."""
    if math.isinf(limit):
        return "no limit"
    most, least = ("≤", "≥") if signs else ("at most", "at least")
    side = most if constraint.at_most else least
    return f"{side} {in_unit(limit, constraint.unit, given=True)}"


class Evenings(NamedTuple):
    """What evenings of one table size say."""

    pots: float
    """Of an evening, on average."""
    buy_in: Figure
    """Chips that last nine in ten players."""


@dataclass(frozen=True)
class Evening:
    """What a table size makes of an evening; means of a pot."""

    deals: float
    minutes: float
    players_left: float
    pot: float
    """Chips."""
    bring: float
    """Chips that cover a player's part of 99 % of pots."""
    whole: Evenings | None = None
    """What whole evenings say, if some were played."""


@dataclass(frozen=True)
class Size:
    """One table size: its findings, and what it comes to."""

    players: int
    pots: int
    findings: tuple[Finding, ...]
    evening: Evening

    @property
    def verdict(self) -> Verdict:
        """``fail`` if any constraint fails, else ``unresolved`` if any is."""
        verdicts = {finding.verdict for finding in self.findings}
        order: tuple[Verdict, ...] = ("fail", "unresolved")
        return next((verdict for verdict in order if verdict in verdicts), "pass")

    @property
    def answer(self) -> Answer:
        """The verdict for a host: yes, no or not resolved."""
        return ANSWERS[self.verdict]

    @property
    def binding(self) -> Finding:
        """Of the findings that decide, the one that uses up most of its limit."""
        deciding = [finding for finding in self.findings if finding.verdict == self.verdict]
        return max(deciding, key=lambda finding: finding.load)

    @property
    def more_pots(self) -> float:
        """About how many more pots would tell: 0 if they need not, NaN if none would."""
        if self.verdict != "unresolved":
            return 0
        needed = [finding.more_pots for finding in self.findings if finding.verdict == "unresolved"]
        return math.nan if any(map(math.isnan, needed)) else max(needed)

    @property
    def reason(self) -> str:
        """What decides, in words."""
        return _reason(self)


@dataclass(frozen=True)
class Recommendation:
    """Which table sizes of a game work under one policy, and why."""

    game: Game
    policy: str
    limits: Limits
    pace: Pace
    sizes: tuple[Size, ...]
    left_out: dict[str, str]
    """Constraints that do not apply, each with the reason."""
    bets: bool
    """Whether anybody bet in what was played."""

    @property
    def works(self) -> list[int]:
        """The table sizes of which the answer is yes."""
        return [size.players for size in self.sizes if size.verdict == "pass"]

    def moved(self, **limits: float) -> "Recommendation":
        """Return what the same figures say under other limits."""
        wanted = Limits.of({**vars(self.limits), **limits})
        sizes = tuple(
            replace(
                size,
                findings=tuple(judge(old.name, old.figure, wanted) for old in size.findings),
            )
            for size in self.sizes
        )
        return replace(self, limits=wanted, sizes=sizes)

    def frame(self) -> pd.DataFrame:
        """Return a row for each table size and constraint, and one of ``all`` that sums it up.

        Columns: game, options that differ from its page, players, policy, constraint, unit,
        estimate, low, high (95 %; the estimate itself where it is exact), limit, verdict (pass,
        fail or unresolved), left_out (which constraints do not apply, and why).
        """
        rows: list[tuple[object, ...]] = []
        reasons: dict[str, list[str]] = {}
        for name, why in self.left_out.items():
            reasons.setdefault(why, []).append(name.replace("_", " "))
        left_out = "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())
        for size in self.sizes:
            key = (self.game.name, *self._options.values(), size.players, self.policy)
            for finding in size.findings:
                unit, figure = finding.constraint.unit, finding.figure
                numbers = (figure.estimate, figure.low, figure.high, finding.limit)
                rows.append((*key, finding.name, unit, *numbers, finding.verdict, left_out))
            rows.append((*key, ALL, "", *[math.nan] * 4, size.verdict, left_out))
        return pd.DataFrame(rows, columns=[JUDGED[0], *self._options, *JUDGED[1:]])

    @property
    def _options(self) -> dict[str, Any]:
        """The options that differ from the game's page."""
        options = self.game.options()
        return {path: options[path] for path in differing([self.game])}

    def records(self) -> list[dict[str, Any]]:
        """Return an object for each table size, of plain JSON values."""
        return [
            {
                "game": self.game.name,
                **self._options,
                "players": size.players,
                "policy": self.policy,
                "verdict": size.answer,
                "reason": size.reason,
                "pots": size.pots,
                "more_pots": _plain(size.more_pots),
                "constraints": list(map(_record, size.findings)),
            }
            for size in self.sizes
        ]

    def card(self, betting: "Recommendation | None" = None) -> list[str]:
        """Return a line for each table size that a host can print.

        Where nobody bets, ``betting`` says what to bring if players do.
        """
        more: dict[int, Size] = {}
        if betting is not None:
            arguments.instance(betting, Recommendation, "betting")
        if betting is not None and not self.bets:
            more = {size.players: size for size in betting.sizes}
        lines = []
        for size in self.sizes:
            answer = {"pass": "", "fail": f"; no ({size.binding.constraint.short})"}
            text = _plan_of(size, more.get(size.players), deals="deals" in self.limited)
            lines.append(text + answer.get(size.verdict, "; not resolved"))
        return lines

    @property
    def limited(self) -> list[str]:
        """The constraints that apply."""
        return [name for name in CONSTRAINTS if name not in self.left_out]


def recommend(
    frame: pd.DataFrame,
    game: Game,
    policy: str = STAY.name,
    limits: Limits | Mapping[str, float] | None = None,
    pace: Pace | Mapping[str, float] | None = None,
    evenings: Mapping[int, Evenings] | None = None,
) -> Recommendation:
    """Judge every table size of a game under a policy that a frame of ``Study.frame`` holds.

    ``evenings`` are what evenings say by table size; without them none is judged. Raises
    ``InputError`` for limits that are none, and if the frame holds no such pots.
    """
    wanted, speed = Limits.of(limits), Pace.of(pace)
    check_frame(frame)
    arguments.instance(game, Game, "a game")
    arguments.instance(policy, str, "a policy's name")
    rows_of_game = of_game(frame, game)
    part = rows_of_game[(rows_of_game.policy == policy) & (rows_of_game.pots > 0)]
    if part.empty:
        raise InputError(
            f"no pots of {game.label} under {brief(policy)} were played: play some first"
        )
    rows: dict[int, dict[tuple[str, str], Any]] = {}
    for row in part.itertuples():
        line: Any = row
        rows.setdefault(line.players, {})[line.metric, line.level] = line
    bets = bool((part[part.metric == "bets"].estimate > 0).any())
    no_fold = part[part.metric == "folds"].empty
    shown = all(_figure(size, "showdowns", "all").low > ALWAYS for size in rows.values())
    left_out = _left_out(game, bets=bets, no_fold=no_fold, shown=shown)
    whole = evenings or {}
    if set(rows) - set(whole):
        left_out["evening_buy_in"] = "no evenings were played"
    names = [name for name in CONSTRAINTS if name not in left_out]
    sizes = tuple(
        _size(players, rows[players], names, wanted, speed, whole.get(players))
        for players in sorted(rows)
    )
    return Recommendation(game, policy, wanted, speed, sizes, left_out, bets)


def _left_out(game: Game, *, bets: bool, no_fold: bool, shown: bool) -> dict[str, str]:
    """Return the constraints that say nothing about a game as it is played, each with why."""
    reasons: dict[str, str] = {}
    if most_deals(game) == 1:
        reasons |= dict.fromkeys(("deals", "long_pots"), "a pot is one deal")
    if not game.toll.cards:
        reasons["toll_share"] = "there are no tolls"
    elif not bets:
        reasons["toll_share"] = "nobody bets, so that a pot is antes and tolls alone"
    if no_fold and game.kill.treatment == "redeal":
        nobody = "nobody folds" + (" or is put out" if game.kill.cards else "")
        reasons["players_left"] = nobody
        if shown:  # or all deals of a pot may be killed
            reasons["showdowns"] = nobody
    return reasons


Rows = Mapping[tuple[str, str], Any]
"""Of one table size: a frame's rows by metric and level."""


def _size(
    players: int,
    rows: Rows,
    names: list[str],
    limits: Limits,
    pace: Pace,
    whole: Evenings | None,
) -> Size:
    deals, cards, turns = (
        _figure(rows, metric) for metric in ("deals_per_pot", "cards_per_pot", "decisions")
    )
    if "deals" not in names:  # a pot is one deal, whoever plays it
        deals = _exactly(1, deals.pots)
    minutes = _sum((deals, pace.shuffle / 60), (cards, pace.card / 60), (turns, pace.decision / 60))
    left, chips = _figure(rows, "survivors"), _buy_in(rows)
    figures: dict[str, Callable[[], Figure]] = {
        "deals": lambda: deals,
        "long_pots": lambda: _long_pots(rows),
        "minutes": lambda: minutes,
        "buy_in": lambda: chips,
        "evening_buy_in": lambda: whole.buy_in if whole else _exactly(math.nan, 0),
        "toll_share": lambda: _figure(rows, "toll_share", "all"),
        "cards": lambda: _exactly(CARDS_A_PLAYER * players, deals.pots),
        "showdowns": lambda: _figure(rows, "showdowns", "all"),
        "players_left": lambda: _sum((left, 1 / players)),
    }
    findings = tuple(judge(name, figures[name](), limits) for name in names)
    pot = _figure(rows, "pot_size").estimate
    evening = Evening(deals.estimate, minutes.estimate, left.estimate, pot, chips.estimate, whole)
    return Size(players, deals.pots, findings, evening)


def _exactly(value: float, pots: int) -> Figure:
    return Figure(value, value, value, pots, exact=True)


def _figure(rows: Rows, metric: str, level: str = "mean") -> Figure:
    row = rows.get((metric, level))
    if row is None:  # no pots of the store have what it is made of
        return Figure(math.nan, math.nan, math.nan, 0)
    if not math.isnan(row.exact):
        return _exactly(float(row.exact), int(row.pots))
    return Figure(row.estimate, row.low, row.high, int(row.pots))


def _sum(*parts: tuple[Figure, float]) -> Figure:
    """Add figures of the same pots, each times a weight above 0.

    How they vary together is not in a frame, so half-widths add: never too narrow, as the triangle
    inequality has it of standard errors.
    """
    estimate, low, high = (
        math.fsum(getattr(figure, name) * weight for figure, weight in parts)
        for name in ("estimate", "low", "high")
    )
    exact = all(figure.exact for figure, _ in parts)
    return Figure(estimate, low, high, parts[0][0].pots, exact)


def _long_pots(rows: Rows) -> Figure:
    """Return the share of pots that take more than ``LONG`` deals.

    The exact share is what no fewer deals take: a frame leaves out numbers of deals that are rarer
    than one in a million and never came, which may make it too large by ten times that.
    """
    mean = rows["deals_per_pot", "mean"]
    levels = {
        int(level): row
        for (metric, level), row in rows.items()
        if metric == "deals_per_pot" and level.isdigit()
    }
    if not math.isnan(mean.exact):
        short = (row.exact for deals, row in levels.items() if deals <= LONG)
        exact = 1 - math.fsum(exact for exact in short if not math.isnan(exact))
        return _exactly(max(exact, 0.0), int(mean.pots))
    hits = round(sum(row.estimate * row.pots for deals, row in levels.items() if deals > LONG))
    share = of_share(hits, int(mean.pots))
    return Figure(share.estimate, share.low, share.high, int(mean.pots))


def _buy_in(rows: Rows) -> Figure:
    figure = _figure(rows, "chips_in", f"p{100 * COVERED:.0f}")
    spread = [
        (int(level), float(row.estimate))
        for (metric, level), row in rows.items()
        if metric == "chips_in" and level.isdigit()
    ]

    def above(chips: float) -> float:
        return 1 - math.fsum(share for amount, share in spread if amount <= chips)

    return figure._replace(above=above)


def judge(name: str, figure: Figure, limits: Limits) -> Finding:
    """Say whether a figure keeps to its limit: all of its interval does, none of it, or some."""
    limit, at_most = float(getattr(limits, name)), CONSTRAINTS[name].at_most
    below, above = figure.high <= limit or math.isinf(limit), figure.low > limit
    if not at_most:
        below, above = figure.high < limit, figure.low >= limit
    passes, fails = (below, above) if at_most else (above, below)
    verdict: Verdict = "pass" if passes else "fail" if fails else "unresolved"
    more = _more_pots(figure, limit) if verdict == "unresolved" else 0
    return Finding(name, figure, limit, verdict, more)


def _more_pots(figure: Figure, limit: float) -> float:
    """Return how many more pots bring an interval clear of a limit, nine times in ten.

    Half-widths shrink with the root of the pots; and by then the estimate has moved, too.
    """
    if figure.above is None:
        distance = abs(limit - figure.estimate)
        towards = figure.high - figure.estimate, figure.estimate - figure.low
        half = towards[0] if limit >= figure.estimate else towards[1]
    else:  # in shares: below a limit that covers enough, at most so many lie above it
        distance = abs(figure.above(limit) - (1 - COVERED))
        half = SCORE * math.sqrt(COVERED * (1 - COVERED) / figure.pots)
    if not distance > 0:
        return math.nan
    return figure.pots * ((half * (SCORE + POWER) / SCORE / distance) ** 2 - 1)


def treatments(game: Game) -> dict[str, Game]:
    """Return a page under every treatment of a kill, the usual one first; {} without killers."""
    if not game.kill.cards:
        return {}
    pages = {}
    for name, (treatment, ante_again, everyone) in TREATMENTS.items():
        first = ["kill.ante_again=false", "kill.everyone=false", "kill.treatment=redeal"]
        options = [f"kill.treatment={treatment}", f"kill.ante_again={ante_again}"]
        page = game.with_options(first).with_options([*options, f"kill.everyone={everyone}"])
        pages[name] = game if page.digest == game.digest else page
    return pages


def announcements(by_treatment: Mapping[str, Recommendation]) -> dict[str, list[int]]:
    """Return for each treatment the table sizes to announce it at: the first that works there.

    Sizes at which none does are under "".
    """
    sizes_by_treatment: dict[str, list[int]] = {}
    sizes = {size.players for answer in by_treatment.values() for size in answer.sizes}
    for players in sorted(sizes):
        works = (name for name, answer in by_treatment.items() if players in answer.works)
        sizes_by_treatment.setdefault(next(works, ""), []).append(players)
    return sizes_by_treatment


def moved_limits(answer: Recommendation) -> dict[str, list[tuple[float, Recommendation]]]:
    """Return what a recommendation becomes as each of its limits is moved by ``FACTORS``."""
    moved = {}
    for name in answer.limited:
        limit = getattr(answer.limits, name)
        if math.isinf(limit):
            continue
        highest = 1.0 if CONSTRAINTS[name].unit == "share" else math.inf
        limits = [min(limit * factor, highest) for factor in FACTORS]
        moved[name] = [(limit, answer.moved(**{name: limit})) for limit in limits]
    return moved


def interval(figure: Figure, unit: str) -> str:
    """Write an interval, or that there is no need of one."""
    if figure.exact:
        return "exact"
    return between(in_unit(figure.low, unit), in_unit(figure.high, unit))


def in_words(sizes: Sequence[int]) -> str:
    """Write table sizes as they are typed: ``2-5,7``."""
    runs: list[list[int]] = []
    for size in sorted(sizes):
        if runs and size == runs[-1][-1] + 1:
            runs[-1].append(size)
        else:
            runs.append([size])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _reason(size: Size) -> str:
    binding = size.binding
    if size.verdict == "pass":
        return f"nearest to its limit: {binding}"
    if size.verdict == "fail":
        shared = SHARED if binding.name == "cards" else ""
        others = [other.constraint.short for other in size.findings
                  if other.verdict == "fail" and other is not binding]  # fmt: skip
        return f"{binding}{shared}" + (f"; also {', '.join(others)}" if others else "")
    known = interval(binding.figure, binding.constraint.unit)
    return f"{binding}, 95 % interval {known}; not resolved: {_needs(size.more_pots)}"


def _needs(pots: float) -> str:
    if math.isnan(pots):
        return "from these pots nobody can say how many it needs"
    return f"needs about {amount(float(f'{pots:.2g}'), 0)} more pots"


def _record(finding: Finding) -> dict[str, Any]:
    figure = finding.figure
    return {
        "constraint": finding.name,
        "unit": finding.constraint.unit,
        "figure": _plain(figure.estimate),
        "interval": [_plain(figure.low), _plain(figure.high)],
        "exact": figure.exact,
        "limit": _plain(finding.limit),
        "bound": "at most" if finding.constraint.at_most else "at least",
        "verdict": finding.verdict,
    }


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _plan_of(size: Size, betting: Size | None, *, deals: bool) -> str:
    """Say what one table size asks of a host, for an evening if some were played, or for a pot."""
    evening, whole = size.evening, size.evening.whole
    minutes = f"{_minutes(evening.minutes)} a pot"
    if whole is None:
        often = f"{amount(evening.deals, 1)} deals and " if deals else ""
        more = f" ({amount(betting.evening.bring, 0)} with bets)" if betting else ""
        chips = f"{amount(evening.bring, 0)} chips{more}"
        return f"{size.players} players: {often}{minutes}; bring {chips} for one pot"
    with_bets = betting.evening.whole if betting else None
    more = f" ({amount(with_bets.buy_in.estimate, 0)} with bets)" if with_bets else ""
    return (
        f"{size.players} players: {amount(whole.pots, 0)} pots in {EVENING}, {minutes}; bring "
        f"{amount(whole.buy_in.estimate, 0)} chips{more}, and nine in ten never need more"
    )


def _minutes(minutes: float) -> str:
    value, unit = (minutes, "minutes") if minutes >= 1.5 else (60 * minutes, "seconds")
    return f"{amount(value, 0)} {unit}"

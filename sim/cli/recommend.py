"""The command ``recommend``: which table sizes work for a host, and why."""

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.options import (
    DEFAULT_STORE,
    Format,
    GameArgument,
    Kill,
    OutputFormat,
    Players,
    Policies,
    Pots,
    Quiet,
    Seconds,
    Seed,
    Settings,
    Threads,
    load_page,
    one_table,
)
from sim.cli.printing import new_table, print_columns, print_json, say_what_is_lacking
from sim.formatting import amount, in_unit
from sim.stderr import say

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from sim import advice
    from sim.advice import Limits, Pace, Recommendation, Size
    from sim.game import Game
    from sim.policy import Policy
    from sim.runs.run import Job
    from sim.scenario import Plan

WIDTH = 80
BETTING = "typical"
"""Whose bets tell what to bring, where nobody bets."""
EVENING = (
    ("deals", "deals a pot", 1),
    ("minutes", "minutes a pot", 1),
    ("players_left", "players in at the end", 1),
    ("pot", "chips in the pot", 0),
    ("bring", "chips to bring for one pot", 0),
)
"""What a treatment of a kill does to an evening: field, words and decimals."""


def recommend(
    game: GameArgument,
    players: Players = "2-8",
    pots: Pots = "100k",
    seed: Seed = None,
    threads: Threads = None,
    store: Annotated[
        Path, typer.Option(help="The SQLite file for results; read, if it holds enough.")
    ] = DEFAULT_STORE,
    kill: Kill = None,
    settings: Settings = None,
    policies: Policies = None,
    limits: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            help="Move a limit, as deals=6 or long_pots=0.2; --explain lists them. Repeat it.",
            show_default=False,
        ),
    ] = None,
    seconds: Seconds = None,
    output: OutputFormat = Format.table,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what is limited, to what and why instead.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Say which table sizes work for a host and why, and what the answer hangs on."""
    from sim.advice import Limits, Pace
    from sim.parsing import count, table_sizes
    from sim.policy import load_seats

    page, seats, sizes = (
        load_page(game, kill, settings),
        load_seats(one_table(policies)),
        table_sizes(players),
    )
    wanted, pace = Limits.of(limits or []), Pace.of(seconds or [])
    if explain:
        _explain(wanted, pace)
        return
    question = _Question(page, sizes, seats, wanted, pace)
    brief = output is not Format.table
    frame, jobs = question.frame(count(pots), seed, threads, store, brief=brief, quiet=quiet)
    answer = question.answer(frame, whole=not brief)
    if output is Format.json:
        print_json(answer.records())
    elif brief:
        print_columns(answer.frame(), output)
    else:
        _print_all(answer, question.by_policy(frame, answer), question.by_treatment(frame))
        _print_account(jobs, store)
        _lines([question.account()])


class _Question:
    """What a host asks: a page, table sizes, a policy, limits and pace."""

    def __init__(
        self,
        page: "Game",
        sizes: list[int],
        seats: tuple["Policy", ...],
        limits: "Limits",
        pace: "Pace",
    ) -> None:
        from sim import advice, policy

        self.page, self.sizes, self.seats = page, sizes, seats
        self.limits, self.pace = limits, pace
        self.name = policy.label(seats)  # a shipped one's, if it acts like that
        shipped = [(policy.load(name),) for name in policy.shipped()]
        self.tables = {policy.label(table): table for table in [*shipped, seats]}
        self.pages = advice.treatments(page)
        self.play: tuple[int, int, int | None] = (0, 0, None)
        """Pots asked for, seed and threads."""
        self.evenings: dict[tuple[str, str], dict[int, advice.Evenings]] = {}
        """By page and policy, and then by table size."""
        self.seconds = 0.0
        """Spent on evenings."""

    def account(self) -> str:
        """Say how many evenings were played, and how long that took."""
        from sim.advice import EVENING
        from sim.evenings import number_for

        number = sum(map(len, self.evenings.values()))
        each = number_for(self.play[0])
        return (
            f"Evenings: {each:,} of {EVENING} at each of {number} tables, played in "
            f"{self.seconds:.1f} s"
        )

    def frame(
        self,
        pots: int,
        seed: int | None,
        threads: int | None,
        store: Path,
        *,
        brief: bool,
        quiet: bool,
    ) -> tuple["pd.DataFrame", list["Job"]]:
        """Read or play what the answer needs, and what is around it unless it is to be brief."""
        from sim.runs.collection import collect
        from sim.scenario import Plan, Scenario
        from sim.study import Study

        judged = [(self.page, self.seats)]
        if not brief:
            judged += [(self.page, table) for table in self.tables.values()]
            judged += [(page, self.seats) for page in self.pages.values()]
        scenarios = [
            Scenario(page, players, seats)
            for page, seats in judged
            for players in self.sizes
            if page is self.page or page.can_finish(players)
        ]
        unique = {scenario.key: scenario for scenario in reversed(scenarios)}
        plan = Plan(tuple(reversed(unique.values())), pots, seed)
        if not quiet:
            _say_what_is_played(plan, store)
        done = collect(plan, store, threads, not quiet, only_missing=True)
        self.play = pots, done.jobs[0].seed, threads
        with Study.of(done) as study:
            say_what_is_lacking(study.store)
            return study.frame(), done.jobs

    def answer(
        self,
        frame: "pd.DataFrame",
        page: "Game | None" = None,
        policy: str | None = None,
        *,
        whole: bool = False,
    ) -> "Recommendation":
        """Judge a page under a policy, or what was asked; of ``whole`` evenings if need be, too."""
        from sim import advice

        page, policy = page or self.page, policy or self.name
        limited = math.isfinite(self.limits.evening_buy_in)
        evenings = self._evenings(frame, page, policy) if whole or limited else None
        return advice.recommend(frame, page, policy, self.limits, self.pace, evenings)

    def _evenings(
        self, frame: "pd.DataFrame", page: "Game", policy: str
    ) -> dict[int, "advice.Evenings"]:
        """Play evenings of a page under a policy, once."""
        from sim.evenings import for_host
        from sim.scenario import Scenario

        key = page.digest, policy
        if key not in self.evenings:
            begun, sizes = time.perf_counter(), filter(page.can_finish, self.sizes)
            scenarios = [Scenario(page, players, self.tables[policy]) for players in sizes]
            self.evenings[key] = for_host(frame, scenarios, self.pace, *self.play)
            self.seconds += time.perf_counter() - begun
        return self.evenings[key]

    def by_policy(
        self, frame: "pd.DataFrame", answer: "Recommendation"
    ) -> dict[str, "Recommendation"]:
        """Judge the page under each policy; where nobody bets, evenings with bets are told, too."""
        return {
            name: self.answer(
                frame, policy=name, whole=name == self.name or (name == BETTING and not answer.bets)
            )
            for name in self.tables
        }

    def by_treatment(self, frame: "pd.DataFrame") -> dict[str, "Recommendation"]:
        """Judge the page under each treatment of a kill at which any deal can finish."""
        able = {name: page for name, page in self.pages.items()
                if any(map(page.can_finish, self.sizes))}  # fmt: skip
        return {name: self.answer(frame, page) for name, page in able.items()}


def _say_what_is_played(plan: "Plan", store: Path) -> None:
    """Say before anything is played or written that it will be, and where."""
    from sim import study

    pots = int(study.Plan.of(plan).forecast(store).to_play.sum())
    if pots:
        say(f"{store} lacks {pots:,} pots of what this asks for: they are played and kept there")


def _print_all(
    answer: "Recommendation",
    by_policy: Mapping[str, "Recommendation"],
    by_treatment: Mapping[str, "Recommendation"],
) -> None:
    sizes = [size.players for size in answer.sizes]
    _print_verdicts(answer)
    moves, what = "How it moves with the", "yes, or what stands in the way (?: not resolved)"
    _show(f"{moves} policy: {what}", _matrix("policy", by_policy, sizes))
    if by_treatment:
        treated = _matrix("treatment", by_treatment, sizes)
        _show(f"{moves} kill treatment: {what}", treated)
    _show("How it moves with one limit: table sizes that work", _limit_table(answer))
    if by_treatment:
        evenings = _evenings(by_treatment, sizes)
        _show("What each kill treatment does to the evening", evenings)
        _print_announcements(by_treatment)
    _lines(_card(answer, by_policy[BETTING]))


def _card(answer: "Recommendation", typical: "Recommendation") -> list[str]:
    """Return the lines that a host can print."""
    if answer.bets:
        return ["For the host:", *answer.card()]
    return ["For the host (with bets: of typical players):", *answer.card(typical)]


def _print_verdicts(answer: "Recommendation") -> None:
    from sim.advice import bound, interval

    columns = ("players", "", "figure", "95 % interval", "limit", "")
    table = new_table(columns, right=set(columns) - {""}, whole=columns)
    for size in answer.sizes:
        for index, finding in enumerate(size.findings):
            unit = finding.constraint.unit
            table.add_row(
                "" if index else str(size.players),
                finding.constraint.words,
                in_unit(finding.figure.estimate, unit),
                interval(finding.figure, unit),
                bound(finding.constraint, finding.limit, signs=True),
                finding.verdict,
            )
        table.add_section()
    _show(f"{answer.game.title}, {_who(answer)} ({answer.game.label})", table)
    _lines(f"{size.players} players: {size.answer}; {size.reason}." for size in answer.sizes)
    pace = answer.pace
    seconds = f"{pace.card:g} a card, {pace.shuffle:g} a shuffle, {pace.decision:g} a decision"
    left_out = [f"{_label(name)}: {why}" for name, why in answer.left_out.items()]
    _lines([f"Seconds: {seconds}.", *([f"Left out: {'; '.join(left_out)}."] if left_out else [])])
    print()


def _who(answer: "Recommendation") -> str:
    return "everybody stays" if answer.policy == "stay" else f"players who act {answer.policy}"


def _label(name: str) -> str:
    from sim.advice import CONSTRAINTS

    return CONSTRAINTS[name].words


def _matrix(what: str, answers: Mapping[str, "Recommendation"], sizes: Sequence[int]) -> "Table":
    """Return a row for each answer, a column for each table size: yes, or what binds."""
    table = new_table([what, *map(str, sizes)])
    for name, answer in answers.items():
        known = {size.players: _cell(size) for size in answer.sizes}
        table.add_row(name, *(known.get(players, "") for players in sizes))
    return table


def _cell(size: "Size") -> str:
    if size.verdict == "pass":
        return "yes"
    return f"{size.binding.constraint.short}{'?' if size.verdict == 'unresolved' else ''}"


def _limit_table(answer: "Recommendation") -> "Table":
    """Return which table sizes work as each limit is moved."""
    from sim.advice import CONSTRAINTS, FACTORS, in_words, moved_limits

    table = new_table(["limit", *(f"× {factor:g}" for factor in FACTORS)])
    for name, moved in moved_limits(answer).items():
        unit = CONSTRAINTS[name].unit
        cells = [
            f"{in_unit(limit, unit, given=True)}: {in_words(answer.works) or 'none'}"
            for limit, answer in moved
        ]
        table.add_row(_label(name), *cells)
    return table


def _evenings(by_treatment: Mapping[str, "Recommendation"], sizes: Sequence[int]) -> "Table":
    """Return what each treatment of a kill makes of a pot."""
    columns = list(map(str, sizes))
    table = new_table(["a pot's", "treatment", *columns], right=columns)
    for field, label, digits in EVENING:
        for index, (name, answer) in enumerate(by_treatment.items()):
            known = {size.players: getattr(size.evening, field) for size in answer.sizes}
            cells = (amount(known[size], digits) if size in known else "" for size in sizes)
            table.add_row("" if index else label, name, *cells)
        table.add_section()
    return table


def _print_announcements(by_treatment: Mapping[str, "Recommendation"]) -> None:
    """Say what the dealer is to announce at which table size."""
    from sim.advice import announcements, in_words

    for name, sizes in announcements(by_treatment).items():
        who = f"With {in_words(sizes)} players"
        if name:
            _lines([f"{who} announce {name}: {by_treatment[name].game.announcement()}"])
        else:
            _lines([f"{who} no treatment keeps to every limit."])
    print()


def _print_account(jobs: Sequence["Job"], store: Path) -> None:
    seeds = sorted({job.seed for job in jobs})
    new = sum(job.total - job.had for job in jobs)
    played = f"{new:,} pots were played" if new else "the store had everything already"
    word = "Seed" if len(seeds) == 1 else "Seeds"
    _lines(["", f"{word}: {', '.join(map(str, seeds))} ({played})", f"Results: {store}"])


def _explain(limits: "Limits", pace: "Pace") -> None:
    """Print every constraint with its limit and the reason of the usual one."""
    from sim.advice import CONSTRAINTS, Limits, bound

    usual = Limits()
    columns = ("name", "what", "limit", "why, if nobody says otherwise")
    table = new_table(columns, whole=["name", "what"])
    for name, constraint in CONSTRAINTS.items():
        limit, usually = (bound(constraint, getattr(each, name)) for each in (limits, usual))
        why = constraint.why if limit == usually else f"usually {usually}: {constraint.why}"
        table.add_row(name, constraint.words, limit, why)
    _show("Limits (change with --limit NAME=VALUE)", table)
    seconds = ", ".join(f"{name}={value:g}" for name, value in vars(pace).items())
    _lines([f"Seconds (change with --seconds NAME=VALUE): {seconds}."])


def _show(title: str, table: "Table") -> None:
    from rich.console import Console

    _lines([title])
    Console(highlight=False, width=WIDTH).print(table)


def _lines(texts: Iterable[str]) -> None:
    import textwrap

    for text in texts:
        print("\n".join(textwrap.wrap(text, WIDTH, subsequent_indent="  ")))

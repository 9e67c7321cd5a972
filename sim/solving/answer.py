"""The best answer that was found to a table of opponents, what it gains, and what it rests on."""

import re
import time
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from sim import arguments, paths
from sim.errors import InputError, Interrupted, shown
from sim.formatting import amount, percent
from sim.game import Game, Options
from sim.parsing import Count, count
from sim.policy import NAME, Policy, Seats, load
from sim.rows import table_of
from sim.runs.progress import bar, check_progress
from sim.runs.run import OnProgress, Progress, check_threads
from sim.scenario import MOST_POTS, Scenario
from sim.solving import frames
from sim.solving.smoothing import WEIGHTS, answer_of, can_fall_due, without_free_folds
from sim.solving.table import Played, Seating
from sim.solving.thumb import BY_BETS, DEAR_FROM, Thresholds, in_words, policy_by, thresholds_of
from sim.solving.training import Sums, train
from sim.stats.intervals import Estimate, of_mean

TRAINING, CHOOSING, JUDGING, RULES, SCORING = ((1 + place) << 40 for place in range(5))
"""The first pots of each: far from each other, and from all that anybody simulates."""
ROUNDS = 16
"""Of training; after each the answer is made anew."""
PARTS = 4
"""One pot in so many more is played to choose, and one to judge each bucket."""
MOST_REPLAYED = 12
"""Decisions of a pot that are replayed."""
EXPLORED = 2
"""In one pot of so many who learns strays from his policy, so that he learns of what he avoids."""
LAST_ROUNDS = 4
"""Of the training of rules, of which the best is chosen by play."""
FEWEST_POTS = 1000
MIDDLE = WEIGHTS[len(WEIGHTS) // 2]


@dataclass(frozen=True)
class Rules:
    """Rules that a person can remember, learned as the whole answer was."""

    thresholds: Thresholds
    policy: Policy
    gain: Estimate
    """Chips a pot, as of the whole answer, on the same pots."""
    kept: float
    """The share of the whole answer's gain."""

    def __str__(self) -> str:
        """Say them street by street."""
        return "\n".join(
            [
                *in_words(self.thresholds),
                f"that keeps {percent(self.kept, 0)} of the gain",
            ]
        )


@dataclass(frozen=True)
class BestResponse:
    """The best answer of its kind that was found to a table: it bounds what there is from below."""

    scenario: Scenario
    """The opponents' table, at which each seat in turn makes room for the answer."""
    policy: Policy
    """One for all seats."""
    gain: Estimate
    """Chips a pot more than whoever it replaces wins, on pots that it was not made of."""
    plays: int
    """Pots and replays of training."""
    _search: "_Search" = field(repr=False)
    _sums: Sums = field(repr=False)
    _trained: Sums = field(repr=False)

    @cached_property
    def buckets(self) -> pd.DataFrame:
        """Where decisions fall, how often, and what folding, calling and raising win there.

        From replays of fresh pots in which the answer is played; ``sim.solving.frames.COLUMNS``
        says what the columns mean.
        """
        return frames.buckets(self._sums, self._trained, self.policy)

    @cached_property
    def rules(self) -> Rules:
        """Rules of two thresholds for each street and band of price; learned when first asked."""
        return self._search.rules(self._sums, self.gain)

    def save(self, path: str | Path) -> None:
        """Write the policy as a page that ``--policy`` takes."""
        paths.write_text(arguments.path(path, "the page"), self.policy.as_page())

    def __str__(self) -> str:
        """Say what it gains."""
        told = f"{_said(self.gain)} chips a pot more than who it replaces, against {self._against}"
        if self.gain.low <= 0 <= self.gain.high:
            told += f"\n{self._search.scored:,} pots are too few to tell that from nothing"
        return told

    @property
    def _against(self) -> str:
        table = self.scenario
        return f"{table.policy}: {table.game.label}, {table.players} players"


@arguments.one_name
def best_response(
    game: str | Path | Game,
    players: int | str,
    against: Seats = "typical",
    *,
    pots: Count = 500_000,
    scoring_pots: Count = 200_000,
    seed: int = 0,
    start: str | Path | Policy = "typical",
    name: str = "answer",
    threads: int | None = None,
    options: Options = (),
    progress: bool | OnProgress = False,
    out: str | Path | None = None,
) -> BestResponse:
    """Return the policy that was found to win most against a table of opponents.

    ``against`` is one policy for the table, or one a seat. Who learns takes each seat in turn, and
    begins with ``start``: ``pots`` are played, and each of its decisions otherwise, on the same
    cards. On other pots the best of a few answers is chosen, and on ``scoring_pots`` of their own
    its gain is measured. The answer, called ``name``, is written to ``out``; so is the last one
    that there was when Ctrl-C ends the training. It depends on nothing but these, and not on the
    number of ``threads``.

    >>> answer = sim.best_response("spades", players=2, against="loose", pots="2k")
    >>> bool(answer.gain.low > 0)
    True

    Raises ``InputError`` for a table at which nobody ever decides anything.
    """
    scenario = table_of(game, players, against, options)
    search = _Search(
        Seating(scenario, check_threads(threads)),
        _checked_name(name),
        load(start),
        pots=count(pots, "pots", FEWEST_POTS, MOST_POTS),
        scored=count(scoring_pots, "scoring_pots", FEWEST_POTS, MOST_POTS),
        seed=seed,
    )
    progress = check_progress(progress)
    if out is None:
        return search.run(progress)
    target = arguments.path(out, "the page")
    with paths.placed(target) as (part,):  # before anything is played, if it cannot be written
        try:
            response = search.run(progress)
            policy = response.policy
        except KeyboardInterrupt:
            if search.latest is None:
                raise
            response, policy = None, search.latest
        part.write_text(policy.as_page(), encoding="utf-8")
    if response is None:
        raise Interrupted(
            f"the answer after {search.trained:,} pots is kept in {target}; what it gains has not "
            "been measured."
        )
    return response


def _checked_name(name: str) -> str:
    """Return the name of a policy, if it may have that."""
    if re.fullmatch(NAME, arguments.instance(name, str, "name")):
        return name
    raise InputError(
        f"an answer cannot be called {shown(name)}: take small letters, digits and hyphens"
    )


class _Search:
    """A search for the best answer, and how far it is."""

    def __init__(
        self, seating: Seating, name: str, start: Policy, *, pots: int, scored: int, seed: int
    ) -> None:
        self.seating, self.name, self.start = seating, name, start
        self.pots, self.scored, self.seed = pots, scored, seed
        self.on_progress: OnProgress | None = None
        self.due = can_fall_due(seating.game, seating.scenario.players)
        self.latest: Policy | None = None
        """The last answer that training has made."""
        self.trained = 0
        self.plays = 0
        self.began, self.played = time.monotonic(), 0
        self.expected = pots + (len(WEIGHTS) + 1) * self.few + 2 * scored

    @property
    def few(self) -> int:
        """Pots to choose by, and to judge buckets by."""
        return self.pots // PARTS

    def run(self, progress: bool | OnProgress) -> BestResponse:
        """Train, choose, judge each bucket, and score; ``progress`` is called, or True to show."""
        with bar(quiet=progress is not True) as shown_bar:
            self.on_progress = progress if callable(progress) else shown_bar
            try:
                return self._run()
            finally:
                self.on_progress = None

    def _run(self) -> BestResponse:
        answer = partial(self.answer, MIDDLE)
        rounds = _split(self.pots)
        _, trained = train(self.replay, answer, self.start, rounds, TRAINING, self.keep)
        plays = self.plays
        answers = [self.answer(weight, trained) for weight in WEIGHTS]
        policy = answers[self.choose(answers)]
        sums = self.replay(policy, JUDGING, self.few, explored=0)
        gain = self.gain(policy)
        told = (
            f"Found against {self.seating.scenario}: {_said(gain)} chips a pot more than who it "
            "replaces."
        )
        return BestResponse(
            self.seating.scenario, policy.with_summary(told), gain, plays, self, sums, trained
        )

    def answer(self, weight: int, sums: Sums) -> Policy:
        """Return the answer that sums come to."""
        return answer_of(self.name, weight, without_free_folds(self.due, sums))

    def keep(self, answer: Policy, pots: int) -> None:
        """Note the answer that a round of training has made."""
        self.latest, self.trained = answer, pots

    def play(
        self, answer: Policy | None, first: int, pots: int, most: int = 0, explored: int = 0
    ) -> Played:
        """Play pots, and say how far the search is."""
        played = self.seating.play(answer, self.seed, first, pots, most, explored)
        self.played += pots
        self.plays += played.plays
        if self.on_progress:
            rate = self.played / max(time.monotonic() - self.began, 1e-9)
            left = max(self.expected - self.played, 0) / rate
            self.on_progress(
                Progress(self.played, self.expected, self.seating.scenario, None, rate, left)
            )
        return played

    def replay(self, answer: Policy, first: int, pots: int, explored: int = EXPLORED) -> Sums:
        """Return what the actions were worth in pots of which decisions were replayed."""
        sums = self.play(answer, first, pots, MOST_REPLAYED, explored).sums
        if not sums.any():
            raise InputError(
                f"nobody ever decides anything at {self.seating.scenario}: there is no answer to "
                "find"
            )
        return sums

    def choose(self, answers: list[Policy]) -> int:
        """Return which answer wins most on pots of their own, the first of those that do."""
        won = [self.play(answer, CHOOSING, self.few).nets.sum() for answer in answers]
        return int(np.argmax(won))

    @cached_property
    def replaced(self) -> np.ndarray:
        """What those who are replaced win, pot by pot."""
        return self.play(None, SCORING, self.scored).nets

    def gain(self, answer: Policy) -> Estimate:
        """Return what an answer wins more than whoever it replaces, on the same cards."""
        more = self.play(answer, SCORING, self.scored).nets - self.replaced
        return of_mean([int(more.sum()), int((more**2).sum())], self.scored)

    def rules(self, sums: Sums, gain: Estimate) -> Rules:
        """Return the rules that were found to win most, begun with what an answer's replays say."""
        found = [
            thresholds
            for dear in (*DEAR_FROM, BY_BETS)
            for thresholds in self.thresholds(dear, sums)
        ]
        policies = [policy_by(f"{self.name[:34]}-rules", thresholds) for thresholds in found]
        best = self.choose(policies)
        own = self.gain(policies[best])
        return Rules(found[best], policies[best], own, own.estimate / gain.estimate)

    def thresholds(self, dear: int, sums: Sums) -> list[Thresholds]:
        """Train thresholds, prices being dear from so many sixteenths on; return the last rounds'.

        So coarse are they that each round's reply to the last may win less than that did.
        """
        found: list[Thresholds] = []

        def decide(sums: Sums) -> Thresholds:
            return thresholds_of(without_free_folds(self.due, sums), dear)

        def replay(thresholds: Thresholds, first: int, pots: int) -> Sums:
            return self.replay(policy_by(self.name, thresholds), first, pots)

        rounds = _split(self.few)
        train(replay, decide, decide(sums), rounds, RULES, lambda rules, _: found.append(rules))
        return found[-LAST_ROUNDS:]


def _split(pots: int) -> list[int]:
    """Share out pots to rounds of training."""
    borders = [pots * number // ROUNDS for number in range(ROUNDS + 1)]
    return [end - start for start, end in pairwise(borders)]


def _said(gain: Estimate) -> str:
    """Write a gain with its interval."""
    low, high = (amount(value, signed=True) for value in (gain.low, gain.high))
    return f"{amount(gain.estimate, signed=True)} ({low} to {high})"

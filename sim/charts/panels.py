"""The charts of a page, each a function of a frame and axes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sim import formatting
from sim.charts.draw import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    Look,
    Looks,
    above,
    compare,
    curve,
    differ,
    dots_of_amounts,
    dots_of_shares,
    from_zero,
    logarithmic,
    looks,
    numbered,
    percent_axis,
    points,
    select,
    short,
    whole_numbers,
)
from sim.game import MAX_PLAYERS, STREETS
from sim.policy import STAY

KILL_LEVELS = ("third", "fourth", "fifth", "sixth", "community")
WINNERS = (
    "five of a kind", "royal flush", "straight flush", "four of a kind", "full house",
    "flush", "straight", "three of a kind", "two pair", "one pair", "high card",
)  # fmt: skip
OFTEN = 0.02
"""A hand that wins more seldom than this everywhere is not drawn."""
RAREST = 1e-3
"""The tail of a distribution is drawn down to this share."""
MARKS = 14
"""About as many marks stand on the curve of a distribution."""

Panel = Callable[[pd.DataFrame, Axes], None]
PAGE_TOP = 1.02
"""Where the axis of shares ends that may all be one."""


DEALS_BY_STREET, OUT_BY_STREET = "Deals killed, by street", "Players put out, by street"
ALIVE = "Deals not killed by their first up cards"
LONG_POTS = "Pots that take more than so many deals"
POT_TOLLS = "Pots whose tolls reach so many chips"
TOLLS_PAID = "Players who pay for so many toll cards in a deal"
WON_BY = "Showdowns won by each hand"
NETS = "Net result of players, by tolls paid"
NET_UNIT = "chips won less put in, a pot"
"""Titles, the same wherever such a chart stands."""


class Level(NamedTuple):
    """A level of a metric by table size."""

    metric: str
    level: str
    title: str
    unit: str
    """What its axis measures."""
    colour: str = BLUE
    top: float | None = None
    """Where the axis ends on a page of one policy, if not above its points."""

    @property
    def share(self) -> bool:
        """Whether it is a share, or else an amount."""
        return self.level != "mean"

    def draw(self, axes: Axes, rows: pd.DataFrame, looks: Looks) -> None:
        """Draw it for each policy."""
        by_size(axes, select(rows, self.metric, self.level), looks, self.unit, share=self.share)

    def alone(self, frame: pd.DataFrame, axes: Axes) -> None:
        """Draw it for a page of one policy."""
        self.draw(axes, frame, dict.fromkeys(map(str, frame.policy), Look(self.colour)))
        axes.set_title(self.title)
        if self.top is not None:
            axes.set_ylim(0, self.top)

    def compared(self, frame: pd.DataFrame, axes: Axes) -> None:
        """Draw it for a page that compares policies."""
        sizes = set(frame.players)
        self.draw(axes, frame, looks(frame.policy))
        axes.set_title(self.title if len(sizes) > 1 else f"{self.title}, {sizes.pop()} players")

    def at_table(self, frame: pd.DataFrame, axes: Axes) -> None:
        """Draw it for each policy, at one table size."""
        self.compared(frame[frame.players == table(frame)], axes)


KILLED = Level("kill_rate", "all", "Deals killed", "share of deals", top=PAGE_TOP)
KILLED_POTS = Level(
    "killed_pots", "all", "Pots in which a killer puts somebody out", "share of pots"
)
DEALS = Level("deals_per_pot", "mean", "Deals per pot, mean", "deals", RED)
PLAYERS_OUT = Level("players_out", "mean", "Players put out per pot, mean", "players")
CHIPS = Level("pot_size", "mean", "Chips in a pot, mean", "chips", RED)
TOLLS = Level("toll_pot", "mean", "Tolls per pot, mean", "chips")
PLAYER_TOLLS = Level("toll_player", "mean", "Tolls a player pays in a pot, mean", "chips")
THREE_TOLLS = Level("tolls_paid", "3", "Players who pay three tolls", "share of players")
FOUR_TOLLS = Level("tolls_paid", "4", "Players who pay four tolls", "share of players")
SHOWDOWNS = Level("showdowns", "all", "Pots that end in a showdown", "share of pots")


def finish(
    axes: Axes,
    *,
    share: bool = True,
    top: float | None = None,
    headroom: float = 1.03,
    **texts: str,
) -> None:
    """Write title and labels, and let the upright axis run from nought to where it is to end.

    That is a ``top``, or some ``headroom`` above what is drawn.
    """
    axes.set(**texts)
    if top is None:
        from_zero(axes, headroom)
    else:
        axes.set_ylim(0, top)
    if share:
        percent_axis(axes)


def kill_streets(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw on which street deals die, by table size."""
    rows = frame[frame.metric == "kill_rate"]
    present = [level for level in KILL_LEVELS if level in set(rows.level)]
    shown = looks(present, shifted=False, join="")
    compare(axes, rows, "players", shown, by="level", named=True)
    finish(axes, title=DEALS_BY_STREET, xlabel="players", ylabel="share of deals", headroom=1.35)
    axes.legend(title="street", frameon=False, fontsize="small", loc="upper left", ncols=2)


def kills_at_one_size(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw on which street deals die, and how many in all, at one table size."""
    rows = frame[(frame.metric == "kill_rate") & frame.level.isin([*KILL_LEVELS, "all"])]
    _lines(axes, rows.replace({"level": {"all": "in all"}}), BLUE, share=True)
    axes.set(title=DEALS_BY_STREET, xlabel="share of deals", ylabel="street")


def survival(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of deals not killed by their first up cards, a curve for each policy.

    Deals of any table size are alike as long as nobody has folded; the last up card of each size
    has a mark, and its size stands above.
    """
    rows = numbered(frame, "survival", "card")
    one_size = not differ(rows.players)
    for policy, look in looks(rows.policy).items():
        shifted = look._replace(shift=0 if one_size else 4 * look.shift)  # in cards
        for _, part in rows[rows.policy == policy].groupby("players"):
            last = part.card.max()
            curve(axes, part, "card", shifted, range(1 if one_size else last, last + 1))
    ends = rows.groupby("players").card.max()
    if not one_size:
        top = axes.secondary_xaxis("top")
        top.set_xticks(ends, map(str, ends.index))
        top.set_xlabel("the last up card of so many players")
    axes.set_xlim(0, ends.max() + 1.5)
    finish(axes, top=PAGE_TOP, title=ALIVE, xlabel="up cards", ylabel="share of deals")


def deals_at_one_size(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of pots that take more than so many deals, at one table size."""
    long_pots(axes, frame, Look(RED))
    title = f"{LONG_POTS} ({_mean(frame, 'deals_per_pot')})"
    finish(axes, top=PAGE_TOP, title=title, xlabel="deals", ylabel="share of pots")


def _mean(frame: pd.DataFrame, metric: str) -> str:
    return f"mean {formatting.amount(select(frame, metric, 'mean').estimate.iloc[0], 2)}"


def long_pots(axes: Axes, rows: pd.DataFrame, look: Look) -> None:
    """Draw the share of a scenario's pots that take more than so many deals."""
    curve_rows = _falling(rows, "deals_per_pot", "deals", reached=False)
    wanted = np.geomspace(1, max(curve_rows.deals), MARKS)
    curve(axes, curve_rows, "deals", look, _nearest(curve_rows.deals, wanted))
    logarithmic(axes)


def toll_amounts(axes: Axes, rows: pd.DataFrame, look: Look) -> None:
    """Draw the share of a scenario's pots whose tolls reach an amount."""
    curve_rows = _falling(rows, "toll_pot", "chips", reached=True)
    wanted = np.linspace(0, max(curve_rows.chips), MARKS)
    curve(axes, curve_rows, "chips", look, _nearest(curve_rows.chips, wanted), steps=True)


def _falling(rows: pd.DataFrame, metric: str, along: str, *, reached: bool) -> pd.DataFrame:
    """Return what ``above`` has of a metric's numbers, as far as it is not as good as nought."""
    falling = above(numbered(rows, metric, along), along, reached=reached)
    rare = np.flatnonzero(falling.estimate < RAREST)
    return falling.iloc[: rare[0] + 1] if rare.size else falling


def _nearest(numbers: pd.Series, wanted: np.ndarray) -> list[int]:
    """Return those of some numbers that are nearest to what is wanted, each once."""
    values = numbers.to_numpy()
    return sorted({int(values[np.abs(values - number).argmin()]) for number in wanted})


def players_out_at_one_size(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of pots in which killers put out so many players, at one table size."""
    _lines(axes, numbered(frame, "players_out", "number"), BLUE, share=True)
    title = f"Pots by players put out ({_mean(frame, 'players_out')})"
    axes.set(title=title, xlabel="share of pots", ylabel="players put out")


def seat_out(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how often a killer puts out each seat, at the largest table size of the frame."""
    players = frame.players.max()
    part = numbered(frame[frame.players == players], "killed_seat", "seat")
    points(axes, part, "seat", Look(ORANGE))
    title = f"Pots in which a seat is put out, {players} players"
    finish(axes, title=title, xlabel="seat (last: dealer)", ylabel="share of pots")


def pots_at_one_size(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the chips in a pot when it is won, on average and at most, at one table size."""
    labels = {"mean": "mean", "p50": "half of pots to", "p95": "95 % to", "p99": "99 % to"}
    rows = frame[(frame.metric == "pot_size") & frame.level.isin(labels)]
    _lines(axes, rows.assign(level=rows.level.map(labels)), RED, share=False)
    axes.set(title="Chips in a pot", xlabel="chips")


def toll_distribution(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of pots whose tolls reach an amount, for up to four table sizes."""
    sizes = sorted(frame.players.unique())
    shown = looks(sizes if len(sizes) <= 4 else sizes[::2], shifted=False)
    for players, look in shown.items():
        toll_amounts(axes, frame[frame.players == int(players)], look)
        axes.plot([], [], look.marker, color=look.colour, markersize=4, label=f"{players} players")
    title = POT_TOLLS
    if len(sizes) == 1:
        title += f" ({_mean(frame, 'toll_pot')})"
    else:
        axes.legend(frameon=False)
    finish(axes, top=PAGE_TOP, title=title, xlabel="chips", ylabel="share of pots")


def tolls_paid(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of players who pay three and four tolls, by table size."""
    rows = frame[(frame.metric == "tolls_paid") & frame.level.isin(["3", "4"])]
    ever = set(rows.level[rows.estimate > 0])
    rows = rows[rows.level.isin(ever)].assign(tolls=rows.level + " tolls")
    shown = looks(("3 tolls", "4 tolls"), shifted=False, join="")
    compare(axes, rows, "players", shown, by="tolls", named=True)
    finish(axes, title=TOLLS_PAID, xlabel="players", ylabel="share of players", headroom=1.3)
    if ever:
        axes.legend(frameon=False, loc="upper left", ncols=2)


def tolls_paid_at_one_size(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of players who pay so many tolls in a deal, at one table size."""
    rows = numbered(frame, "tolls_paid", "number")
    _lines(axes, rows[(rows.estimate > 0) | (rows.exact > 0)], ORANGE, share=True)
    axes.set(title=TOLLS_PAID, xlabel="share of players", ylabel="tolls")


def winning_hands(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what hand wins, by table size, for hands that win at least one pot in fifty."""
    hands, rows = winners(frame), frame[frame.metric == "winning_hand"]
    shown = looks(hands, shifted=False, join="full")
    compare(axes, rows, "players", shown, by="level", named=True)
    finish(axes, title=WON_BY, xlabel="players", ylabel="share of showdowns", headroom=1.35)
    if hands:
        axes.legend(frameon=False, fontsize="x-small", ncols=3, loc="upper left")


def winning_hands_at_one_size(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what hand wins at one table size."""
    rows = frame[frame.metric == "winning_hand"].set_index("level").loc[winners(frame)]
    _lines(axes, rows.reset_index(), GREEN, share=True)
    axes.set(title=WON_BY, xlabel="share of showdowns")


def winners(frame: pd.DataFrame) -> list[str]:
    """Return the hands that win often enough somewhere in a frame, the strongest first."""
    part = frame[(frame.metric == "winning_hand") & (frame.estimate >= OFTEN)]
    return [name for name in WINNERS if name in set(part.level)]


def _lines(axes: Axes, rows: pd.DataFrame, colour: str, *, share: bool) -> None:
    """Draw one line for each level, all in one look."""
    (dots_of_shares if share else dots_of_amounts)(
        axes, rows, dict.fromkeys(rows.level, Look(colour))
    )
    axes.set_xlim(0, 1.08 * axes.get_xlim()[1])  # all may lie at the right


def seat_nets(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what a seat wins in a pot by the policy it plays, where several sit at one table."""
    axes.axvline(0, color=BLACK, linewidth=0.8)
    _seats(frame, axes, "net_by_policy", "Net result of a seat that plays …", signed=True)


def seat_tolls(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what a seat pays in tolls by the policy it plays, where several sit at one table."""
    _seats(frame, axes, "toll_by_policy", "Tolls of a seat that plays …")


def _seats(
    frame: pd.DataFrame, axes: Axes, metric: str, title: str, *, signed: bool = False
) -> None:
    players = frame.players.max()
    rows = frame[(frame.metric == metric) & (frame.players == players)]
    dots_of_amounts(axes, rows, looks(rows.level), signed=signed)
    axes.set(title=f"{title}, {players} players", xlabel="chips, a pot")


def policy_kills_dealt(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw the share of deals killed by how many were dealt in, at one table size.

    Where everybody stays nobody is missing, so tables of that size stand for fewer players. Numbers
    dealt so seldom that the interval spans half the scale are left out.
    """
    players = table(frame)
    rows = frame[(frame.metric == "kill_rate_dealt") & (frame.high - frame.low < 0.5)]
    rows = rows.assign(dealt=rows.level.astype(int))
    stays = (rows.policy == STAY.name) & (rows.dealt == rows.players) & (rows.dealt < players)
    compare(axes, rows[(rows.players == players) | stays], "dealt", looks(frame.policy))
    note = " (stay: tables of that size)" if stays.any() else ""
    title = f"Deals killed, by players dealt in, {players} players"
    xlabel = f"players dealt in{note}"
    finish(axes, top=PAGE_TOP, title=title, xlabel=xlabel, ylabel="share of deals")


def policy_survivors(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw how many are still in when a pot is won, at one table size.

    A policy under which it is always the same number is named below the chart instead.
    """
    players = table(frame)
    rows = frame[(frame.metric == "survivors") & (frame.players == players)]
    rows = rows[rows.level.str.isdigit()].assign(left=lambda part: part.level.astype(int))
    always = rows[rows.estimate == 1]
    compare(axes, rows[~rows.policy.isin(always.policy)], "left", looks(frame.policy))
    notes = "".join(
        f" ({short(policy)}: always {left})"
        for policy, left in zip(always.policy, always.left, strict=True)
    )
    title = f"Players still in when a pot is won, {players} players"
    finish(axes, title=title, xlabel=f"players still in{notes}", ylabel="share of pots")


def policy_toll_nets(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw what players win who pay for so many toll cards, at one table size."""
    players = table(frame)
    rows = numbered(frame[frame.players == players], "net_by_tolls", "tolls")
    axes.axhline(0, color=BLACK, linewidth=0.8)
    compare(axes, rows, "tolls", looks(frame.policy))
    axes.set(title=f"{NETS}, {players} players", xlabel="tolls paid in the pot", ylabel=NET_UNIT)


def policy_folds(frame: pd.DataFrame, axes: Axes) -> None:
    """Draw on which street players fold, by policy, at one table size."""
    players = table(frame)
    rows = frame[(frame.metric == "folds") & (frame.players == players) & (frame.level != "all")]
    rows = rows.assign(street=rows.level.map(STREETS.index))
    compare(axes, rows, "street", looks(frame.policy))
    axes.set_xticks(range(len(STREETS)), STREETS)
    title = f"Players who fold, {players} players"
    finish(axes, title=title, xlabel="street", ylabel="share of players dealt in")


def table(frame: pd.DataFrame) -> int:
    """Return the largest table size at which the most policies were played, but seven before eight.

    Eight players run out of cards and may share one, so seven is the largest ordinary table.
    """
    policies = frame.groupby("players").policy.nunique()
    sizes = policies[policies == policies.max()].index
    return int(sizes[sizes < MAX_PLAYERS].max() if (sizes < MAX_PLAYERS).any() else sizes.max())


def by_size(axes: Axes, rows: pd.DataFrame, looks: Looks, unit: str, *, share: bool) -> None:
    """Draw a level of a metric by table size and policy, or by policy if there is one size."""
    if not differ(rows.players):
        (dots_of_shares if share else dots_of_amounts)(axes, rows, looks, of="policy")
        axes.set_xlabel(unit)
        return
    compare(axes, rows, "players", looks)
    whole_numbers(axes, rows, "players")
    finish(axes, share=share, xlabel="players", ylabel=unit)

"""Pages of charts: a game under one policy, and its policies side by side."""

import pandas as pd
from matplotlib.figure import Figure

from sim.arguments import instance
from sim.charts import panels
from sim.charts.draw import Looks, check_single, differ, headline, legend, looks, sheet, short
from sim.charts.panels import Panel
from sim.game import load, shipped
from sim.policy import STAY
from sim.stats.frame import check_frame, flat, played, titled

MOST_CHARTS = 6
"""On a page that compares policies."""


def overview(frame: pd.DataFrame, title: str) -> Figure:
    """Return one page with the charts that a frame of one game and one policy has metrics for."""
    frame, name = _of_one_game(frame, title)
    policy = check_single(frame, "policy")
    many_sizes = differ(frame.players)
    charts = _by_size(frame) if many_sizes else _at_one_size(frame)
    name = name if policy == STAY.name else f"{name}, {short(policy)}"
    return _page(frame, charts, (5.2, 3.8), name, {})


def comparison(frame: pd.DataFrame, title: str) -> Figure:
    """Return one page that sets the policies of a frame of one game side by side."""
    frame, name = _of_one_game(frame, title)
    shown = looks(frame.policy)
    size = (4.9, 3.5 + 0.2 * max(0, len(shown) - 5))
    return _page(frame, _comparisons(frame), size, name, shown)


def _of_one_game(frame: pd.DataFrame, title: str) -> tuple[pd.DataFrame, str]:
    """Return a checked frame of one game, flat, with the name of its page."""
    check_frame(frame)
    frame = flat(frame)
    return frame, titled(instance(title, str, "a title"), check_single(frame, "game"))


def game_title(label: str) -> str:
    """Return what a game is called of which a frame has the label; of a user's own, the label."""
    name = label.split(" ")[0]
    return titled(load(name).title, label) if name in shipped() else label


def said(frame: pd.DataFrame) -> str:
    """Say how many pots a frame's figures come from, and of what table size if it is one."""
    text = played(frame)
    if differ(frame.players):
        return text
    return f"{text.split(' pots')[0]} pots, {frame.players.iloc[0]} players"


def _by_size(frame: pd.DataFrame) -> list[Panel]:
    charts: list[Panel] = []
    metrics = set(frame.metric)
    many_tolls = frame[(frame.metric == "tolls_paid") & frame.level.isin(["3", "4"])]
    if "kill_rate" in metrics:
        charts += [panels.KILLED.alone, panels.kill_streets, panels.survival, panels.DEALS.alone]
    if "players_out" in metrics:
        charts += [panels.PLAYERS_OUT.alone, panels.seat_out]
    if "toll_pot" in metrics:
        charts += [panels.TOLLS.alone, panels.toll_distribution]
    if many_tolls.estimate.any():
        charts.append(panels.tolls_paid)
    if "toll_pot" in metrics or not charts:
        charts.append(panels.winning_hands)
    charts.append(panels.CHIPS.alone)
    return charts + _of_mixed_tables(metrics)


def _at_one_size(frame: pd.DataFrame) -> list[Panel]:
    """Choose charts that do not run along the table sizes."""
    charts: list[Panel] = []
    metrics = set(frame.metric)
    if "kill_rate" in metrics:
        charts += [panels.kills_at_one_size, panels.survival, panels.deals_at_one_size]
    if "players_out" in metrics:
        charts += [panels.players_out_at_one_size, panels.seat_out]
    if "toll_pot" in metrics:
        charts += [panels.toll_distribution, panels.tolls_paid_at_one_size]
        charts.append(panels.policy_toll_nets)
    charts += [panels.winning_hands_at_one_size, panels.pots_at_one_size]
    return charts + _of_mixed_tables(metrics)


def _of_mixed_tables(metrics: set[str]) -> list[Panel]:
    drawn = {"net_by_policy": panels.seat_nets, "toll_by_policy": panels.seat_tolls}
    return [panel for metric, panel in drawn.items() if metric in metrics]


def _comparisons(frame: pd.DataFrame) -> list[Panel]:
    """Choose the charts that answer most about a game, those of its own mechanisms first."""
    metrics, many_sizes = set(frame.metric), len(set(frame.players)) > 1
    kills: list[Panel] = []
    if "kill_rate" in metrics:
        kills = [panels.KILLED.compared] if many_sizes else []
        kills += [panels.KILLED.at_table, panels.policy_kills_dealt, panels.policy_survivors]
    elif "players_out" in metrics:
        kills = [panels.PLAYERS_OUT.compared, panels.policy_survivors]
    tolls: list[Panel] = []
    if "toll_pot" in metrics:
        paid = frame[(frame.metric == "tolls_paid") & (frame.estimate > 0)].level
        tolls = [panels.PLAYER_TOLLS.compared, panels.policy_toll_nets]
        tolls += [panels.THREE_TOLLS.compared] if (paid == "3").any() else []
        tolls += [panels.FOUR_TOLLS.compared] if (paid == "4").any() else []
    half = MOST_CHARTS // 2
    charts = [*kills[:half], *tolls[:half]] if kills and tolls else [*kills, *tolls]
    charts += [panels.policy_folds] if "folds" in metrics else []
    charts += [panels.DEALS.compared] if "kill_rate" in metrics else []
    charts += [panels.CHIPS.compared, panels.SHOWDOWNS.compared]
    charts += [panels.policy_survivors] if not kills else []
    return charts[:MOST_CHARTS]


def _page(
    frame: pd.DataFrame, charts: list[Panel], size: tuple[float, float], name: str, shown: Looks
) -> Figure:
    """Draw charts in two columns, each of this size in inches, and say of what a page is."""
    figure, grid = sheet(len(charts), size, 2, fill=True)
    for axes, chart in zip(grid, charts, strict=True):
        chart(frame, axes)
        axes.title.set_fontsize("medium")
    legend(figure, shown)
    headline(figure, f"{name}: {said(frame)}")
    return figure

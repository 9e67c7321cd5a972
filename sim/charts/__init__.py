"""From a frame to a matplotlib figure; nothing is drawn that is not in the frame.

Every public chart is a function of a frame alone and returns a new figure, or draws on the axes
``ax`` that it is given. Ten charts answer one question each, for one game under all policies that
the frame holds; ``overview`` puts a game under one policy on one page, and ``comparison`` sets its
policies side by side. Points are estimates with their 95 % intervals; exact values are lines, or
open markers where nothing joins them, and pale lines join estimates: a legend names those that are
drawn. Colours are Okabe and Ito's, which colour-blind readers can tell apart, and markers and lines
differ too, for print. What the frame has no data for is refused with ``InputError``, never drawn
empty.
"""

from sim.charts.album import FORMATS, Drawing, chosen, drawings, file_formats, write
from sim.charts.draw import COLOURS, MARKERS, STYLES, file_name, narrow, save
from sim.charts.evening import evening_buy_ins, evening_results, evening_stacks
from sim.charts.pages import MOST_CHARTS, comparison, overview
from sim.charts.registry import CHARTS, Chart
from sim.charts.single import (
    convergence,
    deals_per_pot,
    kill_rate,
    kill_streets,
    net_by_tolls,
    recommendation,
    survival,
    toll_pot,
    who_pays,
    winning_hands,
)

__all__ = [
    "CHARTS",
    "COLOURS",
    "FORMATS",
    "MARKERS",
    "MOST_CHARTS",
    "STYLES",
    "Chart",
    "Drawing",
    "chosen",
    "comparison",
    "convergence",
    "deals_per_pot",
    "drawings",
    "evening_buy_ins",
    "evening_results",
    "evening_stacks",
    "file_formats",
    "file_name",
    "kill_rate",
    "kill_streets",
    "narrow",
    "net_by_tolls",
    "overview",
    "recommendation",
    "save",
    "survival",
    "toll_pot",
    "who_pays",
    "winning_hands",
    "write",
]

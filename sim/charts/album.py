"""Which charts there are, and what of them a store's frames have data for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from sim import arguments
from sim.charts import single  # noqa: F401 - it enters its charts
from sim.charts.draw import differ, file_name, save
from sim.charts.pages import game_title
from sim.charts.registry import CHARTS
from sim.errors import InputError
from sim.policy import STAY
from sim.stats.frame import check_frame, flat

WILD = r" wild=.*?(?= [\w.]+=| #|$)"
"""In a game's label: which cards are wild, if they are not the page's."""


FORMATS = ("png", "svg")
"""What a chart can be written as."""
OWN_FRAME = tuple(name for name, chart in CHARTS.items() if chart.own_frame)


class Drawing(NamedTuple):
    """A chart that can be drawn of something a store holds."""

    chart: str
    games: str
    policies: str
    file: str
    """The name of its file, without an ending."""
    frame: pd.DataFrame

    @property
    def caption(self) -> str:
        """What it shows, of which games and policies, in words."""
        words = CHARTS[self.chart].words
        games = " against ".join(map(game_title, self.frame.game.unique()))
        return f"{words[0].upper()}{words[1:]}: {games}, {self.policies}"

    def figure(self) -> Figure:
        """Draw it."""
        return CHARTS[self.chart].draw(self.frame)


def drawings(frame: pd.DataFrame, others: dict[str, pd.DataFrame] | None = None) -> list[Drawing]:
    """Return all that can be drawn of a frame of ``Study.frame``.

    ``others`` are the frames of the charts that have their own, by chart: ``convergence`` and
    ``recommendation``.
    """
    check_frame(frame)
    others = arguments.instance({} if others is None else others, dict, "others")
    for name, other in others.items():
        arguments.one_of(name, OWN_FRAME, "chart with a frame of its own")
        check_frame(other, CHARTS[name].columns)
    frame = flat(frame)
    others = {name: flat(other) for name, other in others.items()}
    frames = dict.fromkeys(CHARTS, frame) | dict.fromkeys(OWN_FRAME, frame[:0]) | others
    drawn: list[Drawing] = []
    for chart in CHARTS:
        for part in _parts(chart, frames[chart]):
            drawn.append(_drawing(chart, part, {drawing.file for drawing in drawn}))
    return drawn


def chosen(drawings: list[Drawing], names: Iterable[str]) -> list[Drawing]:
    """Return the drawings of the charts that are named; refuse names that there are not."""
    wanted = arguments.several(names, "a chart")
    drawings = _drawings(drawings)
    for name in wanted:
        arguments.one_of(name, CHARTS, "chart")
        if name not in {drawing.chart for drawing in drawings}:
            raise InputError(
                f"there is nothing to draw {name} from: the store does not tell "
                f"{CHARTS[name].words}"
            )
    return [drawing for drawing in drawings if drawing.chart in wanted]


def write(drawings: Iterable[Drawing], folder: Path, formats: Sequence[str]) -> Iterator[Path]:
    """Draw into a folder, which is made if need be; yield each file once it is written whole."""
    folder = arguments.path(folder, "a folder")
    drawings = _drawings(drawings)
    kinds = arguments.several(formats, "a format")
    for kind in kinds:
        arguments.one_of(kind, FORMATS, "format")
    for drawing in drawings:
        figure = drawing.figure()
        for kind in kinds:
            path = folder / f"{drawing.file}.{kind}"
            save(figure, path)
            yield path


def _drawings(drawings: Iterable[Drawing]) -> list[Drawing]:
    checked = arguments.several(drawings, "a drawing")
    return [arguments.instance(drawing, Drawing, "a drawing") for drawing in checked]


def file_formats(text: str) -> list[str]:
    """Read formats as they are typed: ``png,svg``."""
    wanted = [word.strip() for word in arguments.instance(text, str, "formats").split(",")]
    return list(dict.fromkeys(arguments.one_of(kind, FORMATS, "format") for kind in wanted))


def _parts(chart: str, frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield what goes on one figure each."""
    rows_of = CHARTS[chart].rows
    for game, everything in frame.groupby("game", sort=False):
        part = rows_of(everything)
        if part.empty:
            continue
        if CHARTS[chart].one_policy:
            yield from (own for _, own in part.groupby("policy", sort=False))
        else:
            yield part
        if chart == "winning_hands":
            yield from _against(str(game), rows_of(frame))


def _against(game: str, rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield a page as it stands together with itself under other wild cards, by policy."""
    if re.search(WILD, game):
        return
    same = rows[rows.game.str.replace(WILD, "", regex=True) == game]
    for _, part in same.groupby("policy", sort=False):
        if differ(part.game) and (part.game == game).any():
            yield part


def _drawing(chart: str, part: pd.DataFrame, taken: set[str]) -> Drawing:
    games, policies = list(part.game.unique()), list(part.policy.unique())
    parts = [str(games[0]), chart]
    parts += ["wild"] if len(games) > 1 else []
    if (CHARTS[chart].one_policy or len(games) > 1) and policies != [STAY.name]:
        parts.append(str(policies[0]))
    name = "-".join(map(file_name, parts))
    number = 2
    while name in taken:
        name, number = f"{'-'.join(map(file_name, parts))}-{number}", number + 1
    return Drawing(chart, " against ".join(games), ", ".join(policies), name, part)

"""Charts: made from the frame alone, one function each."""

import functools
import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pairwise import grid

from sim import charts, cli, study
from sim.charts.draw import (
    ESTIMATE,
    EXACT,
    JOINED,
    OPEN,
    UNKNOWN,
    legend,
    logarithmic,
    looks,
    sheet,
    short,
)
from sim.charts.single import PANEL
from sim.errors import InputError
from sim.runs.run import CELL
from sim.stats.frame import COLUMNS, JUDGED, flat
from sim.stats.intervals import wilson

BARS, UNSURE, JOINS, KNOWN = MARKS = (
    "estimate, 95 % interval", "estimate, interval unknown", "joins estimates", "exact",
)  # fmt: skip
OPTIONS = {"player-out": ("kill.treatment=player-out",), "redeal": ()}


GAMES = ("faces-of-death", "spades")
TABLES = {2: ["stay", "fold:0.1"], 4: ["stay", "loose", "typical", "tight"]}
MIXED = "typical,loose,loose"
PLAIN = {f"{digit}{noughts}" for digit in (1, 2, 5, 10, 20, 50, 100, 200, 500)
         for noughts in ("", "k", "M")}  # fmt: skip


@pytest.fixture(scope="module")
def betting():
    """A function that plays a few pots under several policies, the same ones once."""

    @functools.cache
    def play(game, players, policies, options=()):
        several = study.simulate(game, players, 500, seed=1, options=options, policies=policies)
        return several.frame()

    return play


def test_letters_that_no_font_has_become_boxes(betting, tmp_path):
    """Matplotlib would warn of each, and warnings are errors here."""
    frame = betting("spades", 2, ("stay",))
    figure = charts.overview(frame, "Tod ♠ 死\U0001f9c0")
    assert figure.get_suptitle().startswith("Tod ♠ □□: ")
    charts.save(figure, tmp_path / "a.png")


def points(axes):
    """The estimates that are drawn: (y, …) of each set, in the order drawn."""
    return [np.ravel(line.get_ydata()).tolist() for line in drawn_as(axes, ESTIMATE)]


def drawn_as(axes, *kinds):
    """The lines of a chart that are marks of these kinds."""
    return [line for line in axes.lines if line.get_label() in kinds]


def legend_of(figure):
    """What the legends of a figure name: its looks, and its marks."""
    texts = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    marks = [text for text in texts if text in MARKS]
    return [text for text in texts if text not in marks], marks


def intervals(axes):
    """The ends of all intervals of a chart, in the order drawn."""
    return [segment[:, 1].tolist() for bars in axes.collections for segment in bars.get_segments()]


def words_of(axes):
    """All words that a chart shows; ticks may also have words out of sight."""
    left, right = axes.get_xlim()
    low, high = sorted(axes.get_ylim())
    ticks = [text for text in axes.get_xticklabels() if left <= text.get_position()[0] <= right]
    ticks += [text for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]
    return [text for text in (axes.title, *axes.texts, *ticks) if text.get_text()]


def axes_of(figure, title):
    found = [axes for axes in figure.axes if axes.get_title().startswith(title)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("kind", OPTIONS)
def test_faces_of_death_has_its_charts(kind):
    frame = study.simulate("faces-of-death", [2, 8], 500, seed=1, options=OPTIONS[kind]).frame()
    titles = [axes.get_title() for axes in charts.overview(frame, "Faces").axes]
    assert all(titles)
    assert ("Deals per pot, mean" in titles) == (kind == "redeal")


def test_points_are_estimates_and_lines_are_exact():
    frame = study.simulate("faces-of-death", [2, 3, 6, 8], 500, seed=1).frame()
    axes = axes_of(charts.overview(frame, "Faces"), "Deals per pot")
    rows = frame[(frame.metric == "deals_per_pot") & (frame.level == "mean")]
    assert points(axes) == [rows.estimate.tolist()]
    (line,), (alone,) = drawn_as(axes, EXACT), drawn_as(axes, OPEN)
    exact = line.get_ydata()
    assert [exact[index] for index in (0, 1, 4, 6)] == rows.exact.tolist()
    assert np.isnan(exact[[2, 3, 5]]).all()  # sizes that were not asked for are not claimed
    assert alone.get_ydata().tolist() == rows.exact[2:].tolist()  # no line shows these
    assert alone.get_markerfacecolor() == "none"


def test_a_legend_names_the_marks_that_are_drawn_and_no_others(betting):
    sizes = betting("faces-of-death", (4, 5), ("stay", "typical"))
    stay, typical = (sizes[sizes.policy == policy] for policy in ("stay", "typical"))
    assert legend_of(charts.kill_rate(sizes)) == (["stay", "typical"], [BARS, JOINS, KNOWN])
    assert legend_of(charts.kill_rate(stay)) == ([], [BARS, KNOWN])
    assert legend_of(charts.kill_rate(typical)) == ([], [BARS, JOINS])
    assert legend_of(charts.overview(typical, "Faces"))[1] == [BARS, JOINS]
    apart = betting("faces-of-death", (2, 5), ("stay",))
    assert not drawn_as(charts.kill_rate(apart).axes[0], EXACT)
    assert legend_of(charts.kill_rate(apart)) == ([], [BARS, KNOWN])
    one = sizes[sizes.players == 4]
    figure = charts.kill_rate(one)
    assert legend_of(figure) == ([], [BARS, KNOWN])
    (alone,) = drawn_as(figure.axes[0], OPEN)
    assert alone.get_xdata() == rows_of(one, "kill_rate", "all").exact.dropna().tolist()
    unsure = stay.assign(low=np.nan, high=np.nan)
    assert legend_of(charts.kill_rate(unsure)) == ([], [UNSURE, KNOWN])
    (pale,) = drawn_as(charts.kill_rate(unsure).axes[0], UNKNOWN)
    assert pale.get_ydata().tolist() == rows_of(stay, "kill_rate", "all").estimate.tolist()


@pytest.mark.parametrize("number", [2, 8, 9, 11])
def test_no_two_of_a_legends_series_look_alike(number):
    shown = looks(range(number)).values()
    assert len({look.colour for look in shown}) == number
    assert len({look.marker for look in shown}) == number


def test_every_point_has_its_interval():
    frame = study.simulate("spades", [2, 7], 500, seed=1).frame()
    axes = axes_of(charts.overview(frame, "Spades"), "Tolls per pot")
    rows = frame[(frame.metric == "toll_pot") & (frame.level == "mean")]
    (bars,) = axes.collections
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert ends == [pytest.approx([row.low, row.high]) for row in rows.itertuples()]


@pytest.mark.parametrize("players", [4, [3, 4]])
def test_pages_of_other_options_say_so_and_show_what_changes(players):
    option = "kill.ante_again=true"
    frames = [
        study.simulate("faces-of-death", players, 500, seed=1, options=options).frame()
        for options in ([], [option])
    ]
    pages = [charts.overview(frame, "Faces") for frame in frames]
    assert [option in page.get_suptitle() for page in pages] == [False, True]
    means = []
    for frame, page in zip(frames, pages, strict=True):
        axes = axes_of(page, "Chips in a pot")
        rows = frame[(frame.metric == "pot_size") & (frame.level == "mean")]
        drawn = [float(x) for line in axes.lines for x in (*line.get_xdata(), *line.get_ydata())]
        assert set(rows.estimate) <= set(drawn)
        means.append(rows.estimate.tolist())
    assert means[0] < means[1]
    both = charts.comparison(frames[1], "Faces")
    assert both.get_suptitle().startswith(f"Faces ({option}): ")


def test_a_long_title_takes_several_lines():
    options = [
        f"kill.cards={'Js Qs Ks 2s 3s 4s 5s 6s'}",
        "kill.ante_again=true",
        "kill.max_deals=9",
    ]
    options += ["betting.bets=[20,20,40,40,40]", "ante.amount=10", "betting.raises=5"]
    frame = study.simulate("faces-of-death", 2, 100, seed=1, options=options).frame()
    figure = charts.overview(frame, "Faces")
    title = figure.get_suptitle()
    assert all(option.split("=")[0] in title for option in options)
    check_words(figure, "overview")
    with charts.narrow():
        narrow = charts.overview(frame, "Faces")
    check_words(narrow, "overview")
    assert len(narrow.get_suptitle().splitlines()) > len(title.splitlines()) > 1


def test_a_chart_is_written_whole(tmp_path):
    frame = study.simulate("seven-card-stud", [2, 3], 500, seed=1).frame()
    charts.save(charts.overview(frame, "Stud"), tmp_path / "stud.png")
    assert [path.name for path in tmp_path.iterdir()] == ["stud.png"]
    assert (tmp_path / "stud.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_draws_each_policy_and_all_of_them_together(tmp_path, capsys):
    words = ["--players", "3", "--pots", "100", "--seed", "1", "--store", str(tmp_path / "my.db")]
    policies = ["--policy", "stay", "--policy", "fold:0.1", "--policy", MIXED]
    assert cli.main(["run", "spades", "--quiet", *words, *policies]) == 0
    names = [path.name for path in tmp_path.glob("*.png")]
    assert sorted(names) == [
        "my-spades-policies.png",
        "my-spades.png",
        "my-spades_fold_0.1.png",
        "my-spades_typical_loose_loose.png",
    ]
    out = capsys.readouterr().out
    assert all(name in out for name in names)


def test_labels_become_file_names():
    assert charts.file_name("faces-of-death kill.treatment=player-out") == (
        "faces-of-death_kill.treatment=player-out"
    )
    assert "/" not in charts.file_name("own wild=As Ks / x")


def test_a_page_says_which_policy_it_shows_and_what_is_exact(betting):
    frame = betting("spades", (3,), ("stay", "loose"))
    for policy, words in (("stay", "Spades: 500 pots"), ("loose", "Spades, loose: 500 pots")):
        figure = charts.overview(frame[frame.policy == policy], "Spades")
        assert figure.get_suptitle().startswith(words)
        assert (KNOWN in legend_of(figure)[1]) == (policy == "stay")


def test_a_page_of_pots_without_a_showdown_has_no_winning_hands():
    frame = study.simulate("spades", 2, 1, seed=1, policies="tight").frame()
    assert frame[frame.metric == "winning_hand"].estimate.isna().all()
    axes = axes_of(charts.overview(frame, "Spades"), "Showdowns won by")
    assert not axes.texts


def test_an_overview_of_several_policies_is_refused(betting):
    frame = betting("spades", (3,), ("stay", "loose"))
    with pytest.raises(InputError, match="one policy, and this frame holds stay, loose"):
        charts.overview(frame, "Spades")
    with pytest.raises(InputError, match="one game, and this frame holds none"):
        charts.comparison(frame[:0], "Spades")


def test_a_mixed_table_shows_what_each_policy_wins_and_pays(betting):
    frame = betting("spades", (3,), (MIXED,))
    figure = charts.overview(frame, "Spades")
    assert "typical, 2 loose" in figure.get_suptitle()
    for title, metric in (
        ("Net result of a seat", "net_by_policy"),
        ("Tolls of a seat", "toll_by_policy"),
    ):
        axes, rows = axes_of(figure, title), frame[frame.metric == metric]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["typical", "loose"]
        drawn = [line.get_xdata()[0] for line in axes.lines if line.get_marker() in charts.MARKERS]
        assert drawn == rows.estimate.tolist()


@pytest.mark.parametrize("number", TABLES)
@pytest.mark.parametrize("sizes", [(2, 4, 5), (4,)], ids=["sizes", "one-size"])
@pytest.mark.parametrize("game", GAMES)
def test_a_comparison_shows_every_policy_in_a_look_of_its_own(betting, game, sizes, number):
    frame = betting(game, sizes, tuple(TABLES[number]))
    figure = charts.comparison(frame, "Game")
    assert legend_of(figure)[0] == TABLES[number]
    looks = {
        (line.get_color(), line.get_marker(), line.get_linestyle())
        for line in figure.legends[-1].get_lines()
    }
    assert len(looks) == number
    shown = [axes for axes in figure.axes if axes.axison]
    assert 4 <= len(shown) <= charts.MOST_CHARTS
    assert all(axes.get_title() and points(axes) and axes.collections for axes in shown)
    assert all(axes.get_xlabel() and (axes.get_ylabel() or axes.texts) for axes in shown)
    charts_of_kills = [axes for axes in shown if axes.get_title().startswith("Deals killed")]
    assert bool(charts_of_kills) == (game == "faces-of-death")


@pytest.mark.parametrize(
    ("game", "title", "metric", "level"),
    [
        ("faces-of-death", "Deals per pot, mean", "deals_per_pot", "mean"),
        ("spades", "Tolls a player pays", "toll_player", "mean"),
        ("spades", "Players who pay three tolls", "tolls_paid", "3"),
        ("spades", "Chips in a pot", "pot_size", "mean"),
    ],
)
def test_a_comparison_draws_estimates_with_intervals_by_table_size(
    betting, game, title, metric, level
):
    frame = betting(game, (2, 4, 5), tuple(TABLES[4]))
    axes = axes_of(charts.comparison(frame, "Game"), title)
    rows = frame[(frame.metric == metric) & (frame.level == level)]
    parts = [rows[rows.policy == policy] for policy in TABLES[4]]
    assert points(axes) == [part.estimate.tolist() for part in parts]
    ends = [[row.low, row.high] for part in parts for row in part.itertuples()]
    assert intervals(axes) == [pytest.approx(pair) for pair in ends]


def test_lines_are_exact_where_known_and_else_pale(betting):
    frame = betting("faces-of-death", (4, 5), ("stay", "fold:0.1", "typical"))
    axes = axes_of(charts.comparison(frame, "Faces"), "Deals per pot, mean")
    rows = frame[(frame.metric == "deals_per_pot") & (frame.level == "mean")].set_index("policy")
    lines = [line for line in axes.lines if line.get_linestyle() in charts.STYLES]
    assert [line.get_label() for line in lines] == [EXACT, EXACT, JOINED]
    assert [line.get_alpha() for line in lines] == [None, None, 0.5]
    for policy, line in zip(("stay", "fold:0.1"), lines[:2], strict=True):
        assert line.get_ydata().tolist() == rows.exact[policy].tolist()
    assert lines[2].get_ydata().tolist() == rows.estimate["typical"].tolist()


def test_folding_at_seven_players_is_shown_even_if_eight_play(betting):
    frame = betting("faces-of-death", (6, 7, 8), tuple(TABLES[2]))
    figure = charts.comparison(frame, "Faces")
    axes = axes_of(figure, "Deals killed, 7 players")
    rows = frame[(frame.metric == "kill_rate") & (frame.level == "all") & (frame.players == 7)]
    shown = [text.get_text() for text in axes.texts]
    assert shown == [f"{100 * share:.1f} %" for share in rows.estimate]
    dealt = axes_of(figure, "Deals killed, by players dealt in, 7 players")
    part = frame[(frame.metric == "kill_rate_dealt") & (frame.players == 7)]
    part = part[(part.policy == "fold:0.1") & (part.high - part.low < 0.5)]
    assert part.estimate.tolist() in points(dealt)
    assert axes_of(figure, "Players still in").get_xlabel().endswith("(stay: always 7)")


def test_who_pays_is_shown_by_the_number_of_tolls(betting):
    frame = betting("spades", (2, 4, 5), tuple(TABLES[4]))
    axes = axes_of(charts.comparison(frame, "Spades"), "Net result of players, by tolls paid, 5")
    rows = frame[(frame.metric == "net_by_tolls") & (frame.players == 5) & frame.low.notna()]
    assert points(axes) == [rows[rows.policy == policy].estimate.tolist() for policy in TABLES[4]]


def test_one_policy_alone_can_be_shown_in_the_same_way(betting):
    frame = betting("spades", (4,), ("typical",))
    figure = charts.comparison(frame, "Spades")
    assert legend_of(figure)[0] == ["typical"]
    assert JOINS in legend_of(figure)[1]


def test_a_game_that_puts_players_out_is_compared_too(betting):
    options = OPTIONS["player-out"]
    frame = betting("faces-of-death", (3, 4), tuple(TABLES[4]), options)
    titles = [axes.get_title() for axes in charts.comparison(frame, "Faces").axes]
    assert "Players put out per pot, mean" in titles
    assert not any(title.startswith("Deals") for title in titles)


def test_no_words_lie_over_others_with_many_policies(betting):
    tables = (MIXED, "tight,stay,typical", "fold:0.1,0.2,0.1,0.1,0", "loose", "fold:0.05", "stay")
    frame = betting("spades", (3,), tables)
    figure = charts.comparison(frame, "Spades")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    words = [text for axes in figure.axes if axes.axison for text in words_of(axes)]
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in words]
    for (one, box), (other, near) in itertools.combinations(zip(words, boxes, strict=True), 2):
        assert not box.overlaps(near), f"{one.get_text()} lies over {other.get_text()}"


def test_policies_are_named_in_few_letters():
    assert short("fold:0.1,0.2,0.1,0.1,0") == "fold:0.1,0.2,0.1,0.1,0"
    assert short("typical,loose,loose,tight") == "typical, 2 loose, tight"
    assert short("fold:0.1,fold:0.1,0.2,0.1,0.1,0,stay") == (
        "fold:0.1, fold:0.1,0.2,0.1,0.1,0, stay"
    )
    assert len(short("tight,loose,typical,stay," * 5)) == 60


# Charts that answer one question each.

SINGLE = {
    "faces-of-death": ("kill_rate", "kill_streets", "deals_per_pot", "survival", "winning_hands"),
    "spades": ("toll_pot", "who_pays", "winning_hands", "net_by_tolls"),
}
STREETS_OF_KILLS = ["third", "fourth", "fifth", "sixth"]


def rows_of(frame, metric, *levels):
    found = frame[frame.metric == metric]
    return found[found.level.isin(levels)] if levels else found


def curves(axes):
    """The (x, y) of everything drawn as a line, in the order drawn."""
    lines = [line for line in axes.lines if line.get_linestyle() in charts.STYLES]
    return [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in lines]


def shown_words(figure):
    texts = [word for axes in figure.axes for word in words_of(axes)]
    texts += [one.label for axes in figure.axes for one in (axes.xaxis, axes.yaxis)]
    texts += [label for legend in figure.legends for label in legend.get_texts()]
    return [*texts, figure._suptitle]


@pytest.mark.parametrize("most", [150, 30_000, 1_000_000, 20_000_000])
def test_numbers_of_a_logarithmic_axis_are_plain_and_apart(most):
    figure, (axes, *_) = sheet(4, PANEL, margin=1)
    axes.plot([1 if most < 1000 else 65_536 if most > 65_536 else 5_000, most], [0, 1])
    logarithmic(axes)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    low, high = axes.get_xlim()
    labels = [text for text in axes.get_xticklabels() if low <= text.get_position()[0] <= high]
    assert len(labels) >= 2
    assert all(text.get_text() in PLAIN for text in labels)
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in labels]
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))


@pytest.mark.parametrize("number", range(1, 9))
def test_a_legend_keeps_inside_its_figure(number):
    figure, _ = sheet(4, PANEL, margin=1)
    legend(figure, looks(range(2, 2 + number)), "{} players")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    box = figure.legends[0].get_window_extent(canvas.get_renderer())
    assert box.x0 >= 0
    assert box.x1 <= canvas.get_width_height()[0]


@pytest.mark.parametrize(
    ("kind", "sizes", "policies"),
    grid(
        itertools.product(
            [*OPTIONS, "spades"],
            [(2, 3, 8), (3,)],
            [("stay",), ("stay", "fold:0.1", "typical", MIXED)],
        )
    ),
)
def test_words_of_a_chart_are_whole_and_apart(betting, kind, sizes, policies):
    game = "spades" if kind == "spades" else "faces-of-death"
    seated = tuple(name for name in policies if name != MIXED or sizes == (3,))
    frame = betting(game, sizes, seated, OPTIONS.get(kind, ()))
    found = charts.drawings(frame)
    assert len(found) == (3 if kind == "player-out" else len(SINGLE[game]))
    for drawing in found:
        check_words(drawing.figure(), drawing.chart)


def check_words(figure, name):
    """No words of a figure are cut off, touch others, or hide a point."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    words = [text for text in shown_words(figure) if text.get_text()]
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in words]
    width, height = canvas.get_width_height()
    for text, box in zip(words, boxes, strict=True):
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
        assert inside, f"{name}: {text.get_text()} is cut off"
    for (one, box), (other, near) in itertools.combinations(zip(words, boxes, strict=True), 2):
        touch = box.padded(0.5).overlaps(near)
        assert not touch, f"{name}: {one.get_text()} touches {other.get_text()}"
    for axes in figure.axes:
        if axes.get_legend():
            box = axes.get_legend().get_window_extent(canvas.get_renderer())
            for line in drawn_as(axes, ESTIMATE):
                at = axes.transData.transform(np.column_stack(line.get_data()))
                hidden = [point for point in at if box.contains(*point)]
                assert not hidden, f"{name}: the legend of {axes.get_title()} hides points"


@pytest.mark.parametrize("kind", [*OPTIONS, "spades"])
@pytest.mark.parametrize("sizes", [(2, 3, 8), (3,)], ids=["sizes", "one-size"])
def test_words_of_a_page_are_whole_and_apart(betting, kind, sizes):
    game = "spades" if kind == "spades" else "faces-of-death"
    frame = betting(game, sizes, ("stay", "typical"), OPTIONS.get(kind, ()))
    check_words(charts.comparison(frame, "Game"), "comparison")
    for policy, part in frame.groupby("policy"):
        check_words(charts.overview(part, "Game"), f"overview of {policy}")


@pytest.mark.parametrize(
    ("options", "metric"), [("redeal", "kill_rate"), ("player-out", "killed_pots")]
)
def test_how_often_killers_strike_by_size_and_policy(betting, options, metric):
    frame = betting("faces-of-death", (2, 4, 5), ("stay", "typical"), OPTIONS[options])
    (axes,) = charts.kill_rate(frame).axes
    rows = rows_of(frame, metric, "all")
    parts = [rows[rows.policy == policy] for policy in ("stay", "typical")]
    assert points(axes) == [part.estimate.tolist() for part in parts]
    ends = [[row.low, row.high] for part in parts for row in part.itertuples()]
    assert intervals(axes) == [pytest.approx(pair) for pair in ends]
    known = [value for value in curves(axes)[0][1] if not np.isnan(value)]
    assert known == parts[0].exact.tolist()
    assert curves(axes)[1][1] == parts[1].estimate.tolist()


def test_how_often_killers_strike_at_one_size_is_said_in_words(betting):
    frame = betting("faces-of-death", (4,), ("stay", "typical"))
    (axes,) = charts.kill_rate(frame).axes
    rows = rows_of(frame, "kill_rate", "all")
    assert [text.get_text() for text in axes.texts] == [
        f"{100 * share:.1f} %" for share in rows.estimate
    ]
    (alone,) = drawn_as(axes, OPEN)
    assert alone.get_xdata() == [rows.exact.iloc[0]]


@pytest.mark.parametrize("options", OPTIONS)
def test_streets_have_points_intervals_and_exact_values(betting, options):
    metric = "kill_rate" if options == "redeal" else "players_out"
    frame = betting("faces-of-death", (2, 4, 5), ("stay", "typical"), OPTIONS[options])
    panels = charts.kill_streets(frame).axes
    assert [axes.get_title() for axes in panels] == ["stay", "typical"]
    for axes in panels:
        rows = rows_of(frame[frame.policy == axes.get_title()], metric, *STREETS_OF_KILLS)
        parts = [rows[rows.level == street] for street in STREETS_OF_KILLS]
        assert points(axes) == [part.estimate.tolist() for part in parts]
        assert len(intervals(axes)) == len(rows)
    exact = [value for _, line in curves(panels[0]) for value in line if not np.isnan(value)]
    stays = rows_of(frame[frame.policy == "stay"], metric, *STREETS_OF_KILLS)
    assert sorted(exact) == sorted(stays.exact)


def test_streets_of_one_size_stand_side_by_side(betting):
    frame = betting("faces-of-death", (4,), ("stay", "typical"))
    (axes,) = charts.kill_streets(frame).axes
    rows = rows_of(frame, "kill_rate", *STREETS_OF_KILLS)
    assert points(axes) == [
        rows[rows.policy == policy].estimate.tolist() for policy in ("stay", "typical")
    ]
    assert [label.get_text() for label in axes.get_xticklabels()] == STREETS_OF_KILLS


def test_deals_of_a_pot_are_drawn_as_what_takes_more(betting):
    frame = betting("faces-of-death", (2, 5), ("stay", "typical"))
    stay, _ = charts.deals_per_pot(frame).axes
    for index, players in enumerate((2, 5)):
        part = frame[(frame.policy == "stay") & (frame.players == players)]
        shares = rows_of(part, "deals_per_pot").set_index("level").estimate.drop("mean")
        killed = rows_of(part, "kill_rate", "all").exact.iloc[0]
        deals, exact = curves(stay)[index]
        # Deals are independent: a pot takes more than k if k are killed.
        assert exact == pytest.approx([killed**number for number in deals], abs=1e-4)
        (marks,) = [line for line in stay.lines if line.get_marker() == charts.MARKERS[index]]
        shown = marks.get_xdata().tolist()
        assert {1, 2} <= set(shown) <= set(deals)
        for number, share in zip(shown, marks.get_ydata(), strict=True):
            more = shares[shares.index.astype(str).astype(int) > number].sum()
            assert share == pytest.approx(more)
        low, high = stay.collections[index].get_segments()[0][:, 1]
        assert (low, high) == pytest.approx(wilson(1 - shares["1"], 500))


def test_deals_alive_are_one_panel_with_a_mark_at_each_sizes_last_card(betting):
    frame = betting("faces-of-death", (2, 5), ("stay", "fold:0.1"))
    (axes,) = charts.survival(frame).axes
    rows = rows_of(frame, "survival")
    parts = [
        rows[(rows.policy == policy) & (rows.players == players)]
        for policy in ("stay", "fold:0.1") for players in (2, 5)
    ]  # fmt: skip
    assert [line for _, line in curves(axes)][:2] == [part.exact.tolist() for part in parts[:2]]
    assert points(axes) == [[part.estimate.iloc[-1]] for part in parts]
    assert len(intervals(axes)) == 4
    (top,) = axes.child_axes
    assert [label.get_text() for label in top.get_xticklabels()] == ["2", "5"]
    assert top.get_xticks().tolist() == [8, 20]
    (alone,) = charts.survival(frame[frame.players == 5]).axes
    assert points(alone) == [part.estimate.tolist() for part in (parts[1], parts[3])]
    assert not alone.child_axes
    page = axes_of(charts.overview(frame[frame.policy == "stay"], "Faces"), "Deals not killed")
    assert points(page) == points(axes)[:2]


def test_tolls_of_a_pot_are_drawn_as_what_reaches_an_amount(betting):
    frame = betting("spades", (3,), ("stay", "typical"))
    (axes,) = charts.toll_pot(frame).axes
    rows = rows_of(frame, "toll_pot")
    rows = rows[rows.level.str.isdigit()].assign(
        chips=lambda part: part.level.astype(str).astype(int)
    )
    for policy, marker in (("stay", "o"), ("typical", "s")):
        part = rows[rows.policy == policy]
        (marks,) = [line for line in axes.lines if line.get_marker() == marker]
        assert len(marks.get_xdata()) > 5
        for chips, share in zip(marks.get_xdata(), marks.get_ydata(), strict=True):
            assert share == pytest.approx(part[part.chips >= chips].estimate.sum(), abs=1e-9)
    chips, exact = curves(axes)[0]
    stay = rows[rows.policy == "stay"]
    wanted = [stay[stay.chips >= amount].exact.sum() for amount in chips]
    assert exact == pytest.approx(wanted, abs=1e-4)
    assert len(intervals(axes)) == sum(map(len, points(axes)))


def test_the_third_and_the_fourth_toll_have_a_panel_each(betting):
    frame = betting("spades", (2, 4), ("stay", "typical"))
    for axes, level in zip(charts.who_pays(frame).axes, "34", strict=True):
        rows = rows_of(frame, "tolls_paid", level)
        assert points(axes) == [
            rows[rows.policy == policy].estimate.tolist() for policy in ("stay", "typical")
        ]
        assert len(intervals(axes)) == len(rows)


def test_a_toll_that_nobody_can_pay_has_no_panel():
    dealt = study.simulate("spades", [2, 3], 500, seed=1, options=["toll.cards=As,Ks,Qs"])
    assert len(charts.who_pays(dealt.frame()).axes) == 1


def test_winning_hands_stand_against_those_of_the_plain_deck(betting):
    plain = betting("spades", (2, 4), ("stay",), ("wild=none",))
    frame = pd.concat([betting("spades", (2, 4), ("stay",)), plain])
    figure = charts.winning_hands(frame)
    assert legend_of(figure) == (["Spades", "Spades (wild=none)"], [BARS, JOINS])
    assert figure.get_suptitle().endswith("; each panel has its own scale")
    titles = [axes.get_title() for axes in figure.axes]
    assert {"five of a kind", "two pair"} <= set(titles)
    for axes in figure.axes:
        rows = rows_of(flat(frame), "winning_hand", axes.get_title())
        assert points(axes) == [
            rows[rows.game == game].estimate.tolist() for game in rows.game.unique()
        ]
        assert len(intervals(axes)) == len(rows)
    files = {drawing.file: drawing for drawing in charts.drawings(frame)}
    assert files["spades-winning_hands-wild"].games == "spades against spades wild=none"
    with pytest.raises(InputError, match="one policy"):
        charts.winning_hands(pd.concat([betting("spades", (2, 4), ("stay", "typical")), plain]))


@pytest.mark.parametrize("policies", [("stay",), tuple(TABLES[4])], ids=len)
def test_winning_hands_of_one_game_and_of_one_size(betting, policies):
    frame = betting("spades", (2, 4), policies)
    drawn = [set(line) for axes in charts.winning_hands(frame).axes for line in points(axes)]
    rows = rows_of(frame, "winning_hand", "five of a kind")
    assert all(set(rows[rows.policy == policy].estimate) in drawn for policy in policies)
    (axes,) = charts.winning_hands(frame[frame.players == 4]).axes
    found = [line.get_xdata()[0] for line in axes.lines if line.get_marker() in charts.MARKERS]
    assert set(rows[rows.players == 4].estimate) <= set(found)
    assert len(found) == len(axes.collections) == len(axes.get_yticks()) * len(policies)
    assert len(axes.texts) == (len(found) if len(policies) == 1 else 0)
    heights = {line.get_ydata()[0] for line in axes.lines if line.get_marker() in charts.MARKERS}
    assert len(heights) == len(found)
    assert all(abs(height - round(height)) < 0.45 for height in heights)


def test_net_results_have_a_look_for_each_size(betting):
    frame = betting("spades", (2, 4), ("stay", "typical"))
    for axes, policy in zip(charts.net_by_tolls(frame).axes, ("stay", "typical"), strict=True):
        rows = rows_of(frame[(frame.policy == policy) & frame.low.notna()], "net_by_tolls")
        assert points(axes) == [
            rows[rows.players == players].estimate.tolist() for players in (2, 4)
        ]


def settling(players=(2, 3), metric="kill_rate"):
    """A frame as ``Study.convergence`` returns it."""
    rows = [
        ("game", size, "stay", metric, "all", 0.5 - 1 / pots, 0, 0.4, 0.6, pots, 0.5, np.nan)
        for size in players
        for pots in (10, 100, 1000)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_an_estimate_settles_in_its_band():
    frame = settling()
    for axes, players in zip(charts.convergence(frame).axes, (2, 3), strict=True):
        part = frame[frame.players == players]
        assert points(axes) == [part.estimate.tolist()]
        assert axes.get_xscale() == "log"
        band, *bars = axes.collections
        assert band.get_paths()[0].get_extents().extents == pytest.approx([10, 0.4, 1000, 0.6])
        assert [len(one.get_segments()) for one in bars] == [3]
        (exact,) = drawn_as(axes, EXACT)
        assert list(exact.get_ydata()) == [0.5, 0.5]
    title = charts.convergence(frame).get_suptitle()
    assert title.startswith("Deals killed, as pots are played\ngame, stay: each bar's pots include")
    assert charts.convergence(settling(metric="survival")).get_suptitle().startswith("Share of dea")


def test_what_cannot_settle_is_refused():
    frame = settling()
    with pytest.raises(InputError, match="from two cells of pots"):
        charts.convergence(frame[frame.pots == 10])
    with pytest.raises(InputError, match="one metric, and this frame holds kill_rate, survival"):
        charts.convergence(pd.concat([frame, settling(metric="survival")]))


def advice():
    """A frame of which table sizes keep to two limits, as a recommendation has it."""
    why = "showdowns (nobody folds)"
    rows = [
        ("game", 2, "stay", "deals", "deals", 1.67, 1.66, 1.68, 5.0, "pass", why),
        ("game", 2, "stay", "long_pots", "share", 0.104, 0.09, 0.118, 0.1, "unresolved", why),
        ("game", 2, "stay", "all", "", *[np.nan] * 4, "unresolved", why),
        ("game", 8, "stay", "deals", "deals", 22.8, 22.79, 22.81, 5.0, "fail", why),
        ("game", 8, "stay", "all", "", *[np.nan] * 4, "fail", why),
    ]
    return pd.DataFrame(rows, columns=list(JUDGED))


def test_a_recommendation_is_a_matrix_of_figures_and_limits():
    frame = advice()
    figure = charts.recommendation(frame)
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "8"]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["deals\nlimit 5", "long pots\nlimit 10 %", "all"]
    words = {text.get_text() for text in axes.texts}
    # The interval of 22.8 rounds to it.
    assert words == {"✓ 1.67", "1.66 – 1.68", "? 10.4 %", "9.0 – 11.8 %", "✗ 22.8",
                     "? unresolved", "✗ fail"}  # fmt: skip
    assert axes.get_xlabel() == "players\nleft out: showdowns (nobody folds)"
    grounds = {(box.get_x(), box.get_y()): box.get_facecolor() for box in axes.patches}
    assert len(grounds) == len(frame)
    assert len(set(grounds.values())) == 3
    assert grounds[0, 1] == grounds[0, 2] != grounds[1, 2]
    hatched = {(box.get_x(), box.get_y()) for box in axes.patches if box.get_hatch()}
    assert hatched == {(0, 1), (0, 2)}


def test_a_recommendation_has_a_matrix_for_each_policy_and_known_verdicts():
    tight = advice().query("constraint != 'long_pots'").assign(policy="tight", left_out="")
    frame = pd.concat([advice(), tight])
    stays, tights = charts.recommendation(frame).axes
    assert (stays.get_title(), tights.get_title()) == ("stay", "tight")
    assert (len(stays.get_yticks()), len(tights.get_yticks())) == (3, 2)  # no row is empty
    assert tights.get_xlabel() == "players"
    with pytest.raises(InputError, match="no verdict 'perhaps'"):
        charts.recommendation(frame.assign(verdict="perhaps"))
    (drawing,) = charts.drawings(pd.DataFrame(columns=list(COLUMNS)), {"recommendation": frame})
    assert (drawing.file, drawing.policies) == ("game-recommendation", "stay, tight")


def figures_of(lines, study):
    """What each line of Python draws, with only ``charts`` and a study at hand."""
    return {name: eval(line, {"charts": charts, "study": study}) for name, line in lines.items()}  # noqa: S307


def test_every_chart_has_the_line_that_makes_it():
    for game, lacking in (
        ("faces-of-death", SINGLE["spades"]),
        ("spades", SINGLE["faces-of-death"]),
    ):
        with study.simulate(game, [2, 3], 300, seed=1) as held:
            lines = {
                name: chart.line for name, chart in charts.CHARTS.items()
                if name not in {*lacking, "convergence"} - {"winning_hands"}
            }  # fmt: skip
            assert all(isinstance(figure, Figure) for figure in figures_of(lines, held).values())
    with study.simulate("spades", 2, 2 * CELL, seed=1) as held:
        settles = {"convergence": charts.CHARTS["convergence"].line}
        assert figures_of(settles, held)["convergence"].axes


@pytest.mark.parametrize("name", ["kill_rate", "survival", "kill_streets", "winning_hands"])
def test_a_chart_is_drawn_on_axes_that_are_given(betting, name):
    frame = betting("faces-of-death", (4,), ("stay", "typical"))
    theirs = Figure(figsize=(9, 4), layout="constrained")
    left, right = theirs.subplots(1, 2)
    left.set_title("mine")
    alone = getattr(charts, name)(frame)
    assert getattr(charts, name)(frame, ax=right) is theirs
    assert points(right) == points(alone.axes[0])
    assert not left.lines
    assert (left.get_title(), theirs.get_suptitle(), theirs.legends) == ("mine", "", [])
    assert right.get_title() == alone.get_suptitle().splitlines()[0]
    names = [text.get_text() for text in right.get_legend().get_texts()]
    assert names == [name for names in legend_of(alone) for name in names]


def test_charts_of_several_panels_take_as_many_axes(betting, refused):
    frame = betting("spades", (2, 4), ("stay", "typical"))
    theirs = Figure(layout="constrained")
    grid = theirs.subplots(2, 1, sharey=True)
    assert charts.net_by_tolls(frame, ax=grid) is theirs
    assert [points(axes) for axes in grid] == [
        points(axes) for axes in charts.net_by_tolls(frame).axes
    ]
    assert [axes.get_title() for axes in grid] == ["stay", "typical"]
    empty = Figure().subplots()
    refused(lambda: charts.net_by_tolls(frame, ax=empty), "2 panels", "ax holds 1", "one policy")
    assert not empty.lines
    refused(lambda: charts.net_by_tolls(frame, ax="left"), "ax")


def test_narrow_charts_have_their_panels_below_each_other(betting):
    frame = betting("spades", (2, 4), ("stay", "typical"))
    several = {
        "panels": lambda: charts.net_by_tolls(frame),
        "page": lambda: charts.comparison(frame, "Spades"),
        "small": lambda: charts.winning_hands(frame),
    }
    wide = {name: draw() for name, draw in several.items()}
    with charts.narrow():
        narrow = {name: draw() for name, draw in several.items()}
    for name, columns in (("panels", 1), ("page", 1), ("small", 2)):
        check_words(narrow[name], name)
        assert narrow[name].axes[0].get_gridspec().ncols == columns
        assert wide[name].axes[0].get_gridspec().ncols > columns
        assert list(map(points, narrow[name].axes)) == list(map(points, wide[name].axes))
        assert narrow[name].get_figwidth() < 6.6 < wide[name].get_figwidth()
    assert charts.net_by_tolls(frame).axes[0].get_gridspec().ncols == 2


def test_panels_that_are_compared_share_a_scale_or_say_that_they_do_not(betting):
    spades = betting("spades", (2, 4), ("stay", "typical"))
    faces = betting("faces-of-death", (2, 4), ("stay", "typical"))
    drawn = [*charts.drawings(spades), *charts.drawings(faces)]
    several = [drawing.figure() for drawing in drawn]
    several = [figure for figure in several if len(figure.axes) > 1]
    said = [figure.get_suptitle().endswith("; each panel has its own scale") for figure in several]
    alike = [len({axes.get_ylim() for axes in figure.axes}) == 1 for figure in several]
    assert len(several) >= 6
    assert {True, False} == set(said)
    assert alike == [not own for own in said]
    assert len({axes.get_ylim() for axes in charts.net_by_tolls(spades).axes}) == 1


@pytest.mark.parametrize("name", charts.CHARTS)
def test_a_frame_without_the_data_is_refused(betting, name):
    draw = charts.CHARTS[name].draw
    assert draw is getattr(charts, name)
    with pytest.raises(InputError, match=r"does not tell|lacks the columns constraint"):
        draw(betting("spades", (3,), ("stay",))[:0])
    if name in {*SINGLE["faces-of-death"], *SINGLE["spades"]} - {"winning_hands"}:
        other = "faces-of-death" if name in SINGLE["spades"] else "spades"
        with pytest.raises(InputError, match="does not tell"):
            draw(betting(other, (3,), ("stay",)))
        mine = betting("spades" if name in SINGLE["spades"] else "faces-of-death", (3,), ("stay",))
        with pytest.raises(InputError, match="one game, and this frame holds"):
            draw(pd.concat([mine, mine.assign(game="another")]))

"""Charts: made from the frame alone, one function each."""

import functools
import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from sim import charts, cli, study
from sim.errors import InputError

OPTIONS = {"player-out": ("kill.treatment=player-out",), "redeal": ()}


GAMES = ("faces-of-death", "spades")
TABLES = {2: ["stay", "fold:0.1"], 4: ["stay", "loose", "typical", "tight"]}
MIXED = "typical,loose,loose"


@pytest.fixture(scope="module")
def betting():
    """A function that plays a few pots under several policies, the same ones once."""

    @functools.cache
    def play(game, players, policies, options=()):
        several = study.simulate(game, players, 500, seed=1, options=options, policies=policies)
        return several.frame()

    return play


def points(axes):
    """What is drawn as points: (y, …) of each set, in the order drawn."""
    return [line.get_ydata().tolist() for line in axes.lines if line.get_marker() in charts.MARKERS]


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
    frame = study.simulate("faces-of-death", [2, 5, 8], 500, seed=1).frame()
    axes = axes_of(charts.overview(frame, "Faces"), "Deals per pot")
    rows = frame[(frame.metric == "deals_per_pot") & (frame.level == "mean")]
    drawn = [line.get_ydata().tolist() for line in axes.lines]
    assert rows.estimate.tolist() in drawn
    exact = {line.get_xdata()[0]: line for line in axes.lines}[2].get_ydata()
    assert [exact[place] for place in (0, 3, 6)] == rows.exact.tolist()
    assert np.isnan(exact[[1, 2, 4, 5]]).all()  # sizes that were not asked for are not claimed


def test_every_point_has_its_interval():
    frame = study.simulate("spades", [2, 7], 500, seed=1).frame()
    axes = axes_of(charts.overview(frame, "Spades"), "Tolls per pot")
    rows = frame[(frame.metric == "toll_pot") & (frame.level == "mean")]
    (bars,) = axes.collections
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert ends == [pytest.approx([row.low, row.high]) for row in rows.itertuples()]


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
        assert ("exact" in figure.get_suptitle()) == (policy == "stay")


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
    for title, metric in (("Net result", "net_by_policy"), ("Tolls of a seat", "toll_by_policy")):
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
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == TABLES[number]
    looks = {
        (line.get_color(), line.get_marker(), line.get_linestyle()) for line in legend.get_lines()
    }
    assert len(looks) == number
    shown = [axes for axes in figure.axes if axes.axison]
    assert 4 <= len(shown) <= charts.MOST_CHARTS
    assert all(axes.get_title() and points(axes) and axes.collections for axes in shown)
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
    assert shown == [f"{share:.1%}" for share in rows.estimate]
    dealt = axes_of(figure, "Deals killed by players dealt in, 7 at the table")
    part = frame[(frame.metric == "kill_rate_dealt") & (frame.players == 7)]
    part = part[(part.policy == "fold:0.1") & (part.high - part.low < 0.5)]
    assert part.estimate.tolist() in points(dealt)
    assert axes_of(figure, "Players still in").get_xlabel().endswith("(stay: always 7)")


def test_who_pays_is_shown_by_the_number_of_tolls(betting):
    frame = betting("spades", (2, 4, 5), tuple(TABLES[4]))
    axes = axes_of(charts.comparison(frame, "Spades"), "Net result by tolls paid, 5 players")
    rows = frame[(frame.metric == "net_by_tolls") & (frame.players == 5)]
    assert points(axes) == [rows[rows.policy == policy].estimate.tolist() for policy in TABLES[4]]


def test_one_policy_alone_can_be_shown_in_the_same_way(betting):
    frame = betting("spades", (4,), ("typical",))
    figure = charts.comparison(frame, "Spades")
    assert "lines join estimates" in figure.get_suptitle()
    assert len(figure.legends[0].get_texts()) == 1


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
    assert charts._short("fold:0.1,0.2,0.1,0.1,0") == "fold:0.1,0.2,0.1,0.1,0"
    assert charts._short("typical,loose,loose,tight") == "typical, 2 loose, tight"
    assert charts._short("fold:0.1,fold:0.1,0.2,0.1,0.1,0,stay") == (
        "fold:0.1, fold:0.1,0.2,0.1,0.1,0, stay"
    )
    assert len(charts._short("tight,loose,typical,stay," * 5)) == 60

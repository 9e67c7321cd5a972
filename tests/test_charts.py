"""Charts: made from the frame alone, one function each."""

import numpy as np
import pytest

from sim import charts, study

OPTIONS = {"player-out": ("kill.treatment=player-out",), "redeal": ()}


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


def test_labels_become_file_names():
    assert charts.file_name("faces-of-death kill.treatment=player-out") == (
        "faces-of-death_kill.treatment=player-out"
    )
    assert "/" not in charts.file_name("own wild=As Ks / x")

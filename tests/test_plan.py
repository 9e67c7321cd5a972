"""Plans: what a file says, what it means, and what is refused."""

import pytest

from sim import plan as plans
from sim.errors import InputError
from sim.policy import Policy
from sim.scenario import MOST_POTS, Precision

WHOLE = """
games = [
    "faces-of-death", {page = "faces-of-death", options = ["kill.ante_again=true"]}, "own.toml",
]
players = "2-3,8"
policies = ["stay"]
seed = 7
pots = "100M"
half_width = 0.0005
metric = "hand"
level = "flush"
max_seconds = 60
"""


@pytest.fixture
def load(tmp_path):
    """A function that reads a plan file with this text."""
    (tmp_path / "own.toml").write_text('name="own"\ntitle="Own"\nwild="deuces"\n')

    def read(text):
        (tmp_path / "plan.toml").write_text(text)
        return plans.load(tmp_path / "plan.toml")

    return read


def test_a_plan_file_is_a_grid_with_a_seed_and_a_target(load):
    plan = load(WHOLE).plan
    assert [(one.game.label, one.players) for one in plan.scenarios] == [
        (label, players)
        for label in ("faces-of-death", "faces-of-death kill.ante_again=true", "own")
        for players in (2, 3, 8)
    ]
    assert (plan.seed, plan.pots, plan.max_seconds) == (7, 10**8, 60)
    assert plan.precision == Precision("hand", "flush", half_width=0.0005)


def test_the_same_in_python_is_the_same_plan(load):
    words = {
        "players": [2, 3, 8],
        "pots": 10**6,
        "seed": 7,
        "relative": 0.01,
        "metric": "split_pots",
    }
    made = plans.make_plan("spades", **words)
    text = 'games="spades"\nplayers=[2,3,8]\npots="1M"\nseed=7\nrelative=0.01\nmetric="split_pots"'
    assert load(text).plan == made


def test_duplicates_collapse_with_a_notice(load):
    found = load('games=["spades", "spades"]\nplayers=[2, 2, 3]\npots=10')
    assert len(found.plan.scenarios) == 2
    assert found.notices == [
        "2 scenarios are there more than once, spades, 2 players 4 times: each is played once"
    ]
    (notice,) = load('games=["spades", "spades", "spades"]\nplayers=2\npots=10').notices
    assert notice == "spades, 2 players is there 3 times: it is played once"
    with pytest.warns(UserWarning, match="played once"):
        assert plans.make_plan("spades", players=[2, 3, 2], pots=10) == found.plan


def test_policies_are_tables_and_pages_of_them_lie_beside_the_plan(load, tmp_path):
    (tmp_path / "nit.toml").write_text('name = "nit"\ncaution = 2\naggression = 3\n')
    text = 'games="spades"\nplayers=3\npots=10\npolicies=["typical", "nit.toml,loose,fold:0.1"]'
    scenarios = load(text).plan.scenarios
    assert [one.policy for one in scenarios] == ["typical", "nit,loose,fold:0.1"]
    nit = Policy.family("nit", 2.0, 3.0)
    assert scenarios[1].seats[0] == nit
    made = plans.make_plan("spades", players=3, pots=10, policies=["typical", nit])
    assert [one.seats for one in made.scenarios][1] == (nit,) * 3


def test_seconds_alone_leave_as_many_pots_as_a_tally_can_hold(load):
    plan = load('games="faces-of-death"\nplayers=2\nmax_seconds=5').plan
    assert plan.pots == MOST_POTS


BAD = {
    'games="spades"': "never ends",
    'pots=5': "games is missing",
    'games=[]\npots=5': "[] is no game",
    'games=5\npots=5': "5 is no game",
    'games=[{page="spades", x=1}]\npots=5': "is no game",
    'games="spades"\npots="many"': "many",
    'games="spades"\npots=0': "pots = 0",
    'games="spades"\nplayers="9"\npots=5': "2 to 8",
    'games="spades"\nplayers=[9]\npots=5': "2 to 8",
    'games="spades"\npots=5\npolicies="bluff"': "bluff",
    'games="spades"\npots=5\nhalfwidth=0.1': "halfwidth",
    'games="spades"\npots=5\nhalf_width=0.1': "need a metric",
    'games="spades"\npots=5\nmetric="hand"': "half_width or relative",
    'games="spades"\nmetric="hand"\nlevel="flush"\nhalf_width=0.1': "never ends",
    'games="spades"\npots=5\nmetric="hand"\nlevel="flush"\nhalf_width=0.1\nrelative=0.1': "one of",
    'games="spades"\npots=5\nmetric="hand"\nlevel="flush"\nhalf_width=-0.1': "above 0",
    'games="spades"\npots=5\nmetric="hand"\nlevel="flush"\nrelative=nan': "above 0",
    'games="spades"\npots=5\nmetric="hnad"\nhalf_width=0.1': "hnad",
    'games="spades"\npots=5\nmetric="hand"\nlevel="flsh"\nhalf_width=0.1': "flsh",
    'games="spades"\npots=5\nmetric="toll_pot"\nlevel="p95"\nhalf_width=0.1': "p95",
    'games="spades"\npots=5\nmetric="toll_pot"\nlevel="1"\nrelative=0.1': "nought by the rules",
    'games="spades"\npots=5\nmetric="kill_rate"\nhalf_width=0.1': "has no kill_rate",
    'games="faces-of-death"\npots=5\nmetric="hand"\nlevel="five of a kind"\nrelative=0.1': "nought",
    'games="faces-of-death"\npots=5\nmetric="winning_hand"\nlevel="five of a kind"\nrelative=0.1':
        "nought",
    'games="spades"\npots=5\nmax_seconds=0': "above 0",
    'games="spades"\npots=5\nseed=-1': "seed = -1",
    'games="spades"\npots=5\nseed="x"': "seed",
    'games="chess"\npots=5': "chess",
    'games = = 5': "not TOML",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_a_bad_plan_is_refused_in_one_sentence_that_names_it(load, refused, text):
    refused(lambda: load(text), BAD[text], "plan.toml")


def test_a_plan_is_read_whole_or_not_at_all(load, refused):
    text = 'games="spades"\npots=5\n'
    assert load(f"{text}#{'x' * 1_000_000}").plan.pots == 5
    refused(lambda: load(f"{text}#{'x' * (1 << 20)}\nnonsense=1"), "larger than 1,048,576 bytes")


def test_a_plan_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        plans.load(tmp_path / "none.toml")


def test_a_page_without_an_ending_is_seen_from_where_the_plan_lies_too(load, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "mine").write_text('name="mine"\ntitle="Mine"\n')
    assert load('games="pages/mine"\nplayers=2\npots=1').plan.scenarios[0].game.name == "mine"

"""Pages: what is shipped is sound, and what cannot be played is refused in one clear line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import page
from pydantic import ValidationError

from sim import cards
from sim import game as pages
from sim.game import Game, load, parse_page, shipped

MINIMAL = 'name = "mine"\ntitle = "Mine"\n'
ALL_CARDS = "clubs diamonds hearts spades"


def test_the_shipped_pages() -> None:
    assert shipped() == ["black-mariah", "faces-of-death", "seven-card-stud", "spades"]
    for name in shipped():
        game = load(name)
        assert game.name == game.label == name
        assert game.source
        assert game.summary
        assert game.title in game.announcement()


def test_the_pages_say_what_the_sources_say() -> None:
    """OPR-672 (killers), OPR-716 (wild cards, prices, the dealer's ante)."""
    faces, mariah, spades = (load(name) for name in ("faces-of-death", "black-mariah", "spades"))
    assert faces.kill.cards == cards.parse_set("J♠ Q♠ K♠")
    assert mariah.kill.cards == cards.parse_set("Q♠")
    assert faces.kill.treatment == mariah.kill.treatment == "redeal"
    assert spades.wild == spades.toll.cards == cards.parse_set("spades")
    assert spades.toll.prices == (2, 5, 10, 20)
    assert (spades.ante.who, spades.ante.amount) == ("dealer", 1)
    assert not faces.wild
    assert not spades.kill.cards


def test_every_choice_names_an_option_and_a_reason() -> None:
    for name in shipped():
        game = load(name)
        for choice in game.choices:
            assert pages._option_value(game.rules(), choice.option) is not None
            assert choice.why.strip()


def test_a_minimal_page_is_plain_stud() -> None:
    game = parse_page(MINIMAL)
    assert (game.wild, game.kill.cards, game.toll.cards, game.ante.amount) == (0, 0, 0, 0)
    assert game.kill.max_deals == 1000


def test_rules_hold_no_words() -> None:
    one = parse_page(MINIMAL + "[ante]\namount = 1")
    other = parse_page('name = "other"\ntitle = "O"\nsummary = "S"\n[ante]\namount = 1')
    assert one.rules() == other.rules()
    assert one.rules() != parse_page(MINIMAL).rules()


def test_a_page_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load("spades").wild = 0


def test_a_page_of_ones_own_is_read_by_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINIMAL + 'wild = "deuces"', encoding="utf-8")
    assert load(path) == load(str(path)) == parse_page(MINIMAL + 'wild = "deuces"')


@pytest.mark.parametrize(
    ("page_text", "words"),
    [
        ("", ["name"]),
        ('name = "mine"', ["title", "missing"]),
        ('name = "Not A Name"\ntitle = "T"', ["name", "Not A Name"]),
        (MINIMAL + 'wilds = "spades"', ["wilds", "did you mean wild?"]),
        (MINIMAL + "[kill]\ncard = 3", ["kill.card", "did you mean cards?"]),
        (MINIMAL + "[tax]\namount = 3", ["tax", "known here"]),
        (MINIMAL + 'changed = ["a=b"]', ["changed"]),
        (MINIMAL + 'wild = "jokers"', ["wild", "jokers"]),
        (MINIMAL + "wild = 1.5", ["wild", "1.5"]),
        (MINIMAL + f"wild = {2**52}", ["wild", str(2**52)]),
        (MINIMAL + 'flush_repeats = "yes"', ["flush_repeats", "yes"]),
        (MINIMAL + "flush_repeats = true", ["flush_repeats", "wild"]),
        (MINIMAL + "[ante]\namount = -1", ["ante.amount", "-1"]),
        (MINIMAL + "[ante]\namount = 10001", ["ante.amount", "10001", "10000"]),
        (MINIMAL + '[ante]\namount = "1"', ["ante.amount", "'1'"]),
        (MINIMAL + '[ante]\nwho = "nobody"', ["ante.who", "nobody", "dealer"]),
        (MINIMAL + "ante = 1", ["ante", "1"]),
        (MINIMAL + '[toll]\ncards = "spades"\nprices = [2, -5]', ["toll.prices", "-5"]),
        (MINIMAL + '[toll]\ncards = "spades"\nprices = 2', ["toll.prices", "2"]),
        (MINIMAL + '[toll]\ncards = "spades"', ["toll", "prices is missing"]),
        (MINIMAL + "[toll]\nprices = [2]", ["toll", "cards is missing"]),
        (MINIMAL + '[kill]\ncards = "Qs"\ntreatment = "shout"', ["kill.treatment", "shout"]),
        (MINIMAL + '[kill]\ncards = "Qs"\nmax_deals = 0', ["kill.max_deals", "0"]),
        (MINIMAL + '[kill]\ncards = "Qs"\nmax_deals = 10001', ["kill.max_deals", "10001"]),
        (MINIMAL + '[kill]\ntreatment = "player-out"', ["player-out", "killer"]),
        (
            MINIMAL + '[kill]\ncards = "Qs"\ntreatment = "player-out"\nante_again = true',
            ["ante_again", "player-out"],
        ),
        (
            MINIMAL + '[kill]\ncards = "Qs"\ntreatment = "player-out"\neveryone = true',
            ["everyone", "player-out"],
        ),
        (
            MINIMAL + f'[kill]\ncards = "{ALL_CARDS}"',
            ["no deal could ever finish", "52", "8 cards"],
        ),
        (MINIMAL + '[[choices]]\noption = "kill.colour"\nwhy = "w"', ["kill.colour"]),
        (MINIMAL + '[[choices]]\noption = "kill"\nwhy = "w"', ["kill", "section"]),
        (MINIMAL + 'wild = "low hole card"', ["wild", "'low hole card'", "cannot be played here"]),
        (MINIMAL + 'wild = "thirds"', ["wild", "'thirds'", "treys or threes", "spades"]),
        (MINIMAL + 'wild = ["threes", "nines"]', ["wild = ['threes', 'nines']", "threes nines"]),
        (MINIMAL + f'wild = "{"x" * 9999}"', ["wild", "xx...xx"]),
        (MINIMAL + '"a\\nb" = 1', ["'a\\nb'", "not an option"]),
        ("name = ", ["TOML"]),
    ],
)
def test_a_bad_page_is_refused(page_text: str, words: list[str], refused: Callable) -> None:
    refused(lambda: parse_page(page_text, where="mine.toml"), "mine.toml", *words)


def test_a_page_that_cannot_be_read_is_refused(tmp_path: Path, refused: Callable) -> None:
    missing, binary = tmp_path / "none.toml", tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    refused(lambda: load(missing), str(missing))
    refused(lambda: load(binary), str(binary))
    refused(lambda: load(tmp_path), str(tmp_path))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("spade", "spades"),
        ("Spade", "spades"),
        ("faces", "faces-of-death"),
        ("mariah", "black-mariah"),
    ],
)
def test_an_unknown_game_is_answered_with_near_names(
    name: str, near: str, refused: Callable
) -> None:
    refused(lambda: load(name), repr(name), near)


def test_a_name_near_to_nothing_is_answered_with_all(refused: Callable) -> None:
    refused(lambda: load("zzz"), "'zzz'", *shipped(), ".toml")


# --- Which deals can finish -------------------------------------------------------------------


@pytest.mark.parametrize(("players", "up_cards"), [(2, 8), (4, 16), (7, 28), (8, 33)])
def test_up_cards_of_a_finished_deal(players: int, up_cards: int) -> None:
    """Eight players share a community card, which lies face up and can kill."""
    assert pages.up_cards(players) == up_cards
    killers = cards.mask_of(range(52 - up_cards))
    kill = {"cards": killers}
    game = Game.model_validate({"name": "mine", "title": "Mine", "kill": kill})
    assert game.can_finish(players)
    if players > 2:
        fewer = {"cards": killers | 1 << 51}
        game = Game.model_validate({"name": "mine", "title": "Mine", "kill": fewer})
        assert not game.can_finish(players)


def test_killers_all_round_are_fine_when_they_put_out_one_player_each() -> None:
    """The last player left wins at once, so every deal ends."""
    text = f'[kill]\ncards = "{ALL_CARDS}"\ntreatment = "player-out"'
    game = parse_page(MINIMAL + text)
    assert all(game.can_finish(players) for players in range(2, 9))


# --- Options ----------------------------------------------------------------------------------


def test_options_change_the_page_and_its_label() -> None:
    game = load("faces-of-death").with_options(["kill.treatment=player-out"])
    assert game.kill.treatment == "player-out"
    assert game.label == "faces-of-death kill.treatment=player-out"
    assert load("faces-of-death").kill.treatment == "redeal"


@pytest.mark.parametrize(
    ("option", "read", "label"),
    [
        ("kill.ante_again=true", lambda game: game.kill.ante_again is True, "kill.ante_again=true"),
        ("kill.everyone = true", lambda game: game.kill.everyone is True, "kill.everyone=true"),
        ("kill.max_deals=7", lambda game: game.kill.max_deals == 7, "kill.max_deals=7"),
        ("kill.cards=Q♠", lambda game: game.kill.cards == 1 << 43, "kill.cards=Qs"),
        ('kill.cards="Qs"', lambda game: game.kill.cards == 1 << 43, "kill.cards=Qs"),
        ("wild=deuces", lambda game: game.wild == 0b1111, "wild=deuces"),
        ("ante.who=dealer", lambda game: game.ante.who == "dealer", "ante.who=dealer"),
        ("ante.amount=3", lambda game: game.ante.amount == 3, "ante.amount=3"),
    ],
)
def test_every_kind_of_option(option: str, read: Callable, label: str) -> None:
    game = load("faces-of-death").with_options([option])
    assert read(game)
    assert game.label == f"faces-of-death {label}"
    assert game.rules() != load("faces-of-death").rules()


def test_options_that_need_each_other_are_set_together() -> None:
    options = ["toll.cards=hearts", "toll.prices=[3,4]"]
    game = load("seven-card-stud").with_options(options)
    assert game.toll.prices == (3, 4)
    assert game.label == "seven-card-stud toll.cards=hearts toll.prices=[3,4]"


def test_an_option_set_to_what_it_was_changes_nothing() -> None:
    assert load("spades").with_options(["toll.prices=[2,5,10,20]", "wild=spades"]) == load("spades")
    assert load("spades").with_options([]) == load("spades")


def test_options_set_one_after_the_other_are_all_remembered() -> None:
    once = load("faces-of-death").with_options(["kill.ante_again=true", "ante.amount=2"])
    twice = page("faces-of-death kill.ante_again=true").with_options(["ante.amount=2"])
    assert once == twice


def test_an_option_set_back_is_no_change() -> None:
    changed = load("faces-of-death").with_options(["ante.amount=2"])
    assert changed.with_options(["ante.amount=1"]).label == "faces-of-death"


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("kill.treatment", ["'kill.treatment'", "option=value"]),
        ("kill.treatmnt=redeal", ["kill.treatmnt", "did you mean kill.treatment?"]),
        ("colour=red", ["colour", "known"]),
        ("kill=player-out", ["kill", "section", "treatment"]),
        ("kill.cards.first=Qs", ["kill.cards.first"]),
        ("kill.treatment=shout", ["faces-of-death", "shout", "player-out"]),
        ("kill.ante_again=yes", ["kill.ante_again", "yes"]),
        ("ante.amount=-1", ["ante.amount", "-1"]),
        ("ante.amount=1.5", ["ante.amount", "1.5"]),
        ("title=Other", ["title"]),
        ("kill.cards=none,1x", ["kill.cards", "1x"]),
        ("toll.prices=[2,5]", ["toll", "cards"]),
        ("=3", ["option"]),
        ("two\nlines=3", ["option"]),
    ],
)
def test_a_bad_option_is_refused(option: str, words: list[str], refused: Callable) -> None:
    refused(lambda: load("faces-of-death").with_options([option]), *words)


def test_the_natural_page_of_baseball_is_played() -> None:
    page = parse_page(MINIMAL + 'wild = "threes nines"')
    assert page.digest == parse_page(MINIMAL + 'wild = "treys, 9c 9d 9h 9s"').digest


def test_a_number_is_no_set_of_cards(refused: Callable) -> None:
    """Whoever writes wild=2 means deuces, not the cards of the mask 0b10."""
    refused(lambda: load("spades").with_options(["wild=2"]), "wild", "2")


# --- The announcement -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (
            "faces-of-death",
            ["J♠, Q♠ or K♠ is dealt", "killed", "again to those still in", "without a new ante"],
        ),
        ("faces-of-death kill.ante_again=true", ["those still in", "with a new ante"]),
        ("faces-of-death kill.everyone=true", ["everybody, folded or not", "with a new ante"]),
        ("faces-of-death kill.treatment=player-out", ["is out", "the deal goes on"]),
        ("spades", ["Wild: spades", "2, then 5, then 10, then 20"]),
    ],
)
def test_the_dealer_announces_what_a_kill_does(label: str, words: list[str]) -> None:
    """OPR-672, rule 3.2: the dealer shall announce before the deal how a killed hand is handled."""
    announced = page(label).announcement()
    assert all(expected in announced for expected in words)


def test_nothing_is_announced_that_does_not_happen() -> None:
    announced = load("seven-card-stud").announcement()
    assert not any(word in announced for word in ("Wild", "kill", "out", "pays"))

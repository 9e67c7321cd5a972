"""Fill in what the code can tell of itself: ``python -m docs.reference``.

In README.md and the pages beside this file, what stands between ``<!-- generated: NAME -->`` and
``<!-- end -->`` is made by ``MAKERS[NAME]``. ``tests/test_docs.py`` fails when a page says anything
else than the code does today.
"""

import ast
import inspect
import json
import re
import textwrap
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from enum import EnumType
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from typer.models import OptionInfo, ParameterInfo

import sim
from docs import strength_error
from sim import game, policy, study
from sim.advice import CONSTRAINTS, Limits, Pace, number
from sim.cards import DECK
from sim.charts import CHARTS
from sim.cli import (
    EXIT_CODES,
    advice,  # noqa: F401 - its commands are the app's
    studies,  # noqa: F401
)
from sim.cli.commands import app
from sim.export import FRAME
from sim.game import Choice, Game
from sim.plan import Table
from sim.policy import PolicyPage
from sim.rows import COLUMNS_BY
from sim.stats import estimate
from sim.stats.estimate import METRICS

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"(<!-- generated: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
REPORTED = ("changed", "original")
"""What a page is given by ``--set``, and cannot say itself."""
PAGE = Game(name="page", title="Page")
ALL_CARDS = 1 << DECK
"""What a set of cards stays below."""
LOOKS = (1_000, 65_536, 1_000_000, 10_000_000)
"""Numbers of pots at which a confidence sequence is held against an interval."""
EXAMPLES = ("faces-of-death", "faces-of-death kill.treatment=player-out", "spades")
"""Games that have every metric between them."""


def pages() -> list[Path]:
    """Return the README and the pages beside this file."""
    return [ROOT / "README.md", *sorted(Path(__file__).parent.glob("*.md"))]


def filled(text: str) -> str:
    """Return a page's text with its generated parts as the code has them today."""
    return PLACE.sub(lambda place: f"{place[1]}{MAKERS[place[2]]()}\n{place[4]}", text)


# --- Words ---------------------------------------------------------------------------------------


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a table; of what stands in it, bars alone have a meaning of their own."""
    names = list(head)
    lines = [names, ["---"] * len(names), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def _code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


def _prose(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _meanings(kind: type) -> dict[str, str]:
    """Return each field of a class with the text that stands below it in the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    found: dict[str, str] = {}
    for field, text in pairwise(ast.iter_child_nodes(body)):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            found[ast.unparse(field.target)] = _prose(str(ast.literal_eval(text.value)))
    return found


# --- The command line ----------------------------------------------------------------------------


def _commands() -> dict[str, Callable[..., object]]:
    return {
        info.name or info.callback.__name__: info.callback
        for info in app.registered_commands
        if info.callback
    }


def _summary(call: Callable[..., object]) -> str:
    return _prose((inspect.getdoc(call) or "").split("\n\n")[0])


def commands() -> str:
    """Return all commands, each with what it does in one sentence."""
    return _table(
        ("command", "what it does"),
        (
            (f"[`spadework {name}`](docs/commands.md#spadework-{name})", _summary(call))
            for name, call in _commands().items()
        ),
    )


def command_reference() -> str:
    """Return every command with its arguments, options and defaults."""
    top = app.registered_callback
    parts = [
        "## spadework\n\n`spadework [OPTIONS] COMMAND …`\n",
        *(_parameters(top.callback) if top and top.callback else ()),
        "- `--help`: Print what there is; after a command, what the command takes.",
    ]
    for name, call in _commands().items():
        parts += [f"\n## spadework {name}\n\n{_usage(name, call)}\n", f"{_paragraphs(call)}\n"]
        parts += _parameters(call)
    return "\n".join(parts)


def _paragraphs(call: Callable[..., object]) -> str:
    return "\n\n".join(map(_prose, (inspect.getdoc(call) or "").split("\n\n")))


def _usage(name: str, call: Callable[..., object]) -> str:
    words = [_name(*one) for one in _annotated(call) if not isinstance(one[1], OptionInfo)]
    must = [
        _name(*one)
        for one in _annotated(call)
        if isinstance(one[1], OptionInfo) and one[3] is inspect.Parameter.empty
    ]
    return _code(" ".join(["spadework", name, *words, *must, "[OPTIONS]"]))


def _annotated(
    call: Callable[..., object],
) -> Iterator[tuple[str, ParameterInfo, Any, Any]]:
    """Yield name, Typer's description, type and default of each argument and option."""
    defaults = inspect.signature(call).parameters
    for name, hint in typing.get_type_hints(call, include_extras=True).items():
        if typing.get_origin(hint) is typing.Annotated:
            kind, info = typing.get_args(hint)[:2]
            yield name, info, kind, defaults[name].default


def _name(name: str, info: ParameterInfo, kind: Any, default: Any) -> str:
    """Return how an argument or an option is written."""
    kinds = {kind, *typing.get_args(kind)}
    several = any(typing.get_origin(one) is list for one in kinds)
    if isinstance(info, OptionInfo):
        # Typer takes the first word of an annotated option for its default, and sorts it out later.
        said = (info.default, *(info.param_decls or ()))
        word = next((one for one in said if str(one).startswith("--")), "")
        word = word or f"--{name.replace('_', '-')}"
        return word if bool in kinds else f"{word} {_value(kinds)}"
    word = (info.metavar or name).upper() + ("..." if several else "")
    return word if default is inspect.Parameter.empty else f"[{word}]"


def _value(kinds: set[Any]) -> str:
    for one in kinds:
        if isinstance(one, EnumType):
            return "|".join(map(str, one))
    return "NUMBER" if int in kinds else "PATH" if Path in kinds else "TEXT"


def _parameters(call: Callable[..., object]) -> Iterator[str]:
    """Yield a line for each argument and option: how it is written, what it says, its default."""
    for name, info, kind, default in _annotated(call):
        text = _prose(info.help or "")
        if default is inspect.Parameter.empty:
            text += " Required." if isinstance(info, OptionInfo) else ""
        elif isinstance(info.show_default, str):
            text += f" Default: `{info.show_default}`."
        elif default is not None and default is not False and default != "":
            text += f" Default: `{default}`."
        yield f"- `{_name(name, info, kind, default)}`: {text}"


def exit_codes() -> str:
    """Return what the command's exit codes mean."""
    return _table(("exit code", "meaning"), EXIT_CODES.items())


# --- Pages of games, policies and plans ----------------------------------------------------------


def page_keys() -> str:
    """Return every section and key of a game's page: what it may be, its default, its meaning."""
    parts = []
    for title, kind, path in _sections():
        words = "" if kind is Game else f"\n\n{_prose(inspect.getdoc(kind) or '')}"
        rows = [
            (_code(name), _allowed(schema), _default(path, name, schema), meaning)
            for name, schema, meaning in _keys(kind)
        ]
        table = _table(("key", "may be", "default", "meaning"), rows)
        parts.append(f"### {title}{words}\n\n{table}")
    return "\n\n".join(parts)


def _sections() -> Iterator[tuple[str, type[BaseModel], str]]:
    yield "At the top of the page", Game, ""
    for name, field in Game.model_fields.items():
        kind: Any = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield f"`[{name}]`", kind, f"{name}."
    yield "`[[choices]]`", Choice, ""


def _keys(kind: type[BaseModel]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the keys of a section; sections themselves are told apart."""
    meanings = _meanings(kind)
    for name, schema in kind.model_json_schema()["properties"].items():
        if name not in REPORTED and "$ref" not in schema:
            yield name, schema, meanings[name]


def _default(path: str, name: str, schema: dict[str, Any]) -> str:
    """Return a key's default as it would stand on a page."""
    if "default" not in schema:
        return "required"
    if not path and name not in PAGE.rules():
        return _code(json.dumps(schema["default"]))
    value = PAGE.option(f"{path}{name}")
    return _code(f'"{value}"' if _is_text(schema) else value)


def _is_text(schema: dict[str, Any]) -> bool:
    return schema["type"] == "string" or schema.get("lt") == ALL_CARDS


def _allowed(schema: dict[str, Any]) -> str:
    """Say in words what a key may be."""
    if "enum" in schema:
        return " or ".join(f'`"{word}"`' for word in schema["enum"])
    if schema.get("lt") == ALL_CARDS:
        return "cards"
    if schema["type"] == "array" and "prefixItems" in schema:
        return f"{len(schema['prefixItems'])} numbers, {_allowed(schema['prefixItems'][0])} each"
    if schema["type"] == "array":
        items = schema["items"]
        return "sections" if "$ref" in items else f"numbers, {_allowed(items)} each"
    if schema["type"] == "integer":
        return f"{schema['minimum']:,} to {schema['maximum']:,}"
    return {"boolean": "`true` or `false`", "string": "text"}[schema["type"]]


def choices() -> str:
    """Return the questions that rules leave open, with each shipped page's answer and reason."""
    parts = []
    for name in game.shipped():
        page = game.load(name)
        rows = (
            (_code(one.option), _code(page.option(one.option)), one.why) for one in page.choices
        )
        table = _table(("option", "answer here", "why"), rows)
        parts.append(f"### {page.title} (`{name}`)\n\nSource: {page.source}.\n\n{table}")
    return "\n\n".join(parts)


def policies() -> str:
    """Return the shipped policies."""
    rows = []
    for one in map(policy.load, policy.shipped()):
        multiples = [one.recipe.get(word, "") for word in ("caution", "aggression")]
        rows.append((_code(one.name), *multiples, one.summary))
    return _table(("policy", "caution", "aggression", "how it plays"), rows)


def policy_keys() -> str:
    """Return every key of a policy's page."""
    rows = [(_code(name), meaning) for name, meaning in _meanings(PolicyPage).items()]
    rows += [
        (_code(f"tables.{name.removesuffix('_')}"), meaning)
        for name, meaning in _meanings(policy.Tables).items()
    ]
    return _table(("key", "meaning"), rows)


def plan_words() -> str:
    """Return every word of a plan file, with its default."""
    meanings, rows = _meanings(Table), []
    for name, field in Table.model_fields.items():
        shown = "required" if field.is_required() else _code(json.dumps(field.default))
        rows.append((_code(name), shown.replace("`null`", ""), meanings[name]))
    return _table(("word", "default", "meaning"), rows)


# --- What comes out ------------------------------------------------------------------------------


def metrics() -> str:
    """Return every metric with its definition, and for which players it has exact values."""
    known: dict[str, list[str]] = {}
    for words, seats in (("all stay", "stay"), ("some fold blind", "fold:0.1")):
        for label in EXAMPLES:
            name, *options = label.split()
            for metric in study.exact(name, 4, options=options, policies=seats).metric.unique():
                if words not in known.setdefault(metric, []):
                    known[metric].append(words)
    return _table(
        ("metric", "definition", "exact where"),
        ((_code(name), text, ", ".join(known.get(name, []))) for name, text in METRICS.items()),
    )


def columns() -> str:
    """Return the columns of a frame, of an exported table and of CSV output."""
    return _table(("column", "meaning"), ((_code(name), text) for name, text in FRAME.items()))


def row_columns(by: str) -> str:
    """Return the columns of rows, a pot and seat or a deal each."""
    words = COLUMNS_BY[by]
    return _table(("column", "meaning"), ((_code(name), text) for name, text in words.items()))


def status_columns() -> str:
    """Return the columns of a status."""
    words = study.STATUS
    return _table(("column", "meaning"), ((_code(name), text) for name, text in words.items()))


def charts() -> str:
    """Return the charts of a store."""
    return _table(
        ("chart", "what it shows"), ((_code(name), one.words) for name, one in CHARTS.items())
    )


def limits() -> str:
    """Return what a host may limit, with the usual limits and their reasons."""
    usual = Limits()
    rows = (
        (
            _code(name),
            one.words,
            f"{'at most' if one.at_most else 'at least'} "
            f"{number(getattr(usual, name), one.unit, given=True)}",
            one.why,
        )
        for name, one in CONSTRAINTS.items()
    )
    return _table(("limit", "of what", "usually", "why"), rows)


def pace() -> str:
    """Return how many seconds things take at a table."""
    meanings = _meanings(Pace)
    rows = ((_code(part.name), f"{part.default:g}", meanings[part.name]) for part in fields(Pace))
    return _table(("seconds", "usually", "meaning"), rows)


def anytime() -> str:
    """Return how many times as wide a confidence sequence of a mean is as an interval."""
    rows = []
    for pots in LOOKS:
        fixed = estimate.Estimate(0, 1, -estimate.SCORE, estimate.SCORE, replicates=pots)
        rows.append((f"{pots:,}", f"{estimate.watched(fixed).high / fixed.high:.1f}"))
    return _table(("pots", "times as wide"), rows)


def strength_errors() -> str:
    """Return how far expected strength is from real deals, with spades wild and with nothing."""
    others = (f"against {number}" for number in strength_error.OPPONENTS)
    return _table(("wild", "hand", *others), strength_error.rows())


def python_names() -> str:
    """Return the public names of the package, with what each does."""
    rows = []
    for name in sim.__all__:
        thing = getattr(sim, name)
        words = _prose((inspect.getdoc(thing) or "").split("\n\n")[0])
        call = f"{name}{_arguments(thing)}" if inspect.isfunction(thing) else name
        rows.append((_code(f"sim.{call}"), words))
    return _table(("name", "what it is"), rows)


def _arguments(call: Callable[..., object]) -> str:
    """Write a signature without types; what may be left out is followed by an ellipsis."""
    words = []
    for name, one in inspect.signature(call).parameters.items():
        stars = "**" if one.kind is one.VAR_KEYWORD else ""
        words.append(f"{stars}{name}{'' if one.default is one.empty else '=…'}")
    return f"({', '.join(words)})"


MAKERS: dict[str, Callable[[], str]] = {
    "anytime": anytime,
    "strength-error": strength_errors,
    "charts": charts,
    "choices": choices,
    "columns": columns,
    "command-reference": command_reference,
    "commands": commands,
    "exit-codes": exit_codes,
    "limits": limits,
    "metrics": metrics,
    "pace": pace,
    "page-keys": page_keys,
    "plan-words": plan_words,
    "policies": policies,
    "policy-keys": policy_keys,
    "pot-columns": partial(row_columns, "pot"),
    "deal-columns": partial(row_columns, "deal"),
    "python-names": python_names,
    "status-columns": status_columns,
}
"""What makes each generated part, by its name."""


if __name__ == "__main__":
    for path in pages():
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")

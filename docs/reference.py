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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from typer.main import get_command

import sim
from docs import markdown, strength_error
from sim import game, paths, policy, study
from sim.advice import CONSTRAINTS, Limits, Pace, bound
from sim.cards import DECK
from sim.charts import CHARTS
from sim.cli import EXIT_CODES
from sim.cli.commands import app
from sim.evenings import METRICS as EVENING
from sim.export import FRAME
from sim.formatting import amount
from sim.game import Choice, Game
from sim.plan import Table
from sim.policy import PolicyPage
from sim.rows import COLUMNS_BY
from sim.solving import frames
from sim.stats.intervals import SCORE, Estimate, confidence_sequence
from sim.stats.metrics import METRICS

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
    return PLACE.sub(lambda match: f"{match[1]}{MAKERS[match[2]]()}\n{match[4]}", text)


# --- Words ---------------------------------------------------------------------------------------


def _code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


def _prose(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _meanings_table(what: str, meanings: Mapping[str, str]) -> str:
    rows = ((_code(name), text) for name, text in meanings.items())
    return markdown.table((what, "meaning"), rows)


def _meanings(kind: type) -> dict[str, str]:
    """Return each field of a class with the text that stands below it in the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    meanings: dict[str, str] = {}
    for field, text in pairwise(ast.iter_child_nodes(body)):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            meanings[ast.unparse(field.target)] = _prose(str(ast.literal_eval(text.value)))
    return meanings


# --- The command line ----------------------------------------------------------------------------


def commands() -> str:
    """Return all commands, each with what it does in one sentence."""
    return markdown.table(
        ("command", "what it does"),
        (
            (f"[`spadework {name}`](docs/commands.md#spadework-{name})", _summary(command.help))
            for name, command in _commands().items()
        ),
    )


def _commands() -> dict[str, Any]:
    command: Any = get_command(app)
    return dict(command.commands)


def _summary(text: str | None) -> str:
    return _prose((text or "").split("\n\n")[0])


def command_reference() -> str:
    """Return every command with its arguments, options and defaults, in the words of its help."""
    top = _section("spadework", get_command(app))
    helped = "- `--help`: Print what there is; after a command, what the command takes."
    parts = [_section(f"spadework {name}", command) for name, command in _commands().items()]
    return "\n\n".join([f"{top}\n{helped}", *parts])


def _section(name: str, command: Any) -> str:
    context = typer.Context(command, info_name=name)
    usage = _code(" ".join([name, *command.collect_usage_pieces(context)]))
    paragraphs = map(_prose, (command.help or "").split("\n\n"))
    records = [param.get_help_record(context) for param in command.params]
    lines = "\n".join(f"- `{word}`: {_prose(text)}" for word, text in filter(None, records))
    return "\n\n".join(filter(None, (f"## {name}", usage, *paragraphs, lines)))


def exit_codes() -> str:
    """Return what the command's exit codes mean."""
    return markdown.table(("exit code", "meaning"), EXIT_CODES.items())


# --- Pages of games, policies and plans ----------------------------------------------------------


def page_keys() -> str:
    """Return every section and key of a game's page: what it may be, its default, its meaning."""
    parts = []
    for title, kind, path in _sections():
        summary = "" if kind is Game else f"\n\n{_prose(inspect.getdoc(kind) or '')}"
        rows = [
            (_code(name), _allowed(schema), _default(path, name, schema), meaning)
            for name, schema, meaning in _keys(kind)
        ]
        table = markdown.table(("key", "may be", "default", "meaning"), rows)
        parts.append(f"### {title}{summary}\n\n{table}")
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
            (_code(choice.option), _code(page.option(choice.option)), choice.why)
            for choice in page.choices
        )
        table = markdown.table(("option", "answer here", "why"), rows)
        parts.append(f"### {page.title} (`{name}`)\n\nSource: {page.source}.\n\n{table}")
    return "\n\n".join(parts)


def policies() -> str:
    """Return the shipped policies."""
    rows = []
    for shipped in map(policy.load, policy.shipped()):
        multiples = [shipped.recipe.get(word, "") for word in ("caution", "aggression")]
        rows.append((_code(shipped.name), *multiples, shipped.summary))
    return markdown.table(("policy", "caution", "aggression", "how it plays"), rows)


def policy_keys() -> str:
    """Return every key of a policy's page."""
    tables = _meanings(policy.Tables).items()
    keys = {f"tables.{name.removesuffix('_')}": meaning for name, meaning in tables}
    return _meanings_table("key", _meanings(PolicyPage) | keys)


def plan_words() -> str:
    """Return every word of a plan file, with its default."""
    meanings, rows = _meanings(Table), []
    for name, field in Table.model_fields.items():
        shown = "required" if field.is_required() else _code(json.dumps(field.default))
        rows.append((_code(name), shown.replace("`null`", ""), meanings[name]))
    return markdown.table(("word", "default", "meaning"), rows)


# --- What comes out ------------------------------------------------------------------------------


def metrics() -> str:
    """Return every metric with its definition, and for which players it has exact values."""
    known: dict[str, list[str]] = {}
    for players, seats in (("all stay", "stay"), ("some fold blind", "fold:0.1")):
        for label in EXAMPLES:
            name, *options = label.split()
            for metric in study.exact(name, 4, options=options, policies=seats).metric.unique():
                if players not in known.setdefault(metric, []):
                    known[metric].append(players)
    return markdown.table(
        ("metric", "definition", "exact where"),
        (
            (_code(name), metric.definition, ", ".join(known.get(name, [])))
            for name, metric in METRICS.items()
        ),
    )


def columns() -> str:
    """Return the columns of a frame, of an exported table and of CSV output."""
    return markdown.table(
        ("column", "meaning"), ((_code(name), text) for name, text in FRAME.items())
    )


def row_columns(by: str) -> str:
    """Return the columns of rows, a pot and seat or a deal each."""
    meanings = COLUMNS_BY[by]
    return markdown.table(
        ("column", "meaning"), ((_code(name), text) for name, text in meanings.items())
    )


def bucket_columns() -> str:
    """Return the columns of a best answer's buckets."""
    return _meanings_table("column", frames.COLUMNS)


def status_columns() -> str:
    """Return the columns of a status."""
    meanings = study.STATUS
    return markdown.table(
        ("column", "meaning"), ((_code(name), text) for name, text in meanings.items())
    )


def charts() -> str:
    """Return the charts of a store."""
    return markdown.table(
        ("chart", "what it shows"), ((_code(name), drawn.words) for name, drawn in CHARTS.items())
    )


def limits() -> str:
    """Return what a host may limit, with the usual limits and their reasons."""
    usual = Limits()
    rows = (
        (
            _code(name),
            constraint.words,
            bound(constraint, getattr(usual, name)),
            constraint.why,
        )
        for name, constraint in CONSTRAINTS.items()
    )
    return markdown.table(("limit", "of what", "usually", "why"), rows)


def evening_metrics() -> str:
    """Return what is told of evenings."""
    rows = ((_code(name), metric.definition, metric.unit) for name, metric in EVENING.items())
    return markdown.table(("metric", "what it is", "unit"), rows)


def pace() -> str:
    """Return how many seconds things take at a table."""
    meanings = _meanings(Pace)
    rows = ((_code(part.name), f"{part.default:g}", meanings[part.name]) for part in fields(Pace))
    return markdown.table(("seconds", "usually", "meaning"), rows)


def anytime() -> str:
    """Return how many times as wide a confidence sequence of a mean is as an interval."""
    rows = []
    for pots in LOOKS:
        fixed = Estimate(0, 1, -SCORE, SCORE, replicates=pots)
        rows.append((f"{pots:,}", amount(confidence_sequence(fixed).high / fixed.high, 1)))
    return markdown.table(("pots", "times as wide"), rows)


def strength_errors() -> str:
    """Return how far expected strength is from real deals, with spades wild and with nothing."""
    others = (f"against {number}" for number in strength_error.OPPONENTS)
    return markdown.table(("wild", "hand", *others), strength_error.rows())


def python_names() -> str:
    """Return the public names of the package, with what each does."""
    rows = []
    for name in sim.__all__:
        if name == "__version__":
            rows.append((_code("sim.__version__"), "The version of the package, as text."))
            continue
        thing = getattr(sim, name)
        summary = _summary(inspect.getdoc(thing))
        call = f"{name}{_arguments(thing)}" if inspect.isfunction(thing) else name
        rows.append((_code(f"sim.{call}"), summary))
    return markdown.table(("name", "what it is"), rows)


def _arguments(call: Callable[..., object]) -> str:
    """Write a signature without types; what may be left out is followed by an ellipsis."""
    arguments = []
    for name, parameter in inspect.signature(call).parameters.items():
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        arguments.append(f"{stars}{name}{'' if parameter.default is parameter.empty else '=…'}")
    return f"({', '.join(arguments)})"


MAKERS: dict[str, Callable[[], str]] = {
    "anytime": anytime,
    "strength-error": strength_errors,
    "charts": charts,
    "choices": choices,
    "columns": columns,
    "command-reference": command_reference,
    "commands": commands,
    "evening-metrics": evening_metrics,
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
    "bucket-columns": bucket_columns,
    "status-columns": status_columns,
}
"""What makes each generated part, by its name."""


if __name__ == "__main__":
    for path in pages():
        paths.write_text(path, filled(path.read_text(encoding="utf-8")))

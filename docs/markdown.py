"""Tables in Markdown, for the pages here and those of the published study."""

from collections.abc import Iterable


def table(columns: Iterable[str], rows: Iterable[Iterable[object]], left: int | None = None) -> str:
    """Write a table; the columns after the first so many at the ``left`` stand at the right.

    Of what stands in a cell, bars alone have a meaning of their own.
    """
    names = list(columns)
    sides = ["---"] * len(names)
    if left is not None:
        sides = [":--" if index < left else "--:" for index in range(len(names))]
    lines = [names, sides, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )

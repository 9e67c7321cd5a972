"""``python -m publish [STORE]``: writes results/published, and the tables of the README."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from publish import page, picture, study
from sim import charts, paths
from sim.errors import InputError
from sim.runs.store import Store

ROOT = Path(__file__).parent.parent
FOLDER, README = ROOT / "results/published", ROOT / "README.md"


def publish(store: Path | None, folder: Path, readme: Path) -> list[Path]:
    """Publish a finished store, or without one make exact values, texts and charts again.

    Returns what was written into the folder of the plans, all of it or nothing. Raises
    ``InputError`` for a store that lacks scenarios or pots.
    """
    study.scenarios(folder)  # plans that cannot be read are refused before anything is made
    with paths.placed_in(folder) as made:
        if store is not None:
            with Store(store, write=False) as opened:
                study.write(opened, study.finished(opened, folder), made)
        published = study.read(folder if store is None else made, folder)
        if store is None:
            study.write_folding(published.scenarios, made)
            published = published._replace(folding=study.read_folding(made))
        advice = page.advice(published)
        pictures = page.pictures(published, advice)
        picture.write(pictures, made / page.CHARTS)
        figure = picture.chairs(published.frame, page.all_call(advice))
        charts.save(figure, made / page.CHARTS / picture.CHAIRS)
        text = page.readme(published, advice, pictures)
        (made / "README.md").write_text(text, encoding="utf-8")
        filled = page.fill(readme.read_text(encoding="utf-8"), page.root_tables(published))
        written = [folder / path.name for path in sorted(made.iterdir())]
    paths.write_text(readme, filled)
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """Publish; return 0, or 2 for what its user can mend."""
    parser = argparse.ArgumentParser(prog="publish", description=__doc__)
    parser.add_argument("store", type=Path, nargs="?", help="a store that holds all of the plans")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder of the plans")
    parser.add_argument("--readme", type=Path, default=README, help="whose tables are filled in")
    options = parser.parse_args(arguments)
    try:
        written = publish(options.store, options.out, options.readme)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print(*written, options.readme, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m publish [STORE]``: writes results/published, and the tables of the README."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from publish import page, picture, study
from sim import charts
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
    with tempfile.TemporaryDirectory(dir=folder, prefix=".publish-") as made:
        room = Path(made)
        if store is not None:
            with Store(store, write=False) as opened:
                study.write(opened, study.finished(opened, folder), room)
        found = study.read(folder if store is None else room, folder)
        if store is None:
            study.write_folding(found.scenarios, room)
            found = found._replace(folding=study.read_folding(room))
        advice = page.advice(found)
        pictures = page.pictures(found, advice)
        picture.write(pictures, room / page.CHARTS)
        figure = picture.chairs(found.frame, page.staying(advice))
        charts.save(figure, room / page.CHARTS / picture.CHAIRS)
        text = page.readme(found, advice, pictures)
        (room / "README.md").write_text(text, encoding="utf-8")
        filled = page.fill(readme.read_text(encoding="utf-8"), page.root_tables(found))
        shutil.rmtree(folder / page.CHARTS, ignore_errors=True)
        written = [path.replace(folder / path.name) for path in sorted(room.iterdir())]
    readme.write_text(filled, encoding="utf-8")
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """Publish; return 0, or 2 for what its user can mend."""
    parser = argparse.ArgumentParser(prog="publish", description=__doc__)
    parser.add_argument("store", type=Path, nargs="?", help="a store that holds all of the plans")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder of the plans")
    parser.add_argument("--readme", type=Path, default=README, help="whose tables are filled in")
    words = parser.parse_args(arguments)
    try:
        written = publish(words.store, words.out, words.readme)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print(*written, words.readme, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

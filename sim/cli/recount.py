"""The command ``recount``: counts that a store lacks, added."""

from sim import paths
from sim.cli.options import Quiet, StoreArgument, Threads
from sim.cli.printing import print_sentence
from sim.errors import InputError


def recount(store: StoreArgument, threads: Threads = None, quiet: Quiet = False) -> None:
    """Play a store's pots again where they lack counts, see that all else is the same, and add."""
    from sim.runs import recount as recounting
    from sim.runs.progress import bar
    from sim.runs.run import check_threads
    from sim.runs.store import Store

    threads = check_threads(threads)
    if paths.status(store) is None:
        raise InputError(f"there is no store {store}")
    with Store(store) as opened, opened.writing():
        cells = recounting.lacking_cells(opened)
        with bar(quiet=quiet or not cells) as shown:
            recounting.recount(opened, cells, threads, shown)
    print_sentence(f"{store} lacks no count; cells played again for it: {len(cells):,}")

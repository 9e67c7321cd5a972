"""``python -m sim`` is ``spadework``."""

from sim.cli import script

if __name__ == "__main__":
    script()

"""How a run of a notebook is told that did not come to its end: a sentence, and the exit status.

Knows nbclient's exceptions, nothing of what ran.
"""

from nbclient.exceptions import CellTimeoutError, DeadKernelError

INTERRUPTED_STATUS = 130
# What ends a run from outside of its cells.
UNFINISHED = (CellTimeoutError, DeadKernelError, KeyboardInterrupt)


def told(error, timeout, cell=None):
    """The sentence about one of `UNFINISHED`; `cell` is the number of the one that ran, where it is known."""
    if isinstance(error, CellTimeoutError):
        return f"{'A cell' if cell is None else f'Cell {cell}'} did not end within {timeout} s."
    return "Interrupted." if isinstance(error, KeyboardInterrupt) else str(error)


def status_of(error):
    return INTERRUPTED_STATUS if isinstance(error, KeyboardInterrupt) else 1

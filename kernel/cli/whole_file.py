"""Writes files that are there whole or not at all: a full disk or a kill leaves the older one as it was.

Knows texts and notebooks, nothing of what is in them.
"""

import os
import shutil
from pathlib import Path

import nbformat


def write_text(file, text):
    """Beside its place first, under a name of this process's own, and on the disk before it takes that place."""
    # A link stays one, and who may read the file stays as it was.
    file = Path(file).resolve()
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        if file.exists():
            shutil.copymode(file, partial)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def write_notebook(notebook, file):
    write_text(file, nbformat.writes(notebook) + "\n")

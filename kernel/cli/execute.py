"""Executes a notebook with progress per cell; writes it and an HTML page into a folder, and says where.

Started by `mpslab execute`. Knows nbclient and nbconvert, nothing of the kernel.
"""

import argparse
import re
import sys
import time
from pathlib import Path

import nbformat
import unfinished
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from nbformat.validator import ValidationError
from whole_file import write_notebook, write_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")
LONGEST_TITLE = 60


class Progress:
    """One line per code cell: its number, its first line, how long it took; the first error with its traceback.

    A cell with the tag `raises-exception` is there to fail: it is said, and counts as no failure.
    """

    def __init__(self, notebook):
        self.code_cells = [
            index
            for index, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and cell.source.strip()
        ]
        self.failed = 0
        self.number = 0
        self.started = time.monotonic()

    def cell_starts(self, cell, cell_index):
        if cell_index not in self.code_cells:
            return
        self.number = self.code_cells.index(cell_index) + 1
        title = cell.source.strip().splitlines()[0][:LONGEST_TITLE]
        print(f"[{self.number}/{len(self.code_cells)}] {title}", end="", flush=True)
        self.started = time.monotonic()

    def cell_executed(self, cell, cell_index, execute_reply):
        content = execute_reply["content"]
        seconds = time.monotonic() - self.started
        if content["status"] == "ok":
            print(f"  {seconds:.1f} s", flush=True)
            return
        if "raises-exception" in cell.metadata.get("tags", []):
            print(f"  {seconds:.1f} s failed, as its tag says", flush=True)
            return
        print(f"  {seconds:.1f} s failed", flush=True)
        self.failed += 1
        if self.failed == 1:
            traceback = "\n".join(content.get("traceback") or [content.get("evalue", "")])
            print(traceback if sys.stderr.isatty() else ANSI.sub("", traceback), file=sys.stderr, flush=True)


def execute(notebook, options):
    """Runs the cells of the notebook in place. Returns the exit status."""
    progress = Progress(notebook)
    client = NotebookClient(
        notebook,
        timeout=options.timeout,
        allow_errors=options.allow_errors,
        # Lines of one loop are one output, as in JupyterLab.
        coalesce_streams=True,
        kernel_name="mpslab",
        resources={"metadata": {"path": str(options.notebook.parent)}},
        on_cell_start=progress.cell_starts,
        on_cell_executed=progress.cell_executed,
    )
    try:
        client.execute()
    except CellExecutionError:
        return 1  # The progress has told of it.
    except unfinished.UNFINISHED as error:
        # The line of its cell has no end yet.
        print(f"\n{unfinished.told(error, options.timeout, progress.number or None)}", file=sys.stderr)
        return unfinished.status_of(error)
    if progress.failed:
        print(f"{progress.failed} of {len(progress.code_cells)} cells failed.")
    return 0


def read(file):
    """The notebook in the file. Exits with a sentence where there is none."""
    try:
        notebook = nbformat.read(file, as_version=4)
        nbformat.validate(notebook)
    except (ValueError, ValidationError, AttributeError):  # No JSON, no notebook, no object.
        sys.exit(f"mpslab: {file} is no notebook: give a file that Jupyter has saved, such as a.ipynb.")
    except OSError as error:
        sys.exit(f"mpslab: {file} cannot be read: {error.strerror}.")
    return notebook


def main(options):
    notebook = read(options.notebook)
    # Outputs of an earlier run must not stand below a cell that this run did not reach.
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    status = execute(notebook, options)
    # What ran before an error is worth reading too.
    options.output.mkdir(parents=True, exist_ok=True)
    executed = options.output / options.notebook.name
    write_notebook(notebook, executed)
    page = executed.with_suffix(".html")
    html, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": options.notebook.stem}})
    write_text(page, html)
    print(f"executed notebook: {executed}\nHTML page: {page}")
    return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--timeout", type=int)
    parser.add_argument("--allow-errors", action="store_true")
    sys.exit(main(parser.parse_args()))

"""Executes a notebook with progress per cell; writes it and an HTML page into a folder, and says where.

Started by `mpslab execute`. Knows nbclient and nbconvert, nothing of the kernel.
"""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert import HTMLExporter


class Progress:
    """One line per code cell: its number, its first line, and how long it took."""

    def __init__(self, notebook):
        self.code_cells = [
            index
            for index, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and cell.source.strip()
        ]
        self.started = time.monotonic()

    def cell_starts(self, cell, cell_index):
        if cell_index not in self.code_cells:
            return
        number = self.code_cells.index(cell_index) + 1
        first_line = cell.source.strip().splitlines()[0][:60]
        print(f"[{number}/{len(self.code_cells)}] {first_line}", end="", flush=True)
        self.started = time.monotonic()

    def cell_executed(self, cell, cell_index, execute_reply):
        outcome = "" if execute_reply["content"]["status"] == "ok" else " failed"
        print(f"  {time.monotonic() - self.started:.1f} s{outcome}", flush=True)


def main(notebook_file, output_folder):
    notebook = nbformat.read(notebook_file, as_version=4)
    # Outputs of an earlier run must not stand below a cell that this run did not reach.
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    progress = Progress(notebook)
    client = NotebookClient(
        notebook,
        timeout=None,
        # Lines of one loop are one output, as in JupyterLab.
        coalesce_streams=True,
        kernel_name="mpslab",
        resources={"metadata": {"path": str(notebook_file.parent)}},
        on_cell_start=progress.cell_starts,
        on_cell_executed=progress.cell_executed,
    )
    status = 0
    try:
        client.execute()
    except (CellExecutionError, DeadKernelError) as error:
        print(f"\n{error}", file=sys.stderr)
        status = 1
    # What ran before an error is worth reading too.
    output_folder.mkdir(parents=True, exist_ok=True)
    executed = output_folder / notebook_file.name
    nbformat.write(notebook, executed)
    page = executed.with_suffix(".html")
    html, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": notebook_file.stem}})
    page.write_text(html, encoding="utf-8")
    print(f"executed notebook: {executed}\nHTML page: {page}")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

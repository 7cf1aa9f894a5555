"""Runs a notebook once for each combination of its parameters' values: a notebook of each, one journal, one table.

Started by `mpslab papermill`. Knows papermill, nothing of the kernel.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from pathlib import Path

import unfinished
import yaml
from execute import read
from sweep_points import BadGrid, Journal, comma_separated, file_name, grid_of, in_order, json_of, markdown, points_of, rows_of
from whole_file import write_notebook, write_text

# A cell's tag: what it shows goes into the table, `{ loss: 0.25 }` as a column `loss`.
RESULT = "result"
PARAMETERS = "parameters"


def sweep(options):
    notebook = read(options.notebook)
    grid = grid_of(options.parameters, options.grid)
    require_parameters(options.notebook, notebook, grid)
    points = points_of(grid)
    identity = {"notebook": source_hash(notebook), "grid": grid, "seed": options.seed}

    options.output.mkdir(parents=True, exist_ok=True)
    journal = Journal(options.output / "sweep.jsonl")
    records = begin(journal, identity, options)
    done = {json_of(record["point"]) for record in records}
    # By their text: Python takes 1 and True for the same.
    numbers = {json_of(point): number for number, point in enumerate(points, 1)}
    try:
        for point in in_order(points, options.seed):
            if json_of(point) in done:
                continue
            print(f"[{len(records) + 1}/{len(points)}] {told(point)}", end="", flush=True)
            record = run(options, point, file_name(numbers[json_of(point)], len(points), point))
            journal.append({"type": "point", **record})
            records.append(record)
            write_table(options.output, points, records)
            print(f"  {record['wallSeconds']:.1f} s" + (f"  {record['error']}" if record["error"] else ""))
    except KeyboardInterrupt:
        print(f"\nInterrupted with {len(records)} of {len(points)} points done: the same command goes on from here.")
        return unfinished.INTERRUPTED_STATUS
    table = write_table(options.output, points, records)
    failed = [record for record in records if record["status"] != "ok"]
    print(f"\n{table}\n{len(points) - len(failed)} of {len(points)} points succeeded; notebooks and table: {options.output}")
    # As papermill itself and every test runner end: a job that looks at the status alone must not take a hole for a result.
    return 1 if failed and not (options.allow_errors and len(failed) < len(points)) else 0


def begin(journal, identity, options):
    """The records of an earlier run of the same sweep; none where it begins."""
    lines = [] if options.restart else journal.read()
    header = next((line for line in lines if line.get("type") == "sweep"), None)
    if header is None:
        journal.begin(identity)
        return []
    stored = header["identity"]
    now = json.loads(json_of(identity))
    for part in ("notebook", "grid", "seed"):
        if json_of(stored.get(part)) != json_of(now[part]):
            is_source = part == "notebook"
            what = "another notebook" if is_source else f"the {part} {json_of(stored.get(part))}, not {json_of(now[part])}"
            raise BadGrid(f"{journal.file} holds a sweep of {what}: give --restart to leave it, or another --output.")
    records = [line for line in lines if line.get("type") == "point"]
    if records:
        print(f"{len(records)} points are there from before.")
    return records


def run(options, point, name):
    """One point in a kernel of its own; what goes wrong in it is its record."""
    import papermill
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillException, PapermillExecutionError

    file = options.output / f"{name}.ipynb"
    began = time.monotonic()
    status, error = "ok", None
    try:
        papermill.execute_notebook(
            options.notebook,
            file,
            parameters=point,
            kernel_name="mpslab",
            cwd=options.notebook.parent,
            progress_bar=False,
            execution_timeout=options.timeout,
        )
    except PapermillExecutionError:
        error = unexpected_error(file)
        status = "ok" if error is None else "failed"
    except (CellTimeoutError, DeadKernelError) as failure:
        status = "timeout" if isinstance(failure, CellTimeoutError) else "died"
        error = unfinished.told(failure, options.timeout)
    except PapermillException as failure:
        status, error = "failed", str(failure)
    wall = time.monotonic() - began
    results = results_of(read(file)) if file.exists() else {}
    return {"point": point, "status": status, "error": error, "wallSeconds": wall, "file": file.name, "results": results}


def unexpected_error(file):
    """The first error of a cell that is not tagged as one that fails; papermill takes these for failures as well."""
    from papermill.execute import ERROR_MARKER_TAG

    notebook = read(file)
    cells = [cell for cell in notebook.cells if "raises-exception" not in cell.metadata.get("tags", [])]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    error = next((f"{one.ename}: {one.evalue}" for one in outputs if one.output_type == "error"), None)
    if error is None and any(cell.metadata.get("papermill", {}).get("exception") for cell in cells):
        error = "A cell failed and showed no error."
    if error is None:
        # Nor do its warnings belong there.
        notebook.cells = [cell for cell in notebook.cells if ERROR_MARKER_TAG not in cell.metadata.get("tags", [])]
        write_notebook(notebook, file)
    return error


def results_of(notebook):
    """What the cells tagged `result` show, by name; a value without names under `result`."""
    found = {}
    for cell in notebook.cells:
        if RESULT not in cell.metadata.get("tags", []):
            continue
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            value = data.get("application/json", data.get("text/plain", output.get("text", "")))
            if not isinstance(value, dict):
                text = "".join(value)
                try:
                    # An object as Node prints it is YAML, where its values are numbers, words or texts.
                    value = yaml.safe_load(text)
                except yaml.YAMLError:
                    value = text
            found.update(value if isinstance(value, dict) else {RESULT: value})
    return {str(name): value for name, value in found.items() if value is not None}


def require_parameters(file, notebook, grid):
    """papermill only warns of a name that the notebook does not have."""
    import papermill

    if not grid:
        raise BadGrid("papermill takes values of parameters: mpslab papermill a.ipynb -p batchSize 32,64,128")
    if not any(PARAMETERS in cell.metadata.get("tags", []) for cell in notebook.cells):
        raise BadGrid(f"{file.name} has no cell tagged {PARAMETERS}: tag the one that declares them, as let batchSize = 32;")
    known = list(papermill.inspect_notebook(file))
    unknown = next((name for name in grid if name not in known), None)
    if unknown is not None:
        raise BadGrid(f"{unknown} is no parameter of {file.name}: it has {', '.join(known) or 'none'}.")


def source_hash(notebook):
    """Of the cells' sources and tags: outputs and times do not make another notebook."""
    cells = [[cell.cell_type, cell.source, cell.metadata.get("tags", [])] for cell in notebook.cells]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def write_table(folder, points, records):
    header, rows = rows_of(points, records)
    table = markdown(header, rows)
    write_text(folder / "table.md", table)
    write_text(folder / "table.csv", comma_separated(header, rows))
    return table


def told(point):
    return ", ".join(f"{name} {value}" for name, value in point.items())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--parameter", dest="parameters", nargs=2, action="append", default=[])
    parser.add_argument("--grid", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=int)
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--allow-errors", action="store_true")
    options = parser.parse_args()
    # All points write to the logbook that the notebook has in JupyterLab.
    os.environ["JPY_SESSION_NAME"] = str(options.notebook)
    try:
        sys.exit(sweep(options))
    except BadGrid as error:
        sys.exit(f"mpslab: {error}")

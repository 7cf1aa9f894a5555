"""Executes a notebook with nbclient, as CI and papermill do: source, kernel's name, JSON of parameters; result on stdout."""

import json
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

path, kernel, parameters = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
notebook = nbformat.read(path, as_version=4)
for cell in notebook.cells:
    if "parameters" in cell.metadata.get("tags", []):
        cell.source = "\n".join(f"const {name} = {json.dumps(value)};" for name, value in parameters.items())
NotebookClient(
    notebook, timeout=None, kernel_name=kernel, coalesce_streams=True, resources={"metadata": {"path": str(path.parent)}}
).execute()
nbformat.write(notebook, sys.stdout)

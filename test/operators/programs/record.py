"""Prints what PyTorch answers to every program of this folder, as JSON: its values, or what it throws.

Run by `npm run test:operators -- programs`, with the Python of `.venv-bench`. A subject is a module; its programs are its
functions in their order. Knows nothing of TypeScript.
"""
import importlib
import json
import pathlib
import sys
import types
import warnings

import torch

here = pathlib.Path(__file__).parent
sys.path[:0] = [str(here), str(here.parent.parent / "fixtures")]

import helpers
from json_values import plain, rounded


def stored(value):
    if isinstance(value, torch.Tensor):
        kept = rounded(value.to_dense() if value.layout != torch.strided else value)
        return {**kept, "values": plain(kept["values"])}
    if isinstance(value, torch.dtype):
        return str(value)[6:]
    if isinstance(value, dict):
        return {key: stored(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [stored(item) for item in value]
    return plain(rounded(value))


def outcome(program):
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    try:
        return {"values": stored(program())}
    except (AttributeError, NameError, SyntaxError):
        raise
    except Exception as error:
        text = str(error).replace(helpers.folder.name, "").strip().split("\n")[0]
        return {"throws": text[:100]}


def programs(module):
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, types.FunctionType) and value.__module__ == module.__name__ and not name.startswith("_")
    }


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    subjects = sys.argv[1:]
    results = {}
    for subject in subjects:
        module = importlib.import_module(subject)
        results[subject] = {name: outcome(program) for name, program in programs(module).items()}
    print(json.dumps(results, allow_nan=False))


main()

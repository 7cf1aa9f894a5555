"""Writes PyTorch's own operator samples as JSON lines: what was called, with what, what came back, and its gradients.

Run with the Python of `.venv-bench` (full PyTorch of the version that the addon is built against):
    .venv-bench/bin/python test/operators/samples.py             every sample, to the standard output
    .venv-bench/bin/python test/operators/samples.py --small 2   at most two small ones of each operator and dtype

`op_db` is the table behind PyTorch's own tests: for each operator a function that makes inputs. What its entry calls
in the end (`torch.where`, `Tensor.view`) is seen by a function mode, so that wrappers of the table do not count.
"""
import argparse
import base64
import inspect
import json
import math
import random
import re
import sys
import warnings

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.testing._internal.common_methods_invocations import op_db

SEED = 7
SMALL_ELEMENTS = 64
STORAGE_ELEMENTS = 64
LARGE_ELEMENTS = 2**20
NAMES = {getattr(torch, name): name for name in (
    "float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex32 complex64 "
    "complex128 strided sparse_coo sparse_csr contiguous_format channels_last channels_last_3d preserve_format").split()}
ENDLESS = {math.inf: "inf", -math.inf: "-inf"}


# What the table asks of tensors beside the call, and how it spares the sample a change.
ASKS = re.compile(r"\.(device|dtype|shape|layout|requires_grad|grad_fn)\.__get__$|\.(clone|is_complex|size|dim)$")


class Unwritable(Exception):
    """A value that has no form in JSON lines."""


class Writer:
    """Values as JSON holds them, and beside them the tensors, each once however often it occurs."""

    def __init__(self):
        self.tensors, self.stored, self.numbers = [], [], {}

    def tensor(self, tensor):
        number = self.numbers.get(id(tensor))
        if number is None:
            number = self.numbers[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
            self.stored.append(store(tensor))
        return {"tensor": number}

    def value(self, value):
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return value if abs(value) < 2**53 else {"integer": str(value)}
        if isinstance(value, float):
            if math.isfinite(value) and not (value == 0 and math.copysign(1, value) < 0):
                # What JavaScript cannot tell from a whole number is marked.
                return {"float": value} if value.is_integer() else value
            return {"float": "nan" if math.isnan(value) else ENDLESS.get(value, "-0")}
        if isinstance(value, complex):
            return {"re": self.value(value.real), "im": self.value(value.imag)}
        if isinstance(value, (list, tuple)):
            return [self.value(element) for element in value]
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if value is Ellipsis:
            return {"ellipsis": True}
        if isinstance(value, torch.device):
            return str(value)
        if value in NAMES:
            return NAMES[value]
        raise Unwritable(type(value).__name__)


def store(tensor):
    """The stretch of memory that a tensor shows, so that its strides are sample too."""
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type != "cpu":
        raise Unwritable(str(tensor.layout) if tensor.device.type == "cpu" else tensor.device.type)
    if tensor.numel() > LARGE_ELEMENTS:
        raise Unwritable(f"a tensor of more than {LARGE_ELEMENTS} elements")
    plain = tensor.detach().resolve_conj().resolve_neg()
    held = plain.untyped_storage().nbytes() // plain.itemsize
    last = sum((size - 1) * step for size, step in zip(plain.shape, plain.stride())) if plain.numel() else -1
    stored = {"dtype": NAMES[plain.dtype], "shape": list(plain.shape)}
    offset = plain.storage_offset()
    # Operators such as as_strided see more of a small storage than the tensor shows.
    if held <= STORAGE_ELEMENTS and plain.numel():
        memory = plain.as_strided((held,), (1,), 0)
        if offset:
            stored["offset"] = offset
    else:
        memory = plain.as_strided((last + 1,), (1,), offset)
    if not plain.is_contiguous():
        stored["stride"] = list(plain.stride())
    if plain.numel():
        stored["data"] = base64.b64encode(memory.clone().view(torch.uint8).numpy().tobytes()).decode()
    return stored


class Recorder(TorchFunctionMode):
    """Remembers the outermost calls, with their arguments as they were before."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = resolve_name(function)
        call = None
        if name is not None and not name.startswith("aten."):
            writer = Writer()
            # `x[i]` is `x[(i,)]`, but `x[[i]]` is another thing.
            if name.endswith("__getitem__") and not isinstance(args[1], tuple):
                args = (args[0], (args[1],))
            try:
                call = {"name": name, "args": writer.value(args), **named(function)}
                call["kwargs"] = {key: writer.value(value) for key, value in kwargs.items()}
            except Unwritable as problem:
                call = {"name": name, "unwritable": str(problem)}
        # The table's wrappers seed as well; both sides begin each call from the same state.
        torch.manual_seed(SEED)
        result = function(*args, **kwargs)
        if call is not None:
            self.calls.append((call, writer, result))
        return result


def named(function):
    """The names of the parameters, where Python knows them."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {}
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        # `einsum(equation, *operands)`; with `**kwargs` too it is a wrapper, and says nothing.
        return {} if inspect.Parameter.VAR_KEYWORD in kinds else {"variadic": kinds.index(inspect.Parameter.VAR_POSITIONAL)}
    return {"names": [parameter.name for parameter in parameters]}


def flat(result):
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for part in result for tensor in flat(part)] if isinstance(result, (list, tuple)) else []


def weights(tensor):
    """What backward starts from: numbers that the other side makes as well, and that differ among neighbours."""
    steps = (torch.arange(tensor.numel(), dtype=torch.float64) * 7 % 11 - 5) / 5
    return steps.reshape(tensor.shape).to(tensor.dtype)


def gradients(result, writer):
    outputs = [tensor for tensor in flat(result) if tensor.requires_grad]
    inputs = [(number, tensor) for number, tensor in enumerate(writer.tensors) if tensor.requires_grad]
    if not outputs or not inputs:
        return None
    found = torch.autograd.grad(
        outputs, [tensor for _, tensor in inputs], [weights(output) for output in outputs], allow_unused=True)
    return [{"of": number, "is": None if one is None else store(one)} for (number, _), one in zip(inputs, found)]


def works(call):
    try:
        torch.manual_seed(SEED)
        return call()
    except Exception:  # noqa: BLE001 - the table says not of every sample which variants it has
        return None


def same(a, b):
    a, b = flat(a), flat(b)
    return len(a) == len(b) and all(
        x.dtype == y.dtype and x.shape == y.shape and torch.allclose(x, y, equal_nan=True) for x, y in zip(a, b))


def other_elements(tensor):
    """A tensor to write to, no element as in `tensor`. Fresh memory would not do: it may hold an earlier result, and
    PyTorch's ihfftn over one dimension never writes to its `out` (its call of conj_physical_out has the places swapped)."""
    return torch.empty_like(tensor).copy_(tensor == 0)


def variants(op, sample, result, call, writer):
    """Which further ways PyTorch itself has of calling it, with the same arguments and the same result."""
    found = []
    given = sample.input if isinstance(sample.input, (list, tuple)) else [sample.input]
    same_places = call["args"][:1] == ([{"tensor": 0}] if given[0] is sample.input else [[]]) or len(given) > 1
    if len(call["args"]) != 1 + len(sample.args) or not same_places or given[0] is not next(iter(writer.tensors), None):
        return found
    detached = [value.detach() if isinstance(value, torch.Tensor) else value for value in (sample.input, *sample.args)]
    if not isinstance(sample.input, torch.Tensor):
        return found
    expected = [tensor.detach() for tensor in flat(result)]
    with torch.no_grad():
        if op.inplace_variant is not None:
            changed = detached[0].clone()
            if works(lambda: op.inplace_variant(changed, *detached[1:], **sample.kwargs)) is not None:
                if same([changed], expected):
                    found.append("inplace")
        if op.supports_out and expected:
            out = tuple(other_elements(tensor) for tensor in expected)
            given = out[0] if isinstance(result, torch.Tensor) else out
            if works(lambda: op.op(*detached, **sample.kwargs, out=given)) is not None and same(list(out), expected):
                found.append("out")
        if op.method_variant is not None:
            if same(works(lambda: op.method_variant(*detached, **sample.kwargs)), expected):
                found.append("method")
    return found


def record(op, sample, dtype):
    written = {"operator": op.name, "variant": op.variant_test_name, "dtype": NAMES[dtype]}
    torch.manual_seed(SEED)
    with Recorder() as recorder:
        result = op.op(sample.input, *sample.args, **sample.kwargs)
    calls = [one for one in recorder.calls if not ASKS.search(one[0]["name"])] or recorder.calls
    call, writer, given = calls[0] if len(calls) == 1 else (None, None, None)
    if given is not result:
        return {**written, "unwritable": "no single public call"}
    results = Writer()
    try:
        expected = results.value(result)
    except Unwritable as problem:
        call = {"name": call["name"], "unwritable": str(problem)}
    if "unwritable" in call:
        return {**written, **call}
    repeats = same(result, works(lambda: op.op(sample.input, *sample.args, **sample.kwargs)))
    return {
        **written,
        **call,
        "tensors": [
            {**stored, **({"grad": "leaf" if tensor.is_leaf else "made"} if tensor.requires_grad else {})}
            for stored, tensor in zip(writer.stored, writer.tensors)
        ],
        "expected": expected,
        "results": results.stored,
        "gradients": gradients(result, writer),
        "variants": variants(op, sample, result, call, writer) if repeats else [],
        **({"undefined": True} if op.name.startswith(("empty", "new_empty")) else {}),
    }


def samples(op, dtype):
    if dtype not in op.dtypes:
        return
    # Some entries choose sizes at random.
    random.seed(SEED)
    torch.manual_seed(SEED)
    grad = op.supports_autograd and dtype.is_floating_point
    for sample in op.sample_inputs("cpu", dtype, requires_grad=grad):
        try:
            yield record(op, sample, dtype)
        except Exception as problem:  # noqa: BLE001 - some entries need a GPU
            yield {"operator": op.name, "variant": op.variant_test_name, "dtype": NAMES[dtype],
                   "unwritable": f"PyTorch's own call fails: {type(problem).__name__}"}


def is_small(sample):
    if "unwritable" in sample:
        return False
    stored = [*sample["tensors"], *sample["results"]]
    return all(math.prod(tensor["shape"]) <= SMALL_ELEMENTS for tensor in stored)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", type=int)
    most = parser.parse_args().small
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for op in op_db:
        for dtype in (torch.float32, torch.int64):
            made = samples(op, dtype)
            if most is not None:
                small = [sample for sample in made if is_small(sample)]
                # The first is the plainest, the last has the most options.
                made = small if len(small) <= most else [*small[: most - 1], small[-1]]
            for sample in made:
                sys.stdout.write(json.dumps(sample, separators=(",", ":")) + "\n")


main()

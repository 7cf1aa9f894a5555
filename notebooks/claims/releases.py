"""Reads from PyTorch's wheels for Macs what changed between releases, and writes releases.json.

Get a wheel of each release first, into one folder:
    pip download --no-deps --only-binary=:all: --platform macosx_14_0_arm64 --platform macosx_11_0_arm64 \
        --python-version 3.11 --implementation cp --abi cp311 --abi none torch==2.9.0
Then: python notebooks/claims/releases.py FOLDER
"""
import ast
import json
import pathlib
import re
import sys
import zipfile

import yaml

# Operators of the documents, or the parts that they are composed of, with the key that a kernel is registered for.
KERNELS = {
    "grid_sampler_3d": "MPS",
    "sgn.out": "MPS",
    "_linalg_slogdet.sign": "MPS",
    "_compute_linear_combination": "MPS",
    "linalg_eig.out": "MPS",
    "_fft_r2c": "MPS",
    "quantize_per_tensor": "MPS",
    "_amp_foreach_non_finite_check_and_unscale_": "MPS",
    "_sparse_coo_tensor_with_dims_and_tensors": "SparseMPS",
    "addmm": "SparseMPS",
}


def keys_by_operator(text):
    """The dispatch keys of each operator: `{"addmm": {"CPU", "SparseMPS"}}`."""
    keys = {}
    for entry in yaml.safe_load(text):
        name = re.match(r"[\w.]+", entry["func"]).group()
        dispatch = entry.get("dispatch") or {}
        keys[name] = {key.strip() for listed in dispatch for key in listed.split(",")}
    return keys


def public_names(source):
    """The texts in a module's `__all__`."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return sorted(ast.literal_eval(node.value))
    return []


def compile_backends(source):
    """The names that torch.compile takes: `["inductor", ...]`."""
    named = re.findall(r'^register_backend\(\s*name="(\w+)"', source, re.M)
    return sorted({*named, *re.findall(r"^@register_backend\b.*\ndef (\w+)", source, re.M)})


def facts(wheel):
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        read = lambda ending: files.read(next(name for name in names if name.endswith(ending))).decode()
        library = files.read("torch/lib/libtorch_cpu.dylib")
        keys = keys_by_operator(read("torchgen/packaged/ATen/native/native_functions.yaml"))
        variables = set(re.findall(rb"PYTORCH_[A-Z_]*MPS[A-Z_]*", library))
        oldest = re.search(rb"MPS backend is supported on [mM]acOS ([\d.]+)\+", library)
        return {
            "version": re.search(r"\nVersion: (.*)", read(".dist-info/METADATA")).group(1),
            "wheel": re.search(r"macosx_\w+", wheel.name).group(),
            "python": re.search(r"\nRequires-Python: (.*)", read(".dist-info/METADATA")).group(1),
            "oldestMacos": oldest.group(1).decode() if oldest else None,
            "variables": sorted(name.decode() for name in variables),
            "mps": public_names(read("torch/mps/__init__.py")),
            "profiler": public_names(read("torch/mps/profiler.py")),
            "backends": compile_backends("".join(read(name) for name in names if "_dynamo/backends/" in name)),
            "kernels": [name for name, key in KERNELS.items() if key in keys.get(name, ())],
        }


def main():
    wheels = pathlib.Path(sys.argv[1]).glob("torch-*macosx*.whl")
    found = [facts(wheel) for wheel in wheels]
    found.sort(key=lambda release: [int(part) for part in release["version"].split(".")])
    target = pathlib.Path(__file__).with_name("releases.json")
    target.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()

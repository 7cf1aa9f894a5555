"""The reference implementation of safetensors, for the tests: `write FILE` or `read FILE`."""
import ctypes
import json
import sys

import safetensors

DTYPES = {
    "BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "U64": 8, "I64": 8,
    "F8_E4M3": 1, "F8_E5M2": 1, "F16": 2, "BF16": 2, "F32": 4, "F64": 8, "C64": 8,
}
SPELT = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32",
    "I32": "int32", "U64": "uint64", "I64": "int64", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
    "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64", "C64": "complex64",
}


def content(index, size, count):
    """Bytes 0 and 1 in turn: valid for every dtype, bool included."""
    return bytes((index + position) % 2 for position in range(size * count))


def write(path):
    tensors = {}
    memory = []
    for index, (dtype, size) in enumerate(DTYPES.items()):
        for name, shape, count in (("matrix", [2, 3], 6), ("scalar", [], 1), ("empty", [0, 4], 0)):
            data = content(index, size, count)
            memory.append(ctypes.create_string_buffer(data, len(data)))
            address = ctypes.addressof(memory[-1])
            tensors[f"{SPELT[dtype]}.{name}"] = safetensors.TensorSpec(
                dtype=SPELT[dtype], shape=shape, data_ptr=address, data_len=len(data)
            )
    safetensors.serialize_file(tensors, path, {"format": "pt", "name": "Grüße"})


def read(path):
    with open(path, "rb") as file:
        found = safetensors.deserialize(file.read())
    print(json.dumps({name: [entry["dtype"], entry["shape"], bytes(entry["data"]).hex()] for name, entry in found}))


{"write": write, "read": read}[sys.argv[1]](sys.argv[2])

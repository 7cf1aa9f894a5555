"""Reads a file of torch.save with Python's own zipfile and pickle: `torch_file_peer.py FILE` prints what is in it.

Stands for PyTorch, which the tests' Python has not: tensors become lists of what they were rebuilt from.
"""
import json
import pickle
import struct
import sys
import zipfile


class Name:
    def __init__(self, text):
        self.text = text

    def __call__(self, *args):
        return [self.text, *args]


class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        return Name(f"{module}.{name}")

    def persistent_load(self, key):
        return {"storage": list(key)}


def described(value):
    if isinstance(value, Name):
        return value.text
    if isinstance(value, dict):
        return {f"{type(key).__name__} {key}": described(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(one) for one in value]
    return value if value is None or isinstance(value, (bool, str)) else f"{type(value).__name__} {value}"


def content_start(raw, entry):
    name, extra = struct.unpack_from("<HH", raw, entry.header_offset + 26)
    return entry.header_offset + 30 + name + extra


path = sys.argv[1]
with open(path, "rb") as file:
    raw = file.read()
with zipfile.ZipFile(path) as archive:
    damaged = archive.testzip()
    with archive.open("archive/data.pkl") as file:
        value = Reader(file).load()
    records = {entry.filename: [entry.file_size, content_start(raw, entry) % 64] for entry in archive.infolist()}
print(json.dumps({"damaged": damaged, "records": records, "value": described(value)}))

"""The points of a sweep over a notebook's parameters: their order, the journal that a crash leaves readable, the table.

Knows files and values, nothing of notebooks.
"""

import csv
import io
import itertools
import json
import os
import random
import re

import yaml

# Of a file's name, beside the extension.
LONGEST_NAME = 100
LONGEST_CELL = 60


class BadGrid(Exception):
    """What is wrong with the values, and the way out."""


def grid_of(pairs, file):
    """`[("batchSize", "32, 64")]` and a YAML file's `rate: [0.1, 0.01]` -> `{"rate": [0.1, 0.01], "batchSize": [32, 64]}`"""
    grid = {}
    if file is not None:
        try:
            given = yaml.safe_load(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadGrid(f"{file} cannot be read: {error.strerror}.") from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise BadGrid(f"{file} is no YAML: {' '.join(str(error).split())}") from None
        if not isinstance(given, dict):
            raise BadGrid(f"{file} has to name parameters and their values, as in rate: [0.1, 0.01].")
        grid.update({str(name): values if isinstance(values, list) else [values] for name, values in given.items()})
    for name, text in pairs:
        try:
            # In brackets, so that commas separate and YAML's own rules say what a number is.
            grid[name] = yaml.safe_load(f"[{text}]")
        except yaml.YAMLError:
            raise BadGrid(f"-p {name} takes values with commas between them, as in 32,64,128, not {text}.") from None
    for name, values in grid.items():
        if not values:
            raise BadGrid(f"{name} has no values: give one at least.")
        texts = [json_of(value) for value in values]
        twice = next((text for text in texts if texts.count(text) > 1), None)
        if twice is not None:
            raise BadGrid(f"{name} has the value {twice} twice: each point is run once.")
    return grid


def json_of(value):
    return json.dumps(value, sort_keys=True, default=str)


def points_of(grid):
    """Every combination, the last parameter changing fastest."""
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


def in_order(points, seed):
    """A machine that warms up or is busy for a while then meets all values of a parameter alike."""
    order = list(points)
    random.Random(seed).shuffle(order)
    return order


def file_name(number, count, point):
    """`03,batchSize=64,rate=0.1`: numbered as the table is, since values may differ in what a file's name cannot hold."""
    parts = ",".join(f"{name}={value}" for name, value in point.items())
    text = f"{number:0{len(str(count))}},{parts}"
    return re.sub(r"[^\w.,=+-]", "_", text)[:LONGEST_NAME]


class Journal:
    """JSON lines, each on the disk before the next point begins."""

    def __init__(self, file):
        self.file = file

    def read(self):
        """The lines that are whole. The last one may have been under way when the machine went down."""
        lines = []
        if self.file.exists():
            for line in self.file.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    lines.append(json.loads(line))
                except ValueError:
                    continue
        return [line for line in lines if isinstance(line, dict)]

    def begin(self, identity):
        self.file.write_text("", encoding="utf-8")
        self.append({"type": "sweep", "schema": 1, "identity": identity})

    def append(self, line):
        with self.file.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            torn = size > 0 and (file.seek(size - 1), file.read(1))[1] != b"\n"
            file.write(("\n" if torn else "").encode() + json.dumps(line, default=str).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def rows_of(points, records):
    """Header and rows of what is recorded, in the grid's order: parameters, what became of the point, its results."""
    by_point = {json_of(record["point"]): record for record in records}
    names = list(points[0])
    found = [(point, by_point[json_of(point)]) for point in points if json_of(point) in by_point]
    results = list(dict.fromkeys(name for _, record in found for name in record["results"]))
    header = [*names, "status", "wall s", *results, "error"]
    rows = []
    for point, record in found:
        values = [record["results"].get(name, "") for name in results]
        told = [point[name] for name in names] + [record["status"], f"{record['wallSeconds']:.1f}", *values]
        rows.append([text_of(cell) for cell in told] + [record["error"] or ""])
    if all(row[-1] == "" for row in rows):
        return header[:-1], [row[:-1] for row in rows]
    return header, rows


def markdown(header, rows):
    def line(cells):
        return "| " + " | ".join(cells) + " |\n"

    # Bars and line breaks would end a cell.
    shown = [[shortened(cell).replace("|", "\\|") for cell in row] for row in rows]
    numeric = ["---:" if all(is_number(row[at]) for row in rows if row[at]) else "---" for at in range(len(header))]
    return line(header) + line(numeric) + "".join(map(line, shown))


def text_of(value):
    """0.1 + 0.2 as 0.3: the digits after the sixth are in the journal."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def shortened(text):
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def comma_separated(header, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()

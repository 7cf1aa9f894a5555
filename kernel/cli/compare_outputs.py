"""Compares a cell's outputs with stored ones: words and numbers, apart from what no two runs share.

Knows outputs as a notebook file holds them, nothing of how they came about.
"""

import re

ANSI = re.compile(r"\x1b\[[0-9;]*m")
NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
TIME = re.compile(rf"{NUMBER} ?(?:ns|µs|us|ms|min|s|/s)(?![\w])")
# What is free on the machine changes by the second; so do shares of time beside a time.
LIMIT = re.compile(r"recommended limit \S+ \w+(?:, used to (?:under )?\S+%)?")
SHARE = re.compile(rf"±?{NUMBER}(?:%|×)")
IDENTIFIER = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
# How many runs a session has counted, hidden ones included.
CELL_URL = re.compile(r"\bmpslab-cell:\d+")
TOKEN = re.compile(rf"(?<![\w.]){NUMBER}(?![\w])|\S+?(?=[\s,;:()\[\]]|$)|[,;:()\[\]]")
CHART = "application/vnd.vegalite.v5+json"
# A line with as many times is a row of measurements, in which no number is ever the same, nor what time allowed.
ROW_OF_TIMES = 2
COLLECTION = re.compile(r"\b(?:full|minor)\b")
# console.table's frame is as wide as its longest time.
FRAME = re.compile(r"─+|(?<=│) +| +(?=│)")


def comparable(text):
    """The lines of a text without colours, identifiers and times; in a row of measurements without any number."""
    lines = []
    for line in FRAME.sub("", ANSI.sub("", text)).split("\n"):
        line = LIMIT.sub("recommended limit", CELL_URL.sub("(cell)", IDENTIFIER.sub("(id)", line)))
        times = len(TIME.findall(line))
        if times > 0:
            line = SHARE.sub("(share)", TIME.sub("(time)", line))
        if times >= ROW_OF_TIMES:
            line = COLLECTION.sub("(collection)", re.sub(NUMBER, "(number)", line))
        lines.append(line.rstrip())
    return lines


def texts(outputs):
    """Outputs as pairs of a kind and a text; pieces of one stream together, as JupyterLab shows them."""
    found = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            kind = output["name"]
            if found and found[-1][0] == kind:
                found[-1] = (kind, found[-1][1] + joined(output["text"]))
                continue
            text = joined(output["text"])
        elif kind == "error":
            text = f"{output['ename']}: {output['evalue']}"
        else:
            data = output["data"]
            text = joined(data.get("text/plain", ""))
            if CHART in data:
                # What it shows, not its numbers: peaks depend on when garbage was collected. The ledger has the others.
                text = text.split(":")[0]
            text += "".join(f"\n({mime})" for mime in sorted(data) if mime != "text/plain")
        found.append((kind, text))
    return found


def joined(text):
    return "".join(text) if isinstance(text, list) else text


def same_tokens(stored, now, tolerance):
    """Whether two lines say the same; numbers may differ by the tolerance, which is 0 on one machine."""
    one, other = TOKEN.findall(stored), TOKEN.findall(now)
    if len(one) != len(other):
        return False
    return all(a == b or (tolerance > 0 and close(a, b, tolerance)) for a, b in zip(one, other))


def close(a, b, tolerance):
    if not (re.fullmatch(NUMBER, a) and re.fullmatch(NUMBER, b)):
        return False
    x, y = float(a.replace(",", "")), float(b.replace(",", ""))
    return abs(x - y) <= tolerance * max(1.0, abs(x), abs(y)) + max(last_place(a), last_place(b)) * 1.001


def last_place(number):
    """The weight of the last digit that is printed after the point, in which a rounding may differ; 0 of a whole number."""
    digits = re.search(r"\.(\d+)(?:[eE]([-+]?\d+))?$", number)
    return 10.0 ** (int(digits[2] or 0) - len(digits[1])) if digits else 0.0


def first_difference(stored, now, tolerance):
    """A sentence with the stored line and the one of now, or None where the outputs are the same."""
    before, after = texts(stored), texts(now)
    for (kind, text), (other_kind, other_text) in zip(before, after):
        if kind != other_kind:
            return difference(f"gave {other_kind} in place of {kind}", text, other_text)
        one, other = comparable(text), comparable(other_text)
        for number, (line, other_line) in enumerate(zip(one, other), 1):
            if not same_tokens(line, other_line, tolerance):
                return difference(f"differs in {kind}, line {number}", line, other_line)
        if len(one) != len(other):
            rest, other_rest = one[len(other) :], other[len(one) :]
            return difference(f"differs in {kind}, line {min(len(one), len(other)) + 1}", "".join(rest[:1]), "".join(other_rest[:1]))
    if len(before) != len(after):
        more = (before[len(after) :] + after[len(before) :])[0]
        word = "lacks an output" if len(before) > len(after) else "has one output more"
        pair = (more[1], "") if len(before) > len(after) else ("", more[1])
        return difference(f"{word}, {more[0]}", *pair)
    return None


def difference(what, stored, now):
    return f"{what}\n  stored  {shortened(stored)}\n  now     {shortened(now)}"


def shortened(text, longest=300):
    line = text.split("\n")[0]
    return (line if len(line) <= longest else line[: longest - 1] + "…") or "(nothing)"

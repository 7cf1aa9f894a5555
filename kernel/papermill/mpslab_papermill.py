"""Writes papermill's parameters as TypeScript.

    papermill in.ipynb out.ipynb -p batchSize 32 -p device cpu

puts a cell `let batchSize = 32; let device = "cpu";` below the one that is tagged `parameters`. It declares with
`let`, and with types that are wide enough, so that a later cell may assign something else. `mpslab papermill` writes
the same cell with kernel/cli/sweep/parameters.ts; test/fixtures/papermill_parameters.json holds the two together.
Does not depend on the rest of the kernel.
"""

import json
import math
import re
from decimal import Decimal

from papermill.engines import NBClientEngine
from papermill.exceptions import PapermillException
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

# A larger integer is written as a bigint, because a number would be rounded.
LARGEST_SAFE_INTEGER = 2**53 - 1

# The words that no variable of a module in strict mode can have as its name.
RESERVED = frozenset(
    """arguments await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof var void while with yield""".split()
)

# One declaration in each line: `let mode: "fast" | "exact" = "fast"; // what it is for`
DECLARATION = re.compile(
    r"""^\s*(?:export\s+)?(?:let|const|var)\s+(?P<name>[^\s:=]+)\s*(?::\s*(?P<type>[^=]+?(?:=>[^=]+?)*))?\s*
    =(?![=>])\s*(?P<value>.*?)\s*;?\s*(?://\s*(?P<help>.*))?$""",
    re.VERBOSE,
)


def is_variable_name(name):
    """Whether a cell can declare a variable of that name."""
    # Two characters that join letters of some scripts are part of TypeScript's names, not of Python's.
    joined = re.sub("(?<!^)[\u200c\u200d]", "_", name.replace("$", "_"))
    return joined.isidentifier() and name not in RESERVED


def number_text(value):
    """A float as JavaScript prints it: 1.0 is `1`, 1e-05 is `0.00001`."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if 0 < point <= 21:
        number = f"{text[:point]}.{text[point:]}" if point < len(text) else text.ljust(point, "0")
    elif -6 < point <= 0:
        number = f"0.{'0' * -point}{text}" if value else "0"
    else:
        number = f"{text[0]}{'.' if len(text) > 1 else ''}{text[1:]}e{point - 1:+d}"
    return f"-{number}" if sign else number


class TypeScriptTranslator(Translator):
    """Writes values by their Python types. If the parameters cell gives a parameter a type, it keeps that type."""

    declared_types: dict[str, str] = {}

    @classmethod
    def translate_str(cls, val):
        # PyYAML leaves an escaped pair of surrogates as two characters. Half a pair could not
        # be written to a file, so it becomes an escape.
        joined = val.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        text = json.dumps(joined, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)

    @classmethod
    def translate_none(cls, val):
        return "null"

    @classmethod
    def translate_int(cls, val):
        return str(val) if abs(val) <= LARGEST_SAFE_INTEGER else f"{val}n"

    @classmethod
    def translate_float(cls, val):
        if math.isnan(val):
            return "NaN"
        if math.isinf(val):
            return "Infinity" if val > 0 else "-Infinity"
        return number_text(val)

    @classmethod
    def translate_dict(cls, val):
        if not val:
            return "{}"
        return f"{{ {', '.join(f'{cls.key(key)}: {cls.translate(each)}' for key, each in val.items())} }}"

    @classmethod
    def key(cls, key):
        # `"__proto__": x` would set the object's prototype.
        text = cls.translate_str(key if isinstance(key, str) else cls.translate(key))
        return f"[{text}]" if key == "__proto__" else text

    @classmethod
    def translate_list(cls, val):
        return f"[{', '.join(cls.translate(each) for each in val)}]"

    @classmethod
    def translate(cls, val):
        if isinstance(val, (tuple, set, frozenset)):
            return cls.translate_list(val)
        if hasattr(val, "isoformat"):  # YAML's dates.
            return cls.translate_str(val.isoformat())
        if val is None or isinstance(val, (str, bool, int, float, dict, list)):
            return super().translate(val)
        return cls.translate_str(str(val))

    @classmethod
    def comment(cls, cmt_str):
        return f"// {cmt_str}".strip()

    @classmethod
    def assign(cls, name, str_val):
        if not is_variable_name(name):
            raise PapermillException(f"{name} is no name for a TypeScript variable: rename the parameter.")
        declared = cls.declared_types.get(name) or wide_type(str_val)
        return f"let {name}{'' if declared is None else f': {declared}'} = {str_val};"

    @classmethod
    def codify(cls, parameters, comment="Parameters"):
        try:
            return super().codify(parameters, comment)
        finally:
            cls.declared_types = {}

    @classmethod
    def inspect(cls, parameters_cell):
        """papermill reads the parameters cell before it writes one of its own."""
        matches = [DECLARATION.match(line) for line in parameters_cell["source"].splitlines()]
        found = [match for match in matches if match and is_variable_name(match["name"])]
        cls.declared_types = {match["name"]: match["type"] for match in found if match["type"]}
        return [
            Parameter(match["name"], match["type"] or "None", match["value"], match["help"] or "") for match in found
        ]


def wide_type(value):
    """Returns a type for a value if TypeScript would infer one that accepts no other value; otherwise None."""
    return {"null": "any", "[]": "any[]", "{}": "Record<string, any>"}.get(value)


class TypeScriptEngine(NBClientEngine):
    """papermill's own engine under another name. papermill loads this module because it registers an engine."""


for name in ("mpslab", "typescript"):
    papermill_translators.register(name, TypeScriptTranslator)

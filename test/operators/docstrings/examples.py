"""Reads the examples of the docstrings of an installed PyTorch, and prints them as JSON: {name: [{source, isExpression}]}.

A file is read by its syntax tree and never imported: the wheel that set-up installs cannot be imported without CUDA's
libraries. What it knows of PyTorch is where docstrings stand: below `class` and `def`, and in calls of `add_docstr`.

Run by `npm test`, and by record.py in `.venv-bench`:  python examples.py FOLDER_OF_TORCH
"""

import ast
import doctest
import json
import pathlib
import sys

FILES = [
    "_tensor.py",
    "_tensor_docs.py",
    "_torch_docs.py",
    "autograd/__init__.py",
    "autograd/anomaly_mode.py",
    "autograd/function.py",
    "autograd/functional.py",
    "autograd/grad_mode.py",
    "fft/__init__.py",
    "functional.py",
    "linalg/__init__.py",
    "nn/functional.py",
    "nn/init.py",
    "nn/modules/*.py",
    "nn/parameter.py",
    "nn/utils/*.py",
    "optim/*.py",
    "special/__init__.py",
    "utils/data/*.py",
]


def docstrings(tree):
    """(name, text) of each class, function and `add_docstr` of a file, in their order."""
    found = []

    def visit(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.ClassDef, ast.FunctionDef)):
                name = f"{prefix}{child.name}"
                text = ast.get_docstring(child)
                if text:
                    found.append((name, text))
                visit(child, f"{name}.")
                continue
            if isinstance(child, ast.Call) and "add_docstr" in ast.unparse(child.func) and len(child.args) > 1:
                # The text is the second argument, often with `.format(...)`, which changes no example's names.
                texts = [
                    part.value
                    for part in ast.walk(child.args[1])
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and ">>>" in part.value
                ]
                named = child.args[0]
                name = named.value if isinstance(named, ast.Constant) else ast.unparse(named)
                for text in texts:
                    formatted = isinstance(child.args[1], ast.Call)
                    found.append((name, text.replace("{{", "{").replace("}}", "}") if formatted else text))
            visit(child, prefix)

    visit(tree, "")
    return found


def statements(text):
    """The statements behind `>>>`, each with whether it is an expression whose value Python's prompt shows."""
    found = []
    try:
        for one in doctest.DocTestParser().get_examples(text):
            for node in ast.parse(one.source).body:
                first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
                lines = one.source.split("\n")[first - 1 : node.end_lineno]
                alone = node.col_offset == 0 and not lines[-1][node.end_col_offset :].strip().startswith(";")
                source = "\n".join(lines) if alone else ast.get_source_segment(one.source, node)
                prints = isinstance(node, ast.Expr) and ast.unparse(node).startswith("print(")
                found.append({"source": source, "isExpression": isinstance(node, ast.Expr) and not prints})
    except (ValueError, SyntaxError):
        # The text is not Python, as where an example leaves out a body.
        return []
    return found


def examples(folder):
    found = {}
    for pattern in FILES:
        for file in sorted(folder.glob(pattern)):
            where = ".".join(file.relative_to(folder).with_suffix("").parts)
            for name, text in docstrings(ast.parse(file.read_text())):
                given = statements(text)
                if given:
                    key = name if name.startswith("torch.") else f"{where}.{name}"
                    while key in found:
                        key += "'"
                    found[key] = given
    return found


if __name__ == "__main__":
    print(json.dumps(examples(pathlib.Path(sys.argv[1]))))

// One line of documentation for each operator, from Python's docstrings.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readDocstrings } from "../../../native/codegen/summaries.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "mpslab-docs-"));
  mkdirSync(path.join(folder, "nn"));
});

afterEach(() => rmSync(folder, { recursive: true }));

it("is the first sentence of prose, without markup", () => {
  writeFileSync(
    path.join(folder, "_torch_docs.py"),
    `
add_docstr(
    torch.add,
    r"""
add(input, other, *, alpha=1, out=None) -> Tensor

Adds :attr:\`other\`, scaled by :attr:\`alpha\`,
to :attr:\`input\`. More words.

Args:
    {input}
"""
)
add_docstr(
    torch.ne,
    r"""
ne(input, other) -> Tensor
"""
    + r"""

Computes :math:\`\\text{{input}} \\neq \\text{{other}}\` element-wise.
""".format(**common_args),
)
`,
  );
  expect(Object.fromEntries(readDocstrings(folder).summaries)).toEqual({
    add: "Adds `other`, scaled by `alpha`, to `input`.",
    ne: "Computes `input ≠ other` element-wise.",
  });
});

it("comes from a Python function where the operator is wrapped by one", () => {
  writeFileSync(
    path.join(folder, "nn/functional.py"),
    `
def relu(input: Tensor, inplace: bool = False) -> Tensor:  # noqa: D400,D402
    r"""relu(input, inplace=False) -> Tensor

    Applies the rectified linear unit function element-wise. See
    :class:\`~torch.nn.ReLU\` for more details.
    """
`,
  );
  expect(readDocstrings(folder).summaries.get("relu")).toBe(
    "Applies the rectified linear unit function element-wise.",
  );
});

it("is missing where libtorch came without Python files", () => {
  expect(readDocstrings(folder).summaries.size).toBe(0);
});

it("each argument has its first sentence, in the words of this library", () => {
  writeFileSync(
    path.join(folder, "_torch_docs.py"),
    `
common_args = parse_kwargs(
    """
    input (Tensor): the input tensor.
    out (Tensor, optional): the output tensor.
"""
)
add_docstr(
    torch.isin,
    r"""
isin(elements, test_elements, *, assume_unique=False) -> Tensor

Tests if each element is there.

Args:
    elements (Tensor or Scalar): Input elements
    assume_unique (bool, optional): If True, assumes that :attr:\`test_elements\` has
        no element twice. Default: False
    out (Tensor, optional): The LongTensor (default: None) that is
        written to.

Example::

    >>> torch.isin(a, b)
"""
)
`,
  );
  const { arguments: described, common } = readDocstrings(folder);
  expect([...common]).toEqual([
    ["input", "The input tensor."],
    ["out", "The output tensor."],
  ]);
  expect([...described.get("isin")!]).toEqual([
    ["elements", "Input elements."],
    ["assume_unique", "If true, assumes that `testElements` has no element twice."],
    ["out", "The tensor that is written to."],
  ]);
});

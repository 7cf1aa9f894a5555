// Reads one line of documentation for each operator from libtorch's docstrings. If libtorch lacks its Python files, the
// declarations name the operator only.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Later files win; the first two document most functions in words that fit their methods too. */
const FILES = [
  "nn/functional.py",
  "functional.py",
  "linalg/__init__.py",
  "fft/__init__.py",
  "special/__init__.py",
  "_tensor_docs.py",
  "_torch_docs.py",
];

/**
 * Matches `add_docstr(torch.add, r"""...""" + r"""..."""` and, in `_tensor_docs.py`, `add_docstr_all("add_",
 * r"""..."""`.
 */
const ATTACHED =
  /add_docstr(?:_all)?\(\s*(?:"(\w+)"|[\w.]*?(\w+)),\s*r?"""([\s\S]*?)"""(?:\s*\+\s*r?"""([\s\S]*?)""")?/g;

/** `def relu(input: Tensor) -> Tensor:  # comment` and its docstring. */
const DEFINED = /^def (\w+)\([^#]*?\)(?: -> [^\n]*)?:[^\n]*\n {4}r?"""([\s\S]*?)"""/gm;

/** Returns the summaries by the operator's own name: `linalg_norm`, `add_`. */
export function readSummaries(torchFolder: string): Map<string, string> {
  const summaries = new Map<string, string>();
  const add = (name: string | undefined, docstring: string) => {
    const summary = summarize(docstring);
    if (name !== undefined && summary !== "") summaries.set(name, summary);
  };
  for (const file of FILES) {
    const full = path.join(torchFolder, file);
    if (!existsSync(full)) continue;
    const source = readFileSync(full, "utf8");
    for (const [, name, docstring = ""] of source.matchAll(DEFINED)) add(name, docstring);
    for (const [, method, called, first = "", second = ""] of source.matchAll(ATTACHED)) {
      add(method ?? called, `${first}\n\n${second}`);
    }
  }
  return summaries;
}

/** The first sentence of the first paragraph that is prose. */
function summarize(docstring: string): string {
  const prose = docstring
    .split(/\n\s*\n/)
    .map((paragraph) => plain(paragraph))
    .find(
      (paragraph) =>
        /^[A-Z]/.test(paragraph) && !/^\w+\(|->|^See |^(Keyword )?[Aa]rgs|^Example|^Note/.test(paragraph),
    );
  if (prose === undefined) return "";
  const sentence = /^.*?\.(?= |$)(?<!e\.g\.|i\.e\.)/.exec(prose)?.[0] ?? `${prose.replace(/[.:]$/, "")}.`;
  return sentence.length > 240 ? `${sentence.slice(0, 237)}...` : sentence;
}

const SYMBOLS: Record<string, string> = {
  times: "×",
  otimes: "⊗",
  neq: "≠",
  geq: "≥",
  leq: "≤",
  mu: "μ",
  sigma: "σ",
  ast: "*",
  infty: "∞",
  left: "",
  right: "",
};

/** reStructuredText with mathematics -> one line of Markdown. */
function plain(text: string): string {
  return text
    .replace(/^\s*\.\. \w+::.*$/gm, "")
    .replace(/\\(?:text|texttt|mathrm|mathbf)\{\{?([^{}]*)\}?\}/g, "$1")
    .replace(/\\([a-z]+)/g, (whole, word: string) => SYMBOLS[word] ?? whole)
    .replace(/\s*:\w+:`~?([^`<]*?)\s*(?:<[^`]*>)?`/g, " `$1`")
    .replace(/``([^`]*)``/g, "`$1`")
    .replace(/`([^`<]+) <[^`]*>`_/g, "$1")
    .replace(/\*\//g, "* /")
    .replace(/`\s+(?=Alias for )/g, "`. ")
    .replace(/\s+/g, " ")
    .trim();
}

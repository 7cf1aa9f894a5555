// The examples of PyTorch's docstrings, which stand in the wheel that set-up installs, and what PyTorch showed for each of
// their statements. An example becomes one cell of Python that prints the same.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { venvProgram } from "../../../kernel/cli/project.ts";
import { folder as operators } from "../tally.ts";

export const folder = path.join(operators, "docstrings");
export const keptFile = path.join(folder, "kept.json.gz");

export interface Statement {
  readonly source: string;
  /** Python's prompt shows the value of an expression. */
  readonly isExpression: boolean;
}

export type Examples = Readonly<Record<string, readonly Statement[]>>;

/** What PyTorch showed: a text for each statement, or null; and the tensors that variables hold at the end. */
export interface Shown {
  readonly shown: readonly (string | null)[];
  readonly tensors: Readonly<Record<string, string>>;
}

/** A cell, and the texts that it prints, each followed by SEPARATOR. */
export interface Cell {
  readonly python: string;
  readonly wanted: readonly string[];
}

export const SEPARATOR = "----";

/** A longer text of PyTorch is kept as far as this. */
const LONGEST_TEXT = 1000;

export function keptExamples(): Readonly<Record<string, Shown>> {
  return JSON.parse(gunzipSync(readFileSync(keptFile)).toString()) as Record<string, Shown>;
}

/** The examples of the installed wheel, by the name of what they document. */
export function installedExamples(): Examples {
  const library = path.join(path.dirname(path.dirname(venvProgram("python"))), "lib");
  const torch = readdirSync(library)
    .map((python) => path.join(library, python, "site-packages", "torch"))
    .find((candidate) => existsSync(candidate));
  const printed = execFileSync(venvProgram("python"), [path.join(folder, "examples.py"), torch!], {
    encoding: "utf8",
    maxBuffer: 2 ** 27,
  });
  return JSON.parse(printed) as Examples;
}

const PRELUDE = [
  "import math",
  "import torch",
  "import torch.nn as nn",
  "import torch.nn.functional as F",
  "import torch.optim as optim",
  "torch.manual_seed(0)",
];

export function cellOf(statements: readonly Statement[], { shown, tensors }: Shown): Cell {
  const lines = [...PRELUDE];
  const wanted: string[] = [];
  const ends = (text: string): void => {
    lines.push(`print("${SEPARATOR}")`);
    wanted.push(text);
  };
  statements.forEach(({ source, isExpression }, at) => {
    const text = shown[at] ?? null;
    // A comment may follow the expression.
    lines.push(isExpression && text !== null ? `print(${source.trim()}\n)` : source.trimEnd());
    if (text !== null) ends(text);
  });
  for (const [name, text] of Object.entries(tensors)) {
    lines.push(`print(${name})`);
    ends(text);
  }
  return { python: lines.join("\n"), wanted };
}

/** Words and numbers: how lists, names and results of several values are bracketed is each language's own. */
function tokens(text: string): string[] {
  return (
    text
      .replace(/torch\.return_types\.\w+|torch\.Size/g, "")
      .replace(/torch\.(?=[a-z])/g, "")
      .replace(/\b(?:True|False)\b/g, (word) => word.toLowerCase())
      .replace(/\bNone\b|\bundefined\b/g, "null")
      // A device is a text here, and names of options are in camelCase.
      .replace(/device\(type='(\w+)'\)/g, "$1")
      .replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      .split(/[\s[\]{}(),'"=:<>]+/)
      .filter(Boolean)
  );
}

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/;

/** Numbers are printed with four digits behind the point. */
function isNear(one: string, other: string): boolean {
  if (one === other) return true;
  if (!NUMBER.test(one) || !NUMBER.test(other)) return false;
  return Math.abs(Number(one) - Number(other)) <= 1e-4 * Math.max(1, Math.abs(Number(other)));
}

/** The first place where a cell printed something else than PyTorch; null if there is none. */
export function differenceOf(output: string, wanted: readonly string[]): string | null {
  const printed = output.split(`${SEPARATOR}\n`);
  for (const [at, text] of wanted.entries()) {
    const isCut = text.length >= LONGEST_TEXT;
    const theirs = isCut ? tokens(text).slice(0, -1) : tokens(text);
    const ours = isCut ? tokens(printed[at] ?? "").slice(0, theirs.length) : tokens(printed[at] ?? "");
    const other = theirs.findIndex((token, place) => !isNear(ours[place] ?? "", token));
    const place = other < 0 && ours.length > theirs.length ? theirs.length : other;
    if (place >= 0) {
      const around = (all: readonly string[]): string =>
        all.slice(Math.max(0, place - 2), place + 6).join(" ");
      return `printed ${around(ours)}, and PyTorch ${around(theirs)}`;
    }
  }
  return null;
}

// Recognizes shell, IPython and Python habits, and says how to write the same in a cell. Only text that is already
// wrong is looked at, because `!ready` is valid TypeScript.

const LINES: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/^!+\s*npm\s+(.+)$/, (rest) => `packages are installed by %npm ${rest}`],
  [/^npm\s+(i|install|add|uninstall|remove|list|ls)\b(.*)$/, (verb, rest) => `write %npm ${verb}${rest}`],
  [/^!+\s*(\S.*)$/, (command) => `a shell's commands stand behind %sh: %sh ${command}`],
  [
    /^from\s+(\S+)\s+import\s+(.+)$/,
    (module, names) => `write import { ${names} } from "${jsModule(module)}"`,
  ],
  [/^import\s+torch(?:\s+as\s+\w+)?$/, () => 'write import { torch } from "mpslab"'],
  [/^def\s+(\w+)\s*\(([^)]*)\).*:$/, (name, parameters) => `write function ${name}(${parameters}) { ... }`],
  [/^class\s+(\w+)\s*\(([\w.]+)\)\s*:$/, (name, base) => `write class ${name} extends ${base} { ... }`],
  [
    /^for\s+(\w+)\s+in\s+range\(([\w.]+)\)\s*:$/,
    (name, end) => `write for (let ${name} = 0; ${name} < ${end}; ${name}++) { ... }`,
  ],
  [/^for\s+(.+?)\s+in\s+(.+):$/, (name, values) => `write for (const ${named(name)} of ${values}) { ... }`],
  [/^with\s+torch\.no_grad\(\)\s*:$/, () => "write torch.noGrad(() => { ... })"],
  [/^(if|while)\s+(.+):$/, (word, condition) => `write ${word} (${condition}) { ... }`],
  [/\bf(["'])(.*?)\1/, (_, text) => `text with values in it is written \`${text.replace(/\{/g, "${")}\``],
  [
    /([\w.]+)\[(-?\d*):(-?\d*)\]/,
    (name, start, end) => `a slice of a tensor is written ${name}.at(torch.slice(${sliced(start, end)}))`,
  ],
  [/([\w.]+)\s*@\s*([\w.]+)/, (left, right) => `the product of matrices is written ${left}.matmul(${right})`],
  [
    /^import\s+([\w.]+)(?:\s+as\s+(\w+))?$/,
    (module, name) => `write import * as ${name ?? module} from "${module}"`,
  ],
];

const NAMES: Readonly<Record<string, string>> = {
  print: "console.log(...) prints, and display(...) shows",
  len: "x.length counts the rows of a tensor or the elements of an array",
  range: "for (let i = 0; i < 5; i++) counts",
  True: "it is written true",
  False: "it is written false",
  None: "it is written null",
  self: "it is written this",
  help: "name? in a cell of its own tells about a name",
  document: 'a cell runs in Node, which has no page; display({ "text/html": "<b>text</b>" }) shows HTML',
  window: "a cell runs in Node, which has no page; globalThis has what all cells see",
  alert: "a cell runs in Node, which has no page; console.log(...) prints",
};

const MAGICS: Readonly<Record<string, string>> = {
  cd: 'process.chdir("folder") changes the folder',
  pip: "%npm install adds packages",
  conda: "%npm install adds packages",
  env: "process.env has the environment's variables",
  run: 'import "./file.ts" runs a file',
  history: "In has what was run, by its number",
  hist: "In has what was run, by its number",
  matplotlib: "charts need no preparation",
  autoreload: "files that changed are loaded again by the next import",
  load_ext: "there are no extensions; %lsmagic lists the magics",
  bash: "%%sh runs the lines below in a shell",
  html: 'display({ "text/html": "<b>text</b>" }) shows HTML',
  markdown: 'display({ "text/markdown": "**text**" }) shows Markdown',
  latex: 'display({ "text/latex": "$x^2$" }) shows a formula',
};

const SHELL = new Set(["cat", "cp", "ls", "mkdir", "mv", "pwd", "rm", "rmdir"]);

/** Returns the hint for a line that is invalid TypeScript, or null if no habit matches. */
export function hintForLine(line: string): string | null {
  const text = line.trim().replace(/;$/, "");
  for (const [pattern, say] of LINES) {
    const match = pattern.exec(text);
    if (match !== null) return say(...(match.slice(1) as string[]));
  }
  return null;
}

/** Returns the hint for an unknown name, or null. */
export function hintForName(name: string): string | null {
  return Object.hasOwn(NAMES, name) ? (NAMES[name] ?? null) : null;
}

/** Returns the hint for an unknown magic, or null. @param name without percent signs */
export function hintForMagic(name: string): string | null {
  if (SHELL.has(name)) return `a shell's commands stand behind %sh: %sh ${name}`;
  return Object.hasOwn(MAGICS, name) ? (MAGICS[name] ?? null) : null;
}

/** `mpslab.nn` of Python is no module of its own here. */
function jsModule(module: string): string {
  return /^(?:torch|mpslab)(?:\.|$)/.test(module) ? "mpslab" : module;
}

/** `x, y` -> `[x, y]` */
function named(targets: string): string {
  return targets.includes(",") ? `[${targets}]` : targets;
}

/** Returns the arguments of torch.slice for a Python slice: `1:3` -> `1, 3`, `:3` -> `3`, `1:` -> `1, null` */
function sliced(start: string, end: string): string {
  return start === "" ? end || "null" : `${start}, ${end || "null"}`;
}

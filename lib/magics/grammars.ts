// The grammar of every magic, as plain data in alphabetical order. Each entry has a handler of the same name in
// `kernel/magics/table.ts`; the compiler reports a missing one.
import { listed } from "../words.ts";
import type { Grammar } from "./grammar.ts";

/** Runs that `%timeit` makes without `-r`. */
export const DEFAULT_TIMEIT_RUNS = 7;

/** Commands of npm that `%npm` passes on. */
export const NPM_COMMANDS = ["install", "uninstall", "list", "outdated", "update", "view"] as const;
export type NpmCommand = (typeof NPM_COMMANDS)[number];

const TABLE = {
  check: {
    side: "kernel",
    summary: "what a type error does to its cell, from this one on; without an argument, what it does now",
    details:
      "error, or on: the cell does not run. warn: the error is printed and the cell runs. off: types are not checked.",
    line: { kind: "word", words: ["error", "warn", "off", "on"] },
  },
  compiled: {
    side: "kernel",
    summary: "shows the JavaScript that this cell would run as, and does not run it",
    line: { kind: "none" },
  },
  debug: {
    side: "session",
    summary: "opens the state at the last error: its call stack, and variables as they were",
    details:
      "%pdb on, in an earlier cell or above in the same one, has it kept. With an expression: its value in the innermost " +
      "function of yours; it is TypeScript, and may use the notebook's variables too. Objects are the ones of the notebook, " +
      "and show what they hold now.",
    line: { kind: "text", placeholder: "EXPRESSION", optional: true },
    options: {
      "-f": { takes: "count", placeholder: "FRAME", help: "which function of the call stack, 1 if not said" },
    },
  },
  device: {
    side: "session",
    summary: "shows or chooses the device that the session works on",
    line: { kind: "word", words: ["cpu", "cuda", "mps"], others: true },
  },
  env: {
    side: "session",
    summary: "shows environment variables of the session, or sets one",
    details:
      "%env NAME shows one, %env NAME=VALUE sets it for the session and what it starts, delete process.env.NAME removes it; alone it shows " +
      "those that PyTorch reads for mps. libtorch reads them when it is loaded, by the first call: set them in the first cell, above the import.",
    line: { kind: "text", placeholder: "NAME=VALUE", optional: true },
  },
  flush: {
    side: "kernel",
    summary: "whether epoch loops flush, from this cell on; without an argument, whether they do now",
    details: "Under off they are still measured, and nothing is collected or emptied.",
    line: { kind: "word", words: ["on", "off"] },
  },
  inspect: {
    side: "session",
    summary: "opens the session to the debugger of Chrome or VS Code, and prints where to attach it",
    details:
      "It listens on this machine alone, at an address that holds a token. %inspect wait goes on once a debugger is attached, " +
      "%inspect off closes it. JupyterLab's own debugger needs no magic: press the bug icon.",
    line: { kind: "word", words: ["wait", "off"] },
  },
  load: {
    side: "kernel",
    summary: "puts the text of a file into a new cell below",
    line: { kind: "text", placeholder: "FILE", takesFiles: true },
  },
  lsmagic: {
    side: "kernel",
    summary: "lists the magics",
    line: { kind: "none" },
  },
  memory: {
    side: "session",
    summary: "shows the memory of the device, of the session and of the machine, with their limits",
    details: "lab.memory() gives the same numbers to a program.",
    line: { kind: "none" },
  },
  metal: {
    side: "session",
    summary: "says whether Metal can be used here, or simulates a Mac's",
    details:
      "%metal simulated 16GB makes an mps device of this machine's processor and memory, with PyTorch's rules for memory and " +
      "queueing, for the rest of the session; 16GB is the Mac's memory. A last word unqueued runs each operator at once.",
    line: { kind: "word", words: ["simulated"], others: true },
  },
  npm: {
    side: "session",
    summary: "installs, removes and lists packages in the notebook's folder",
    details:
      `Takes npm's ${listed(NPM_COMMANDS, "or")}, with npm's own arguments: %npm install lodash @types/lodash. The next cell can ` +
      "import what was installed, with its types; a module that is loaded stays as it is until the kernel restarts.",
    line: { kind: "text", placeholder: "COMMAND", firstWords: NPM_COMMANDS },
  },
  outputs: {
    side: "kernel",
    summary: "shows the outputs of a cell again, such as those that came while the page was closed",
    details:
      "Without a number: of the cell that runs, or else of the latest. Alone in a cell of a page that was loaded again, it is " +
      "answered while the cells of the page before run, and shows what the running one still puts out, until it ends. The kernel keeps the outputs of the latest 50 cells, " +
      "at most 2 MiB of text, 1,000 outputs and 16 MiB of each, and says what it dropped. A restart forgets them.",
    line: { kind: "text", placeholder: "CELL", optional: true },
  },
  pdb: {
    side: "kernel",
    summary:
      "whether the state at an error is kept for %debug, from this cell on; without an argument, whether it is now",
    details:
      "Kept is the latest error that no try of the running code catches: the call stack, with the variables of each function. " +
      "They stay in memory until the next one, or %pdb off. Cells run slower under on, as with a debugger attached.",
    line: { kind: "word", words: ["on", "off"] },
  },
  python: {
    side: "kernel",
    summary: "puts the Python below into a new cell, as TypeScript, and runs nothing",
    details:
      "PyTorch's names become the library's. What cannot be said stands in a comment TODO above its line, and is counted in " +
      "the output. Variables of earlier cells are known by their types.",
    cell: { argument: { kind: "none" }, body: "text" },
  },
  ranks: {
    side: "kernel",
    summary: "runs the cell on N processes at once, which are ranks of one torch.distributed group",
    details:
      "They start with the first such cell and stay: names that these cells declare are kept on every rank. The notebook's " +
      "own variables are not there, its imports are. The cell begins inside an initialised process group. %ranks lists the " +
      "ranks, and %ranks stop ends them; another N ends them and starts new ones.",
    line: { kind: "word", words: ["stop"] },
    cell: { argument: { kind: "text", placeholder: "N" }, body: "code" },
  },
  reset: {
    side: "session",
    summary: "forgets every name with its value and type, and frees the tensors",
    details: "Done before anything else of its cell. Modules stay loaded, and the numbers of cells go on.",
    line: { kind: "none" },
    options: { "-f": { takes: "nothing", help: "does not ask first" } },
    readsNames: true,
    forgetsNames: true,
  },
  restore: {
    side: "kernel",
    summary: "brings variables back from the snapshot beside the notebook, with their types",
    details:
      "Without names: everything. The state of a module or an optimizer is loaded into the one of that name: run the cell " +
      "that makes it first. A damaged snapshot is refused whole.",
    line: { kind: "text", placeholder: "NAMES", optional: true },
  },
  sh: {
    side: "session",
    summary: "runs a shell command in the notebook's folder; its output appears as it comes",
    details:
      "The command has no input. The cell fails when the command does: its exit code is in the error. Stop ends the " +
      "command and everything that it has started.",
    line: { kind: "text", placeholder: "COMMAND", takesFiles: true },
    cell: { argument: { kind: "none" }, body: "text" },
  },
  snapshot: {
    side: "session",
    summary: "saves variables to files beside the notebook, from which %restore brings them back",
    details:
      "Without names: every variable. Tensors go to a safetensors file, plain values (with Map, Set, Date, bigint and typed " +
      "arrays) to JSON, of modules and optimizers their state. An older snapshot is replaced.\n" +
      "auto: after cells and epochs, while the code goes on, at most every 5 s and for at most 5% of the time. off: no longer.",
    line: { kind: "text", placeholder: "auto | off | NAMES", optional: true, firstWords: ["auto", "off"] },
  },
  stale: {
    side: "kernel",
    summary: "lists the cells that used a value which was redefined since, in the order to run them again",
    details:
      "Such a cell is marked by one line below it; off leaves the lines out, and the list works all the same. A cell counts as " +
      "run again where the front end says which cell it is, as JupyterLab does. Changes in place are not followed.",
    line: { kind: "word", words: ["on", "off"] },
  },
  time: {
    side: "session",
    summary: "times a statement once: wall clock, processor, and waiting for the device",
    details:
      "The statement is part of the cell: names that it declares stay, and its value is the cell's if it stands last. " +
      "The device is waited for before the clock stops.",
    line: { kind: "code", placeholder: "STATEMENT" },
    cell: { argument: { kind: "none" }, body: "code" },
    runs: "in place",
  },
  timeit: {
    side: "session",
    summary: "times an expression in many repetitions: best, mean and spread",
    details:
      "How often is found out by trying, so that a run takes 0.2 s at least; the first call is not counted. The device is " +
      "waited for at the end of each run, and the work of a run is not: it is queued as in a training loop. Names that the " +
      "code declares do not stay.",
    line: { kind: "code", placeholder: "EXPRESSION" },
    cell: { argument: { kind: "none" }, body: "code" },
    options: {
      "-n": { takes: "count", placeholder: "LOOPS", help: "how often the code runs in a run" },
      "-r": {
        takes: "count",
        placeholder: "RUNS",
        help: `how many runs are made, ${DEFAULT_TIMEIT_RUNS} if not said`,
      },
    },
    runs: "as a function",
  },
  who: {
    side: "session",
    summary: "lists the names that cells have declared: types, shapes and bytes",
    details: "Bytes are those of the tensor or buffer itself; two that share their memory are counted twice.",
    line: { kind: "none" },
    readsNames: true,
  },
  writefile: {
    side: "session",
    summary: "writes the rest of the cell to a file",
    details: "A .ts file can then be imported, and is loaded again when it has changed.",
    cell: { argument: { kind: "text", placeholder: "FILE", takesFiles: true }, body: "text" },
    options: { "-a": { takes: "nothing", help: "appends to the file" } },
  },
} as const satisfies Readonly<Record<string, Omit<Grammar, "name">>>;

export type GrammarTable = typeof TABLE;
export type MagicName = keyof GrammarTable;

export const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  Object.entries(TABLE).map(([name, entry]) => [name, { name, ...entry }]),
);

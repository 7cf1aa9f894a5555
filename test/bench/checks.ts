// Measures the time to check a cell before it runs, with the kernel's own checker, with the names of a cell before it,
// on cells whose tensors and layers say their shapes, and on those of the tour, one after the other.
import { readFileSync } from "node:fs";
import path from "node:path";
import { NotebookSession } from "../kernel/language/notebook_session.ts";
import { root } from "./environment.ts";
import { summarize, takeTurns, type Figures } from "./rounds.ts";
import { TWO_CORES } from "./machine.ts";
import { markdownTable, verdict } from "./table.ts";

const OPERATORS = "two dozen operators on literal shapes";
const LAYERS = "a Sequential of nine layers, its call, a loss";

/** A cell as people write it, with conditions that could be tensors, and a `let` that takes several types. */
const TRAINING = "a training loop with its conditions";

const CELLS: Readonly<Record<string, string>> = {
  "no tensor": "const n = 1 + 1;",
  "one product": "const a = torch.zeros([2, 3]).matmul(torch.zeros([3, 4]));",
  "a function over plain tensors": "const f = (x: Tensor) => x.add(1).relu().sum();",
  [OPERATORS]: [
    "const x = torch.randn([64, 784]), w1 = torch.randn([784, 512]), b1 = torch.zeros([512]);",
    "const w2 = torch.randn([512, 10]), b2 = torch.zeros([10]);",
    "const h = x.matmul(w1).add(b1).relu();",
    "const y = h.matmul(w2).add(b2);",
    "const p = y.softmax(-1);",
    "const predicted = p.argmax(1);",
    "const q = torch.randn([8, 4, 16, 32]), k = torch.randn([8, 4, 16, 32]);",
    "const scores = q.matmul(k.transpose(-2, -1)).div(32 ** 0.5).softmax(-1);",
    "const loss = p.log().neg().mean();",
  ].join("\n"),
  [LAYERS]: [
    "const model = new nn.Sequential(",
    "  new nn.Conv2d(1, 32, 3, { padding: 1 }), new nn.BatchNorm2d(32), new nn.ReLU(), new nn.MaxPool2d(2),",
    "  new nn.Flatten(), new nn.Linear(6272, 128), new nn.ReLU(), new nn.Dropout(0.5), new nn.Linear(128, 10));",
    "const logits = model(torch.randn([64, 1, 28, 28]));",
    "F.crossEntropy(logits, torch.zeros([64]).long()).backward();",
  ].join("\n"),
  [TRAINING]: [
    "const layer = new nn.Linear(784, 10);",
    "const optimizer = new optim.SGD(layer.parameters(), { lr: 0.1 });",
    "const x = torch.randn([64, 784]), target = torch.zeros([64]).long();",
    "const losses: number[] = [];",
    "let smooth = torch.zeros([64, 10]);",
    "for (let step = 0; step < 10; step++) {",
    "  optimizer.zeroGrad();",
    "  const logits = layer(x);",
    "  const loss = F.crossEntropy(logits, target);",
    "  if (loss.isnan().item()) break;",
    "  loss.backward();",
    "  optimizer.step();",
    "  smooth = smooth.mul(0.9).add(logits.mul(0.1));",
    "  losses.push(loss.item());",
    "}",
    "const result = { last: losses.at(-1), smooth };",
  ].join("\n"),
};

const TOUR_MEDIAN = "a cell of the tour, the median of them";
const TOUR_SLOWEST = "a cell of the tour, the slowest of them";

const WARM_UP = 5;
const TIMES = 25;

/** The tour is run over and over, as by Run All. */
const TOURS = 8;

interface NotebookFile {
  readonly cells: readonly { readonly cell_type: string; readonly source: readonly string[] }[];
}

function tourCells(): readonly string[] {
  const file = path.join(root, "notebooks", "01-tour.ipynb");
  const { cells } = JSON.parse(readFileSync(file, "utf8")) as NotebookFile;
  const code = cells.filter(({ cell_type }) => cell_type === "code").map(({ source }) => source.join(""));
  return code.map((text) => text.replace(/^%.*\n/, "")); // A magic is not the checker's.
}

/** No two texts are the same, by their last line: the checker begins anew each time, as in a notebook. */
async function check(notebook: NotebookSession, text: string) {
  const written = notebook.compile(text);
  const start = performance.now();
  const problems = await notebook.service.check(written);
  return { problems, takenMs: performance.now() - start };
}

/** Medians of each cell, over all tours but the first. */
async function checkTour(notebook: NotebookSession): Promise<readonly number[]> {
  const cells = tourCells();
  const taken = cells.map((): number[] => []);
  for (let tour = 0; tour < TOURS; tour++) {
    for (const [index, cell] of cells.entries()) {
      const text = `${cell}\n// ${tour}`;
      const { problems, takenMs } = await check(notebook, text);
      if (tour > 0) taken[index]!.push(takenMs);
      if (problems.length === 0) notebook.commit(text); // One of them is misspelt.
      await notebook.service.types();
    }
  }
  return taken.map((times) => summarize(times).median);
}

async function trial(): Promise<Figures> {
  const notebook = new NotebookSession();
  try {
    await notebook.run('import { functional as F, nn, optim, torch, Tensor } from "mpslab";');
    const found: Record<string, number> = {};
    for (const [name, cell] of Object.entries(CELLS)) {
      const taken: number[] = [];
      for (let time = 0; time < WARM_UP + TIMES; time++) {
        const { problems, takenMs } = await check(notebook, `${cell}\n// ${time}`);
        if (time >= WARM_UP) taken.push(takenMs);
        if (problems.length > 0) throw new Error(`${name}: ${problems[0]!.message}`);
        await notebook.service.types(); // Printing them, which a running cell hides, is over then.
      }
      found[name] = summarize(taken).median;
    }
    const { median, max } = summarize(await checkTour(notebook));
    return { ...found, [TOUR_MEDIAN]: median, [TOUR_SLOWEST]: max };
  } finally {
    notebook.close();
  }
}

export async function checks(): Promise<string> {
  const results = await takeTurns([{ name: "mpslab", trial }], 5);
  const median = (figure: string) => results.get("mpslab")!.get(figure)!.median;
  return [
    markdownTable(results, "a check, ms"),
    "",
    verdict(`${TOUR_SLOWEST}, ms`, median(TOUR_SLOWEST), 15, TWO_CORES),
    verdict(`${OPERATORS}, ms`, median(OPERATORS), 15, TWO_CORES),
    verdict(`${LAYERS}, ms`, median(LAYERS), 15, TWO_CORES),
  ].join("\n");
}

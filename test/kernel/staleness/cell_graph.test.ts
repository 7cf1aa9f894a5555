// Which cells are stale after which runs, in sequences as people work.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { NotebookRuns } from "./notebook_runs.ts";

let notebook: NotebookRuns;
beforeEach(() => {
  notebook = new NotebookRuns();
});

/** A notebook that trains. */
const TRAINING = {
  imports: 'import { nn, optim, torch } from "mpslab";\ntorch.manualSeed(0);',
  config: "const rate = 0.1;\nconst hidden = 64;",
  data: "const x = torch.randn([256, 8]);\nconst y = x.sum(1);",
  model: "const model = new nn.Linear(8, hidden);",
  optimizer: "const optimizer = new optim.SGD(model.parameters(), { lr: rate });",
  step: "function step() {\n  optimizer.zeroGrad();\n  const loss = model.forward(x).sum(1).sub(y).pow(2).mean();\n  loss.backward();\n  optimizer.step();\n  return loss.item();\n}",
  train: "const losses: number[] = [];\nfor (let at = 0; at < 100; at++) losses.push(step());",
  report: "`${losses.at(-1)} after ${losses.length} steps`",
};

describe("a cell is stale", () => {
  it("when a name that it used is redefined by its cell, with all that was made of it, in the order to run", () => {
    notebook.runAll(TRAINING);
    notebook.run("model", "const model = new nn.Linear(8, 2 * hidden);");
    expect(notebook.list).toBe(
      [
        "Cells to run again, in this order:",
        "  [5]  const optimizer = new optim.SGD(model.p…  used model, which Cell [9] has redefined since",
        "  [7]  const losses: number[] = [];              used model, which Cell [9] has redefined since",
        "  [8]  `${losses.at(-1)} after ${losses.length…  used losses of Cell [7], which is stale",
        "",
      ].join("\n"),
    );
  });

  it("until it has run again after what it reads", () => {
    notebook.runAll(TRAINING);
    notebook.run("config", "const rate = 0.01;\nconst hidden = 64;");
    expect(notebook.stale).toEqual(["optimizer", "train", "report"]);
    expect(notebook.run("report")).toBe(true);
    expect(notebook.run("optimizer")).toBe(false);
    expect(notebook.stale).toEqual(["train", "report"]);
    expect(notebook.run("train")).toBe(false);
    expect(notebook.run("report")).toBe(false);
    expect(notebook.stale).toEqual([]);
  });

  it("also when its cell runs again with the same text, and makes a new value", () => {
    notebook.runAll(TRAINING);
    notebook.run("model");
    expect(notebook.stale).toEqual(["optimizer", "train", "report"]);
  });

  it("when a function that it called reads a redefined name; the function's own cell is not", () => {
    notebook.runAll({
      scale: "const scale = Math.random();",
      double: "const double = (value: number) => value * scale;",
      twice: "const twice = (value: number) => double(double(value));",
      used: "const used = twice(3);",
    });
    notebook.run("scale");
    expect(notebook.stale).toEqual(["used"]);
    notebook.run("used");
    expect(notebook.stale).toEqual([]);
  });

  it("when a function that it called has another text", () => {
    notebook.runAll({ area: "function area(r: number) { return 3 * r * r; }", used: "area(2)" });
    notebook.run("area", "function area(r: number) { return Math.PI * r * r; }");
    expect(notebook.stale).toEqual(["used"]);
  });

  it("when another cell assigns what it read, and does so again", () => {
    notebook.runAll({
      declared: "let best = Math.random();",
      assigned: "best = Math.random();",
      read: "best",
    });
    notebook.run("assigned");
    expect(notebook.stale).toEqual(["read"]);
  });

  it("when the cell of a name was deleted and another one defines it", () => {
    notebook.runAll({ old: "const data = load();", mean: "const mean = data.length;" });
    notebook.graph.deleted(["old"]);
    expect(notebook.stale).toEqual([]);
    notebook.run("new", "const data = load().slice(1);");
    expect(notebook.stale).toEqual(["mean"]);
  });

  it("when its cell no longer defines the name and another one does: the code was moved", () => {
    notebook.runAll({ both: "const a = load(); const b = load();", sum: "a + b" });
    notebook.run("both", "const a = load();");
    notebook.run("moved", "const b = load();");
    expect(notebook.stale).toEqual(["sum"]);
  });

  it("when a cell that runs again finds another cell's model beside the optimizer of the old one", () => {
    notebook.runAll({
      small: "const model = new Small();",
      optimizer: "const optimizer = adam(model);",
      train: "train(model, optimizer)",
      large: "const model = new Large();",
    });
    expect(notebook.stale).toEqual([]);
    expect(notebook.run("train")).toBe(true);
    expect(notebook.list).toBe(
      [
        "Cells to run again, in this order:",
        "  [2]  const optimizer = adam(model);  used model, which Cell [4] has redefined since",
        "  [5]  train(model, optimizer)         used optimizer of Cell [2], which is stale",
        "",
      ].join("\n"),
    );
    notebook.run("optimizer");
    expect(notebook.run("train")).toBe(false);
    expect(notebook.stale).toEqual([]);
  });

  it("for one reason in its line, however many there are, with three names at most", () => {
    notebook.runAll({
      numbers: "const [a, b, c, d] = [f(), f(), f(), f()];",
      pair: "a + b",
      all: "a + b + c + d",
    });
    notebook.run("numbers");
    expect(notebook.list).toBe(
      [
        "Cells to run again, in this order:",
        "  [2]  a + b          used a and b, which Cell [4] has redefined since",
        "  [3]  a + b + c + d  used a, b, c and others, which Cell [4] has redefined since",
        "",
      ].join("\n"),
    );
  });

  it("in an order also where two cells read from each other", () => {
    notebook.runAll({
      start: "let a = f();",
      one: "const b = g(a);",
      two: "a = h(b);",
      three: "const c = a + b;",
    });
    notebook.run("one");
    notebook.run("two");
    notebook.run("start");
    expect(notebook.stale).toEqual(["one", "two", "three"]);
  });
});

describe("no cell is stale", () => {
  it("after any run from top to bottom, whichever names are used again", () => {
    notebook.runAll({
      first: "const x = load();",
      second: "const mean = x.reduce((sum, value) => sum + value) / x.length;",
      third: "const x = other();",
      fourth: "const model = fit(mean);\nconst result = score(model);",
      fifth: "const model = fit(2 * mean);",
      sixth: "const other = score(model);",
      seventh: "[result, other]",
    });
    expect(notebook.stale).toEqual([]);
  });

  it("but %stale names the cells that used a name before another cell defined it", () => {
    notebook.runAll({
      rate: "const rate = 0.1;",
      scaled: "const scaled = 10 * rate;",
      other: "const rate = 0.5;",
    });
    expect(notebook.list).toBe(
      [
        "No cell is stale.",
        "Not stale, unless the later definition was meant for them too:",
        "  [2]  used rate of Cell [1], before Cell [3] defined it",
        "",
      ].join("\n"),
    );
    notebook.run("scaled");
    expect(notebook.list).toBe("No cell is stale.\n");
  });

  it("when a result of one model is compared with that of another, once and again", () => {
    const cells = {
      small: "const model = new Small();",
      before: "const before = score(model);",
      large: "const model = new Large();",
      compare: "[before, score(model)]",
    };
    notebook.runAll(cells);
    expect(notebook.stale).toEqual([]);
    notebook.runAll(cells);
    expect(notebook.stale).toEqual([]);
    notebook.run("compare");
    expect(notebook.stale).toEqual([]);
  });

  it("when x is replaced by what was made of it", () => {
    notebook.runAll({
      load: "let x = load();",
      mean: "const mean = average(x);",
      normalize: "x = x.map((value) => value - mean);",
      use: "plot(x, mean)",
    });
    notebook.run("use");
    expect(notebook.list).toBe("No cell is stale.\n");
  });

  it("after all cells ran twice", () => {
    notebook.runAll(TRAINING);
    notebook.runAll(TRAINING);
    expect(notebook.stale).toEqual([]);
  });

  it.each(["imports", "config", "step"])(
    "when a cell of the same imports, constants or functions runs again: %s",
    (cell) => {
      notebook.runAll(TRAINING);
      notebook.run(cell);
      expect(notebook.stale).toEqual([]);
    },
  );

  it("when a constant is set back to what the cell has used", () => {
    notebook.runAll(TRAINING);
    notebook.run("config", "const rate = 0.2;\nconst hidden = 64;");
    notebook.run("config", "const rate = 0.1;\nconst hidden = 64;");
    expect(notebook.stale).toEqual([]);
  });

  it("when an import gets one name more, or another cell imports the same", () => {
    notebook.runAll(TRAINING);
    notebook.run("imports", 'import { lab, nn, optim, torch } from "mpslab";\ntorch.manualSeed(0);');
    notebook.run("more", 'import { torch } from "mpslab";');
    expect(notebook.stale).toEqual([]);
  });

  it("when the last cell runs over and over, as in tuning", () => {
    notebook.runAll(TRAINING);
    for (const power of [1, 2, 3]) notebook.run("report", `losses.at(-1)! ** ${power}`);
    expect(notebook.stale).toEqual([]);
  });

  it("but the readers of a cell in the middle, however often that one runs", () => {
    notebook.runAll(TRAINING);
    for (const steps of [10, 100, 1000]) {
      notebook.run(
        "train",
        `const losses: number[] = [];\nfor (let at = 0; at < ${steps}; at++) losses.push(step());`,
      );
      expect(notebook.stale).toEqual(["report"]);
    }
  });

  it.each(["count += 1", "count++", "count = count + 1", "log.push(count)", "state.count = 3"])(
    "when a value is changed in place again and again: %s",
    (change) => {
      notebook.runAll({
        start: "let count = 0; const log: number[] = []; const state = { count };",
        change,
        show: "[count, log, state]",
      });
      notebook.run("change");
      notebook.run("change");
      expect(notebook.stale).toEqual([]);
    },
  );

  it("when cells share the names of loops and of their inner variables", () => {
    notebook.runAll({
      one: "for (let i = 0; i < 3; i++) { const x = i; console.log(x); }",
      two: "[1, 2].map((x) => x + 1); try { throw 1 } catch (error) { console.log(error) }",
      three: "const i = 5; const x = 6; const error = 7;",
    });
    notebook.run("three", "const i = 6; const x = 7; const error = 8;");
    expect(notebook.stale).toEqual([]);
  });

  it("when a type changes: a value is not made of it", () => {
    notebook.runAll({ type: "interface Point { x: number }", use: "const p: Point = { x: 1 };" });
    notebook.run("type", "interface Point { x: number; y?: number }");
    expect(notebook.stale).toEqual([]);
  });

  it("when a cell fails before it redefines the name", () => {
    notebook.runAll(TRAINING);
    notebook.run("model", "throw new Error(); const model = 1;", []);
    expect(notebook.stale).toEqual([]);
  });

  it("because it failed itself: its error says to run it again", () => {
    notebook.runAll(TRAINING);
    notebook.run("report", "losses.at(-1).x.y", []);
    notebook.run("train");
    expect(notebook.stale).toEqual([]);
  });

  it("after it was deleted, and after a restart or %reset", () => {
    notebook.runAll(TRAINING);
    notebook.run("model");
    notebook.graph.deleted(["train", "report"]);
    expect(notebook.stale).toEqual(["optimizer"]);
    notebook.graph.clear();
    expect(notebook.stale).toEqual([]);
  });

  it("for magics and text without names", () => {
    notebook.runAll({ magic: "%who", help: "%check warn", time: "%time 1 + 1", empty: "" });
    expect(notebook.list).toBe("No cell is stale.\n");
  });
});

describe("the notebooks of the repository", () => {
  const folder = path.resolve(import.meta.dirname, "../../../notebooks");
  interface Cell {
    readonly cell_type: string;
    readonly source: string | readonly string[];
    readonly outputs?: readonly { readonly ename?: string }[];
  }
  /** Such a cell, which a notebook shows for its message, runs nowhere. */
  const isUnparsable = ({ outputs }: Cell) => outputs?.some(({ ename }) => ename === "SyntaxError") ?? false;
  it.each(readdirSync(folder).filter((name) => name.endsWith(".ipynb")))(
    "%s has no stale cell after a run from top to bottom, nor after two",
    (name) => {
      const { cells } = JSON.parse(readFileSync(path.join(folder, name), "utf8")) as {
        cells: readonly Cell[];
      };
      const code = cells
        .filter((cell) => cell.cell_type === "code" && !isUnparsable(cell))
        .map(({ source }) => [source].flat().join(""));
      const read: string[] = [];
      for (const round of [1, 2]) {
        for (const [at, text] of code.entries()) {
          if (notebook.run(String(at), text)) read.push(`round ${round}, cell ${at}`);
        }
      }
      expect([read, notebook.stale]).toEqual([[], []]);
    },
  );
});

// papermill runs notebooks with parameters in TypeScript: the program itself, with the translator that set-up installed.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { JupyterTools } from "../../helpers/jupyter_tools.ts";

// papermill takes seconds to start, and several times as long beside other tests.
const tools = new JupyterTools();
afterAll(() => tools.remove());

const papermill = (...args: string[]) => tools.run("papermill", [...args, "--no-progress-bar"]);
const parametersCell = (source: string) => ({ source, tags: ["parameters"] });

describe("papermill -p", () => {
  it("puts parameters below the cell of defaults, and later cells read and assign them", async () => {
    tools.writeNotebook("train.ipynb", [
      parametersCell('let batchSize = 16;\nlet device: "cpu" | "mps" = "mps"; // where\nlet name = "none";'),
      "batchSize = batchSize * 2; device = 'mps'; `${batchSize} ${device} ${name}`",
    ]);
    const args = ["-p", "batchSize", "64", "-p", "device", "cpu", "-p", "name", 'Zoë "𝒳"\n`${x}`'];
    const { status, stderr } = await papermill("train.ipynb", "out.ipynb", ...args);
    expect(stderr).not.toContain("unknown parameter");
    expect(status).toBe(0);
    const [, injected, last] = tools.readNotebook("out.ipynb");
    expect(injected?.source).toBe(
      '// Parameters\nlet batchSize = 64;\nlet device: "cpu" | "mps" = "cpu";\nlet name = "Zoë \\"𝒳\\"\\n`${x}`";\n',
    );
    expect(last?.text).toBe(`'128 mps Zoë "𝒳"\\n\`\${x}\`'`);
  });

  it("knows every kind of value that YAML has", async () => {
    const yaml = [
      'text: "it\'s \\\\ \\t ünï"',
      "whole: -7",
      "big: 123456789012345678901234567890",
      "fraction: 1.0e-05",
      "notANumber: .nan",
      "limits: [.inf, -.inf]",
      "nothing: null",
      "yes_: true",
      "day: 2026-11-21",
      "list: [1, two, [3.5, null]]",
      "empty: []",
      'nested: {"learning-rate": 0.5, deep: {list: [1]}, "__proto__": {polluted: true}}',
      "none_: {}",
    ];
    writeFileSync(path.join(tools.directory, "values.yaml"), yaml.join("\n"));
    tools.writeNotebook("values.ipynb", [
      parametersCell("// all of them come from outside"),
      "JSON.stringify({ text, whole, fraction, nothing, yes_, day, list, nested, none_ })",
      "[typeof big, big === 123456789012345678901234567890n, Number.isNaN(notANumber), ...limits, Object.getPrototypeOf(nested) === Object.prototype]",
      "nothing = 3; empty.push('x'); none_.key = 1; whole = 4; text = 'other'; list = [2, 'three', [1, null]]; 'assigned'",
    ]);
    expect((await papermill("values.ipynb", "values_out.ipynb", "-f", "values.yaml")).status).toBe(0);
    const [, , json, others, assigned] = tools.readNotebook("values_out.ipynb");
    expect(JSON.parse(String(json?.text).slice(1, -1).replaceAll("\\\\", "\\"))).toEqual({
      text: "it's \\ \t ünï",
      whole: -7,
      fraction: 1e-5,
      nothing: null,
      yes_: true,
      day: "2026-11-21",
      list: [1, "two", [3.5, null]],
      nested: JSON.parse('{"learning-rate":0.5,"deep":{"list":[1]},"__proto__":{"polluted":true}}'),
      none_: {},
    });
    expect(others?.text).toBe("[ 'bigint', true, true, Infinity, -Infinity, true ]");
    expect(assigned?.text).toBe("'assigned'");
  });

  it("checks a value against the type that the notebook gives it", async () => {
    tools.writeNotebook("typed.ipynb", [parametersCell('let mode: "fast" | "exact" = "fast";'), "mode"]);
    const { status, stderr } = await papermill("typed.ipynb", "typed_out.ipynb", "-p", "mode", "slow");
    expect(status).toBe(1);
    expect(stderr).toContain(`Type '"slow"' is not assignable to type '"exact" | "fast"'`);
  });

  it("refuses a name that no variable can have", async () => {
    tools.writeNotebook("named.ipynb", [parametersCell("let a = 1"), "a"]);
    const { status, stderr } = await papermill("named.ipynb", "named_out.ipynb", "-p", "learning-rate", "1");
    expect(status).toBe(1);
    expect(stderr).toContain("learning-rate is no name for a TypeScript variable: rename the parameter.");
  });

  it("lists the parameters of a notebook with their types", async () => {
    tools.writeNotebook("help.ipynb", [
      parametersCell("let rate: number = 0.1; // step size\nconst steps = 10\nlet done = rate === 3"),
    ]);
    const { stdout } = await papermill("help.ipynb", "--help-notebook");
    expect(stdout).toMatch(/rate: number \(default 0\.1\)\s+step size/);
    expect(stdout).toMatch(/steps: Unknown type \(default 10\)/);
  });
});

it("a failing cell ends papermill with 1, its traceback, and what ran before written", async () => {
  tools.writeNotebook("failing.ipynb", ["1 + 1", 'throw new RangeError("too far")', "3"]);
  const { status, stderr } = await papermill("failing.ipynb", "failing_out.ipynb");
  expect(status).toBe(1);
  expect(stderr).toContain("RangeError: too far");
  const texts = tools.readNotebook("failing_out.ipynb").map(({ text }) => text);
  expect(texts.some((text) => text === "2")).toBe(true);
});

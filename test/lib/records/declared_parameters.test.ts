// Parameters of a cell that begins with `// Parameters`, as papermill writes one.
import { expect, it } from "vitest";
import { parametersOfCells } from "../../../lib/records/declared_parameters.ts";

it("are the texts of their values, the last one of a name", () => {
  expect(
    parametersOfCells([
      'let width = 1;\nlet note = "no parameters";',
      "// Parameters of this notebook\nlet width: number = 48; // of each layer\nconst rate = 0.0010\nlet depth = 2;",
      '// Parameters\nlet width = 64;\nlet mode: "fast" | "exact" = "fast; // not slow";\nlet sizes: number[] = [1, 2];\nlet of = (n: number) => n;\nlet none: any = null;\nlet large = 10n;\nlet single = \'it\';\nlet url = "http://a.example/b"; // where\n',
    ]),
  ).toEqual({
    width: "64",
    rate: "0.001",
    depth: "2",
    mode: "fast; // not slow",
    sizes: "[1, 2]",
    of: "(n: number) => n",
    none: "null",
    large: "10n",
    single: "it",
    url: "http://a.example/b",
  });
});

it("are none of other cells", () => {
  expect(parametersOfCells(["let a = 1;", "// These are Parameters\nlet b = 2;", ""])).toEqual({});
});

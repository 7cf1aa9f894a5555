// nbgrader grades exercises in TypeScript with the settings that docs/teaching.md gives a teacher: it takes the solutions
// out, runs what learners hand in, gives points, and writes feedback. The real nbgrader, in an environment of its own.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CellSource, JupyterTools } from "../../helpers/jupyter_tools.ts";
import { pythonEnvironment } from "../../helpers/python_environment.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const environment = pythonEnvironment("nbgrader", "nbgrader==0.9.6");

/**
 * The settings of the guide. A teacher may wait two minutes for a loop that does not end; here the cells of a notebook with
 * such a loop have two seconds, and all others as long as they need.
 */
const SETTINGS = `${/^```python\n([^]*?)^```$/m.exec(readFileSync(path.join(root, "docs/teaching.md"), "utf8"))![1]!}

seconds = 600
def seconds_for(cell):
    global seconds
    seconds = 600 if "import" in cell.source else 2 if "for (;;)" in cell.source else seconds
    return seconds
c.Execute.timeout_func = seconds_for
`;

const nbgraderCell = (id: string, cell: object) => ({
  nbgrader: {
    schema_version: 3,
    grade_id: id,
    grade: false,
    solution: false,
    locked: false,
    task: false,
    ...cell,
  },
});
const solution = (id: string, source: string): CellSource => ({
  source,
  metadata: nbgraderCell(id, { solution: true }),
});
const tests = (id: string, points: number, source: string): CellSource => ({
  source,
  metadata: nbgraderCell(id, { grade: true, locked: true, points }),
});

const HALF = [
  'import { lab } from "mpslab";',
  solution(
    "half",
    "function half(x: number): number {\n  // BEGIN SOLUTION\n  return x / 2;\n  // END SOLUTION\n}",
  ),
  tests(
    "half-tests",
    2,
    `lab.check("half", {
  "half of 4 is 2": () => half(4) === 2,
  // BEGIN HIDDEN TESTS
  "half of 5 is 2.5": () => half(5) === 2.5,
  // END HIDDEN TESTS
})`,
  ),
  tests(
    "half-partial",
    2,
    `const { conditions } = lab.check(
  "half of more",
  { "half of 8 is 4": () => half(8) === 4, "half of -3 is -1.5": () => half(-3) === -1.5 },
  { throws: false },
);
conditions.filter(({ holds }) => holds).length`,
  ),
];

const STUB = '// YOUR CODE HERE\n  throw new Error("This exercise is not solved yet.");';

/** What learners write in place of the stub, with the points of their two graded cells. */
const LEARNERS = {
  right: { written: "return 0.5 * x;", points: 4 },
  "right only for even numbers": { written: "return Math.trunc(x / 2);", points: 1 },
  unsolved: { written: STUB, points: 0 },
  "of another type": { written: 'return "half of " + x;', points: 0 },
  "without an end": { written: "for (;;);", points: 0 },
};
const folderOf = (learner: string): string => learner.replaceAll(" ", "_");

describe.skipIf(environment.missing !== null)(
  `nbgrader grades TypeScript (needs the Python package index; ${environment.missing ?? "it answered"})`,
  () => {
    let tools: JupyterTools;
    beforeAll(() => {
      tools = new JupyterTools();
      // nbgrader starts another program of its environment by name, as in a terminal where that is activated.
      tools.environment["PATH"] = `${path.dirname(program)}:${process.env["PATH"]}`;
      writeFileSync(inCourse("nbgrader_config.py"), SETTINGS);
    });
    afterAll(() => tools.remove());
    const inCourse = (...parts: string[]): string => path.join(tools.directory, ...parts);
    const program = environment.missing === null ? environment.program("nbgrader") : "";
    const nbgrader = async (...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await tools.run(program, args);
      expect({ status, log: status === 0 ? "" : stderr }).toEqual({ status: 0, log: "" });
      return stdout + stderr;
    };
    const sourceOf = (notebook: string, text: string): string =>
      tools.readNotebook(notebook).find(({ source }) => source.includes(text))!.source;

    /** Hands in the released notebook with the stub replaced. */
    const submit = (
      learner: string,
      assignment: string,
      notebook: string,
      stub: string,
      written: string,
    ): void => {
      const folder = inCourse("submitted", folderOf(learner), assignment);
      mkdirSync(folder, { recursive: true });
      const released = readFileSync(inCourse("release", assignment, notebook), "utf8");
      const [before, after] = [stub, written].map((text) => JSON.stringify(text).slice(1, -1));
      // A notebook holds its source as a list of lines.
      const whole = JSON.parse(released, (key, value: unknown) =>
        key === "source" && Array.isArray(value) ? value.join("") : value,
      ) as object;
      writeFileSync(
        path.join(folder, notebook),
        JSON.stringify(whole).replace(before!, () => after!),
      );
    };
    const grades = async (): Promise<Record<string, string>> => {
      await nbgrader("export");
      const [, ...rows] = readFileSync(inCourse("grades.csv"), "utf8").trim().split("\n");
      return Object.fromEntries(
        rows.map((row) => {
          const fields = row.split(",");
          return [`${fields[0]} ${fields[3]}`, `${fields[9]} of ${fields[10]}`];
        }),
      );
    };

    describe("an exercise", () => {
      beforeAll(async () => {
        tools.writeNotebook("source/first/half.ipynb", HALF);
        writeFileSync(inCourse("source/first/half.answers.json"), "the teacher's own");
        writeFileSync(inCourse("source/first/data.csv"), "1,2\n");
        await nbgrader("generate_assignment", "first");
        for (const [learner, { written }] of Object.entries(LEARNERS))
          submit(learner, "first", "half.ipynb", STUB, written);
      });

      it("is released without its solution, its hidden tests, and the teacher's answers to quizzes", () => {
        expect(sourceOf("release/first/half.ipynb", "function half")).toBe(
          `function half(x: number): number {\n  ${STUB}\n}`,
        );
        expect(sourceOf("release/first/half.ipynb", '"half of 4 is 2"')).toBe(
          'lab.check("half", {\n  "half of 4 is 2": () => half(4) === 2,\n})',
        );
        expect(readdirSync(inCourse("release/first")).toSorted()).toEqual(["data.csv", "half.ipynb"]);
      });

      it("is validated by the learner, who reads which condition does not hold", async () => {
        const validate = (learner: string) =>
          nbgrader("validate", `submitted/${folderOf(learner)}/first/half.ipynb`);
        expect(await validate("right")).toContain("Success! Your notebook passes all the tests.");
        expect(await validate("unsolved")).toMatch(
          /VALIDATION FAILED ON 2 CELL[^]*CheckError: half: 1 of 1 conditions do not hold: half of 4 is 2 \(This/,
        );
      });

      it("gets the points of its conditions, hidden ones too, whatever the learner wrote", async () => {
        await nbgrader("autograde", "first");
        const expected = Object.entries(LEARNERS).map(([learner, { points }]) => [
          `first ${folderOf(learner)}`,
          `${points}.0 of 4.0`,
        ]);
        expect(await grades()).toEqual(Object.fromEntries(expected));
      });

      it("is answered with a page that shows points, and what was wrong", async () => {
        await nbgrader("generate_feedback", "first");
        const page = (learner: string) =>
          readFileSync(inCourse("feedback", folderOf(learner), "first/half.html"), "utf8");
        expect(page("right")).toContain("(Score: 4.0 / 4.0)");
        expect(page("right")).toContain("half: right. All 2 conditions hold.");
        expect(page("right only for even numbers")).toContain("(Score: 1.0 / 4.0)");
        expect(page("right only for even numbers")).toContain(
          "half: 1 of 2 conditions do not hold: half of 5 is 2.5.",
        );
        expect(page("of another type")).toContain("Type 'string' is not assignable to type 'number'");
        expect(page("without an end")).toContain("CellTimeoutError");
      });
    });

    it("the exercise of a lesson is released, solved and graded", async () => {
      const name = "02-device-contract.ipynb";
      const lesson = JSON.parse(readFileSync(path.join(root, "notebooks", name), "utf8")) as {
        cells: { source: string[]; metadata: object }[];
      };
      const cellWith = (text: string) => lesson.cells.find(({ source }) => source.join("").includes(text))!;
      const [exercise, check] = [cellWith("function classify("), cellWith('lab.check("classify"')];
      const written = 'const best = torch.noGrad(() => model(batch.to("mps").mean(1)).argmax(1));';
      Object.assign(exercise, {
        metadata: nbgraderCell("classify", { solution: true }),
        source: exercise.source
          .join("")
          .replace(/^( *)const best = .*$/m, `$1// BEGIN SOLUTION\n$1${written}\n$1// END SOLUTION`),
      });
      Object.assign(check, {
        metadata: nbgraderCell("classify-tests", { grade: true, locked: true, points: 3 }),
      });
      mkdirSync(inCourse("source/contract"), { recursive: true });
      writeFileSync(inCourse("source/contract", name), JSON.stringify(lesson));
      await nbgrader("generate_assignment", "contract");
      submit("right", "contract", name, STUB, written);
      submit("unsolved", "contract", name, STUB, STUB);
      await nbgrader("autograde", "contract");
      expect(await grades()).toMatchObject({
        "contract right": "3.0 of 3.0",
        "contract unsolved": "0.0 of 3.0",
      });
    });
  },
);

// Quizzes, predictions and checks of a notebook keep a learner's answers in a file beside it, from session to session.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = mkdtempSync(path.join(tmpdir(), "mpslab-teaching-"));
const file = path.join(directory, "lesson.answers.json");
const answers = () => (JSON.parse(readFileSync(file, "utf8")) as { answers: object }).answers;

let kernel: KernelProcess;
const start = () =>
  KernelProcess.start({
    directory,
    environment: { JPY_SESSION_NAME: path.join(directory, "lesson.ipynb") },
  });
const run = (code: string) => kernel.client.execute(code);
beforeAll(async () => {
  kernel = await start();
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

const QUIZ = `import { lab } from "mpslab";
  const quiz = lab.quiz("Sums", [{ question: "1 + 1 =", answer: 2, because: "Count." }]);`;
const GUESS = 'const guess = lab.predict("How many steps?", { steps: "" });';

it("keeps quiz, prediction and check under their titles", async () => {
  await run(`${QUIZ} quiz.set("answers", [2]); quiz.set("presses", 1);`);
  await run(`${GUESS} guess.set("answers", [7]);`);
  await run('lab.check("half", { "half of 4 is 3": () => false, "half of 4 is 2": () => true })');
  expect(answers()).toEqual({
    "quiz: Sums": { answers: [2], right: 1, of: 1, complete: true },
    "predict: How many steps?": [7],
    "check: half": { passed: false, right: 1, of: 2 },
  });
});

it("gives them back to the next session", async () => {
  await kernel.stop();
  kernel = await start();
  await run(`${QUIZ} ${GUESS}`);
  expect((await run('[quiz.get("answers"), quiz.get("status"), guess.of("steps")]')).result).toBe(
    "[ [ 2 ], '1 of 1 are right: complete.', 7 ]",
  );
});

it("forgets an answer that no longer fits its question", async () => {
  await run(
    'const other = lab.quiz("Sums", [{ question: "?", choices: ["a", "b"], answer: "a", because: "So." }])',
  );
  expect((await run('other.get("answers")')).result).toBe("[ null ]");
});

it("leaves a file alone that holds no answers, and says what to do", async () => {
  writeFileSync(file, "{}");
  const { reply } = await run('lab.check("half", { "it holds": () => true })');
  expect(reply["evalue"]).toBe(
    `${file} does not hold a learner's answers, and was left unchanged: rename or delete it, then run the cell again.`,
  );
  expect(readFileSync(file, "utf8")).toBe("{}");
});

// The form of a lesson: a question first, a prediction before its measurement, a chart, three exercises that check
// themselves, a quiz of eight, and what to read next. What a lesson computes is replayed in `notebooks.test.ts`, and its
// exercises are solved in `lesson_exercises.test.ts`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { lab } from "../lib/index.ts";
import { type Notebook, textOf } from "./helpers/notebook_content.ts";

const folder = path.resolve(import.meta.dirname, "../notebooks");
const charts = path.resolve(import.meta.dirname, "../docs/images/charts");
const lessons = readdirSync(folder).filter((name) => /^\d\d-.*\.ipynb$/.test(name));
/** At 1200 pixels; the rest would have to be scrolled to, as of a question, which stands below its cell as well. */
const WIDEST_LINE = 95;
const VEGA = "application/vnd.vegalite.v5+json";

/**
 * Titles that say what is drawn and in which unit, and nothing that another machine, or another run, may contradict.
 * Whatever else a title says is a claim: `title: lab.claim(sentence, holds)`.
 */
const NAMES_WHAT_IS_DRAWN: ReadonlySet<string> = new Set([
  "What the forward pass keeps for backward",
  "Two runs of one sweep, in reports a second",
  "Ten by seven threads in groups of four by four",
  "Microseconds by numbers in x",
  "Kept until backward, for 16 MiB of input: result and saved tensors",
]);

/** For each question of a lesson's quiz the words, before the quiz, that answer it. */
const answers = JSON.parse(
  readFileSync(new URL("fixtures/lesson_answers.json", import.meta.url), "utf8"),
) as Readonly<Record<string, readonly string[]>>;

/** The questions of a cell that is one call of `lab.quiz`. */
function questionsOf(cell: string): readonly lab.Question[] {
  const quiz = (_title: string, questions: readonly lab.Question[]) => questions;
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function("lab", `return ${cell.trim()}`)({ quiz }) as readonly lab.Question[];
}

describe.each(lessons)("%s", (name) => {
  const { cells } = JSON.parse(readFileSync(path.join(folder, name), "utf8")) as Notebook;
  const texts = cells.filter((cell) => cell.cell_type === "markdown").map(({ source }) => textOf(source));
  const programs = cells.filter((cell) => cell.cell_type === "code");
  const placeOf = (text: string): number => programs.findIndex(({ source }) => textOf(source).includes(text));

  it("asks its question and says how long it runs", () => {
    expect(texts[0]).toMatch(/^# /);
    expect(texts[0]).toMatch(/\?/);
    expect(texts[0]).toMatch(/\b(?:seconds|a minute)\b/);
  });

  it("asks for a prediction before it measures", () => {
    expect(placeOf("lab.predict(")).toBeGreaterThanOrEqual(0);
    expect(placeOf(".compare(")).toBeGreaterThan(placeOf("lab.predict("));
  });

  it("draws a chart", () => {
    const drawn = programs.flatMap(({ outputs = [] }) =>
      outputs.filter((output) => "data" in output && VEGA in output.data),
    );
    expect(drawn.length).toBeGreaterThan(0);
  });

  it("claims nothing in a title, unless the cell judges it: another title names what is drawn", () => {
    const titles = programs.flatMap(({ source }) =>
      [...textOf(source).matchAll(/\btitle:\s*(["'`])(.+?)\1/g)].map(([, , title]) => title!),
    );
    expect(titles.filter((title) => !NAMES_WHAT_IS_DRAWN.has(title))).toEqual([]);
  });

  it("shows a picture that there is where a claim does not hold", () => {
    const sources = programs.map(({ source }) => textOf(source)).join("\n");
    const stored = [...sources.matchAll(/\bstored: "([^"]+)"/g)].map(([, file]) => file!);
    expect(stored.filter((file) => !existsSync(path.join(folder, file)))).toEqual([]);
  });

  it("has each chart pictured in both themes", () => {
    const count = programs
      .flatMap(({ outputs = [] }) => outputs)
      .filter((output) => "data" in output && VEGA in output.data).length;
    const lesson = path.basename(name, ".ipynb");
    const pictured = readdirSync(charts).filter((file) => file.startsWith(`${lesson}-`));
    const expected = Array.from({ length: count }, (_, at) => `${lesson}-${at + 1}`).flatMap((chart) => [
      `${chart}-dark.png`,
      `${chart}-light.png`,
    ]);
    expect(pictured.toSorted()).toEqual(expected.toSorted());
  });

  it("has three exercises that are not solved yet, and one right answer below each", () => {
    const checks = [...cells.entries()].filter(([, { source }]) => textOf(source).includes("lab.check("));
    expect(checks).toHaveLength(3);
    for (const [at, { outputs = [] }] of checks) {
      expect(JSON.stringify(outputs)).toMatch(/not yet\. \d+ of \d+ conditions hold\./);
      expect(textOf(cells[at + 1]!.source)).toMatch(/^<details><summary>One right answer/);
    }
  });

  it("ends with a quiz of eight, whose right answers are told neither by their length nor by their place", () => {
    const questions = questionsOf(textOf(programs[placeOf("lab.quiz(")]!.source));
    expect(questions).toHaveLength(8);
    const choices = questions.flatMap((question) => ("choices" in question ? [question] : []));
    const isLongest = ({ choices: all, answer }: lab.ChoiceQuestion) =>
      all.every((choice) => choice === answer || choice.length < answer.length);
    const places = choices.map(({ choices: all, answer }) => all.indexOf(answer));
    const mostFrequent = Math.max(...places.map((place) => places.filter((other) => other === place).length));
    expect(choices.filter(isLongest).length).toBeLessThanOrEqual(Math.ceil(choices.length / 2));
    expect(mostFrequent).toBeLessThanOrEqual(Math.ceil(choices.length * 0.6));
  });

  it("says of each wrong choice of its quiz why it is wrong", () => {
    const questions = questionsOf(textOf(programs[placeOf("lab.quiz(")]!.source));
    const silent = questions.flatMap((question) =>
      "choices" in question
        ? question.choices.filter((choice) => choice !== question.answer && !question.wrong?.[choice])
        : [],
    );
    expect(silent).toEqual([]);
  });

  it("answers each question of its quiz before it asks, in a paragraph, a cell or an output", () => {
    const quiz = cells.findIndex(({ source }) => textOf(source).startsWith("lab.quiz("));
    const taught = cells.slice(0, quiz).flatMap((cell) => [
      textOf(cell.source),
      ...(cell.outputs ?? []).flatMap((output) => {
        if (output.output_type === "stream") return [textOf(output.text)];
        return "data" in output ? [textOf((output.data["text/plain"] ?? "") as string)] : [output.evalue];
      }),
    ]);
    const lesson = taught.join("\n").replaceAll(/\s+/g, " ");
    const places = answers[path.basename(name, ".ipynb")]!;
    expect(places).toHaveLength(8);
    expect(places.filter((place) => !lesson.includes(place))).toEqual([]);
  });

  it("hides the code of its quiz, which holds the answers", () => {
    expect(programs[placeOf("lab.quiz(")]!.metadata).toMatchObject({ jupyter: { source_hidden: true } });
  });

  it("has no line of code that is wider than JupyterLab shows beside its list of files", () => {
    const shown = programs.filter(({ source }) => !textOf(source).startsWith("lab.quiz("));
    const lines = shown.flatMap(({ source }) => textOf(source).split("\n"));
    const wide = lines.filter((line) => line.length > WIDEST_LINE && !/^\s*(["`]).*\1,?$/.test(line));
    expect(wide).toEqual([]);
  });

  it("reads no file but those beside it, so that it runs wherever its folder is copied to", () => {
    // A claim's picture is looked at, and not read: without it the lesson runs on.
    const sources = programs.map(({ source }) => textOf(source).replace(/\bstored: "[^"]+"/g, "")).join("\n");
    const read = [...sources.matchAll(/["'](data\/[^"']+)["']/g)].map(([, file]) => file!);
    expect(read.filter((file) => !existsSync(path.join(folder, file)))).toEqual([]);
    expect(sources).not.toMatch(/\.resolve\(|\brequire\(|["'](?:\.\.\/|\/|~)/);
  });

  it("says what to read next, and every link leads to a file", () => {
    expect(texts.at(-1)).toMatch(/Read on: /);
    const links = texts.flatMap((text) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link!),
    );
    expect(links.filter((link) => !existsSync(path.join(folder, link)))).toEqual([]);
  });
});

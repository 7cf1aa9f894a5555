// `lab.course()`: the lessons of a folder, which of their exercises and quizzes are solved, and which lesson comes next. It
// reads notebooks and kept answers, and runs and judges nothing.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isRecord } from "../../torch/vocabulary/arguments.ts";
import { notebookFolder } from "../../session.ts";
import { shownAs } from "../../views/shown_as.ts";
import { columns, type Table } from "../../views/table.ts";
import { fileFailure } from "../../whole_file.ts";
import { ANSWERS_ENDING, readAnswers, SHARED_ANSWERS } from "./answers.ts";

export interface CourseLesson {
  /** The notebook's file: `04-honest-timing.ipynb`. */
  readonly notebook: string;
  /** Its first heading. */
  readonly title: string;
  readonly exercises: { readonly right: number; readonly of: number };
  /** Right answers and questions of its quizzes, as of their last check; null before the first. */
  readonly quiz: { readonly right: number; readonly of: number } | null;
  /** Whether all exercises are right and all quizzes complete. */
  readonly complete: boolean;
}

export interface Course {
  readonly lessons: readonly CourseLesson[];
  /** The notebook of the first lesson that is not complete; null at the end of the course. */
  readonly next: string | null;
}

const CALL = "lab.course";
const LESSON = /^\d\d-.*\.ipynb$/;
/** A call as a lesson writes it, with its title. */
const GRADED = /\blab\.(check|quiz)\(\s*("(?:[^"\\]|\\.)*")/g;

/**
 * The lessons beside this notebook, whose names begin with two digits: exercises solved, score of the quiz, and which one
 * comes next. Answers are those that quizzes and exercises kept.
 *
 * @throws Error if no lesson is in the folder, or a file of it cannot be read
 */
export function course(): Course {
  return readCourse(notebookFolder());
}

export function readCourse(folder: string): Course {
  const notebooks = readdirSync(folder).filter((name) => LESSON.test(name));
  if (notebooks.length === 0)
    throw new Error(
      `${CALL}: ${folder} holds no lesson. A lesson is a notebook whose name begins with two digits, such as 01-tour.ipynb.`,
    );
  const lessons = notebooks.toSorted().map((notebook) => readLesson(folder, notebook));
  const next = lessons.find(({ complete }) => !complete)?.notebook ?? null;
  return shownAs({ lessons, next }, courseTable);
}

function readLesson(folder: string, notebook: string): CourseLesson {
  const { title, text } = readNotebook(path.join(folder, notebook));
  const answers = {
    ...readAnswers(path.join(folder, `${SHARED_ANSWERS}.${ANSWERS_ENDING}`)),
    ...readAnswers(path.join(folder, `${path.basename(notebook, ".ipynb")}.${ANSWERS_ENDING}`)),
  };
  const kept = (asked: string) =>
    [...text.matchAll(GRADED)]
      .filter(([, kind]) => kind === asked)
      .map(([, , literal]) => answers[`${asked}: ${JSON.parse(literal!) as string}`]);
  const [checks, quizzes] = [kept("check"), kept("quiz")];
  const solved = checks.filter((entry) => isRecord(entry) && entry["passed"] === true).length;
  const scored = quizzes.filter(isScore);
  const sum = (of: "right" | "of") => scored.reduce((total, score) => total + score[of], 0);
  return {
    notebook,
    title,
    exercises: { right: solved, of: checks.length },
    quiz: scored.length === 0 ? null : { right: sum("right"), of: sum("of") },
    complete: solved === checks.length && quizzes.every((entry) => isScore(entry) && entry.complete),
  };
}

interface Score {
  readonly right: number;
  readonly of: number;
  readonly complete: boolean;
}

const isScore = (entry: unknown): entry is Score =>
  isRecord(entry) && typeof entry["right"] === "number" && typeof entry["of"] === "number";

interface NotebookCell {
  readonly cell_type: string;
  readonly source: string | readonly string[];
}

function readNotebook(file: string): { title: string; text: string } {
  let cells: readonly NotebookCell[];
  try {
    ({ cells } = JSON.parse(readFileSync(file, "utf8")) as { cells: readonly NotebookCell[] });
  } catch (cause) {
    throw fileFailure(CALL, file, cause);
  }
  const sourceOf = ({ source }: NotebookCell) => (typeof source === "string" ? source : source.join(""));
  const textsOf = (type: string) => cells.filter(({ cell_type }) => cell_type === type).map(sourceOf);
  const heading = /^# (.*)$/m.exec(textsOf("markdown").join("\n"));
  return { title: heading?.[1] ?? path.basename(file, ".ipynb"), text: textsOf("code").join("\n") };
}

function courseTable({ lessons, next }: Course): Table {
  const complete = lessons.filter((lesson) => lesson.complete).length;
  return {
    caption: `${complete} of ${lessons.length} lessons complete`,
    columns: columns("<lesson", "<<title", "<exercises", "<quiz", "<"),
    rows: lessons.map(({ notebook, title, exercises, quiz, complete: done }) => [
      path.basename(notebook, ".ipynb"),
      title,
      `${exercises.right} of ${exercises.of}`,
      quiz === null ? { quiet: "–" } : `${quiz.right} of ${quiz.of}`,
      done ? "✓" : "",
    ]),
    marked: lessons.flatMap(({ notebook }, at) => (notebook === next ? [at] : [])),
    whole: true,
    notes: [next === null ? "The course is complete." : `Next: ${next}.`],
  };
}

// The page of a course: lessons in their order, what is solved of each by the kept answers, and which one comes next.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readCourse } from "../../../../lib/lab/teaching/course.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "mpslab-course-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, value: object): void {
  writeFileSync(path.join(folder, name), JSON.stringify(value));
}

function lesson(name: string, title: string, ...code: readonly string[]): void {
  const cells = [
    { cell_type: "markdown", source: [`# ${title}\n`, "Which?"] },
    ...code.map((source) => ({ cell_type: "code", source })),
  ];
  write(name, { cells });
}

const answers = (name: string, entries: object) =>
  write(`${name}.answers.json`, { format: 1, answers: entries });

beforeEach(() => {
  lesson(
    "02-time.ipynb",
    "Time",
    'lab.check("honestMs", {})',
    'lab.check("again", {})',
    'lab.quiz("Time", [])',
  );
  lesson("01-tour.ipynb", "A tour", 'lab.check(\n  "mistakes", {})', 'lab.quiz("Tour", [])');
  lesson("widgets.ipynb", "Widgets", 'lab.quiz("None", [])');
});

it("lists the lessons by number, and begins with the first", () => {
  const { lessons, next } = readCourse(folder);
  expect(lessons).toEqual([
    {
      notebook: "01-tour.ipynb",
      title: "A tour",
      exercises: { right: 0, of: 1 },
      quiz: null,
      complete: false,
    },
    { notebook: "02-time.ipynb", title: "Time", exercises: { right: 0, of: 2 }, quiz: null, complete: false },
  ]);
  expect(next).toBe("01-tour.ipynb");
});

it("counts kept answers, and leads to the first lesson that is not complete", () => {
  answers("01-tour", {
    "check: mistakes": { passed: true, right: 4, of: 4 },
    "quiz: Tour": { answers: [], right: 7, of: 8, complete: true },
  });
  answers("02-time", {
    "check: honestMs": { passed: true, right: 3, of: 3 },
    "check: again": { passed: false, right: 1, of: 3 },
    "quiz: Time": { answers: [], right: 3, of: 8, complete: false },
  });
  expect(inspect(readCourse(folder)).split("\n")).toEqual([
    "1 of 2 lessons complete",
    "  lesson   title   exercises  quiz",
    "  01-tour  A tour  1 of 1     7 of 8  ✓",
    "* 02-time  Time    1 of 2     3 of 8",
    "Next: 02-time.ipynb.",
  ]);
});

it("finds answers that were kept where the front end named no notebook", () => {
  answers("notebook", { "check: honestMs": { passed: true, right: 3, of: 3 } });
  expect(readCourse(folder).lessons.map(({ exercises }) => exercises.right)).toEqual([0, 1]);
});

it("ends when all lessons are complete: each exercise right, each quiz complete", () => {
  rmSync(path.join(folder, "02-time.ipynb"));
  answers("01-tour", {
    "check: mistakes": { passed: true, right: 4, of: 4 },
    "quiz: Tour": { answers: [], right: 8, of: 8, complete: true },
  });
  expect(readCourse(folder).next).toBeNull();
  expect(inspect(readCourse(folder))).toMatch(/\nThe course is complete\.$/);
});

it("says what a lesson is where there is none", () => {
  const elsewhere = mkdtempSync(path.join(tmpdir(), "mpslab-course-"));
  try {
    expect(() => readCourse(elsewhere)).toThrow(
      `lab.course: ${elsewhere} holds no lesson. A lesson is a notebook whose name begins with two digits, such as 01-tour.ipynb.`,
    );
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

it("names a file that holds no notebook, or no answers", () => {
  writeFileSync(path.join(folder, "03-cut.ipynb"), '{"cells": [');
  expect(() => readCourse(folder)).toThrow(/^lab\.course: .*03-cut\.ipynb/);
  rmSync(path.join(folder, "03-cut.ipynb"));
  write("01-tour.answers.json", []);
  expect(() => readCourse(folder)).toThrow(/01-tour\.answers\.json does not hold a learner's answers/);
});

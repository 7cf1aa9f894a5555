// Keeps a learner's answers in a JSON file beside the notebook: `04-honest-timing.ipynb` ->
// `04-honest-timing.answers.json`. A quiz, a prediction and a check each have one entry, under their title.
import { existsSync, readFileSync } from "node:fs";
import { installedSession } from "../../session.ts";
import { isRecord } from "../../torch/vocabulary/arguments.ts";
import { siblingPath } from "../core/sibling_path.ts";
import { fileFailure, writeWholeText } from "../../whole_file.ts";

export const ANSWERS_ENDING = "answers.json";
/** The name of the file where the front end does not name its notebook: all notebooks of a folder share it. */
export const SHARED_ANSWERS = "notebook";

/** What a learner answered: JSON values, by the kind of exercise and its title. */
interface AnswersFile {
  readonly format: 1;
  readonly answers: Readonly<Record<string, unknown>>;
}

/**
 * Returns the entry that an earlier session kept, or undefined.
 *
 * @throws Error if the file exists but does not hold answers
 */
export function keptAnswer(kind: string, title: string): unknown {
  const file = answersFile();
  return file === null ? undefined : readAnswers(file)[keyOf(kind, title)];
}

/** Keeps an entry in place of the earlier one. The other entries stay. A plain program keeps nothing. */
export function keepAnswer(kind: string, title: string, answer: unknown): void {
  const file = answersFile();
  if (file === null) return;
  const answers = { ...readAnswers(file), [keyOf(kind, title)]: answer };
  const content: AnswersFile = { format: 1, answers };
  writeWholeText(`lab.${kind}`, file, `${JSON.stringify(content, null, 2)}\n`, "replaced");
}

const keyOf = (kind: string, title: string): string => `${kind}: ${title}`;

/** Null outside a notebook. */
function answersFile(): string | null {
  if (installedSession() === null) return null;
  return siblingPath(ANSWERS_ENDING, SHARED_ANSWERS);
}

/** The entries of a file, by kind and title; none if there is no file. @throws Error if it does not hold answers */
export function readAnswers(file: string): Readonly<Record<string, unknown>> {
  if (!existsSync(file)) return {};
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw fileFailure("lab.quiz", file, cause);
  }
  const content = parsed(text);
  if (isRecord(content) && content["format"] === 1 && isRecord(content["answers"])) return content["answers"];
  throw new Error(
    `${file} does not hold a learner's answers, and was left unchanged: rename or delete it, then run the cell again.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

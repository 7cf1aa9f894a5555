// A quiz's questions: what a teacher writes, the checks of it, and the verdict on an answer. It draws nothing.
import { describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import type { Answer } from "./form_page.ts";

/** A question with several answers, of which one is right. */
export interface ChoiceQuestion {
  readonly question: string;
  /** The answers to choose from, in the order in which they are shown: two or more. */
  readonly choices: readonly string[];
  /** The right answer, spelled as in `choices`. */
  readonly answer: string;
  /**
   * Why a wrong choice is wrong: a sentence by choice, spelled as in `choices`. It is shown to the learner who chose it.
   * Default: none.
   */
  readonly wrong?: Readonly<Record<string, string>>;
  /** One sentence that says why. It is shown when the answers were checked. */
  readonly because: string;
}

/** A question whose answer is a number. */
export interface NumberQuestion {
  readonly question: string;
  readonly answer: number;
  /** The unit in which the answer is given: "ms", "MiB". Default: none. */
  readonly unit?: string;
  /** How far from `answer` a right answer may be. Default: 0. */
  readonly tolerance?: number;
  /** One sentence that says why. It is shown when the answers were checked. */
  readonly because: string;
}

export type Question = ChoiceQuestion | NumberQuestion;

export function isChoice(question: Question): question is ChoiceQuestion {
  return "choices" in question;
}

export function isRight(question: Question, answer: Answer): boolean {
  if (answer === null) return false;
  if (isChoice(question)) return answer === question.answer;
  return Math.abs((answer as number) - question.answer) <= (question.tolerance ?? 0);
}

/** What is said of an answer that is not right: why, without the right one. */
export function reasonAgainst(question: Question, answer: string | number): string {
  if (!isChoice(question)) return (answer as number) > question.answer ? "Too high." : "Too low.";
  return question.wrong?.[answer] ?? "Not this one.";
}

/** @throws TypeError for an invalid question, with its place in the list */
export function checkQuestions(call: string, questions: unknown): readonly Question[] {
  if (!Array.isArray(questions) || questions.length === 0)
    throw new TypeError(
      `${call}: questions must be a list of at least one question, got ${describe(questions)}.`,
    );
  questions.forEach((question: unknown, at) => checkQuestion(`${call}: question ${at + 1}`, question));
  return questions as Question[];
}

function checkQuestion(where: string, question: unknown): void {
  if (!isRecord(question))
    throw new TypeError(
      `${where} must be an object such as { question, choices, answer, because }, got ${describe(question)}.`,
    );
  for (const name of ["question", "because"] as const) {
    const text = question[name];
    if (typeof text !== "string" || text.trim() === "")
      throw new TypeError(`${where} needs ${name}, a sentence, got ${describe(text)}.`);
  }
  if ("choices" in question) checkChoices(where, question);
  else checkNumberQuestion(where, question);
}

function checkChoices(where: string, { choices, answer, wrong }: Record<string, unknown>): void {
  const texts = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
  if (!texts || new Set(choices).size !== choices.length || choices.length < 2)
    throw new TypeError(
      `${where} needs at least two choices, texts that differ from each other, got ${describe(choices)}.`,
    );
  if (!(choices as unknown[]).includes(answer))
    throw new TypeError(`${where} has the answer ${describe(answer)}, which is none of its choices.`);
  if (wrong !== undefined)
    checkReasons(
      where,
      wrong,
      (choices as string[]).filter((one) => one !== answer),
    );
}

function checkReasons(where: string, wrong: unknown, choices: readonly string[]): void {
  const texts = isRecord(wrong) && Object.values(wrong).every((reason) => typeof reason === "string");
  if (!texts)
    throw new TypeError(`${where} needs wrong to be sentences by wrong choice, got ${describe(wrong)}.`);
  const other = Object.keys(wrong).find((choice) => !choices.includes(choice));
  if (other !== undefined)
    throw new TypeError(
      `${where} says why ${JSON.stringify(other)} is wrong, which is none of its wrong choices ${choices.map((one) => JSON.stringify(one)).join(", ")}.`,
    );
}

function checkNumberQuestion(
  where: string,
  { answer, unit = "", tolerance = 0 }: Record<string, unknown>,
): void {
  if (typeof answer !== "number" || !Number.isFinite(answer))
    throw new TypeError(
      `${where} has no choices, so that its answer must be a finite number, got ${describe(answer)}.`,
    );
  if (typeof tolerance !== "number" || !(tolerance >= 0))
    throw new TypeError(`${where} needs a tolerance of 0 or more, got ${describe(tolerance)}.`);
  if (typeof unit !== "string")
    throw new TypeError(`${where} needs a unit that is a text, got ${describe(unit)}.`);
}

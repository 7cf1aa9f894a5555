// `lab.quiz(...)`: a quiz below the cell that scores itself and keeps the learner's answers beside the notebook.
import { inspect } from "node:util";
import { checkNumber, checkText, isRecord } from "../../torch/vocabulary/arguments.ts";
import { readOptions, type Rules } from "../../torch/vocabulary/options.ts";
import { keepAnswer, keptAnswer } from "./answers.ts";
import { Form } from "./form.ts";
import type { Answer, Verdict } from "./form_page.ts";
import { checkQuestions, isChoice, isRight, type Question, reasonAgainst } from "./questions.ts";

export interface QuizOptions {
  /** The quiz is complete when more than this share of the answers is right. Default: 0.75. */
  readonly completeAbove?: number;
}

export interface QuizScore {
  readonly right: number;
  readonly of: number;
  readonly complete: boolean;
}

const OPTIONS: Rules<QuizOptions> = {
  completeAbove: {
    fallback: 0.75,
    check: (call, name, value) => checkNumber(call, name, value, { min: 0, max: 1, below: true }),
  },
};

const CHECK = "Check my answers";

/** A quiz, made by `lab.quiz()`. */
export class Quiz extends Form {
  readonly #title: string;
  readonly #questions: readonly Question[];
  readonly #completeAbove: number;

  constructor(title: string, questions: readonly Question[], options: QuizOptions = {}) {
    const call = "lab.quiz";
    checkText(call, "title", title);
    checkQuestions(call, questions);
    const { completeAbove } = readOptions(call, options, OPTIONS);
    const fields = questions.map((question) => ({
      text: question.question,
      choices: isChoice(question) ? question.choices : null,
      unit: isChoice(question) ? "" : (question.unit ?? ""),
    }));
    const kept = keptAnswer("quiz", title);
    super(`Quiz: ${title}`, fields, isRecord(kept) ? kept["answers"] : null, CHECK);
    this.#title = title;
    this.#questions = questions;
    this.#completeAbove = completeAbove;
    // Answers from an earlier session are judged at once, as they were then.
    if (this.get("answers").some((answer) => answer !== null)) this.#judge();
    this.on("change:presses", () => this.#judge());
  }

  /** How many answers are right now, and whether that completes the quiz. */
  get score(): QuizScore {
    const answers = this.get("answers");
    const right = this.#questions.filter((question, at) => isRight(question, answers[at]!)).length;
    const of = this.#questions.length;
    return { right, of, complete: right > this.#completeAbove * of };
  }

  #judge(): void {
    const answers = this.get("answers");
    const verdicts = this.#questions.map((question, at) => verdictOn(question, answers[at]!));
    this.set({ verdicts, status: scoreText(this.score, this.#completeAbove) });
    keepAnswer("quiz", this.#title, { answers, ...this.score });
  }

  /** The text with the questions, without their answers, for pages that do not run widgets. */
  override [inspect.custom](): string {
    const lines = this.#questions.flatMap((question, at) => [
      `${at + 1}. ${question.question}`,
      ...(isChoice(question)
        ? question.choices.map((choice) => `     ( ) ${choice}`)
        : [`     ____ ${question.unit ?? ""}`.trimEnd()]),
    ]);
    return [`Quiz: ${this.#title}`, ...lines].join("\n");
  }
}

/**
 * A quiz. Show it as any value. The learner answers with the mouse or the keyboard and presses the button, which says of
 * each answer whether it is right, and why. The answers are kept in a file beside the notebook.
 *
 * @param title names the quiz in that file, so that each quiz of a notebook needs a title of its own
 * @throws TypeError for a question that cannot be asked, naming its number
 * @example
 * lab.quiz("Honest timing", [
 *   {
 *     question: "Which of these waits for the device?",
 *     choices: ["x.matmul(w)", "x.shape", "loss.item()"],
 *     answer: "loss.item()",
 *     wrong: { "x.shape": "The shape is known to the host from the start." },
 *     because: "item() brings a number to the host, which the device must have computed first.",
 *   },
 *   { question: "2 ms and 30 ms one after the other take", answer: 32, unit: "ms", because: "2 + 30 = 32." },
 * ])
 */
export function quiz(title: string, questions: readonly Question[], options?: QuizOptions): Quiz {
  return new Quiz(title, questions, options);
}

function verdictOn(question: Question, answer: Answer): Verdict {
  if (answer === null) return { right: false, text: "No answer yet." };
  const right = isRight(question, answer);
  if (right) return { right, text: question.because };
  return { right, text: `${reasonAgainst(question, answer)} Think again, then check again.` };
}

function scoreText({ right, of, complete }: QuizScore, completeAbove: number): string {
  if (complete) return `${right} of ${of} are right: complete.`;
  const needed = Math.floor(completeAbove * of) + 1;
  return `${right} of ${of} are right. The quiz is complete with ${needed}.`;
}

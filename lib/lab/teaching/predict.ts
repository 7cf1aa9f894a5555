// `lab.predict(...)`: records what the learner expects before a measurement, and compares the two afterwards.
import { inspect } from "node:util";
import { checkText, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import { shownAs } from "../../views/shown_as.ts";
import { columns } from "../../views/table.ts";
import { keepAnswer, keptAnswer } from "./answers.ts";
import { Form } from "./form.ts";
import type { Field } from "./form_page.ts";

const CALL = "lab.predict";
const NOTHING_PREDICTED =
  "You predicted nothing. Answer the question above, then run this cell again to see how close you were.";

/** A form that keeps each answer as soon as it is given. */
class Prediction extends Form {
  constructor(question: string, fields: readonly Field[], title: string) {
    super(title, fields, keptAnswer("predict", question));
    this.on("change:answers", (given) => keepAnswer("predict", question, given));
  }

  /** The text with the question, for pages that do not run widgets. */
  override [inspect.custom](): string {
    const { title, fields } = { title: this.get("title"), fields: this.get("fields") };
    const lines = fields.flatMap(({ text, choices, unit }) =>
      choices === null
        ? [`  ${text} ____ ${unit}`.trimEnd()]
        : [text, ...choices.map((one) => `  ( ) ${one}`)],
    );
    return [`Your prediction: ${title}`.trimEnd(), ...lines].join("\n");
  }
}

/** The prediction of one or more numbers, made by `lab.predict()`. */
export class NumberPrediction<Name extends string = string> extends Prediction {
  readonly #units: Readonly<Record<Name, string>>;

  constructor(question: string, units: Readonly<Record<Name, string>>) {
    const fields = Object.entries<string>(units).map(([text, unit]) => ({ text, choices: null, unit }));
    super(question, fields, question);
    this.#units = units;
  }

  /** What was predicted under this name; null before the learner has answered. */
  of(name: Name): number | null {
    return this.get("answers")[this.#names().indexOf(name)] as number | null;
  }

  /**
   * Sets the measured values beside the predicted ones. NaN stands for what the measurement did not find, and shows
   * as `none`.
   *
   * @returns records of the same names, which show themselves as a table
   * @throws TypeError if a value is missing, or is not a number
   */
  compare(measured: Readonly<Record<Name, number>>): readonly ComparedNumber[] {
    const rows = this.#names().map((name): ComparedNumber => {
      const value: unknown = measured?.[name];
      if (typeof value !== "number")
        throw new TypeError(
          `prediction.compare: ${name} must be the measured number, got ${describe(value)}.`,
        );
      return { name, unit: this.#units[name], predicted: this.of(name), measured: value };
    });
    const missing = rows.every(({ predicted }) => predicted === null);
    return shownAs(rows, (compared) => ({
      caption: "Your prediction beside the measurement",
      columns: columns("<", "predicted", "measured", "<you were"),
      // Columns of zeros stay, because a prediction of 0 is a prediction.
      whole: true,
      rows: compared.map(({ name, unit, predicted, measured: value }) => [
        name,
        predicted === null ? "–" : withUnit(predicted, unit),
        Number.isNaN(value) ? "none" : withUnit(value, unit),
        predicted === null || Number.isNaN(value) ? "" : distance(predicted, value),
      ]),
      notes: missing ? [NOTHING_PREDICTED] : [],
    }));
  }

  #names(): Name[] {
    return Object.keys(this.#units) as Name[];
  }
}

/** One number of a prediction beside what was measured. */
export interface ComparedNumber {
  readonly name: string;
  readonly unit: string;
  /** Null before the learner has answered. */
  readonly predicted: number | null;
  readonly measured: number;
}

/** The prediction of one of several outcomes, made by `lab.predict()`. */
export class ChoicePrediction<Choice extends string = string> extends Prediction {
  readonly #question: string;
  readonly #choices: readonly Choice[];

  constructor(question: string, choices: readonly Choice[]) {
    super(question, [{ text: question, choices, unit: "" }], "");
    this.#question = question;
    this.#choices = choices;
  }

  /** What was predicted; null before the learner has answered. */
  get choice(): Choice | null {
    return this.get("answers")[0] as Choice | null;
  }

  /**
   * Sets what happened beside what was predicted.
   *
   * @returns a record that shows itself as a sentence
   * @throws RangeError for an outcome that is not one of the choices
   */
  compare(happened: Choice): ComparedChoice<Choice> {
    if (!this.#choices.includes(happened))
      throw new RangeError(
        `prediction.compare: ${describe(happened)} is none of the choices ${this.#choices.map((one) => JSON.stringify(one)).join(", ")}.`,
      );
    const compared = { question: this.#question, predicted: this.choice, happened };
    return shownAs(compared, ({ predicted }) => ({
      caption: `${this.#question} ${happened}.`,
      columns: [],
      rows: [],
      notes: [sentenceOn(predicted, happened)],
    }));
  }
}

/** A predicted outcome beside the one that happened. */
export interface ComparedChoice<Choice extends string = string> {
  readonly question: string;
  /** Null before the learner has answered. */
  readonly predicted: Choice | null;
  readonly happened: Choice;
}

/**
 * A form that asks for a prediction: numbers by name, each with its unit, or one of several outcomes. Show it as any
 * value. What the learner answers is kept in a file beside the notebook, and `compare` sets it beside the measurement.
 *
 * @throws TypeError for a question that is not a string, or for fewer than two outcomes
 * @example
 * const guess = lab.predict("Ten products are queued. When is the loop over, when are the results there?", {
 *   returned: "ms",
 *   finished: "ms",
 * });
 * display(guess);
 * // in a later cell
 * guess.compare({ returned: 0.4, finished: 61 })
 */
export function predict<const Choice extends string>(
  question: string,
  choices: readonly Choice[],
): ChoicePrediction<Choice>;
export function predict<const Name extends string>(
  question: string,
  units: Readonly<Record<Name, string>>,
): NumberPrediction<Name>;
export function predict(question: string, asked: readonly string[] | Readonly<Record<string, string>>) {
  checkText(CALL, "question", question);
  if (Array.isArray(asked)) {
    const differ = new Set(asked).size === asked.length && asked.length >= 2;
    if (differ && asked.every((choice) => typeof choice === "string" && choice !== ""))
      return new ChoicePrediction(question, asked as string[]);
  } else if (isRecord(asked)) {
    const units = Object.values(asked);
    if (units.length > 0 && units.every((unit) => typeof unit === "string"))
      return new NumberPrediction(question, asked as Record<string, string>);
  }
  throw new TypeError(
    `${CALL}: the second argument must be numbers with their units, such as { finished: "ms" }, or a list of two or more outcomes, got ${describe(asked)}.`,
  );
}

/**
 * Three digits, or all digits of a larger whole number: `0.412 ms`, `1,024 MiB`. A prediction is not more exact, and
 * measurements vary.
 */
function withUnit(value: number, unit: string): string {
  const rounded = Math.abs(value) < 1000 ? Number(value.toPrecision(3)) : Math.round(value);
  return `${rounded.toLocaleString("en-US", { maximumSignificantDigits: 21 })} ${unit}`.trimEnd();
}

/** `2.4 times too low` */
function distance(predicted: number, measured: number): string {
  if (predicted === measured) return "exact";
  const factor = measured / predicted;
  if (!(factor > 0) || !Number.isFinite(factor)) return predicted > measured ? "too high" : "too low";
  const times = factor > 1 ? factor : 1 / factor;
  if (times < 1.1) return "within 10%";
  return `${Number(times.toPrecision(2))} times too ${factor > 1 ? "low" : "high"}`;
}

function sentenceOn(predicted: string | null, happened: string): string {
  if (predicted === null) return NOTHING_PREDICTED;
  return predicted === happened ? "You predicted that." : `You predicted: ${predicted}.`;
}

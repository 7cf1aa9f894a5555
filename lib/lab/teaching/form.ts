// The kernel's side of a form: decides which answers its page may send, and which answers of an earlier session still
// fit. It neither judges nor keeps answers: quizzes and predictions do.
import { AnyWidget } from "../../widgets/any_widget.ts";
import { type Answer, type Field, FORM_CSS, FORM_ESM, type FormState } from "./form_page.ts";

/** A form of one or more questions below a cell. */
export class Form extends AnyWidget<FormState> {
  /**
   * @param kept the answers of an earlier session, as its file has them: a question that has changed since then begins
   *   without an answer
   * @param button the text on the button that asks for verdicts. Default: none, and there is no button.
   */
  constructor(title: string, fields: readonly Field[], kept: unknown, button = "") {
    const answers = fields.map((field, at): Answer => {
      const answer: unknown = Array.isArray(kept) ? (kept[at] ?? null) : null;
      return fits(field, answer) ? answer : null;
    });
    super({
      esm: FORM_ESM,
      css: FORM_CSS,
      state: { title, fields, answers, verdicts: fields.map(() => null), button, presses: 0, status: "" },
      accepts: {
        answers: (given) =>
          Array.isArray(given) &&
          given.length === fields.length &&
          fields.every((field, at) => fits(field, given[at])),
        presses: (given) => Number.isSafeInteger(given),
      },
    });
  }
}

function fits({ choices }: Field, answer: unknown): answer is Answer {
  if (answer === null) return true;
  return choices === null
    ? typeof answer === "number" && Number.isFinite(answer)
    : typeof answer === "string" && choices.includes(answer);
}

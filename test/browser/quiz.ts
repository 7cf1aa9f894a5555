// Reads the quizzes of a notebook, and answers them in JupyterLab with the mouse or with the keyboard only.
import { runInNewContext } from "node:vm";
import type { Locator, Page } from "playwright-core";
import { isChoice, type Question } from "../../lib/lab/teaching/questions.ts";

/** The questions of the quiz that a cell makes, with their answers. They are plain data: the cell's text says all. */
export function questionsOf(source: string): readonly Question[] {
  let found: readonly Question[] = [];
  const lab = { quiz: (_title: string, questions: readonly Question[]) => (found = questions) };
  runInNewContext(source, { lab });
  return found;
}

/** Clicks each right answer, types the numbers, and clicks the button. */
export async function answerWithMouse(
  page: Page,
  quiz: Locator,
  questions: readonly Question[],
): Promise<void> {
  for (const [at, question] of questions.entries()) {
    const group = quiz.locator("fieldset").nth(at);
    if (isChoice(question)) {
      await group.locator("label").nth(question.choices.indexOf(question.answer)).click();
    } else {
      await group.locator("input").click();
      await page.keyboard.type(String(question.answer));
    }
  }
  await quiz.locator("button").click();
}

/** From the first question on: Tab goes to the next one, Space and arrows choose, digits are typed, Enter checks. */
export async function answerWithKeyboard(
  page: Page,
  quiz: Locator,
  questions: readonly Question[],
): Promise<void> {
  await quiz.locator("input").first().focus();
  for (const [at, question] of questions.entries()) {
    if (at > 0) await page.keyboard.press("Tab");
    if (isChoice(question)) {
      const steps = question.choices.indexOf(question.answer);
      if (steps === 0) await page.keyboard.press("Space");
      for (let step = 0; step < steps; step++) await page.keyboard.press("ArrowDown");
    } else {
      await page.keyboard.type(String(question.answer));
    }
  }
  await page.keyboard.press("Enter");
}

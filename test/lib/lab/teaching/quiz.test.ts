// A quiz: what it asks, how it judges what the page sends, and what it refuses to ask. The page is a script.
import { inspect } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { deliverComms } from "../../../../lib/comms/comms.ts";
import { lab } from "../../../../lib/index.ts";
import { ScriptedPage } from "../../comms/scripted_page.ts";

const WAITS: lab.ChoiceQuestion = {
  question: "Which of these waits for the device?",
  choices: ["x.matmul(w)", "x.shape", "loss.item()"],
  answer: "loss.item()",
  because: "item() brings a number to the host.",
};
const SUM: lab.NumberQuestion = {
  question: "3 ms and 32 ms one after the other take",
  answer: 35,
  unit: "ms",
  tolerance: 0.5,
  because: "3 + 32 = 35.",
};

let page: ScriptedPage;
beforeEach(() => {
  page = new ScriptedPage();
});

/** The page sets attributes of the form that was shown last, as a click or a key does. */
function says(state: object): void {
  const comm = page.sent.findLast(({ action }) => action === "open")!.comm;
  page.say({ action: "message", comm, data: { method: "update", state, buffer_paths: [] } });
  deliverComms();
}

describe("a quiz", () => {
  it("sends the page its questions, and no answer or explanation", () => {
    lab.quiz("Timing", [WAITS, SUM]);
    const state = page.sent[0]!.data["state"] as Record<string, unknown>;
    expect(state).toMatchObject({
      title: "Quiz: Timing",
      fields: [
        { text: WAITS.question, choices: WAITS.choices, unit: "" },
        { text: SUM.question, choices: null, unit: "ms" },
      ],
      answers: [null, null],
      verdicts: [null, null],
      status: "",
    });
    const { _esm: _, ...sent } = state;
    expect(JSON.stringify(sent)).not.toMatch(/35|brings a number/);
  });

  it("says of a wrong choice why it is wrong where the question has the reason, and of a number its side", () => {
    const wrong = { "x.shape": "The host knows the shape." };
    const quiz = lab.quiz("Timing", [{ ...WAITS, wrong }, { ...WAITS, wrong }, SUM]);
    expect(JSON.stringify(page.sent[0]!.data["state"])).not.toContain("The host knows");
    says({ answers: ["x.shape", "x.matmul(w)", 34], presses: 1 });
    expect(quiz.get("verdicts").map((verdict) => verdict!.text)).toEqual([
      "The host knows the shape. Think again, then check again.",
      "Not this one. Think again, then check again.",
      "Too low. Think again, then check again.",
    ]);
  });

  it.each([
    ["x.shape", "needs wrong to be sentences by wrong choice"],
    [
      { "x.size": "No." },
      'says why "x.size" is wrong, which is none of its wrong choices "x.matmul(w)", "x.shape".',
    ],
    [{ "loss.item()": "No." }, 'says why "loss.item()" is wrong'],
    [{ "x.shape": 1 }, "needs wrong to be sentences by wrong choice"],
  ])("refuses the reasons %j", (wrong, message) => {
    expect(() => lab.quiz("Timing", [{ ...WAITS, wrong: wrong as never }])).toThrow(message);
  });

  it("judges when the button is pressed: an explanation for what is right, another try for what is not", () => {
    const quiz = lab.quiz("Timing", [WAITS, SUM]);
    says({ answers: ["loss.item()", 36] });
    expect(quiz.get("verdicts")).toEqual([null, null]);
    says({ presses: 1 });
    expect(quiz.get("verdicts")).toEqual([
      { right: true, text: "item() brings a number to the host." },
      { right: false, text: "Too high. Think again, then check again." },
    ]);
    expect(quiz.get("status")).toBe("1 of 2 are right. The quiz is complete with 2.");
    says({ answers: ["loss.item()", 35.4], presses: 2 });
    expect(quiz.get("status")).toBe("2 of 2 are right: complete.");
    expect(quiz.score).toEqual({ right: 2, of: 2, complete: true });
  });

  it("says which questions have no answer yet", () => {
    const quiz = lab.quiz("Timing", [WAITS, SUM]);
    says({ presses: 1 });
    expect(quiz.get("verdicts")).toEqual([
      { right: false, text: "No answer yet." },
      { right: false, text: "No answer yet." },
    ]);
    expect(quiz.score).toEqual({ right: 0, of: 2, complete: false });
  });

  it("of eight questions is complete with seven, above three quarters", () => {
    const quiz = lab.quiz(
      "Eight",
      Array.from({ length: 8 }, (): lab.Question => WAITS),
    );
    const right = (count: number) =>
      Array.from({ length: 8 }, (_, at) => (at < count ? "loss.item()" : "x.shape"));
    says({ answers: right(6), presses: 1 });
    expect(quiz.get("status")).toBe("6 of 8 are right. The quiz is complete with 7.");
    says({ answers: right(7), presses: 2 });
    expect(quiz.score).toEqual({ right: 7, of: 8, complete: true });
  });

  it("is complete above another share where the teacher sets one", () => {
    const quiz = lab.quiz("Half", [WAITS, SUM], { completeAbove: 0.4 });
    says({ answers: ["loss.item()", null], presses: 1 });
    expect(quiz.score.complete).toBe(true);
  });

  it.each([
    ["another choice", ["loss.cpu()", null]],
    ["a text for a number", ["x.shape", "35"]],
    ["too few answers", ["x.shape"]],
    ["no list", "x.shape"],
  ])("takes no answer that it did not offer: %s", (_, answers) => {
    const quiz = lab.quiz("Timing", [WAITS, SUM]);
    says({ answers });
    expect(quiz.get("answers")).toEqual([null, null]);
  });

  it("reads as its questions where no page shows it", () => {
    expect(inspect(lab.quiz("Timing", [WAITS, SUM]))).toBe(
      [
        "Quiz: Timing",
        "1. Which of these waits for the device?",
        "     ( ) x.matmul(w)",
        "     ( ) x.shape",
        "     ( ) loss.item()",
        "2. 3 ms and 32 ms one after the other take",
        "     ____ ms",
      ].join("\n"),
    );
  });
});

describe("a question that cannot be asked is refused by its number:", () => {
  it.each([
    [
      "no object",
      "Why?",
      /^lab\.quiz: question 2 must be an object such as \{ question, choices, answer, because \}/,
    ],
    [
      "no question",
      { ...SUM, question: " " },
      /^lab\.quiz: question 2 needs question, a sentence, got " "\.$/,
    ],
    [
      "no explanation",
      { ...SUM, because: undefined },
      /question 2 needs because, a sentence, got undefined\.$/,
    ],
    ["one choice", { ...WAITS, choices: ["x"] }, /question 2 needs at least two choices, texts that differ/],
    ["a choice twice", { ...WAITS, choices: ["x", "x"] }, /question 2 needs at least two choices/],
    [
      "an answer that is no choice",
      { ...WAITS, answer: "y" },
      /question 2 has the answer "y", which is none of its choices\.$/,
    ],
    [
      "an answer that is no number",
      { ...SUM, answer: "35" },
      /its answer must be a finite number, got "35"\.$/,
    ],
    [
      "a negative tolerance",
      { ...SUM, tolerance: -1 },
      /question 2 needs a tolerance of 0 or more, got -1\.$/,
    ],
    ["a unit that is no text", { ...SUM, unit: 1 }, /question 2 needs a unit that is a text, got 1\.$/],
  ])("%s", (_, question, message) => {
    expect(() => lab.quiz("Timing", [SUM, question as lab.Question])).toThrow(message);
  });

  it("a quiz without questions is refused", () => {
    expect(() => lab.quiz("Timing", [])).toThrow(
      "lab.quiz: questions must be a list of at least one question, got [].",
    );
  });
});

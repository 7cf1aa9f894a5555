// The page's side of a quiz and of a prediction, in anywidget's format: native radio buttons, number fields and a button,
// so that Tab, arrow keys, Space and Enter work as in every form. The right answers stay in the kernel.

/** One question of a form, as the page draws it. */
export interface Field {
  readonly text: string;
  /** Null if the answer is a number. */
  readonly choices: readonly string[] | null;
  readonly unit: string;
}

/** The text of a choice, a number, or null if nothing was answered. */
export type Answer = string | number | null;

/** The verdict on one answer; null until the answers have been checked. */
export interface Verdict {
  readonly right: boolean;
  readonly text: string;
}

/** The state that a form shares with the page. */
export type FormState = {
  title: string;
  fields: readonly Field[];
  answers: readonly Answer[];
  verdicts: readonly (Verdict | null)[];
  /** The text on the button that asks for verdicts; empty for no button. */
  button: string;
  /** How often the button was pressed. */
  presses: number;
  /** The sentence at the end: the score, or what to do next. */
  status: string;
};

// A group of radio buttons has a name of its own in the page: another view of the same form must not share it.
export const FORM_ESM = `
let views = 0;

export default {
  render({ model, el }) {
    const view = "mpslab-form-" + ++views;
    const form = document.createElement("form");
    form.className = "mpslab-form";
    el.append(form);

    const make = (tag, parent, text = "", className = "") => {
      const node = document.createElement(tag);
      node.textContent = text;
      node.className = className;
      // JupyterLab's commands have the arrow keys and Enter too, and would come first. It asks the element itself.
      node.dataset.lmSuppressShortcuts = "true";
      parent.append(node);
      return node;
    };
    const answer = (at, value) => {
      model.set("answers", model.get("answers").map((old, index) => (index === at ? value : old)));
      model.save_changes();
    };
    const choice = (parent, field, at) =>
      field.choices.map((text, index) => {
        const label = make("label", parent);
        const input = make("input", label);
        input.type = "radio";
        input.name = view + "-" + at;
        input.value = String(index);
        input.addEventListener("change", () => answer(at, text));
        make("span", label, text);
        return input;
      });
    const number = (parent, field, at) => {
      const label = make("label", parent);
      const input = make("input", label);
      input.type = "number";
      input.step = "any";
      input.setAttribute("aria-label", field.text);
      input.addEventListener("input", () => answer(at, input.value === "" ? null : Number(input.value)));
      make("span", label, field.unit);
      return [input];
    };

    const numbered = model.get("fields").length > 1;
    if (model.get("title") !== "") make("strong", form, model.get("title"));
    const drawn = model.get("fields").map((field, at) => {
      const group = make("fieldset", form);
      make("legend", group, (numbered ? at + 1 + ". " : "") + field.text);
      const inputs = field.choices === null ? number(group, field, at) : choice(group, field, at);
      const verdict = make("div", group);
      verdict.setAttribute("role", "status");
      return { field, inputs, verdict };
    });
    const button = model.get("button") === "" ? null : make("button", form, model.get("button"));
    const status = make("div", form, "", "mpslab-status");
    status.setAttribute("role", "status");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (button === null) return;
      model.set("presses", model.get("presses") + 1);
      model.save_changes();
    });

    // Inside JupyterLab the browser does not submit a form by itself when Enter is pressed in a field.
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
      event.preventDefault();
      form.requestSubmit();
    });

    const draw = () => {
      drawn.forEach(({ field, inputs, verdict }, at) => {
        const value = model.get("answers")[at];
        if (field.choices === null) {
          // What the learner types stays as it is typed: "1." is 1 already.
          if (document.activeElement !== inputs[0]) inputs[0].value = value === null ? "" : String(value);
        } else inputs.forEach((input, index) => (input.checked = field.choices[index] === value));
        const judged = model.get("verdicts")[at];
        verdict.textContent = judged === null ? "" : judged.text;
        verdict.className = judged === null ? "" : judged.right ? "mpslab-right" : "mpslab-wrong";
      });
      status.textContent = model.get("status");
    };
    model.on("change", draw);
    draw();
  },
};
`;

export const FORM_CSS = `
.mpslab-form { font: var(--jp-ui-font-size1, 13px)/1.5 var(--jp-ui-font-family, sans-serif);
  color: var(--jp-ui-font-color1, #212121); max-width: 46em; }
.mpslab-form fieldset { border: 0; border-left: 3px solid var(--jp-border-color2, #bdbdbd); margin: 0.8em 0; padding: 0 0 0 1em; }
.mpslab-form legend { padding: 0; float: left; width: 100%; } /* A legend that does not float breaks the line beside it. */
.mpslab-form legend + * { clear: both; }
.mpslab-form label { display: flex; align-items: baseline; gap: 0.5em; padding: 0.1em 0; cursor: pointer; }
.mpslab-form input { accent-color: var(--jp-brand-color1, #1976d2); }
.mpslab-form input[type="number"] { width: 8em; font: inherit; color: inherit; padding: 0.2em 0.4em;
  background: var(--jp-layout-color0, transparent); border: 1px solid var(--jp-border-color1, #bdbdbd); border-radius: 3px; }
.mpslab-form button { font: inherit; color: inherit; padding: 0.4em 1.2em; cursor: pointer; border-radius: 3px;
  border: 1px solid var(--jp-border-color1, #bdbdbd); background: var(--jp-layout-color2, #eeeeee); }
.mpslab-form .mpslab-right::before { content: "\\2713  "; color: var(--jp-success-color0, #1b7a1f); font-weight: 700; }
.mpslab-form .mpslab-wrong::before { content: "\\2717  "; color: var(--jp-error-color0, #c62828); font-weight: 700; }
.mpslab-form .mpslab-status { margin-top: 0.6em; font-weight: 600; }
`;

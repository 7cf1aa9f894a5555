// Python that Lezer's grammar does not know is read all the same, and stays on its lines.
import { expect, it } from "vitest";
import { withoutGrammarGaps } from "../../../../kernel/python/source/grammar_gaps.ts";
import { parsePython } from "../../../../kernel/python/source/syntax.ts";

it.each([
  ["a number that ends in its point", "x = [1., 2.] + 3. * (4.)\n", "x = [1.0, 2.0] + 3.0 * (4.0)\n"],
  [
    "a yield without a value",
    "def f():\n  x = yield\n  yield # twice\n",
    "def f():\n  x = yield None \n  yield None # twice\n",
  ],
  [
    "parameters by place alone",
    "f = lambda x, /: -x\ng = lambda a, /, b=2: a\n",
    "f = lambda x: -x\ng = lambda a, b=2: a\n",
  ],
  ["a form feed", "x = 1\n\f\ny = 2\n", "x = 1\n\ny = 2\n"],
  [
    "managers in brackets over several lines",
    'with (\n    open("a)") as a,\n    lock(1) as b,\n):\n    a.read()\n',
    'with  \\\n    open("a)") as a,\\\n    lock(1) as b\\\n :\n    a.read()\n',
  ],
])("%s", (_, python, written) => {
  expect(parsePython(python).errorAt).not.toBeNull();
  expect(withoutGrammarGaps(python)).toBe(written);
  expect(parsePython(written).errorAt).toBeNull();
});

it.each([
  ["texts and comments", 'x = "1." # lambda x, /: 2.\n"""\nwith (a as b):\n  yield\n"""\n'],
  ["managers without a name, which the grammar knows", "with (a, b):\n  pass\n"],
  ["a text that is no Python", "with (a as b\n"],
])("leaves %s", (_, python) => {
  expect(withoutGrammarGaps(python)).toBe(python);
});

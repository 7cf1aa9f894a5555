// Texts that nest so deeply that the native parser would overflow its stack, and the kernel's process with it: refused
// in words, however the nesting is written. What only looks long is compiled.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { deepest } from "../../../lib/typescript/depth.ts";

const compiled = (text: string) => compile(text, NO_BINDINGS, { script: "1", flush: true });

describe("refused in words:", () => {
  const n = 3000;
  it.each([
    ["parentheses", "(".repeat(n) + "1" + ")".repeat(n)],
    ["parentheses that nobody closes", "(".repeat(n)],
    ["blocks", "{".repeat(n) + "}".repeat(n)],
    ["template literals", "`${".repeat(n)],
    ["arrays", "[".repeat(n) + "]".repeat(n)],
    ["a sum", Array(80_000).fill("a").join("+")],
    ["a sum over lines", Array(n).fill("a").join("\n+")],
    ["assignments", `${"a=".repeat(20_000)}1`],
    ["conditionals", `${"a?b:".repeat(n)}c`],
    ["members", `a${".a".repeat(n)}`],
    ["a chain of calls over lines", `a${"\n.a()".repeat(n)}`],
    ["arrow functions", `${"x=>".repeat(n)}x`],
    ["unary operators", `${"!".repeat(n)}a`],
    ["unary operators on lines of their own", `${"typeof\n".repeat(n)}a`],
    ["if in if", `${"if(a)\n".repeat(n)}b`],
    ["else after else", `${"if (a) b;\nelse ".repeat(n)}b`],
    ["else after blocks", `${"if (a) {} else ".repeat(n)}b`],
    ["else after sequences", `${"if (a) b, c; else ".repeat(n)}b`],
    ["loops in loops", `${"for (;;) ".repeat(n)}b`],
    ["labels", Array.from({ length: n }, (_, i) => `l${i}: `).join("") + "a"],
    ["type arguments", `let a: ${"A<b, ".repeat(n)}`],
    ["conditional types with type arguments", `type A = ${"B extends C<d, e> ? 1 : ".repeat(n)}2`],
    ["function types", `type A = ${"() => ".repeat(n)}void`],
    ["a namespace's name", `namespace a${".a".repeat(n)} {}`],
    ["what looks like a regular expression", `a++ / ${"(".repeat(n)}`],
    ["what looks like a string of another line", `'\\\r\n'; ${"(".repeat(n)}`],
    ["what looks like a comment of another line", `// \u2028${"(".repeat(n)}`],
    ["what looks like a string in the first line", `#! \`\n${"(".repeat(n)}`],
    ["what looks like a string after a regular expression", `if (a) /\`/.test(b); ${"(".repeat(n)}`],
  ])("%s", (_, text) => {
    expect(() => compiled(text)).toThrow(
      /^The code nests some \d+ signs deep, and 1500 is the most: put inner parts into variables, or data into a file$/,
    );
  });
});

describe("compiled, for it is long and not deep:", () => {
  const n = 1500;
  it.each([
    ["statements", "f(a, b);\n".repeat(n)],
    ["statements without semicolons", "f(a, b)\n".repeat(n)],
    ["functions", Array.from({ length: n }, (_, i) => `function f${i}() { return 1 }`).join("\n")],
    ["a class of many members", `class A {${Array.from({ length: n }, (_, i) => `\nm${i}() {}`).join("")} }`],
    ["a list", `f([${"a + 1, ".repeat(n)}])`],
    ["a list of objects", `f([${"{ a: [1, 2], b: new Map<string, A>() }, ".repeat(n)}])`],
    ["brackets beside each other", `f([${"[],".repeat(n)}])`],
    ["brackets in a string", `f("${"(".repeat(9000)}")`],
    ["brackets in a template literal", `f(\`${"(".repeat(9000)}\`)`],
    ["brackets in a comment", `f() // ${"(".repeat(9000)}`],
    ["branches", "if (a) { b } else { c }\n".repeat(n)],
    ["divisions", "f(i++ / 2, a! / b, (c) / d);\n".repeat(n)],
    ["regular expressions", "if (a) /`[/(]/.test(b);\n".repeat(n)],
  ])("%s", (_, text) => {
    expect(() => compiled(text)).not.toThrow();
  });
});

it("a text that is deep only if it were JSX is told its other mistake", () => {
  expect(() => compiled(`let x = <a>' ${"<a>".repeat(40_000)}</a>`)).toThrow("Unterminated string");
});

it("the depth is that of the deepest place, and says where that is", () => {
  expect(deepest("f(); a + (b * [c]); d")).toEqual({ tokens: 7, at: 15 });
  expect(deepest("")).toEqual({ tokens: 0, at: 0 });
});

it("after a backslash that is no part of a name every quote is counted as code", () => {
  expect(deepest(String.raw`token=\"token=\"`).tokens).toBe(8);
  expect(deepest(String.raw`const \u0061b = "a b c d"`).tokens).toBe(5);
});

it("no soup of tokens ends the process, and none is answered with anything but a SyntaxError", () => {
  const program = fileURLToPath(new URL("deep_texts.mjs", import.meta.url));
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, "20261121", "400"]);
  expect({ status, signal, stderr: stderr.toString() }).toEqual({ status: 0, signal: null, stderr: "" });
  const { compiled, refused, invalid } = JSON.parse(stdout.toString()) as Record<string, number>;
  // Each kind of answer is among them: the soup is neither all nonsense nor all harmless.
  expect(Math.min(compiled!, refused!, invalid!)).toBeGreaterThan(10);
});

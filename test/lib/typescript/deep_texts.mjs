// A process for texts that might end it: compiles soups of tokens, most of them repeated often, and counts the answers.
// `node deep_texts.mjs <seed> <texts>`; knows the built compiler.
import { NO_BINDINGS } from "../../../dist/kernel/cell/analyze.js";
import { compile } from "../../../dist/kernel/cell/compile.js";
import { isComplete } from "../../../dist/kernel/cell/completeness.js";

const WORDS = `a b 1 1. 0x1 .5 é 😀 if else for while do try catch finally switch case default return throw function class
  extends implements new typeof keyof void delete await async yield in of instanceof as satisfies is infer readonly unique
  abstract declare type interface enum namespace module import export from let const var using get set static this super
  null with asserts accessor`;
const SIGNS =
  "{ } ( ) [ ] < > => = + - * / % ! ~ ? : ; , . ?. ... && || ?? | & ** ++ -- == <= @ # ` ${ ' \" \\ #! <!--";
const PARTS = `if(a) for(;;) while(a) f() function\u00a0f() class\u00a0A{ switch(a){case\u00a01: type\u00a0A= {} () [] a: x=> ()=>
  <T> <a> </a> <a/> a< A<B, <A>(x) a,b 's' /a/ /[/]/ // /* */ \`a\${1}b\` from'a' (a= {a: a=function(){`;
const TOKENS = [
  ...[WORDS, SIGNS, PARTS].flatMap((list) => list.split(/[ \n]+/)),
  " ",
  "\n",
  "\r\n",
  "\u2028",
];

const [seed = "1", texts = "100"] = process.argv.slice(2);
let state = Number(seed);
/** mulberry32: the same soup for the same seed. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const below = (max) => Math.floor(random() * max);
const token = () => TOKENS[below(TOKENS.length)];
const phrase = (length, between) => Array.from({ length }, token).join(between);

function soup() {
  let text = "";
  for (let part = below(5); part >= 0; part -= 1) {
    const repeated = phrase(1 + below(4), random() < 0.5 ? " " : "");
    const max = 24_000 / repeated.length;
    text += repeated.repeat(random() < 0.5 ? 1 : 1 + Math.floor(random() ** 2 * max));
  }
  return random() < 0.3 ? text + phrase(200, " ") : text;
}

const answers = { compiled: 0, refused: 0, invalid: 0 };
for (let count = Number(texts); count > 0; count -= 1) {
  const text = soup();
  isComplete(text);
  try {
    compile(text, NO_BINDINGS, { script: "1", flush: true });
    answers.compiled += 1;
  } catch (error) {
    if (error.name !== "SyntaxError") throw error;
    answers[
      /^The (code nests|cell holds an expression too long)/.test(error.message) ? "refused" : "invalid"
    ] += 1;
  }
}
console.log(JSON.stringify(answers));

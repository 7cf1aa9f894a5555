// Secrets: drawn names and values in drawn places. None may be in what is kept or given away, and a text of harmless words
// stays as it is.
import { redact, redactForReview, type Language } from "../../../lib/secrets/redact.ts";
import { HARMLESS, PLANTED } from "../../fixtures/secrets/planted.ts";
import { type Draw, drawFrom } from "../drawn_texts.ts";

export const name = "secrets under drawn names, in cells, files and outputs";

const ROUNDS = 3_000;
const OWNERS = ["db", "stripe", "openAi", "myService", "backup", "ann", "prod", "wandb", "smtp"];
const NOUNS = [
  "password",
  "apiKey",
  "accessToken",
  "clientSecret",
  "authToken",
  "privateKey",
  "passphrase",
  "secretKey",
];

/** In the ways in which languages write names. */
function drawnName(draw: Draw): string {
  const words = `${draw.one(OWNERS)} ${draw.one(NOUNS)}`
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return draw.one([
    () => words[0]! + words.slice(1).map(capital).join(""),
    () => words.map(capital).join(""),
    () => words.join("_"),
    () => words.join("_").toUpperCase(),
  ])();
}

/** `N` is the name, `V` the value, `Q` a quote. */
const PLACES: readonly (readonly [Language, string])[] = [
  ["cell", "const N = QVQ;"],
  ["cell", "let N: string | undefined = QVQ;"],
  ["cell", "class A { private static readonly N = QVQ; }"],
  ["cell", "const f = ({ N = QVQ } = {}) => N;"],
  ["cell", "const o = { a: 1, N: QVQ, b: [2] };"],
  ["cell", "const o = { QNQ: QVQ };"],
  ["cell", "const o = { deep: { er: [{ N: cond ? QVQ : undefined }] } };"],
  ["cell", "settings.N ??= QVQ;"],
  ["cell", "settings[QNQ] = QVQ;"],
  ["cell", "map.set(QNQ, QVQ);"],
  ["cell", "const x = process.env.N ?? QVQ;"],
  ["cell", "if (given.N === QVQ) throw new Error();"],
  ["cell", "// N = QVQ\n1;"],
  ["cell", "const text = `first\nN=V\n`;"],
  ["cell", "%%sh\nN=V ./run"],
  ["cell", "%%sh\nexport N=QVQ && ./run"],
  ["cell", "%%sh\n./run --N V"],
  ["cell", "%%python\nrun(N=QVQ)"],
  ["cell", "%%python\nsettings = {QNQ: QVQ}"],
  ["configuration", "a: 1\nN: V\n"],
  ["configuration", "section:\n  N: QVQ # note\n"],
  ["configuration", "N = V\n"],
  ["configuration", '{ "a": [1], "N": "V" }'],
  ["shell", "curl 'https://example.org/?a=1&N=V&b=2'"],
  ["text", "> N=V\n"],
  ["text", "{ a: 1, N: QVQ }"],
  ["text", '  File "a.py", line 3\n    run(N=QVQ)\n'],
  ["text", "https://ann:V@example.org/x"],
  ["code", "N = QVQ"],
  ["patch", "diff --git a/a.yml b/a.yml\n--- a/a.yml\n+++ b/a.yml\n@@ -1 +1 @@\n-a: 1\n+N: V\n"],
];

export async function run(seed: number): Promise<string[]> {
  const draw = drawFrom(seed);
  const problems: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [language, template] = draw.one(PLACES);
    const secret = draw.secret();
    const quote = draw.one(['"', "'"]);
    const around = template.includes("diff --git") ? "" : draw.one(["", "const a = 1;\n", "\n\n"]);
    const isPlain = !template.startsWith("%%") && language === "cell";
    const name = drawnName(draw);
    const text =
      (isPlain ? around : "") +
      template.replaceAll(/[NVQ](?![a-z])/g, (letter) => ({ N: name, V: secret, Q: quote })[letter]!);
    const clean = redact(text, language).text;
    if (clean.includes(secret)) problems.push(`stays in ${language}: ${JSON.stringify(text)}`);
    if (redactForReview(text, language).text.includes(secret))
      problems.push(`a review shows it in ${language}: ${JSON.stringify(text)}`);
    if (redact(clean, language).text !== clean) problems.push(`is changed twice: ${JSON.stringify(clean)}`);
  }
  for (const { language, text, secret } of PLANTED)
    if (redact(`${text}\n`, language).text.includes(secret)) problems.push(`stays: ${text}`);
  for (const [language, text] of HARMLESS)
    if (redact(text, language).text !== text) problems.push(`is no secret: ${text}`);
  return [...new Set(problems)];
}

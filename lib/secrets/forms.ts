// Finds secrets by their own form, whatever their name: keys of services, private keys, JSON Web Tokens. The forms of
// services are those of secretlint's recommended rules; ours beside them are looser, for keys that were cut or renamed.
import { createRequire } from "node:module";
import type { FoundSecret } from "./found.ts";

const require = createRequire(import.meta.url);

/** As much of a rule of secretlint's as is used: it reports ranges of a text. */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file?(source: object): unknown };
}

/**
 * Addresses are read here, so that their hosts stay; a comment that turns rules off is a stranger's; keys in files of Google's
 * are found as private keys.
 */
const UNUSED = /-(?:basicauth|database-connection-string|filter-comments|gcp)$/;

let rules: readonly Rule[] | undefined;

/** They are loaded when a record is first written. */
function rulesOfServices(): readonly Rule[] {
  rules ??= (
    require("@secretlint/secretlint-rule-preset-recommend") as { rules: readonly Rule[] }
  ).rules.filter(({ meta }) => !UNUSED.test(meta.id));
  return rules;
}

/** A shorter run of letters and digits is no key of any service. */
const LONG_RUN = /[\w+/=.-]{16}/;

const FORMS: readonly (readonly [kind: string, form: RegExp])[] = [
  [
    "key of a service",
    /(?<![A-Za-z\d_])(?:gh[pousr]_|github_pat_|gl(?:pat|ptt|dt|rt|soat)-|hf_|sk-|[sr]k_(?:live|test)_|whsec_|xox[abceoprs]-|xapp-|AKIA|ASIA|A3T[A-Z\d]|AIza|ya29\.|npm_|pypi-|SG\.|do[opr]_v1_|shp(?:at|ca|pa|ss)_|hv[sbr]\.|gl(?:sa|c)_|lin_api_|ntn_|dckr_pat_|figd_|vc[piark]_|gsk_|pcsk_|r8_|tskey-|sq0[a-z]{3}-|AGE-SECRET-KEY-|nvapi-|rpa_|xai-|pplx-)(?=[A-Za-z_.-]{0,40}\d|[a-zA-Z]{16})[\w.-]{10,400}/g,
  ],
  // A JSON Web Token: three parts, of which the first two are JSON in base64.
  ["JSON Web Token", /(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}(?:\.[\w-]{0,4000})?/g],
  ["bot's token", /(?<![\w:])\d{8,10}:AA[\w-]{33}(?![\w-])/g],
  ["webhook", /(?<=https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/)\d{5,25}\/[\w-]{20,100}/g],
  ["webhook", /(?<=https:\/\/hooks\.slack\.com\/(?:services|workflows)\/)[\w/]{8,200}/g],
];

const BEGIN_KEY = /-----BEGIN ?[A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END_KEY = "-----END";
/** The longest key that is looked through for its end. */
const MAX_KEY = 16_384;
/** Signs of a key's lines, also where JSON or a program has escaped their ends. */
const KEY_LINES = /^[\w\s+/=\\:,.()-]*$/;
const BASE64_RUN = /[A-Za-z\d+/=]{16,}/g;

export function findForms(text: string): FoundSecret[] {
  const found = findPrivateKeys(text);
  if (!LONG_RUN.test(text)) return found;
  for (const [kind, form] of FORMS)
    for (const { index, 0: all } of text.matchAll(form))
      found.push({ start: index, end: index + all.length, kind });
  for (const rule of rulesOfServices()) {
    const kind = `key of ${rule.meta.id.replace(/^.*rule-/, "")}`;
    const context = {
      createTranslator: () => () => ({ message: "" }),
      report: ({ range: [start, end] }: { range: readonly [number, number] }) =>
        found.push({ start, end, kind }),
    };
    rule
      .create(context, {})
      .file?.({ content: text, filePath: "text.txt", ext: ".txt", contentType: "text" });
  }
  return found;
}

/** The lines between the marks. Where something else stands among them, as code between two texts, the lines only. */
function findPrivateKeys(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  const kind = "private key";
  for (const { index, 0: mark } of text.matchAll(BEGIN_KEY)) {
    const start = index + mark.length;
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const rest = text.slice(start, start + MAX_KEY).split("-----BEGIN", 1)[0]!;
    const closing = rest.indexOf(END_KEY);
    const until = closing < 0 ? rest.length : closing;
    const inside = rest.slice(0, until);
    if (inside.trim() === "") continue;
    if (closing >= 0 && KEY_LINES.test(inside)) found.push({ start, end: start + until, kind });
    else
      for (const { index: at, 0: run } of inside.matchAll(BASE64_RUN))
        found.push({ start: start + at, end: start + at + run.length, kind });
  }
  return found;
}

/** Pictures and fonts in an address: a key's form among their letters is chance. */
const DATA_ADDRESS = /data:[\w/+.-]{1,80};base64,[A-Za-z\d+/=]*/g;

/** What was found outside of data in base64. */
export function outsideData(text: string, found: readonly FoundSecret[]): FoundSecret[] {
  if (found.length === 0 || !text.includes(";base64,")) return [...found];
  const data = [...text.matchAll(DATA_ADDRESS)].map(
    ({ index, 0: all }) => [index, index + all.length] as const,
  );
  return found.filter(({ start, end }) => !data.some(([from, to]) => from <= start && end <= to));
}

// Keeps tokens and passwords out of written records. It recognizes them by their key, by their form, and by the values
// of such environment variables of this process.

/** Stands in a secret's place. */
export const LEFT_OUT = "(left out)";
const SECRET_NAME =
  /token|secret|passw(or)?d|passphrase|credential|api[_-]?key|private[_-]?key|access[_-]?key|authorization|cookie/i;
/** Names that hold one of the words and no secret: counts of tokens, and tokenizers. */
const HARMLESS_NAME = /tokenizer|tokens|token_?(count|length|ids?)$/i;

/**
 * Texts with secrets, and what replaces them: `?token=abc` -> `?token=(left out)`, `//ann:pw@host` -> `//(left
 * out)@host`.
 */
const ASSIGNED: readonly [RegExp, string] = [
  /\b(token|access_token|api_?key|password|passwd|secret)(\s*[=:]\s*)[^\s&"',;]+/gi,
  `$1$2${LEFT_OUT}`,
];
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?=-----END|$(?![\s\S]))/g, `$1${LEFT_OUT}`],
  [/\b(bearer|basic|token)\s+(?=\S*\d)[\w.~+/=-]{16,}/gi, `$1 ${LEFT_OUT}`],
  [/(\/\/)[^\s/@]+@/g, `$1${LEFT_OUT}@`],
  [
    /\b(?:gh[pousr]_|github_pat_|glpat-|hf_|sk-|[sr]k_(?:live|test)_|xox[abeprs]-|AKIA|ASIA|AIza|ya29\.|npm_|pypi-|SG\.|dop_v1_|shpat_|hvs\.|glsa_|AGE-SECRET-KEY-)[\w.-]{10,}/g,
    LEFT_OUT,
  ],
  // A JSON Web Token: three parts, of which the first two are JSON in base64.
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]+)?/g, LEFT_OUT],
];

/** Shorter values would be found in the middle of ordinary words. */
const SHORTEST_SECRET = 8;

/** Secrets that were given to this session, under any name. */
const given = new Set<string>();

/** A secret as it is, and as an address writes it; nothing of one that is too short to be looked for. */
export function formsOf(secret: string): string[] {
  return secret.length < SHORTEST_SECRET ? [] : [secret, encodeURIComponent(secret)];
}

/** Keeps the secret out of everything written from now on. */
export function keepSecret(secret: string): void {
  for (const form of formsOf(secret)) given.add(form);
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

function withoutSecrets(text: string): string {
  let clean = withoutKnownSecrets(text);
  for (const [form, replacement] of [ASSIGNED, ...FORMS]) clean = clean.replace(form, replacement);
  return clean;
}

function withoutKnownSecrets(text: string): string {
  let clean = text;
  for (const secret of given) clean = clean.replaceAll(secret, LEFT_OUT);
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && value.length >= SHORTEST_SECRET && isSecretName(name))
      clean = clean.replaceAll(value, LEFT_OUT);
  }
  return clean;
}

/** A type, or what is asked first, between a name and its literal: `: string`, ` process.env.KEY ??`. */
const BETWEEN = String.raw`(?:\s*[?!]?:\s*[\w.|<>[\] ]{1,60}?)?\s*(?:[=:]|\?\?=?|\|\|=?)\s*(?:[\w.$]{1,80}(?:\[["']?\w{1,80}["']?\])?\s*(?:\?\?|\|\|)\s*)?`;
/**
 * A literal that a name takes: `const apiKey = "..."`, `{ "X-Api-Key": "..." }`, `set("token", "...")`. Brackets and spaces are of
 * no secret. A name is looked at once, from its beginning.
 */
const LITERAL = new RegExp(
  String.raw`(?<![\w$-])([\w$-]{1,200})(["']?\]?${BETWEEN}|["']\s*,\s*)(["'\x60])([^\s"'\x60<>]{8,})\3`,
  "g",
);
/** `?token=abc` in an address */
const IN_ADDRESS = /([?&](?:token|access_token|api_?key|password|passwd|secret)=)[^\s&"'`,;)]+/gi;

/** What needs no quotes: `DEPLOY_KEY=abc ./run` in a shell, `password: abc` on a line of a configuration file. */
const EXPORTED =
  /(\\n|(?<![\w$.-]))(?<!\b(?:const|let|var|static|readonly)\s)([A-Z][A-Z0-9_]{1,200})(=)([^\s"'`;&|=]{8,})/g;
const CONFIGURED = /^([\t +-]*)([\w.-]+)(\s*[=:]\s*)([^\s"'`#]{8,})/gm;

function withoutUnquoted(text: string, form: RegExp): string {
  return text.replace(form, (all, before: string, name: string, between: string) =>
    isSecretName(name) ? `${before}${name}${between}${LEFT_OUT}` : all,
  );
}

/** A configuration file's text without its secrets, which need no quotes there. */
export function configurationWithoutSecrets(text: string): string {
  return withoutUnquoted(sourceWithoutSecrets(text), CONFIGURED);
}

/**
 * Source text without its secrets. In sentences `token = next` tells a secret, in sources it is an assignment: here only
 * literals and addresses count.
 */
export function sourceWithoutSecrets(text: string): string {
  let clean = withoutKnownSecrets(text).replace(IN_ADDRESS, `$1${LEFT_OUT}`);
  clean = clean.replace(LITERAL, (all, name: string, between: string, quote: string) =>
    isSecretName(name) || (/\benv\b/.test(between) && isSecretName(between))
      ? `${name}${between}${quote}${LEFT_OUT}${quote}`
      : all,
  );
  clean = withoutUnquoted(clean, EXPORTED);
  for (const [form, replacement] of FORMS) clean = clean.replace(form, replacement);
  return clean;
}

/** What may stand in a secret's place: nothing that a program or a shell would run. */
const HARMLESS = /^[\w\s.+/=:@~!%^*,?#\\-]*$/;

/** Whether a source is the kept text but for its secrets. Each part is looked for once: a stranger has written both. */
export function isWithSecrets(source: string, kept: string): boolean {
  const [first = "", ...others] = kept.split(LEFT_OUT);
  const last = others.pop();
  if (last === undefined) return source === kept;
  const end = source.length - last.length;
  if (!source.startsWith(first) || !source.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = source.indexOf(part, at);
    if (found < 0 || !HARMLESS.test(source.slice(at, found))) return false;
    at = found + part.length;
  }
  return at <= end && HARMLESS.test(source.slice(at, end));
}

/** JSON of a value with every string cleaned, names of properties too. */
export function jsonWithoutSecrets(value: unknown): string {
  return JSON.stringify(value, cleaning(withoutSecrets));
}

/** What JSON does not know is written as text. */
const cleaning = (clean: (text: string) => string) => (key: string, part: unknown) => {
  if (isSecretName(key) && typeof part === "string") return LEFT_OUT;
  // `{ credentials: { user: "ann", key: "..." } }`
  if (isSecretName(key) && typeof part === "object" && part !== null)
    return JSON.parse(
      JSON.stringify(
        part,
        cleaning(() => LEFT_OUT),
      ),
    ) as unknown;
  if (typeof part === "string") return clean(part);
  if (typeof part === "bigint") return String(part);
  if (typeof part === "number" && !Number.isFinite(part)) return String(part);
  return part;
};

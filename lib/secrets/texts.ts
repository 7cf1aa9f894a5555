// Finds secrets in texts that no parser has read, by the names before them: shell, Python, YAML, JSON, .env, what a cell
// printed. A name and its value stand on one line, or the value below a key of YAML. Each part of a text is read once.
import type { FoundSecret } from "./found.ts";
import { findInAddresses } from "./addresses.ts";
import { findInCommands } from "./commands.ts";
import { findInSections } from "./sections.ts";
import { type Demand, demandOf, isSecretValue, schemeLength } from "./names.ts";

/** `code`: without quotes there are only names. `text`: nobody knows, as in what a program has printed. */
export type TextLanguage = "code" | "shell" | "configuration" | "text";

/** Those of a terminal, as `inspect` writes them. */
// oxlint-disable-next-line no-control-regex
const COLOURS = /\x1b\[[\d;]{0,20}m/g;
const MAX_VALUE = 10_000;
const KIND = "under its name";

export function findInText(given: string, language: TextLanguage): FoundSecret[] {
  const text = given.includes("\x1b") ? given.replaceAll(COLOURS, (code) => " ".repeat(code.length)) : given;
  return [
    ...findSignIns(text),
    ...(language === "text" ? findInColumns(text) : []),
    ...findQuoted(text),
    ...findInAddresses(text),
    ...findSchemes(text),
    ...findElements(text),
    ...(language === "code" ? [] : findBare(text, language)),
    ...(language === "code" ? [] : findInCommands(text)),
    ...(language === "code" || language === "shell" ? [] : findInSections(text)),
    ...findTold(text),
  ];
}

/**
 * A name, what may stand between it and its value, and the quote that opens that: `api_key: str = "`, `"X-Api-Key", "`,
 * `os.environ["TOKEN"] = "`, `process.env.KEY ?? "`, `\"password\": \"` of JSON in JSON.
 */
const BEFORE_QUOTED =
  /(?<![\w$-])([\w$-]{1,120})(?![\w$-])(?:(\\{0,4}["'])?[ \t]{0,20}[\])]{0,2}(?:[?!]?:[ \t]{0,20}[\w.|<>[\], "']{1,60}?(?==))?\s{0,20}(?:\?\?=?|\|\|=?|[!=]==?|=>|:=|\+=|[=:]|\bor\b)\s{0,20}(?:[\w.$]{1,80}(?:[[(]["']?\w{1,80}["']?[\])])?\s{0,4}(?:\?\?|\|\||\bor\b)\s{0,4})?(?:(?:SecretStr|Secret|SecureString|str|bytes|b64decode|Buffer\.from)\(\s{0,4})?[rbfuRBFU]{0,2}|(\\{0,4}["'])\s{0,4},\s{0,4}[rbfuRBFU]{0,2})(\\{0,4}(?:"""|'''|["'`]))/g;

function findQuoted(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  BEFORE_QUOTED.lastIndex = 0;
  for (let match = BEFORE_QUOTED.exec(text); match !== null; match = BEFORE_QUOTED.exec(text)) {
    const [all, name = "", , paired, quote = ""] = match;
    const demand = demandOf(name) ?? demandBetween(all.slice(name.length));
    const start = match.index + all.length;
    if (demand === null) {
      // The text may be the next name: `["X-Api-Key", "..."]`, `{ "name": "API_KEY", "value": "..." }`.
      BEFORE_QUOTED.lastIndex = match.index + name.length;
      continue;
    }
    const end = endOfQuoted(text, start, quote);
    if (end === null) continue;
    const value = text.slice(start, end);
    const isTheirs = paired === undefined || isPair(text, match.index - paired.length, end + quote.length);
    if (isTheirs && isSecretValue(value, demand))
      found.push({ start: start + schemeLength(value), end, kind: KIND });
    BEFORE_QUOTED.lastIndex = end;
  }
  return found;
}

/** `("X-Api-Key", "...")` are a name and its value; two words of a longer list are not. */
function isPair(text: string, start: number, end: number): boolean {
  return (
    /[([{]\s{0,20}$/.test(text.slice(Math.max(0, start - 21), start)) &&
    /^\s{0,20}[,)\]}]/.test(text.slice(end, end + 21))
  );
}

/** The name that is asked first: `key = os.environ["API_KEY"] or "..."`. */
function demandBetween(between: string): Demand | null {
  const asked = /(?:env|environ|getenv|get)\W{1,4}(\w{1,80})["'\])]{0,3}\s{0,4}(?:\?\?|\|\||or\b)/.exec(
    between,
  )?.[1];
  return asked === undefined ? null : demandOf(asked);
}

/** Where the text ends that a quote opens; null where it does not. */
function endOfQuoted(text: string, start: number, quote: string): number | null {
  const rest = text.slice(start, start + MAX_VALUE);
  const isWhole = quote.length > 2 && !quote.startsWith("\\");
  let end = rest.indexOf(quote);
  // `"a\"b"`
  while (end > 0 && !quote.startsWith("\\") && rest[end - 1] === "\\" && rest[end - 2] !== "\\")
    end = rest.indexOf(quote, end + 1);
  if (end < 0) return null;
  return !isWhole && quote !== "`" && rest.lastIndexOf("\n", end) >= 0 ? null : start + end;
}

/**
 * What needs no quotes: `DB_PASSWORD=zebra`, `--token=abc`, `Password=abc;`; and with blanks on a line of its own,
 * `password: zebra`, `X-Api-Key: abc`.
 */
const ASSIGNED = /(?<![\w$.-])(-{0,2})([\w.$-]{1,120})(=|:=)(?=[^\s=])([^\s"'`;&|<>,)]{3,4000})/g;
const ON_A_LINE =
  /^((?:[ \t]{0,200}|[ \t]{0,40}(?:export|set|[-+*>?#<]{1,2}|\d+[.)])[ \t]{1,20}))(["']?)([\w.$-]{1,120})\2[ \t]{0,40}([=:])[ \t]{1,40}([^\s"'`|>&*{[][^\n]{2,4000})$/gm;

function findBare(text: string, language: TextLanguage): FoundSecret[] {
  const found: FoundSecret[] = [];
  const isSure = language !== "text";
  for (const { index, 0: all, 1: dashes = "", 2: name = "", 4: value = "" } of text.matchAll(ASSIGNED)) {
    const demand = demandOf(name);
    if (demand === null || isExpression(value) || (name === "PWD" && value.startsWith("/"))) continue;
    const isNamed = isSure || dashes !== "" || /^[A-Z\d_]+$/.test(name) || !isIdentifier(value);
    if (isNamed && isSecretValue(value, demand))
      found.push({ start: index + all.length - value.length, end: index + all.length, kind: KIND });
  }
  for (const { index, 0: all, 3: name = "", 5: rest = "" } of text.matchAll(ON_A_LINE)) {
    const demand = demandOf(name);
    if (demand === null || isExpression(rest)) continue;
    const value = withoutComment(rest);
    const start = index + all.length - rest.length;
    const isPlain = isSure ? demand : weaker(demand);
    if (isSecretValue(value, isPlain))
      found.push({ start: start + schemeLength(value), end: start + value.length, kind: KIND });
  }
  return found;
}

/** In a sentence `secret: the key` explains something. */
const weaker = (demand: Demand): Demand => (demand === "any" ? "plausible" : demand);

/** A variable or a call stands for the secret: `$TOKEN`, `readToken()`. */
function isExpression(value: string): boolean {
  return (
    /^(?:\$[\w{(]|[{[(<]|%\w+%|!\w|&)/.test(value) ||
    /^[\w.$]{1,200}[([]/.test(value) ||
    /^(?:await|new|process|os|self|this|env)\b[ .]/.test(value)
  );
}

const isIdentifier = (value: string) => /^[A-Za-z_$][A-Za-z_$.]*$/.test(value);

/** `zebra # of Ann` -> `zebra` */
function withoutComment(rest: string): string {
  const comment = rest.search(/\s[#;]|\s\/\//);
  return (comment < 0 ? rest : rest.slice(0, comment)).trimEnd().replace(/[,;]$/, "");
}

/** `Authorization: Bearer ...`, and such a scheme by itself before a long run. */
const SCHEMES =
  /(?<![\w-])(?:(authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)(bearer|basic|token|apikey|digest|key)[ \t]{1,10}([^\s"'`,;<>${}\\]{4,4000})|(bearer|basic|token)[ \t]{1,10}([\w.~+/=-]{16,4000}))/gi;

function findSchemes(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { index, 0: all, 3: authorized, 5: long } of text.matchAll(SCHEMES)) {
    const value = authorized ?? long ?? "";
    const isSecret = authorized !== undefined || (/\d/.test(value) && /[A-Za-z]/.test(value));
    if (isSecret)
      found.push({
        start: index + all.length - value.length,
        end: index + all.length,
        kind: "after its scheme",
      });
  }
  return found;
}

/** `<password>zebra</password>`, `<key>ApiKey</key><string>zebra</string>`, `name="token" value="zebra"` */
const ELEMENTS =
  /<key>([\w:.-]{1,80})<\/key>\s{0,40}<string>([^<>\n]{4,4000})(?=<\/)|<([\w:.-]{1,80})>([^<>\n]{4,4000})<\/(?=\3>)|\bname["']?[ \t]{0,4}[=:][ \t]{0,4}["']?([\w:.-]{1,80})["']?[^<>\w"']{0,80}?\s["']?value["']?[ \t]{0,4}[=:][ \t]{0,4}["']?([^"'<>\s]{4,4000})/g;

function findElements(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const match of text.matchAll(ELEMENTS)) {
    const name = match[1] ?? match[3] ?? match[5] ?? "";
    const value = match[2] ?? match[4] ?? match[6] ?? "";
    const demand = demandOf(name);
    const start = match.index + match[0].lastIndexOf(value);
    if (demand !== null && isSecretValue(value, demand))
      found.push({ start, end: start + value.length, kind: KIND });
  }
  return found;
}

/** `auth=("ann", "zebra")`, `HTTPBasicAuth("ann", "zebra")` */
const SIGN_INS =
  /\b(?:auth\s{0,4}[=:]|\w{0,20}basic_?auth)\s{0,4}[([]\s{0,4}["'][^"'\n]{1,100}["']\s{0,4},\s{0,4}(["'])([^"'\n]{3,200})(?=\1)/gi;

function findSignIns(text: string): FoundSecret[] {
  return [...text.matchAll(SIGN_INS)].map(({ index, 0: all, 2: value = "" }) => {
    const end = index + all.length;
    return { start: end - value.length, end, kind: "given to sign in" };
  });
}

/** A name in one column and its value in the next: `API_KEY  zebra-7`, `| token | zebra-7 |`, `TOKEN -> zebra-7`. */
const COLUMNS =
  /(?<![\w$.-])([\w-]{3,80})(?![\w-])["'\]]{0,3}[ \t]{0,60}(?:->|=>|\||:|[ \t])[ \t]{0,60}([^\s|"'`]{8,400})/g;

function findInColumns(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  COLUMNS.lastIndex = 0;
  for (let match = COLUMNS.exec(text); match !== null; match = COLUMNS.exec(text)) {
    const [all, name = "", value = ""] = match;
    const end = match.index + all.length;
    // The second may be the name of a third.
    COLUMNS.lastIndex = match.index + name.length;
    if (demandOf(name) === "any" && !isExpression(value) && isSecretValue(value, "mixed"))
      found.push({ start: end - value.length, end, kind: KIND });
  }
  return found;
}

/** In sentences: `the password is "zebra"`, `IDENTIFIED BY 'zebra'`, `password hunter22`. */
const TOLD =
  /\b(password|passphrase|passwd|secret|(?:api|secret|access)[ _-]key|(?:(?:access|auth|api)[ _-])?token|identified by)\b(?: (?:for|of|to) [\w.@-]{1,80})?[ \t]{0,4}(?:\b(?:is|was|provided|given|used)\b)?[ \t]{0,4}[:=]?[ \t]{0,4}(?:(["'`])([^"'`\n]{4,200})\2|([^\s"'`<>(){}[\],;]{6,200}))/gi;

function findTold(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { index, 0: all, 1: name = "", 2: quote, 3: quoted, 4: bare } of text.matchAll(TOLD)) {
    const value = quoted ?? bare ?? "";
    const isWeak = name.toLowerCase() === "token";
    const isSecret =
      quoted === undefined
        ? isWordWithDigits(value) && (!isWeak || value.length >= 12)
        : isSecretValue(quoted, isWeak ? "mixed" : "plausible");
    const end = index + all.length - (quote === undefined ? 0 : 1);
    if (isSecret) found.push({ start: end - value.length, end, kind: "told in a sentence" });
  }
  return found;
}

const isWordWithDigits = (value: string) =>
  /\d/.test(value) && /[A-Za-z]{2}/.test(value) && !/[=/\\]|^\W|\.\w+$/.test(value) && value.length >= 6;

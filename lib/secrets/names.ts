// Tells by a name whether its value is a secret, and by a value whether it is worth being one. `apiKey`, `DB_PASSWORD` and
// `X-Auth-Token` hold secrets; `tokenizer`, `passwordLabel`, `primaryKey` and `nextToken` do not. Knows nothing of texts.

/**
 * What a value must look like under a name. `any`: nobody writes anything else there; `plausible`: no plain word; `mixed`: of
 * letters and digits; `random`: the same, and long.
 */
export type Demand = "any" | "plausible" | "mixed" | "random";

/** A longer word is data. */
const MAX_NAME = 120;

const PASSWORDS = "password passwords passwd passphrase passphrases passcode pwd mnemonic";
const SECRETS =
  "secret secrets credential credentials authorization bearer jwt apikey apikeys apitoken authtoken";
const STRONG = new Set(`${PASSWORDS} ${SECRETS} accesstoken privatekey secretkey accesskey`.split(" "));
/** `PGPASSWORD`, `dbpassword` */
const RUN_TOGETHER = /(?:password|passwd|passphrase|apikey|secretkey|accesstoken|authtoken|clientsecret)$/;
/** Words that make `pass` a password; beside others it is a direction, as `backwardPass`. */
const OF_PASS = new Set(
  "db database smtp imap mail email user ftp sftp ssh redis pg postgres mysql sql mongo admin root login http proxy basic".split(
    " ",
  ),
);
/** Words that make a key one that opens something. */
const OF_KEY = new Set(
  `api private secret access encryption signing master ssh deploy auth service subscription shared storage webhook gpg pgp hmac
   aes rsa jwt license openai anthropic stripe google azure aws hf huggingface wandb kaggle comet pinecone cohere mistral groq
   replicate serp twilio sendgrid mailgun algolia datadog dd github gitlab slack telegram discord newrelic sentry auth0 account`.split(
    /\s+/,
  ),
);
/** Words that make a token one of a text: of a vocabulary, a grammar, a decoder. */
const OF_TEXT = new Set(
  `end start eos bos pad padding unk unknown mask sep cls next prev previous current last first special stop new word sub text
   image begin target input output prompt decoder encoder class position max min num per lookahead keyword syntax operator
   expected sampled generated predicted most likely best top added extra separator newline space`.split(
    /\s+/,
  ),
);
/** What a name is of that ends with one of these: a label of a password, the path of a token's file. */
const HARMLESS_ENDS = new Set(
  `type kind label labels name names field fields placeholder length count counts id ids url uri endpoint path file files filename
   folder regex regexp pattern policy hint message error errors size index limit budget usage class style title prompt env
   variable column ttl expiry expires expiration age date format position positions embedding embeddings strategy rule rules
   required input inputs button form store manager provider service client reader map set list rate counter visible shown enabled
   valid invalid strength ratio dropout mask tokens tokenizer tokenizers max min per sock socket agent helper method mode
   scheme flow handler component props schema`.split(/\s+/),
);
/** Words at the end of a name that say which one it is. */
const QUALIFIERS = new Set(
  "value string str text raw plain default prod production dev development test tests testing staging live old new main backup hex base64 b64 local remote primary secondary".split(
    " ",
  ),
);
/** Names under which an address of an environment stands. */
const FOLDER_NAMES = /^(?:old)?pwd$/i;

/** `dbPassword`, `DB_PASSWORD`, `db-password` -> db, password */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** What a value under the name must look like to be a secret; null where the name says nothing. */
export function demandOf(name: string): Demand | null {
  // A path is no name.
  if (name.length > MAX_NAME || !MAY_NAME.test(name) || /[^\p{L}\d\s_.$:-]/u.test(name)) return null;
  const words = wordsOf(name);
  while (words.length > 1 && (/^v?\d+$/.test(words.at(-1)!) || QUALIFIERS.has(words.at(-1)!))) words.pop();
  const last = words.at(-1);
  if (last === undefined || words.includes("tokenizer") || words.includes("public")) return null;
  const own = demandOfWords(words);
  if (own !== null) return own;
  if (HARMLESS_ENDS.has(last)) return null;
  // `tokenOfAnn`, `API_KEY_STRIPE`
  for (let end = words.length - 1; end > 0; end--)
    if (demandOfWords(words.slice(0, end)) !== null) return "plausible";
  return null;
}

/** A name without one of these is no secret's, which is seen faster. */
const MAY_NAME =
  /pass|pwd|secret|token|key|credential|auth|cookie|bearer|jwt|mnemonic|phrase|session|signature|\bpw\b/i;

/** Whether a text has such a word, or one that stands beside a secret without a name of its own: a sign-in, an address. */
export function mayNameSecrets(text: string): boolean {
  return MAY_NAME.test(text) || /log_?in|sign_?in|machine|\b(?:pin|pw|curl|wget|mysql)\b|:\/\//i.test(text);
}

function demandOfWords(words: readonly string[]): Demand | null {
  const last = words.at(-1)!;
  const before = words.slice(0, -1);
  const previous = before.at(-1) ?? "";
  if (STRONG.has(last) || RUN_TOGETHER.test(last)) return "any";
  switch (last) {
    case "token":
    case "tok":
      if (before.some((word) => OF_TEXT.has(word))) return null;
      return before.length === 0 ? "plausible" : "any";
    case "key":
    case "keys":
      if (OF_KEY.has(previous)) return "any";
      return last === "key" && before.length > 0 ? "random" : null;
    case "pass":
      return OF_PASS.has(previous) ? "any" : before.length === 0 ? "mixed" : null;
    case "pw":
      return "mixed";
    case "phrase":
      return ["pass", "seed", "recovery"].includes(previous) ? "any" : null;
    case "word":
      return previous === "pass" ? "any" : null;
    case "cookie":
    case "cookies":
    case "auth":
      return "plausible";
    case "session":
    case "sessionid":
    case "signature":
      return "random";
    case "id":
      return previous === "session" ? "random" : null;
    default:
      return null;
  }
}

/** Whether a variable or a field of this name holds a secret, whatever it is. */
export function isSecretName(name: string): boolean {
  const demand = demandOf(name);
  return (demand === "any" || demand === "plausible") && !FOLDER_NAMES.test(name);
}

/** Whether a name says which one of several secrets it is: `{ prod: "...", test: "..." }`. */
export function isQualifier(name: string): boolean {
  return QUALIFIERS.has(name.toLowerCase());
}

/** Names whose every member is a secret: `credentials: { user, key }`. */
export function isSecretGroup(name: string): boolean {
  if (name.length > MAX_NAME || /[^\p{L}\d\s_.$:-]/u.test(name)) return false;
  const last = wordsOf(name).at(-1) ?? "";
  return (
    /^(?:credentials?|secrets|passwords|passwds|apikeys|authorization)$/.test(last) ||
    /^api[_-]?(?:keys|tokens)$/i.test(name)
  );
}

const PLACEHOLDER =
  /^(?:x{3,}|[*.\-_•]{3,}|<.*>|\$[{(]?.*[})]?|\{\{?.*\}?\}|%.*%|your[-_ ].*|my[-_ ]?(?:token|key|secret|password)|change[-_ ]?me|todo|none|null|undefined|true|false|redacted|removed|hidden|example|placeholder|secrets?|passwords?|passwd|tokens?|api[-_ ]?keys?|bearer|basic|digest|required|optional|missing|unknown|invalid|include|same-origin|omit|\(left out\))$/i;
/** Sentences and labels that are shown to somebody: `Enter your password`. */
const SHOWN =
  /\b(?:password|passwort|enter|your|please|must|invalid|incorrect|forgot|confirm|required|should|cannot|wrong|the|is|are)\b|[:?!…]$|\.\.\.$/i;

/** A literal of a program: whether it is what its name says, or a word, a path, a label. */
export function isSecretValue(value: string, demand: Demand): boolean {
  const text = value.trim();
  if (text.length < 4 || PLACEHOLDER.test(text.length < 200 ? text : "")) return false;
  // `apiKey: "OPENAI_API_KEY"` names the variable that holds it.
  if (/^[A-Za-z_][\w-]*$/.test(text) && !/\d/.test(text) && text.length < 60 && isNameOfSecret(text))
    return false;
  if (/^(?:\.{0,2}|~)\/[\w./-]*$/.test(text) && text.length < 200 && !/^\/[A-Za-z\d+/]{40,}$/.test(text))
    return false;
  const hasSpace = /\s/.test(text);
  if (demand === "any") {
    if (!hasSpace) return !/^[\w ]+:$/.test(text);
    return SCHEME.test(text) || !SHOWN.test(text);
  }
  if (hasSpace) return SCHEME.test(text);
  if (demand === "mixed")
    return text.length >= 8 && /\d/.test(text) && /[A-Za-z]{2}/.test(text) && !/[(){}[\]<>]/.test(text);
  if (demand === "plausible")
    return text.length >= 8 && !/^[\p{L}]+$/u.test(text) && !/^<.*>$|^\d+$/.test(text);
  return (
    text.length >= 16 &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    /^[\w.+/=~-]+$/.test(text) &&
    !/^v?\d+(?:\.\d+)+|^\w+\.\w+$|^(?:[a-z]+[-_/.])+[a-z\d]{1,4}$/.test(text)
  );
}

/** `Bearer abc` */
const SCHEME = /^(?:bearer|basic|token|apikey|digest|negotiate|jwt|key)\s+(?=\S+$)/i;

/** The characters before the secret itself: those of `Bearer ` and the like. */
export function schemeLength(value: string): number {
  return SCHEME.exec(value)?.[0].length ?? 0;
}

function isNameOfSecret(text: string): boolean {
  return demandOf(text) !== null;
}

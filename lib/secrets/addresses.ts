// Finds secrets in addresses: a user's password before the host, and parameters of the query. Does not know what is written
// around an address.
import type { FoundSecret } from "./found.ts";
import { demandOf, isSecretValue } from "./names.ts";

const MAX_USER_INFO = 1_000;
const MAX_SCHEME = 24;

const KIND = "password in an address";
/** What a program puts in: `${user}:${password}@`. */
const PUT_IN = /[$%#]?[{<(][^\s{}<>()]{0,100}[})>]|^\$\w|:\$\w/;

export function findInAddresses(text: string): FoundSecret[] {
  return [...findUserInfo(text), ...findQuery(text)];
}

function findUserInfo(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    if (!/[a-z][a-z\d+.-]*$/i.test(text.slice(Math.max(0, at - MAX_SCHEME), at))) continue;
    const start = at + 3;
    const rest = text.slice(start, start + MAX_USER_INFO);
    const host = /^[^\s/?#"'`<>\\,;|]*/.exec(rest)![0];
    const length = host.lastIndexOf("@");
    if (length < 1) continue;
    const info = host.slice(0, length);
    if (PUT_IN.test(info) || info.startsWith("(left out)")) continue;
    const colon = info.indexOf(":");
    if (colon < 0 ? !isSecretValue(info, "random") : colon === info.length - 1) continue;
    found.push({ start, end: start + length, kind: KIND });
  }
  return found;
}

const PARAMETER = /(?<=[?&;#])([\w.-]{1,60})=([^\s&"'`<>()[\]{}#;,\\|$]{3,4000})/g;
/** Names that are harmless elsewhere. */
const SHORT_NAMES =
  /^(?:key|code|pass|pw|signature|sig|sid|x-amz-signature|x-amz-credential|access_?key_?id)$/i;

function findQuery(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { index, 0: all, 1: name = "", 2: value = "" } of text.matchAll(PARAMETER)) {
    const demand = demandOf(name);
    const isSecret =
      demand !== null && demand !== "random"
        ? !/^(?:true|false|null|undefined)$/i.test(value)
        : SHORT_NAMES.test(name) && isSecretValue(value, "random");
    const start = index + name.length + 1;
    if (isSecret) found.push({ start, end: index + all.length, kind: "in an address's query" });
  }
  return found;
}

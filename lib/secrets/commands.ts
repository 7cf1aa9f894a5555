// Finds secrets that a command is given: `--password zebra`, `curl -u ann:zebra`, `ENV API_KEY zebra`, `${API_KEY:-zebra}`.
// Does not know which program it is beyond its name.
import type { FoundSecret } from "./found.ts";
import { demandOf, isSecretValue, schemeLength } from "./names.ts";

const KIND = "given to a command";

interface Form {
  readonly form: RegExp;
  /** Whether the second group names what the third holds; else the third is a secret as it stands. */
  readonly isNamed: boolean;
}

/** First what stands before the name, then the name, then the value. */
const FORMS: readonly Form[] = [
  { form: /(?<!\S)(--?)([\w-]{1,80})[ \t]{1,10}["']?([^\s"'`$;&|<>-][^\s"'`;&|<>]{3,2000})/g, isNamed: true },
  {
    form: /(?<![\w$])((?:ENV|ARG|setenv|%env|%set_env|set[ \t]-[gUx]{1,3})[ \t]{1,10})(\w{1,80})[ \t=]{1,10}["']?([^\s"'`$;&|<>][^\s"'`;&|<>]{3,2000})/g,
    isNamed: true,
  },
  {
    form: /((?<!\S)(?:-H|--header)[ \t=]{0,4}["'])([\w-]{1,80}):[ \t]{0,4}([^"'\n$]{4,4000})(?=["'])/g,
    isNamed: true,
  },
  {
    form: /(\bconfig(?:ure)?[ \t]{1,4}set[ \t]{1,4})([\w.-]{1,80})[ \t]{1,4}["']?([^\s"'$;&|<>]{4,500})/g,
    isNamed: true,
  },
  {
    form: /(\becho[ \t]{1,4})(["']?)([^\s"'$;&|<>]{4,500})(?=["']?[ \t]{0,4}\|[^\n]{0,200}--password-stdin)/g,
    isNamed: false,
  },
  { form: /(\bopenssl[ \t][^\n]{0,200}?[ \t])(pass:)([^\s"'$;&|<>]{4,500})/g, isNamed: false },
  { form: /(\$\{)(\w{1,80}):?[-=]([^}\s"'$]{4,500})(?=\})/g, isNamed: true },
  {
    form: /\b(sshpass[ \t]{1,4}-p[ \t]{0,4}|mysql(?:dump|admin)?[ \t](?:[^\n]{0,200}?[ \t])?-p)(["']?)([^\s"'$;&|<>]{4,500})/g,
    isNamed: false,
  },
  {
    form: /(?<![\w-])((?:curl|wget|http|https|httpie)[ \t](?:[^\n]{0,300}?[ \t])?(?:-u|--user|-a)[ \t=]{0,4})(["']?[^\s:"'$]{1,100}:)([^\s"'$]{3,500})/g,
    isNamed: false,
  },
  {
    form: /(\bmachine[ \t]{1,4}\S{1,200}[ \t]{1,4}login[ \t]{1,4}\S{1,200}\s{1,10}password[ \t]{1,4})()(\S{3,500})/g,
    isNamed: false,
  },
  { form: /(^[ \t]{0,8}password[ \t]{1,8})()([^\s:=]{4,500})(?=[ \t]{0,8}$)/gm, isNamed: false },
];

export function findInCommands(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { form, isNamed } of FORMS) {
    for (const { index, 0: all, 2: name = "", 3: value = "" } of text.matchAll(form)) {
      const demand = isNamed ? demandOf(name) : "any";
      if (
        demand === null ||
        !isSecretValue(value, demand) ||
        (isNamed && /^[A-Za-z]+$/.test(value) && !/[A-Z]/.test(name))
      )
        continue;
      const end = index + all.length;
      found.push({ start: end - value.length + schemeLength(value), end, kind: KIND });
    }
  }
  return found;
}

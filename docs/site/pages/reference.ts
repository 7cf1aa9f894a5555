// Writes the overview of the API: a page for each namespace with every public name in it, what it is for, and a link to
// TypeDoc's page of it. The site's search reads these pages.

import { outsideLink } from "./links.ts";

/** A public name, as `docs/site/typedoc/plugin.mjs` lists them. */
export interface PublicName {
  /** `nn`; empty for what a cell imports itself. */
  readonly namespace: string;
  readonly name: string;
  readonly kind: Kind;
  /** The first sentence of its docstring; empty where there is none. */
  readonly summary: string;
  /** Its page, from TypeDoc's folder on. */
  readonly url: string;
}

type Kind = "namespace" | "class" | "function" | "variable" | "type";

/** The folder of TypeDoc's pages, from the site's base on. */
const API = "api/";

const HEADINGS: Readonly<Record<Exclude<Kind, "namespace">, string>> = {
  class: "Classes",
  function: "Functions",
  variable: "Values",
  type: "Types",
};

export interface ReferencePage {
  readonly address: string;
  readonly title: string;
  readonly markdown: string;
}

/** @param base path of the site on its host, from `/` to `/` */
export function referencePages(names: readonly PublicName[], base: string): ReferencePage[] {
  const sectionsOf = (namespace: string) => sections(membersOf(names, namespace), base);
  const namespaces = [...new Set(names.map(({ namespace }) => namespace))].filter((name) => name !== "");
  const pages = namespaces.toSorted().map((namespace) => ({
    address: `/reference/${namespace}`,
    title: namespace,
    markdown: [`# ${namespace}`, ...sectionsOf(namespace)].join("\n\n"),
  }));
  return [
    {
      address: "/reference/index",
      title: "Overview",
      markdown: [...overview(names, pages), ...sectionsOf("")].join("\n\n"),
    },
    ...pages,
  ];
}

const membersOf = (names: readonly PublicName[], namespace: string) =>
  names.filter((one) => one.namespace === namespace);

function overview(names: readonly PublicName[], pages: readonly ReferencePage[]): string[] {
  const rows = pages.map(({ address, title }) => {
    const count = membersOf(names, title).length;
    return `| [${title}](${address}) | ${count} |`;
  });
  return [
    "# API",
    'A cell imports these: `import { torch, nn, lab } from "mpslab"`. Each name leads to its signature, its options with their defaults, the errors that it throws, and its source.',
    "## Namespaces",
    ["| namespace | names |", "| --- | --- |", ...rows].join("\n"),
  ];
}

function sections(members: readonly PublicName[], base: string): string[] {
  return Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const found = members.filter((member) => member.kind === kind);
    return found.length === 0 ? [] : [`## ${heading}`, list(found, base)];
  });
}

function list(members: readonly PublicName[], base: string): string {
  const link = (name: string, url: string) => outsideLink(base + API + url, `\`${name}\``);
  return members
    .map(({ name, summary, url }) => `- ${link(name, url)} ${oneLine(summary)}`.trimEnd())
    .join("\n");
}

/** Text that Vue does not read. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "{&#8203;{")))
    .join("");
}

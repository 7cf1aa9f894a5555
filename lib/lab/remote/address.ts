// Reads a remote's address from what a user pastes: the URL that Jupyter prints, with token and page, or its parts. The
// token is taken out at once and passed only to the agent.
import { checkNumber, checkOptions, describe } from "../../torch/vocabulary/arguments.ts";
import { keepSecret } from "../../secrets/known.ts";
import type { ServerAddress } from "./agent_messages.ts";

export interface RemoteOptions {
  /**
   * Address of a Jupyter server, as the server prints it: `http://studio:8888/`, with or without `?token=`. For
   * `https:` with a private certificate authority, first run `%env NODE_EXTRA_CA_CERTS=/path/authority.pem`.
   */
  readonly url: string;
  /**
   * Needed if the address has no token. Take it from the environment or `prompt`, because a notebook stores its cells'
   * text. Default: the one in the address.
   */
  readonly token?: string;
  /** The remote's name in results. Default: the address's host and port. */
  readonly name?: string;
  /** The folder in which the kernel starts, below the server's root. Default: the server's root. */
  readonly folder?: string;
  /** Seconds of silence after which the remote's points go to the other remotes. Default: 60. */
  readonly patienceSeconds?: number;
}

export interface RemoteAddress {
  readonly name: string;
  /** The address to show, without a token. */
  readonly url: string;
  readonly server: ServerAddress;
}

/** Pages of JupyterLab and of the classic notebook, whose path follows the server's own address. */
const PAGE = /\/(lab|tree|notebooks|doc|retro|voila|edit|console|terminals)(\/.*)?$/;

/** @throws TypeError, RangeError for an invalid address or token; no error quotes either */
export function readRemote(call: string, options: RemoteOptions): RemoteAddress {
  // A wrong value may still be an address with a token, so errors never quote it.
  if (typeof options !== "object" || options === null)
    throw new TypeError(`${call} takes a server, as ${call}({ url: "http://studio:8888/", token }).`);
  const given = checkOptions<RemoteOptions>(call, options, [
    "url",
    "token",
    "name",
    "folder",
    "patienceSeconds",
  ]);
  const url = readUrl(call, given.url);
  const token = given.token ?? url.searchParams.get("token") ?? "";
  if (typeof token !== "string" || !/^[\x21-\x7e]*$/.test(token))
    throw new TypeError(`${call}: token must be a text of printable characters without blanks.`);
  keepSecret(token);
  const baseUrl = `${url.origin}${url.pathname.replace(PAGE, "").replace(/\/*$/, "/")}`;
  const { name = url.host, folder = null } = given;
  if (typeof name !== "string" || !/^[\w. :[\]-]+$/.test(name))
    throw new TypeError(
      `${call}: name must be of letters, digits, blanks, dots, colons, - and _${
        token !== "" && String(name).includes(token) ? "" : `, got ${describe(name)}`
      }.`,
    );
  if (token !== "" && name.includes(token)) throw new TypeError(`${call}: the name must not hold the token.`);
  if (folder !== null && typeof folder !== "string")
    throw new TypeError(`${call}: folder must be a path below the server's root, got ${describe(folder)}.`);
  const patience = checkNumber(call, "patienceSeconds", given.patienceSeconds ?? 60, { min: 0.1 });
  return { name, url: baseUrl, server: { baseUrl, token, folder, reconnectMs: 1000 * patience } };
}

function readUrl(call: string, given: unknown): URL {
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError(
      `${call}: url must be a Jupyter server's address, as "http://studio:8888/"; what was given is not shown, as it may hold a token.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new TypeError(`${call}: url holds a user or a password: Jupyter servers take a token instead.`);
  return url;
}

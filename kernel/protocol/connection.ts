// Reads and checks the connection file that Jupyter passes to a kernel, and builds the socket addresses. Opens no
// socket.
import { readFileSync } from "node:fs";
import { longestSocketPath } from "../../lib/platform/folders.ts";
import { type System, thisSystem } from "../../lib/platform/system.ts";

export interface Connection {
  /** Addresses as ZeroMQ binds them. */
  readonly shell: string;
  readonly iopub: string;
  readonly stdin: string;
  readonly control: string;
  readonly heartbeat: string;
  readonly key: string;
  /** Name of the hash in Node's crypto: `sha256`. */
  readonly digest: string;
}

/** The connection file cannot be used; the message says why and what to do. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** @throws ConnectionError */
export function readConnection(path: string): Connection {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === "ENOENT" ? "no such file" : (error as Error).message;
    throw new ConnectionError(
      `cannot read the connection file ${path}: ${reason}. Jupyter writes it and passes its path.`,
    );
  }
  return parseConnection(text, path);
}

/** @throws ConnectionError */
export function parseConnection(text: string, path: string, system: System = thisSystem): Connection {
  const fields = parseFields(text, path);
  const wrong = (field: string, wanted: string): ConnectionError =>
    new ConnectionError(
      `${path}: ${field} must be ${wanted}, not ${JSON.stringify(fields[field])}. Let Jupyter write the file anew.`,
    );
  const string = (field: string, fallback?: string): string => {
    const value = fields[field] ?? fallback;
    if (typeof value !== "string") throw wrong(field, "a string");
    return value;
  };
  const transport = string("transport", "tcp");
  if (transport !== "tcp" && transport !== "ipc") throw wrong("transport", '"tcp" or "ipc"');
  const ip = string("ip", "127.0.0.1");
  const address = (field: string): string => {
    const port = fields[field];
    if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) {
      throw wrong(field, "a port from 1 to 65535");
    }
    if (transport === "tcp") return `tcp://${ip}:${port}`;
    // An ipc address has the number in a file name, where a tcp address has the port. ZeroMQ's error would not say
    // which file name is too long.
    const longest = longestSocketPath(system);
    if (Buffer.byteLength(`${ip}-${port}`) > longest)
      throw wrong("ip", `a shorter path (a socket's has at most ${longest} bytes here)`);
    return `ipc://${ip}-${port}`;
  };
  const scheme = string("signature_scheme", "hmac-sha256");
  const digest = /^hmac-([a-z0-9]+)$/.exec(scheme)?.[1];
  if (digest === undefined || !DIGESTS.has(digest)) {
    throw wrong("signature_scheme", `one of ${[...DIGESTS].map((name) => `"hmac-${name}"`).join(", ")}`);
  }
  return {
    shell: address("shell_port"),
    iopub: address("iopub_port"),
    stdin: address("stdin_port"),
    control: address("control_port"),
    heartbeat: address("hb_port"),
    key: string("key", ""),
    digest,
  };
}

/** The hashes that clients use. Asking OpenSSL for its list would cost milliseconds at start. */
const DIGESTS: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512", "sha1", "md5"]);

function parseFields(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConnectionError(
      `${path} is not a connection file: it must hold a JSON object with ports and a key.`,
    );
  }
  return value as Record<string, unknown>;
}

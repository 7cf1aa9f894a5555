// Tests the contents of a connection file, and the error for one that cannot be used.
import { describe, expect, it } from "vitest";
import { ConnectionError, parseConnection, readConnection } from "../../../kernel/protocol/connection.ts";

const fields = {
  shell_port: 1001,
  iopub_port: 1002,
  stdin_port: 1003,
  control_port: 1004,
  hb_port: 1005,
  ip: "127.0.0.1",
  transport: "tcp",
  key: "secret",
  signature_scheme: "hmac-sha256",
};
const parse = (changes: Record<string, unknown> = {}) =>
  parseConnection(JSON.stringify({ ...fields, ...changes }), "connection.json");

describe("a connection file", () => {
  it("gives five addresses, the key and the hash", () => {
    expect(parse({ kernel_name: "mpslab" })).toEqual({
      shell: "tcp://127.0.0.1:1001",
      iopub: "tcp://127.0.0.1:1002",
      stdin: "tcp://127.0.0.1:1003",
      control: "tcp://127.0.0.1:1004",
      heartbeat: "tcp://127.0.0.1:1005",
      key: "secret",
      digest: "sha256",
    });
  });

  it("may name ipc, other hashes, and leave out what has a default", () => {
    expect(parse({ transport: "ipc", ip: "/tmp/kernel" }).shell).toBe("ipc:///tmp/kernel-1001");
    expect(parse({ signature_scheme: "hmac-sha512" }).digest).toBe("sha512");
    expect(
      parse({ transport: undefined, ip: undefined, key: undefined, signature_scheme: undefined }),
    ).toEqual({
      ...parse(),
      key: "",
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a port is missing", { hb_port: undefined }, "hb_port must be a port from 1 to 65535, not undefined"],
    ["a port is text", { shell_port: "1001" }, 'shell_port must be a port from 1 to 65535, not "1001"'],
    ["a port is 0", { iopub_port: 0 }, "iopub_port must be a port from 1 to 65535, not 0"],
    ["a port is too large", { stdin_port: 70000 }, "stdin_port must be a port from 1 to 65535, not 70000"],
    ["a port is a fraction", { control_port: 1.5 }, "control_port must be a port from 1 to 65535, not 1.5"],
    ["the key is a number", { key: 5 }, "key must be a string, not 5"],
    ["the transport is unknown", { transport: "udp" }, 'transport must be "tcp" or "ipc", not "udp"'],
    ["the ip is an object", { ip: {} }, "ip must be a string, not {}"],
    ["the scheme is unknown", { signature_scheme: "rot13" }, "signature_scheme must be one of"],
  ])("is refused where %s", (_, changes, reason) => {
    expect(() => parse(changes)).toThrow(ConnectionError);
    expect(() => parse(changes)).toThrow(`connection.json: ${reason}`);
  });

  it.each(["", "not JSON", "[]", "null", "3"])("is refused where it holds %j", (text) => {
    expect(() => parseConnection(text, "connection.json")).toThrow(
      new ConnectionError(
        "connection.json is not a connection file: it must hold a JSON object with ports and a key.",
      ),
    );
  });

  it("is refused where it is missing", () => {
    expect(() => readConnection("/no/such/connection.json")).toThrow(
      new ConnectionError(
        "cannot read the connection file /no/such/connection.json: no such file. Jupyter writes it and passes its path.",
      ),
    );
  });
});

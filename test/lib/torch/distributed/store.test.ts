// TCPStore: keys that processes share, here a server and a client in one process.
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distributed } from "../../../../lib/index.ts";
import { NO_NAME_SERVICE } from "./ranks.ts";

const TIMEOUT_MS = 15_000;
Object.assign(process.env, NO_NAME_SERVICE);
let server: distributed.TCPStore;
let client: distributed.TCPStore;
beforeAll(() => {
  server = new distributed.TCPStore("127.0.0.1", 0, { isMaster: true, timeoutMs: TIMEOUT_MS });
  client = new distributed.TCPStore("127.0.0.1", server.port, { timeoutMs: TIMEOUT_MS });
});
afterAll(() => {
  client.close();
  server.close();
});

describe("TCPStore", () => {
  it("takes a free port for 0", () => {
    expect(server.port).toBeGreaterThan(0);
    expect([client.host, client.port, client.timeoutMs]).toEqual(["127.0.0.1", server.port, TIMEOUT_MS]);
  });

  it.each([
    ["127.0.0.1", "127.0.0.2", true],
    ["localhost", "127.0.0.2", true],
    ["0.0.0.0", "127.0.0.1", false],
  ])("listens at the address that was named: %s is refused at %s: %s", async (host, other, isRefused) => {
    const own = new distributed.TCPStore(host, 0, { isMaster: true, timeoutMs: TIMEOUT_MS });
    const socket = connect(own.port, other);
    const [outcome] = await Promise.race([
      once(socket, "connect").then(() => ["connected"]),
      once(socket, "error"),
    ]);
    expect(outcome === "connected").toBe(!isRefused);
    socket.destroy();
    own.close();
  });

  it("gives all what one has set: text and bytes", () => {
    server.set("text", "ü");
    client.set("bytes", Uint8Array.of(0, 255));
    expect(client.get("text").toString()).toBe("ü");
    expect([...server.get("bytes")]).toEqual([0, 255]);
  });

  it("counts", () => {
    expect([server.add("count", 5), client.add("count", -2), server.get("count").toString()]).toEqual([
      5,
      3,
      "3",
    ]);
    server.set("word", "seven");
    expect(() => client.add("word", 1)).toThrow(
      'TCPStore.add: the value of "word" is no whole number: "seven".',
    );
  });

  it("sets a key where it is as expected", () => {
    expect(server.compareSet("lock", "", "mine").toString()).toBe("mine");
    expect(client.compareSet("lock", "", "theirs").toString()).toBe("mine");
    expect(client.compareSet("lock", "mine", "theirs").toString()).toBe("theirs");
  });

  it("knows and removes keys", () => {
    server.set("a", "");
    expect([client.check(["a"]), client.check(["a", "b"])]).toEqual([true, false]);
    const before = client.numKeys();
    expect([client.deleteKey("a"), client.deleteKey("a")]).toEqual([true, false]);
    expect(client.numKeys()).toBe(before - 1);
  });

  it("waits for a key, and says which did not come", () => {
    server.set("there", "1");
    client.wait(["there"], 1000);
    expect(() => client.get("absent", 50)).toThrow(
      new distributed.DistStoreError('TCPStore.get: nobody has set "absent" within 50 ms.'),
    );
    expect(() => client.wait(["there", "absent"], 50)).toThrow(
      'TCPStore.wait: nobody has set "there", "absent" within 50 ms.',
    );
  });

  it("refuses what is no key, and a store that was closed", () => {
    expect(() => server.set("", "x")).toThrow("TCPStore.set: the key must not be empty.");
    expect(() => server.wait([])).toThrow("TCPStore.wait: the list of keys must not be empty.");
    const closed = new distributed.TCPStore("127.0.0.1", 0, { isMaster: true, timeoutMs: TIMEOUT_MS });
    closed.close();
    expect(() => closed.get("x")).toThrow("This store was closed.");
  });
});

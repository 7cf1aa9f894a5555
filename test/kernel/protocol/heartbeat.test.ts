// The thread of the heartbeat: how it ends.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Heartbeat } from "../../../kernel/protocol/heartbeat.ts";
import { newConnection } from "../../helpers/kernel_process.ts";
import { parseConnection } from "../../../kernel/protocol/connection.ts";

describe("the heartbeat", () => {
  it("stops while the garbage collector runs", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const stopped: unknown[] = [];
    for (let time = 0; time < 10; time++) {
      const { heartbeat: address } = parseConnection(
        JSON.stringify(await newConnection()),
        "connection.json",
      );
      const heartbeat = new Heartbeat();
      await heartbeat.start(address);
      const stopping = heartbeat.stop();
      collectGarbage();
      stopped.push(await stopping);
    }
    expect(stopped).toHaveLength(10);
  });
});

// A server that answers without end: the client goes after what a Jupyter server may send.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";

it("an answer without end is refused with its limit", async () => {
  const chunk = Buffer.alloc(2 ** 16, "[");
  let sent = 0;
  const server = createServer((_, response) => {
    const more = (): void => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
    };
    response.setHeader("content-type", "application/json");
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const sweep = lab
      .remote({ url, token: "t", name: "endless" })
      .sweep({ setup: "const setup = () => () => {};", batch: [1], journal: null, show: false });
    await expect(sweep).rejects.toThrow(/it answers with more than 16 MiB: is it a Jupyter server\?/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  expect(sent).toBeLessThan(128 * 2 ** 20);
});

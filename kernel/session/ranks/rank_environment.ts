// The environment variables of one rank: its place, as torchrun would set them, and its share of the cores.
import { availableParallelism } from "node:os";
import { createServer, type AddressInfo } from "node:net";
import { type System, thisSystem } from "../../../lib/platform/system.ts";
import { JOINS_RANKS } from "../channel.ts";

/** All ranks are on this machine. */
const HOST = "127.0.0.1";

type Variables = Readonly<Record<string, string>>;

/**
 * @param port the port of the store that rank 0 keeps
 * @param cores how many cores the machine has
 */
export function rankEnvironment(
  rank: number,
  size: number,
  port: number,
  { name }: Pick<System, "name"> = thisSystem,
  cores = availableParallelism(),
  user: Readonly<Record<string, string | undefined>> = process.env,
): Variables {
  return {
    [JOINS_RANKS]: "1",
    RANK: String(rank),
    LOCAL_RANK: String(rank),
    WORLD_SIZE: String(size),
    LOCAL_WORLD_SIZE: String(size),
    MASTER_ADDR: HOST,
    MASTER_PORT: String(port),
    // As under torchrun, the store exists already: for a second group, rank 0 must not listen again.
    TORCHELASTIC_USE_AGENT_STORE: "True",
    // Without this, gloo would resolve this machine's name, and might get an address at which nobody answers.
    ...(user["GLOO_SOCKET_IFNAME"] === undefined && {
      GLOO_SOCKET_IFNAME: name === "darwin" ? "lo0" : "lo",
    }),
    ...(user["OMP_NUM_THREADS"] === undefined && {
      OMP_NUM_THREADS: String(Math.max(1, Math.floor(cores / size))),
    }),
  };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

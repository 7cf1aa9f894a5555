// The variables of one rank: those of torchrun, and its share of the machine.
import { expect, it } from "vitest";
import { rankEnvironment } from "../../../../kernel/session/ranks/rank_environment.ts";

it("is torchrun's, with a share of the cores", () => {
  expect(rankEnvironment(1, 4, 29500, { name: "linux" }, 16, {})).toEqual({
    MPSLAB_JOINS_RANKS: "1",
    RANK: "1",
    LOCAL_RANK: "1",
    WORLD_SIZE: "4",
    LOCAL_WORLD_SIZE: "4",
    MASTER_ADDR: "127.0.0.1",
    MASTER_PORT: "29500",
    TORCHELASTIC_USE_AGENT_STORE: "True",
    GLOO_SOCKET_IFNAME: "lo",
    OMP_NUM_THREADS: "4",
  });
});

it("gives a rank one thread where there are more ranks than cores", () => {
  expect(rankEnvironment(0, 4, 29500, { name: "linux" }, 2, {})["OMP_NUM_THREADS"]).toBe("1");
});

it("names macOS's own loopback, and leaves what the user has set", () => {
  expect(rankEnvironment(0, 2, 29500, { name: "darwin" }, 8, {})["GLOO_SOCKET_IFNAME"]).toBe("lo0");
  const user = { GLOO_SOCKET_IFNAME: "en0", OMP_NUM_THREADS: "3" };
  const variables = rankEnvironment(0, 2, 29500, { name: "darwin" }, 8, user);
  expect(variables).not.toHaveProperty("GLOO_SOCKET_IFNAME");
  expect(variables).not.toHaveProperty("OMP_NUM_THREADS");
});

// `%%ranks N` through a real kernel: cells on several processes, what they put out, and what is left when one fails.
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stripVTControlCharacters } from "node:util";
import type { Message } from "../../../kernel/protocol/messages.ts";
import { NO_NAME_SERVICE } from "../../lib/torch/distributed/ranks.ts";
import type { Execution } from "../../helpers/kernel_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start({ environment: NO_NAME_SERVICE });
  await kernel.client.execute(
    'import { lab, nn, optim, functional, torch } from "mpslab"; const { distributed } = torch; const own = 7;',
  );
});
afterAll(() => kernel.stop());

const run = (code: string) => kernel.client.execute(code);

/** Lines of a cell that several ranks print come in no order. */
const lines = ({ stdout }: Execution): string[] =>
  stripVTControlCharacters(stdout).trimEnd().split("\n").toSorted();

const errorOf = ({ errors }: Execution): string =>
  stripVTControlCharacters((errors[0]?.["traceback"] as string[] | undefined)?.join("\n") ?? "");

async function pids(): Promise<number[]> {
  const { stdout } = await run("%ranks");
  return [...stdout.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Resolves when both ranks have printed "begun", which the cell does. */
async function begun(count = 2): Promise<void> {
  let seen = 0;
  await kernel.client.nextPublished(({ content }: Message) => {
    seen += String(content["text"] ?? "").match(/begun/g)?.length ?? 0;
    return seen >= count;
  });
}

const stop = () => kernel.client.request("interrupt_request", {}, "control");

/** Runs a cell, and does something once all its ranks have printed "begun". */
async function during(code: string, then: () => unknown): Promise<Execution> {
  const printed = begun();
  const cell = run(code);
  await printed;
  await then();
  return await cell;
}

describe("%%ranks", () => {
  it("runs the cell on every rank, inside of a process group, and keeps the names of each", async () => {
    const first = await run(`%%ranks 2
import { torch } from "mpslab";
const rank = torch.distributed.getRank();
const x = torch.full([2], rank + 1);
torch.distributed.allReduce(x);
console.log("sum", x.tolist());`);
    expect(errorOf(first)).toBe("");
    expect(lines(first)).toEqual(["[rank 0] sum [ 3, 3 ]", "[rank 1] sum [ 3, 3 ]"]);
    const before = await pids();
    const second = await run("%%ranks 2\nconsole.log(rank, process.pid);");
    expect(lines(second)).toEqual(before.map((pid, rank) => `[rank ${rank}] ${rank} ${pid}`));
  });

  it("shows equal values once, and others by rank", async () => {
    const equal = await run("%%ranks 2\nx.sum().item()");
    expect([equal.stdout, equal.result]).toEqual(["[all 2 ranks]\n", "6"]);
    const other = await run("%%ranks 2\nrank * 10");
    expect(other.stdout).toBe("[rank 0]\n[rank 1]\n");
    expect(other.displays.map((display) => display["text/plain"])).toEqual(["0", "10"]);
    expect(other.result).toBeUndefined();
  });

  it("knows the types of earlier %%ranks cells, and the notebook's imports but not its variables", async () => {
    expect(errorOf(await run("%%ranks 2\nconst wrong: string = rank;"))).toContain(
      "Type 'number' is not assignable to type 'string'",
    );
    expect(errorOf(await run("%%ranks 2\nown"))).toContain(
      "Cannot find name 'own': Cell [1], which declares it, ran in the notebook's own session: ranks have variables of their own.",
    );
    expect(errorOf(await run("rank"))).toMatch(
      /Cannot find name 'rank': Cell \[2\], which declares it, ran on the ranks: cells that begin with %%ranks see it\./,
    );
    expect((await run("%%ranks 2\nfunctional.relu(torch.tensor([-1])).item()")).result).toBe("0");
    expect((await run("own")).result).toBe("7");
  });

  it("shares the cores among the ranks", async () => {
    const { stdout } = await run(
      "%%ranks 2\nconsole.log(process.env['OMP_NUM_THREADS'], torch.getNumThreads());",
    );
    expect(
      new Set(
        stdout
          .trimEnd()
          .replaceAll(/\[rank \d\] /g, "")
          .split("\n"),
      ).size,
    ).toBe(1);
  });

  it("runs a program that was written for torchrun", async () => {
    const ran = await run(`%%ranks 2
torch.distributed.initProcessGroup();
const program = torch.ones([1]);
torch.distributed.allReduce(program);
torch.distributed.destroyProcessGroup();
program.item()`);
    expect([errorOf(ran), ran.result]).toEqual(["", "2"]);
    const next = await run("%%ranks 2\ntorch.distributed.getWorldSize()");
    expect([errorOf(next), next.result]).toEqual(["", "2"]);
  });

  it("puts the epochs of all ranks into one chart", async () => {
    const cell = await run(`%%ranks 2
torch.manualSeed(0);
const ddp = new nn.parallel.DistributedDataParallel(new nn.Linear(4, 1));
const optimizer = new optim.SGD(ddp.parameters(), { lr: 0.1 });
for (let epoch = 0; epoch < 3; epoch++) {
  const input = torch.randn([8, 4]).add(rank);
  optimizer.zeroGrad();
  const loss = functional.mseLoss(ddp(input), input.sum(1, { keepdim: true }));
  loss.backward();
  optimizer.step();
  lab.log({ loss });
}
lab.ledger.epochs.length`);
    expect(errorOf(cell)).toBe("");
    expect([cell.stdout, cell.result]).toEqual(["[all 2 ranks]\n", "3"]);
    const charts = cell.messages.filter(({ header }) => header.msg_type.endsWith("display_data"));
    const ids = charts.map(({ content }) => (content["transient"] as Record<string, string>)["display_id"]);
    expect(new Set(ids).size).toBe(1);
    const last = charts.at(-1)!.content["data"] as Record<string, string>;
    expect(last["text/plain"]!.split("\n")).toEqual([
      expect.stringMatching(/^loss of 3 epochs on 2 ranks \(cpu\): [\d.]+ on /),
      expect.stringMatching(/^Memory of 3 epochs on 2 ranks \(cpu\): tensors held at most /),
      expect.stringMatching(/^Time of 3 epochs on 2 ranks \(cpu\): an epoch takes /),
    ]);
    expect(Object.keys(last)).toContain("image/png");
    // The weights are equal after three steps on different data.
    const weights = await run("%%ranks 2\nddp.module.weight.flatten().tolist()");
    expect([weights.stdout, weights.result === undefined]).toEqual(["[all 2 ranks]\n", false]);
  });

  it("asks the user for one rank after the other", async () => {
    const message = kernel.client.newMessage("execute_request", {
      code: '%%ranks 2\nprompt("seed?")',
      allow_stdin: true,
    });
    const cell = kernel.client.untilIdle(message.header);
    const asked = kernel.client.nextMessage("stdin");
    await kernel.client.send("shell", message);
    const prompts: string[] = [];
    let question = await asked;
    for (const value of ["1", "2"]) {
      prompts.push(String(question.content["prompt"]));
      const next = kernel.client.nextMessage("stdin");
      await kernel.client.send("stdin", kernel.client.newMessage("input_reply", { value }));
      if (value === "1") question = await next;
    }
    expect(prompts.map((text) => text.slice(0, 8)).toSorted()).toEqual(["[rank 0]", "[rank 1]"]);
    const shown = (await cell).filter(({ header }) => header.msg_type === "display_data");
    expect(
      shown.map(({ content }) => (content["data"] as Record<string, string>)["text/plain"]).toSorted(),
    ).toEqual(["'1'", "'2'"]);
  });
});

describe("a cell of %%ranks that fails", () => {
  it("on one rank ends the others, with the reason, and keeps the variables", async () => {
    const cell = await run(`%%ranks 2
if (rank === 1) throw new RangeError("no data");
torch.distributed.barrier();`);
    const error = errorOf(cell);
    expect(error).toMatch(/^Rank 1:\nRangeError: no data\n/);
    expect(error).toMatch(/at Cell \[\d+\]:2:23\n/);
    expect(error).toMatch(
      /\n\[rank 0\] DistBackendError: distributed\.barrier .*a connection to another rank was closed/,
    );
    expect(cell.reply["evalue"]).toBe("rank 1: no data");
    const next = await run("%%ranks 2\ntorch.distributed.allReduce(x); x.tolist()");
    expect([errorOf(next), next.result]).toEqual(["", "[ 6, 6 ]"]);
  });

  it("on one rank ends those that work on something else", async () => {
    const cell = await run('%%ranks 2\nif (rank === 0) throw new Error("early"); for (;;) {}');
    expect(errorOf(cell)).toMatch(/^Rank 0:\nError: early\n[^]*\n\[rank 1\] was stopped\.$/);
  });

  it("on all ranks alike is told once", async () => {
    const cell = await run('%%ranks 2\nthrow new RangeError("of all");');
    expect(errorOf(cell)).toMatch(/^All 2 ranks:\nRangeError: of all\n/);
    expect(errorOf(cell)).not.toContain("[rank");
  });

  it("because a tensor has another shape on one rank names both, where collectives are compared", async () => {
    const cell = await run(`%%ranks 2
torch.distributed.initProcessGroup({ checkCollectives: true });
torch.distributed.allReduce(torch.ones([rank + 2]));`);
    expect(errorOf(cell)).toMatch(/Rank|All 2 ranks/);
    expect((await run("%%ranks 2\ntorch.distributed.getWorldSize()")).result).toBe("2");
  });
});

describe("Stop", () => {
  it("ends all ranks, in a loop and in a collective, and variables stay", async () => {
    const looping = await during(
      '%%ranks 2\nconsole.log("begun"); for (;;) torch.distributed.allReduce(x);',
      stop,
    );
    expect(looping.reply["ename"]).toBe("KeyboardInterrupt");
    const waiting = await during(
      '%%ranks 2\nconsole.log("begun"); if (rank === 0) torch.distributed.barrier(); else for (;;) {}',
      stop,
    );
    expect(waiting.reply["ename"]).toBe("KeyboardInterrupt");
    expect((await run("%%ranks 2\nx.shape")).result).toBe("[ 2 ]");
  });

  it("ends backward, in which a rank waits for the gradients of another", async () => {
    const before = await pids();
    const cell = await during(
      `%%ranks 2
const again = new nn.parallel.DistributedDataParallel(ddp.module);
const loss = again(torch.ones([1, 4])).sum();
console.log("begun");
if (rank === 0) loss.backward(); else for (;;) {}`,
      stop,
    );
    expect(cell.reply["ename"]).toBe("KeyboardInterrupt");
    // The same processes go on, in a new group.
    expect(await pids()).toEqual(before);
    const next = await run(`%%ranks 2
const anew = new nn.parallel.DistributedDataParallel(ddp.module);
anew(torch.ones([1, 4])).sum().backward();
ddp.module.weight.grad?.shape`);
    expect([errorOf(next), next.result]).toEqual(["", "[ 1, 4 ]"]);
  });
});

describe("a rank that ends", () => {
  const start = () => run("%%ranks 2\nconst held = torch.ones([2]);");

  it("killed: ends the cell on the others, and the next cell has new ranks", async () => {
    await start();
    const before = await pids();
    const cell = await during(
      '%%ranks 2\nconsole.log("begun"); for (;;) torch.distributed.allReduce(held);',
      () => process.kill(before[1]!, "SIGKILL"),
    );
    expect(errorOf(cell)).toMatch(/^SessionEnded: Rank 1 was killed by SIGKILL/);
    expect(errorOf(cell)).toMatch(
      /All variables and tensors of the ranks are lost \(.*held.*\); files are not\. The next %%ranks cell starts new ranks\./,
    );
    expect(before.filter(isAlive)).toEqual([]);
    const next = await run("%%ranks 2\ntorch.distributed.getWorldSize()");
    expect(next.stdout).toMatch(
      /^2 ranks ended, and their variables with them: .*held.*\. These are new ones\.\n/,
    );
    expect(next.result).toBe("2");
    expect(errorOf(await run("%%ranks 2\nheld"))).toContain("Cannot find name 'held'");
  });

  it("by process.exit: says so", async () => {
    const cell = await run(
      "%%ranks 2\nif (torch.distributed.getRank() === 0) process.exit(3); torch.distributed.barrier();",
    );
    expect(errorOf(cell)).toMatch(
      /^SessionEnded: Rank 0 exited with code 3: something called process\.exit\(\)\./,
    );
  });

  it("between two cells: the last cell says so, and the others end", async () => {
    await start();
    const before = await pids();
    const told = kernel.client.nextPublished(({ content }) =>
      String(content["text"]).startsWith("Rank 0 was killed"),
    );
    process.kill(before[0]!, "SIGKILL");
    await told;
    await expect.poll(() => before.filter(isAlive)).toEqual([]);
    expect((await run("%ranks")).stdout).toBe("No ranks run: a %%ranks cell starts them.\n");
  });

  it("stopped by SIGSTOP: Stop ends it after ten seconds, and says what is lost", async () => {
    await start();
    const before = await pids();
    const cell = await during(
      '%%ranks 2\nconsole.log("begun"); for (;;) torch.distributed.allReduce(held);',
      async () => {
        process.kill(before[1]!, "SIGSTOP");
        await stop();
      },
    );
    expect(errorOf(cell)).toMatch(
      /^SessionEnded: Rank 1 did not stop after the interrupt and was ended\.\n.*are lost \(held\)[^]*\n\[rank 0\] was stopped\.$/,
    );
  });
});

describe("%ranks", () => {
  it("lists the processes, ends them, and says what they held", async () => {
    expect((await run("%ranks")).stdout).toBe("No ranks run: a %%ranks cell starts them.\n");
    expect((await run("%ranks stop")).stdout).toBe("No ranks run.\n");
    await run("%%ranks 1\nconst alone = torch.distributed.getWorldSize();");
    const [pid] = await pids();
    expect((await run("%ranks")).stdout).toBe(
      `1 rank (rank 0: process ${pid}). They hold alone. %ranks stop ends them.\n`,
    );
    const other = await run("%%ranks 2\ntorch.distributed.getWorldSize()");
    expect(other.stdout).toBe(
      "1 rank ended, and their variables with them: alone. These are new ones.\n[all 2 ranks]\n",
    );
    expect(other.result).toBe("2");
    expect(isAlive(pid!)).toBe(false);
    const both = await pids();
    expect((await run("%ranks stop")).stdout).toBe("2 ranks ended.\n");
    expect(both.filter(isAlive)).toEqual([]);
  });

  it.each([
    ["%%ranks 0\n1", '%%ranks takes the number of processes, 1 or more, not "0": %%ranks 4.'],
    ["%%ranks x\n1", '%%ranks takes the number of processes, 1 or more, not "x": %%ranks 4.'],
    ["%%ranks 2.5\n1", '%%ranks takes the number of processes, 1 or more, not "2.5": %%ranks 4.'],
    ["%%ranks\n1", "%%ranks needs N"],
    ["%ranks 3", '%ranks takes stop, not "3"'],
  ])("%j is refused before anything starts", async (code, message) => {
    const cell = await run(code);
    expect(cell.reply["status"]).toBe("error");
    expect(cell.reply["evalue"]).toContain(message);
    expect(await pids()).toEqual([]);
  });

  it("refuses more ranks than eight for each core", async () => {
    expect((await run("%%ranks 99999\n1")).reply["evalue"]).toMatch(
      /%%ranks 99999 are too many processes for the \d+ cores of this machine: take at most \d+\./,
    );
  });

  it("is completed, explained and listed like any magic", async () => {
    const ask = async (type: "complete_request" | "inspect_request", code: string) =>
      (await kernel.client.request(type, { code, cursor_pos: code.length })).content;
    expect((await ask("complete_request", "%ran"))["matches"]).toEqual(["%ranks"]);
    expect((await ask("complete_request", "%%ran"))["matches"]).toEqual(["%%ranks"]);
    expect((await ask("complete_request", "%ranks s"))["matches"]).toEqual(["stop"]);
    expect(JSON.stringify(await ask("inspect_request", "%%ranks"))).toContain("%%ranks N");
    expect((await run("%lsmagic")).stdout).toMatch(/%ranks %%ranks +runs the cell on N processes at once/);
    await run("%%ranks 1\nconst cellNames = torch.ones([2, 3]);");
    expect((await ask("complete_request", "%%ranks 1\ncellNa"))["matches"]).toEqual(["cellNames"]);
    expect((await ask("complete_request", "cellNa"))["matches"]).toEqual([]);
  });
});

describe("the kernel's end", () => {
  it("leaves no process of the ranks, and no port", async () => {
    await run("%%ranks 2\nconst last = 1;");
    const before = await pids();
    const port = Number((await run('%%ranks 2\nNumber(process.env["MASTER_PORT"])')).result);
    const restarted = await kernel.client.request("shutdown_request", { restart: true }, "control");
    expect(restarted.content["status"]).toBe("ok");
    await kernel.exited();
    expect(before.filter(isAlive)).toEqual([]);
    const socket = connect(port, "127.0.0.1");
    const [refusal] = await once(socket, "error");
    expect(refusal).toMatchObject({ code: "ECONNREFUSED" });
  });
});

// Magics as a notebook uses them, in one real kernel.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "mpslab-magics-")));
let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start({ directory });
  await kernel.client.execute("let rows: number[] = [1, 2, 3];");
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);
const traceback = async (code: string): Promise<string> => {
  const { reply } = await run(code);
  return stripVTControlCharacters((reply["traceback"] as string[]).join("\n"));
};
/** Runs a cell until it prints `text`, then presses Stop. */
async function stopAt(text: string, code: string) {
  const seen = kernel.client.nextPublished(({ content }) => String(content["text"]).includes(text));
  const end = run(code);
  await seen;
  await kernel.client.request("interrupt_request", {}, "control");
  return await end;
}

const TIME = String.raw`\d+(?:\.\d+)? (?:ns|µs|ms|s)`;
const TIMED = new RegExp(`^wall ${TIME}; CPU ${TIME} \\(user ${TIME}, system ${TIME}\\)\n$`);
const LOOPED = new RegExp(
  `^${TIME} ± ${TIME} a loop, best ${TIME} \\(mean ± standard deviation of 2 runs, 3 loops each\\)\n$`,
);

describe("%time", () => {
  it("keeps the names that its statement declares, and shows the value of an expression", async () => {
    const { stdout } = await run("%time const rows: number[] = [1, 2, 3]");
    expect(stdout).toMatch(TIMED);
    const { result, stdout: more } = await run("%time rows.map((row) => row * 2) // doubled");
    expect(more).toMatch(TIMED);
    expect(result).toBe("[ 2, 4, 6 ]");
  });

  it("waits with await", async () => {
    const { stdout, result } = await run(
      "%time await new Promise<string>((done) => setTimeout(done, 20, 'ok'))",
    );
    expect(result).toBe("'ok'");
    const [, wall = "0"] = /^wall (\S+) ms;/.exec(stdout) ?? [];
    expect(Number(wall)).toBeGreaterThanOrEqual(19);
  });

  it("above a cell times all of it, a failing one too", async () => {
    const whole = await run("%%time\nconst kept = 5;\nkept + 1");
    expect(whole.stdout).toMatch(TIMED);
    expect(whole.result).toBe("6");
    expect((await run("kept")).result).toBe("5");
    const failing = await run("%%time\nnull!['x' as never]");
    expect(failing.stdout).toMatch(TIMED);
    expect(failing.reply["ename"]).toBe("TypeError");
  });

  it("has an error of its statement at the statement", async () => {
    expect(await traceback("let fine = 1;\n%time const text: string = fine")).toMatch(/\(TS2322\)[^]*:2:13$/);
    expect(await traceback("%time rows.length + missing()")).toMatch(/\(TS2304\)[^]*:1:21$/);
    expect(await traceback("\n%time rows.map(() => { throw new Error('no') })")).toMatch(/Cell \[\d+\]:2:30/);
  });
});

describe("%timeit", () => {
  it("says best, mean and spread, and leaves no name behind", async () => {
    expect((await run("%timeit -n 3 -r 2 rows.length")).stdout).toMatch(LOOPED);
    expect((await run("%%timeit -n3 -r2\nconst leaked = rows.length;\nawait leaked")).stdout).toMatch(LOOPED);
    expect((await run("leaked")).reply["evalue"]).toContain("Cannot find name 'leaked'");
  });

  it("finds out by itself how often", async () => {
    const { stdout } = await run("%timeit -r 1 rows.length");
    expect(stdout).toMatch(/of 1 run, [125]0{3,}|of 1 run, [125]\d?0?(,000)+ loops each/);
  });

  it("can be stopped, its names and the session kept", async () => {
    const end = run("console.log('begun')\n%timeit -n 1000000000000 rows.length");
    await delay(300);
    await kernel.client.request("interrupt_request", {}, "control");
    expect((await end).reply["ename"]).toBe("KeyboardInterrupt");
    expect((await run("rows.length")).result).toBe("3");
  });

  it.each([
    ["%timeit const x = 1", "%timeit takes one expression: put statements below %%timeit"],
    ["%timeit", "%timeit needs EXPRESSION: write %timeit [-n LOOPS] [-r RUNS] EXPRESSION, or %%timeit"],
    ["%timeit -n 0 rows", '-n takes a whole number of at least 1, not "0"'],
    ["%timeit -m 3 rows", "%timeit has no option -m: did you mean -n?"],
    ["%%timeit\nimport fs from 'node:fs'", "The code of %%timeit is a function's"],
    ["%%timeit\nlet = = 3", "Unexpected `=`"],
    ["let a1 = 1\n%%timeit\na1", "%%timeit takes the whole cell: put it into the first line"],
  ])("%j is refused before it runs", async (code, message) => {
    expect((await run(code)).reply).toMatchObject({
      ename: "SyntaxError",
      evalue: expect.stringContaining(message),
    });
  });
});

describe("%who, %reset", () => {
  it("lists names with types and what they hold, as text and as a table", async () => {
    await run("%reset -f");
    await run(
      "const numbers = [1, 2, 3]; const bytes = new Uint8Array(2048); type Unseen = 1; let word = 'x<y';",
    );
    const { displays } = await run("const here = 1\n%who");
    expect(displays[0]?.["text/plain"]).toBe(
      [
        "  name     type                     holds           bytes",
        "  numbers  number[]                 3 elements",
        "  bytes    Uint8Array<ArrayBuffer>  2,048 elements  2 KiB",
        "  word     string                   3 characters",
        "  here     1",
      ].join("\n"),
    );
    expect(displays[0]?.["text/html"]).toMatch(/<table.*<td[^>]*>Uint8Array&lt;ArrayBuffer&gt;<\/td>/);
  });

  it("types as everywhere, of the cell's own names too, of classes and of functions in their own words", async () => {
    await run("%reset -f");
    const { displays } = await run(
      [
        'import { torch } from "mpslab";',
        "const x = torch.zeros([2, 3]); let best = torch.zeros([1]);",
        "class Model { rate = 1 }",
        "function mean(values: number[]): number { return values[0] ?? 0 }",
        "%who",
      ].join("\n"),
    );
    const types = [
      "torch  import",
      'x      Tensor<[2, 3], "float32">',
      "best   Tensor ",
      "Model  typeof Model",
      "mean   (values: number[]) => number",
    ];
    for (const type of types) expect(displays[0]?.["text/plain"]).toContain(`\n  ${type}`);
    const later = await run("%who");
    expect(later.displays[0]?.["text/plain"]).toBe(displays[0]?.["text/plain"]);
    await run("%reset -f\nconst numbers = [1, 2, 3];");
  });

  it("tensors with shape, dtype, device and bytes; forgetting them frees them", async () => {
    await run('import { torch } from "mpslab"; let weight = torch.zeros([512, 512]);');
    const { displays } = await run("%who");
    expect(displays[0]?.["text/plain"]).toMatch(/^ {2}weight +Tensor.* \[512, 512\] float32 on cpu +1 MiB$/m);
    const { stdout, result } = await run("%reset -f\nconst weight = 'free'; weight");
    expect(stdout).toMatch(/^\d+ names forgotten, 1 MiB of tensors freed\n$/);
    expect(result).toBe("'free'");
    expect((await run("numbers")).reply["evalue"]).toContain("Cannot find name 'numbers'");
    expect((await run("Object.keys(Out).length")).result).toBe("1");
  });

  it("%reset asks, and a front end without input is told how to go on", async () => {
    expect((await run("%reset")).reply["evalue"]).toBe(
      "This front end takes no input: write %reset -f, which does not ask.",
    );
    expect((await run("weight")).result).toBe("'free'");
  });
});

describe("the device's magics", () => {
  it("%time and %memory say what the device did", async () => {
    await run('import { torch } from "mpslab"; const x = torch.ones([256, 256]);');
    expect((await run("%time x.add(1).sum().item()")).stdout).toMatch(/; waiting for cpu 0 ms\n$/);
    const { stdout } = await run("%memory");
    expect(stdout).toMatch(/^cpu +[\d.]+ KiB allocated, peak [\d.]+ [KM]iB\n/);
    expect(stdout).toMatch(/\n +[\d.]+ [KM]iB held by the allocator, .*% of the recommended [\d.]+ GiB\n/);
    expect(stdout).toMatch(/\nsession +\d+ MiB resident\nmachine +[\d.]+ [GM]iB of [\d.]+ [GM]iB available/);
  });

  it("%device and %metal say what there is", async () => {
    expect((await run("%device")).stdout).toBe("cpu\n");
    expect((await run("%device toaster")).reply["evalue"]).toMatch(/^"toaster" names no device; cpu/);
    expect((await run("%metal")).stdout).toMatch(
      /^Metal(: 1 device| is not available: (this )?libtorch .*\. %metal simulated 16GB stands in for it\.)\n$/,
    );
  });
});

describe("%env", () => {
  it("shows and sets variables of the session, to an empty value too", async () => {
    expect((await run("%env MPSLAB_TEST_WORD")).stdout).toBe("MPSLAB_TEST_WORD is not set\n");
    expect((await run("%env MPSLAB_TEST_WORD=two words")).stdout).toBe("env: MPSLAB_TEST_WORD=two words\n");
    expect((await run("process.env['MPSLAB_TEST_WORD']")).result).toBe("'two words'");
    expect((await run("%sh echo $MPSLAB_TEST_WORD")).stdout).toBe("two words\n");
    await run("%env MPSLAB_TEST_WORD other");
    expect((await run("%env MPSLAB_TEST_WORD")).stdout).toBe("other\n");
    await run("%env MPSLAB_TEST_WORD=");
    expect((await run("[process.env['MPSLAB_TEST_WORD']]")).result).toBe("[ '' ]");
    await run("delete process.env['MPSLAB_TEST_WORD']");
    expect((await run("%env MPSLAB_TEST_WORD")).stdout).toBe("MPSLAB_TEST_WORD is not set\n");
    expect((await run("%env 1=2")).reply["evalue"]).toBe(
      "%env takes nothing, a name, or NAME=VALUE; got 1=2.",
    );
  });

  it("alone lists what PyTorch reads for mps", async () => {
    expect((await run("%env")).stdout).toMatch(
      /^PYTORCH_MPS_HIGH_WATERMARK_RATIO +not set {2}\(most memory, /m,
    );
  });

  it("answers a variable that PyTorch has not with those that it has", async () => {
    expect((await run("%env PYTORCH_MPS_LOG_LEVEL=1")).reply["evalue"]).toMatch(
      /^PyTorch has no variable PYTORCH_MPS_LOG_LEVEL; for mps it reads PYTORCH_ENABLE_MPS_FALLBACK, .*PYTORCH_MPS_LOG_PROFILE_INFO/,
    );
  });

  it("says restart where libtorch has read a variable before", async () => {
    await run('import { torch } from "mpslab"; torch.ones([1]);');
    const { stdout, stderr } = await run("%env PYTORCH_ENABLE_MPS_FALLBACK=1");
    expect(stdout).toBe("env: PYTORCH_ENABLE_MPS_FALLBACK=1\n");
    expect(stderr).toBe(
      "libtorch was loaded before and has read PYTORCH_ENABLE_MPS_FALLBACK: restart the session, and set it in the first cell.\n",
    );
    expect((await run("%env PATH_OF_MINE=x")).stderr).toBe("");
    await run("delete process.env['PYTORCH_ENABLE_MPS_FALLBACK']");
  });
});

describe("%sh", () => {
  it("runs in the notebook's folder, both streams apart, in any syntax of the shell", async () => {
    const { stdout, stderr } = await run('%sh pwd; echo "it\'s `echo ${HOME:+home}` (" >&2');
    expect(stdout).toBe(`${directory}\n`);
    expect(stderr).toBe("it's home (\n");
    expect((await run('%%sh\nfor i in 1 2; do\n  echo "$i \'"\ndone')).stdout).toBe("1 '\n2 '\n");
  });

  it.each([
    ["its children", "(sleep 10MARK & sleep 11MARK)"],
    [
      "children that it goes on starting",
      "i=0; while [ $i -lt 300 ]; do sleep 10MARK & i=$((i + 1)); done; wait",
    ],
  ])("shows output while the command runs, and ends it with %s at Stop", async (_what, children) => {
    const mark = `${Date.now()}`.slice(-5);
    const { reply } = await stopAt(
      "first",
      `%sh echo first; ${children.replaceAll("MARK", mark)}; echo last`,
    );
    expect(reply["ename"]).toBe("KeyboardInterrupt");
    const left = `ps -A -o args= | grep -c '^sleep 1[01]${mark}'`;
    // Shells start background jobs deaf to the first signal; the second one comes 300 ms later.
    const { stdout } = await run(
      `%sh for i in $(seq 50); do [ $(${left}) = 0 ] && break; sleep 0.1; done; ${left} || true`,
    );
    expect(stdout).toBe("0\n");
  });

  it.each([
    ["%sh exit 3", "The command ended with exit code 3."],
    ["%sh kill -KILL $$", "The command was ended by SIGKILL."],
    ["%sh no-such-program", "The command ended with exit code 127."],
  ])("%s fails its cell", async (code, evalue) => {
    expect((await run(code)).reply).toMatchObject({ ename: "MagicError", evalue });
    expect(await traceback(`1;\n${code}`)).toMatch(/Cell \[\d+\]:2:1$/);
  });
});

describe("files", () => {
  it("%%writefile makes a module that the next cell imports; %load brings it back", async () => {
    expect((await run("%%writefile area.ts\nexport const area = (r: number) => 3 * r;")).stdout).toBe(
      "wrote area.ts\n",
    );
    expect((await run('import { area } from "./area.ts"; area(2)')).result).toBe("6");
    expect((await run("%%writefile -a area.ts\n// more")).stdout).toBe("appended to area.ts\n");
    const { reply, stdout } = await run("%load area.ts");
    const text = "export const area = (r: number) => 3 * r;\n// more\n";
    expect(reply["payload"]).toEqual([{ source: "set_next_input", text, replace: false }]);
    expect(stdout).toBe("area.ts is in the next cell, 2 lines\n");
  });

  it("%load of a pipe is refused, and does not wait for its writer", async () => {
    await run("%sh mkfifo pipe");
    expect((await run("%load pipe")).reply["evalue"]).toMatch(/pipe is a pipe or a device: name a file\.$/);
  });

  it.each([
    ["%load nothing.ts", /There is no file .*\/nothing\.ts: check the path\.$/],
    ["%load .", /is a folder: name a file in it\.$/],
    ["%load /dev/zero", /\/dev\/zero is a pipe or a device: name a file\.$/],
    ["%load", /%load needs FILE: write %load FILE$/],
    ["%%writefile no/such/file.ts\n1", /cannot be written: there is no folder .*\/no\/such\.$/],
    [
      "%writefile x.ts",
      /%writefile does not exist: write %%writefile \[-a\] FILE, which takes the cell below it$/,
    ],
  ])("%j is refused in one sentence", async (code, sentence) => {
    expect((await run(code)).reply["evalue"]).toMatch(sentence);
  });
});

describe("%npm", () => {
  const localPackage = (name: string, manifest: object, files: Record<string, string>) => {
    mkdirSync(join(directory, name));
    writeFileSync(
      join(directory, name, "package.json"),
      JSON.stringify({ name, version: "1.0.0", ...manifest }),
    );
    for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, name, file), text);
  };

  it("installs into the notebook's folder, and says so where it makes a package.json", async () => {
    localPackage(
      "greet",
      { type: "module", exports: { types: "./index.d.ts", default: "./index.js" } },
      {
        "index.js": "export const greet = (name) => `hello ${name}`;",
        "index.d.ts": "export declare const greet: (name: string) => string;",
      },
    );
    localPackage("plain", { main: "main.js" }, { "main.js": "module.exports = { plus: (a, b) => a + b };" });
    const { stdout, reply } = await run("%npm install ./greet ./plain");
    expect(reply["status"]).toBe("ok");
    expect(stdout).toContain(`There is no package.json in ${directory}: one is made`);
    expect(stdout).toContain("added 2 packages");
    expect(stdout).toContain(
      "plain comes without types, so that its values are any: %npm install @types/plain adds",
    );
    expect(stdout).not.toContain("greet comes without");
    expect(existsSync(join(directory, "node_modules/greet"))).toBe(true);
  });

  it("the next cell imports what was installed, with its types", async () => {
    expect((await run('import { greet } from "greet"; greet("you")')).result).toBe("'hello you'");
    expect((await run("greet(3)")).reply["evalue"]).toContain("TS2345");
    expect((await run('import { plus } from "plain"; plus(1, 2)')).result).toBe("3");
  });

  it("lists and uninstalls", async () => {
    expect((await run("%npm list")).stdout).toContain("greet@1.0.0");
    await run("%npm uninstall greet");
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      dependencies: object;
    };
    expect(Object.keys(manifest.dependencies)).toEqual(["plain"]);
  });

  it("says in one sentence that the registry cannot be reached", async () => {
    writeFileSync(join(directory, ".npmrc"), "registry=http://127.0.0.1:9/\n");
    expect((await run("%npm install left-pad")).reply["evalue"]).toBe(
      "The npm registry cannot be reached: check the network connection, then run the cell again.",
    );
  });

  it.each([
    ["%npm instal x", "%npm has no command instal: did you mean install?"],
    ["%npm uninstall", "%npm uninstall needs the names of packages."],
    ["%npm", "%npm needs COMMAND: write %npm COMMAND"],
  ])("%s is refused in one sentence", async (code, sentence) => {
    expect((await run(code)).reply["evalue"]).toContain(sentence);
  });
});

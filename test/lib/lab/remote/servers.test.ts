// Runs sweeps on real Jupyter servers on the loopback: shared, lost in the middle, refused, of another version. No
// result may contain a token.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { Ajv } from "ajv";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { HANG_MS } from "../../../helpers/hang.ts";
import { installOutputSink } from "../../../../lib/display.ts";
import { lab } from "../../../../lib/index.ts";
import { JupyterServer, type ServerOptions } from "../../../helpers/jupyter_server.ts";
import { installOtherVersion } from "../../../helpers/other_version.ts";
import { ScriptedSink } from "../scripted_sink.ts";

const STUDIO_TOKEN = "studio-token-4f0c21a7";
const LAPTOP_TOKEN = "laptop-token-9d3e58b2";
const QUICK = { warmupSteps: 1, windows: 2, windowMs: 1 } as const;
/** A set-up cell with this step. */
const setupOf = (body: string) => `import { torch } from "mpslab";
export async function setup({ batch }: { readonly batch: number }) {
  const x = torch.ones([batch, 64]);
  ${body}
}`;
const PRODUCT = setupOf("return () => x.matmul(x.t()).sum();");

/** All of them end with the tests, those of tests that failed as well. */
const servers: JupyterServer[] = [];
async function started(options: ServerOptions): Promise<JupyterServer> {
  const server = await JupyterServer.start(options);
  servers.push(server);
  return server;
}

let studio: JupyterServer;
let laptop: JupyterServer;
let folder: string;
let journal: string;
let sink: ScriptedSink;

beforeAll(async () => {
  [studio, laptop] = await Promise.all([
    started({ token: STUDIO_TOKEN, environment: { PRINTED: `my ${STUDIO_TOKEN}` } }),
    started({ token: LAPTOP_TOKEN }),
  ]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "remote-"));
  journal = path.join(folder, "a.jsonl");
  lab.logbook.use(path.join(folder, "logbook.jsonl"));
  sink = new ScriptedSink();
  sink.live = false;
  installOutputSink(sink);
});
afterEach(() => {
  lab.logbook.use(null);
  rmSync(folder, { recursive: true });
});

const at = ({ url, token }: JupyterServer, name: string) => ({ url, token, name });

describe("one remote", () => {
  it("runs the same sweep, after a smoke window, and brings points and logbook back in the same schema", async () => {
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const result = await lab.remote({ url: `${studio.url}lab?token=${STUDIO_TOKEN}`, name: "studio" }).sweep({
      ...QUICK,
      journal,
      batch: { from: 2, to: 8 },
      dataPath: "/proc",
      record: { workers: 0 },
      setup: setupOf(
        'console.log("set up", batch, process.env["PRINTED"]); return () => x.matmul(x.t()).sum();',
      ),
    });
    const printed = written.mock.calls.map(([text]) => String(text)).join("");
    written.mockRestore();
    expect(result.points.map(({ point, status, remote }) => [point.batch, status, remote])).toEqual([
      [2, "measured", "studio"],
      [4, "measured", "studio"],
      [8, "measured", "studio"],
    ]);
    expect(result.ends).toEqual(["The largest batch is 8: no larger one was asked for."]);
    expect(result.missing).toEqual([]);
    const [report] = result.remotes;
    expect(report).toMatchObject({ name: "studio", url: studio.url, status: "ready", points: 3 });
    expect(report!.smoke).toMatchObject({
      passed: true,
      window: { point: { batch: 2 }, status: "measured" },
    });
    expect(report!.smoke!.plateau).toMatchObject({ live: { verdict: "steady", epochs: 10 } });
    expect(report!.roundTripMs!.median).toBeGreaterThan(0);
    expect(printed).toContain("[studio] set up 8 my (left out)\n");

    const { entries } = lab.logbook.read();
    expect(entries).toHaveLength(1);
    const schema = JSON.parse(readFileSync("lib/records/logbook/logbook.schema.json", "utf8")) as object;
    const valid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    expect(valid(entries[0]), JSON.stringify(valid.errors)).toBe(true);
    const run = entries[0] as lab.logbook.RunEntry;
    expect(run).toMatchObject({
      id: report!.runId,
      name: "remote-sweep on studio",
      fields: { mountType: "proc", workers: 0, device: "cpu", networkRttMs: report!.roundTripMs!.median },
    });
    expect(run.results["sweep"]).toMatchObject({ points: result.points });

    const everything = [printed, inspect(result), JSON.stringify(result), studio.log].concat(
      [journal, lab.logbook.file()].map((file) => readFileSync(file, "utf8")),
    );
    for (const text of everything) expect(text).not.toContain(STUDIO_TOKEN);
    expect(await studio.kernels()).toEqual([]);
  });

  it("records points that fail, never end or take the session along, and goes on with the next one", async () => {
    const result = await lab.remote(at(studio, "studio")).sweep({
      ...QUICK,
      journal,
      deadlineMs: 2000,
      grid: { case: ["sound", "throws", "endless", "timers", "deaf", "crashes"] },
      batch: [3],
      setup: `import { execFileSync } from "node:child_process";
import { type lab, torch } from "mpslab";
export function setup({ batch, case: which }: lab.Point) {
  return () => {
    if (which === "throws") throw new RangeError(\`no \${process.env["PRINTED"]}\`);
    if (which === "endless") while (true);
    if (which === "timers") {
      setInterval(() => torch.ones([batch]), 5);
      return new Promise<void>(() => {});
    }
    // A native call, which nothing stops: the interrupt from here is heard when it returns.
    if (which === "deaf") execFileSync("sleep", ["9"]);
    if (which === "crashes") process.kill(process.pid, "SIGKILL");
    return torch.ones([batch]).sum();
  };
}`,
    });
    const byCase = new Map(result.points.map((record) => [record.point["case"], record]));
    expect(byCase.get("sound")).toMatchObject({ status: "measured", loss: { value: 3 } });
    expect(byCase.get("throws")).toMatchObject({ status: "failed", error: "RangeError: no my (left out)" });
    expect(byCase.get("endless")).toMatchObject({
      status: "deadline",
      error:
        "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 2000) and was stopped. Raise deadlineMs, or make the step smaller.",
    });
    // No later point was measured beside it: its kernel was started anew.
    expect(result.points.at(-1)!.point["case"]).not.toBe("timers");
    expect(byCase.get("timers")).toMatchObject({
      status: "deadline",
      notes: ["The step runs on after its deadline."],
    });
    expect(byCase.get("deaf")).toMatchObject({
      status: "deadline",
      error:
        "DeadlineError: The measurement ran longer than its deadline (deadlineMs: 2000) and was interrupted. Raise deadlineMs, or make the step smaller.",
    });
    expect(byCase.get("crashes")!.status).toBe("crashed");
    expect(byCase.get("crashes")!.error).toContain("SIGKILL");
    expect(await studio.kernels()).toEqual([]);
  });

  it("is not given long work where its smoke window fails: a step that leaks, a loss that is NaN", async () => {
    const leaking = setupOf(
      "const kept: unknown[] = []; return () => { kept.push(torch.ones([256, 256]).exp()); };",
    );
    const remote = lab.remote(at(studio, "studio"));
    await expect(remote.sweep({ ...QUICK, journal: null, batch: [1], setup: leaking })).rejects.toThrow(
      /^No remote measured a point\. studio, http:\S+: its smoke window failed: A step leaves .* behind: \[256, 256\] float32 of 256 KiB by exp at Cell \[\d+\]:4/,
    );
    const nan = setupOf("return () => Number.NaN;");
    await expect(remote.sweep({ ...QUICK, journal: null, batch: [1], setup: nan })).rejects.toThrow(
      "its smoke window failed: The loss is not finite.",
    );
  });

  it("says what is wrong with the set-up cell", async () => {
    const remote = lab.remote(at(studio, "studio"));
    const wrong = (setup: string) => remote.sweep({ journal: null, batch: [1], setup });
    await expect(wrong('const rate: number = "fast";')).rejects.toThrow(
      "the set-up cell failed there: TypeCheckError: Cell [0]:1:7 - TS2322: Type 'string' is not assignable to type 'number'.",
    );
    await expect(wrong("const step = () => {};")).rejects.toThrow(
      "the set-up cell declares no setup as a sweep takes it: TypeCheckError: Cell [0]:1:60 - TS2552: Cannot find name 'setup'.",
    );
    await expect(wrong("const setup = (point: string) => point;")).rejects.toThrow(
      "the set-up cell declares no setup as a sweep takes it: TypeCheckError",
    );
  });

  it("demands an explanation where the numbers moved, and takes it", async () => {
    const local = await lab.sweep({ ...QUICK, batch: [4], setup: () => () => {} });
    const there = lab.remote(at(studio, "studio"));
    const options = { ...QUICK, journal: null, batch: [4], setup: PRODUCT, against: local };
    const moved = await there.sweep(options);
    expect(moved.remotes[0]!.movement).toMatchObject({ verdict: "moved", explanation: null });
    expect(moved.notes.join("\n")).toMatch(
      /studio: Throughput moved by -[\d.]+% at batch 4: explain it by I\/O path, background load or thermals/,
    );
    const explained = await there.sweep({ ...options, explain: "another step on purpose" });
    expect(explained.remotes[0]!.movement!.demand).toBeNull();
    expect(explained.notes).toContain("studio: throughput moved, explained by: another step on purpose");
  });
});

describe("a remote whose certificate is of an authority of one's own", () => {
  /** `authority.pem`, and a certificate for this machine that it has signed. */
  function certified(): ServerOptions["tls"] & { readonly authority: string } {
    const file = (name: string) => path.join(keys, name);
    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: keys, stdio: "pipe" });
    const made = ["-newkey", "rsa:2048", "-nodes", "-days", "2"];
    const [certificate, key, authority] = [file("server.pem"), file("server.key"), file("authority.pem")];
    openssl("req", "-x509", ...made, "-subj", "/CN=authority", "-keyout", "authority.key", "-out", authority);
    openssl("req", ...made.slice(0, 3), "-subj", "/CN=studio", "-keyout", key, "-out", "server.csr");
    writeFileSync(file("names"), "subjectAltName=IP:127.0.0.1\n");
    const signed = ["-CA", authority, "-CAkey", "authority.key", "-CAcreateserial", "-extfile", "names"];
    openssl("x509", "-req", "-in", "server.csr", ...signed, "-days", "2", "-out", certificate);
    return { certificate, key, authority };
  }
  let keys: string;
  beforeAll(() => (keys = mkdtempSync(path.join(tmpdir(), "keys-"))));
  afterAll(() => {
    delete process.env["NODE_EXTRA_CA_CERTS"];
    rmSync(keys, { recursive: true });
  });

  it("is refused in a plain sentence, and sweeps once the authority is named", async () => {
    const tls = certified();
    const server = await started({ token: STUDIO_TOKEN, tls });
    expect(server.url).toMatch(/^https:/);
    const sweep = () =>
      lab.remote(at(server, "studio")).sweep({ ...QUICK, journal: null, batch: [1], setup: PRODUCT });
    await expect(sweep()).rejects.toThrow(
      /studio, https:\S+: its certificate is of an authority that is not known here \([A-Z_]+\): name a file with that authority's certificate, as %env NODE_EXTRA_CA_CERTS=/,
    );
    process.env["NODE_EXTRA_CA_CERTS"] = tls.authority;
    expect((await sweep()).points[0]).toMatchObject({ status: "measured", remote: "studio" });
  });
});

/** Resolves when the progress has said so. */
const shows = (words: RegExp) =>
  vi.waitUntil(() => sink.shown.some(({ data }) => words.test(String(data["text/plain"]))), {
    timeout: HANG_MS,
  });

/** The first batch runs everywhere; the others wait, on a server with the variable until the file is there. */
const waitingFor = (file: string) => `import { existsSync } from "node:fs";
${setupOf(`const goesOn = () => process.env["PRINTED"] !== undefined && existsSync(${JSON.stringify(file)});
  while (batch > 1 && !goesOn()) await new Promise((resolve) => setTimeout(resolve, 20));
  return () => x.sum();`)}`;

describe("remotes", () => {
  it("share the points; one that dies in the middle gives its point to the others", async () => {
    sink.live = true;
    const batches = [1, 2, 3, 4, 5, 6];
    const go = path.join(folder, "go");
    const dying = await started({ token: LAPTOP_TOKEN });
    const running = lab
      .remotes([at(studio, "studio"), { ...at(dying, "dying"), patienceSeconds: 1 }])
      .sweep({ ...QUICK, journal, batch: batches, setup: waitingFor(go) });
    await shows(/batch [2-6] on dying/);
    await dying.kill();
    writeFileSync(go, "");
    const result = await running;
    await sink.settled();
    expect(result.points.map(({ point }) => point.batch).toSorted()).toEqual(batches);
    expect(new Set(result.points.map(({ status }) => status))).toEqual(new Set(["measured"]));
    expect(result.missing).toEqual([]);
    const [first, second] = result.remotes;
    expect(first).toMatchObject({ name: "studio", status: "ready" });
    expect(second).toMatchObject({ name: "dying", status: "lost", reason: "it was silent for 1 s" });
    expect(first!.points + second!.points).toBe(batches.length);
    expect(first!.points).toBeGreaterThan(0);
    expect(result.notes).toContain("dying was lost (it was silent for 1 s): its points went to the others.");
    expect(await studio.kernels()).toEqual([]);
  });

  it("whose kernel somebody over there shuts down is lost with what it was measuring", async () => {
    sink.live = true;
    const running = lab
      .remote({ ...at(laptop, "laptop"), patienceSeconds: 2 })
      .sweep({ ...QUICK, journal, batch: { from: 1, to: 2 }, setup: waitingFor(path.join(folder, "go")) });
    await shows(/batch 2 on laptop/);
    for (const { id } of await laptop.kernels()) await laptop.shutDown(id);
    const result = await running;
    await sink.settled();
    expect(result.remotes[0]).toMatchObject({ status: "lost", reason: "its kernel was ended over there" });
    expect(result.points.map(({ point }) => point.batch)).toEqual([1]);
    expect(result.missing).toEqual([{ batch: 2 }]);
  });

  it("of which the last one dies keep what was measured, and the same call goes on from there", async () => {
    const dying = await started({ token: LAPTOP_TOKEN });
    sink.live = true;
    const go = path.join(folder, "go");
    const options = { ...QUICK, journal, batch: { from: 1, to: 4 }, setup: waitingFor(go) };
    const running = lab.remote({ ...at(dying, "dying"), patienceSeconds: 1 }).sweep(options);
    await shows(/batch 2 on dying/);
    await dying.kill();
    const cut = await running;
    expect(cut.points.map(({ point }) => point.batch)).toEqual([1]);
    expect(cut.missing).toEqual([{ batch: 2 }]);
    expect(cut.notes).toContain(
      `Not measured, as no remote was left: batch 2. The same call goes on from ${journal}.`,
    );
    writeFileSync(go, "");
    const whole = await lab.remote(at(studio, "studio")).sweep(options);
    await sink.settled();
    expect(whole.points.map(({ point, remote }) => [point.batch, remote])).toEqual([
      [1, "dying"],
      [2, "studio"],
      [4, "studio"],
    ]);
    expect(whole.resumedPoints).toBe(1);
  });

  it("go on without those that refuse: a wrong token, no kernelspec, nothing there", async () => {
    const narrow = await started({ token: LAPTOP_TOKEN, kernelspec: false });
    const wrong = "wrong-token-77aa01c4";
    const gone = { url: "http://127.0.0.1:9/", token: "gone-token-1234", name: "gone" };
    const result = await lab
      .remotes([
        at(studio, "studio"),
        { url: laptop.url, token: wrong, name: "laptop" },
        at(narrow, "narrow"),
        gone,
      ])
      .sweep({ ...QUICK, journal, batch: [1, 2], setup: PRODUCT });
    const log = `${laptop.log}${narrow.log}`;
    expect(result.points).toHaveLength(2);
    expect(result.remotes.map(({ name, status, reason }) => [name, status, reason])).toEqual([
      ["studio", "ready", null],
      ["laptop", "refused", "it refuses the token (HTTP 403)"],
      ["narrow", "refused", "it knows python3, but not mpslab: run `npx mpslab install` on that machine"],
      ["gone", "refused", expect.stringMatching(/^no server answers there/)],
    ]);
    const all = `${inspect(result)}${JSON.stringify(result)}${readFileSync(journal, "utf8")}${log}`;
    for (const token of [wrong, STUDIO_TOKEN, LAPTOP_TOKEN, gone.token]) expect(all).not.toContain(token);
  });

  it("of which one has another version say so plainly", async () => {
    const older = await started({ token: LAPTOP_TOKEN });
    installOtherVersion(older.tools.directory, "0.0.9");
    const result = await lab
      .remote(at(older, "older"))
      .sweep({ ...QUICK, journal, batch: [1], setup: PRODUCT });
    expect(result.notes).toContain("older has another mpslabVersion: 0.0.9 there, 0.1.0 here.");
    expect(result.remotes[0]!.differences).toContainEqual({
      field: "mpslabVersion",
      a: "0.1.0",
      b: "0.0.9",
      suspicion: 4,
    });
  });

  it("of which none takes part throw one sentence for each, without a token", async () => {
    const wrong = "wrong-token-77aa01c4";
    const failed = lab
      .remotes([
        { url: `${studio.url}?token=${wrong}`, name: "studio" },
        { url: laptop.url, token: wrong, name: "laptop" },
      ])
      .sweep({ journal, batch: [1], setup: PRODUCT });
    const error = await failed.then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error!.name).toBe("RemoteError");
    expect(error!.message).toBe(
      `No remote measured a point. studio, ${studio.url}: it refuses the token (HTTP 403). laptop, ${laptop.url}: it refuses the token (HTTP 403).`,
    );
    expect(`${inspect(error)}${error!.stack}${readFileSync(journal, "utf8")}`).not.toContain(wrong);
  });
});

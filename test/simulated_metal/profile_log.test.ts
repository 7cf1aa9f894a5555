// PyTorch's variables for logs and signposts, which are read when the device is made. Bits, lines and tables as in
// ATen/mps/MPSProfiler.{h,mm} of PyTorch 2.15; each line says that the device is simulated.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const library = fileURLToPath(new URL("../../dist/bundle/lib/index.js", import.meta.url));

function run(env: Record<string, string>) {
  const program = `
    import { mps, torch } from ${JSON.stringify(library)};
    mps.simulate({ memory: "4GB" });
    const x = torch.ones([2, 2]).to("mps");
    const y = x.exp().exp().add(x);
    y.sum().item();
    torch.linalg.eig(y)[0].cpu();
    console.log(JSON.stringify(mps.profiler.signposts()));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    env: { ...process.env, PYTORCH_ENABLE_MPS_FALLBACK: "1", ...env },
  });
  const log = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("Warning: "));
  return { signposts: status === 0 ? (JSON.parse(stdout) as Signpost[]) : [], log, status };
}
interface Signpost {
  name: string;
  kind: string;
  mode: string;
  beganMs: number;
  wallMs: number;
}

const logged = (bits: number) => run({ PYTORCH_MPS_LOG_PROFILE_INFO: String(bits) }).log;
const withoutTimes = (line: string) => line.replaceAll(/\d+\.\d{3}/g, "T");

describe("PYTORCH_MPS_LOG_PROFILE_INFO", () => {
  it("1 logs every operation as it is launched, with its tensors and its run", () => {
    expect(logged(1)).toEqual([
      "simulated aten::exp:MPS:Float[2, 2] (id=K1, run=1)",
      "simulated aten::exp:MPS:Float[2, 2] (id=K1, run=2)",
      "simulated aten::add:MPS:Float[2, 2]:MPS:Float[2, 2] (id=K2, run=1)",
      "simulated aten::sum:MPS:Float[2, 2] (id=K3, run=1)",
    ]);
  });

  it("2 logs every copy between host and device, what item() reads and what a fallback takes with it included", () => {
    expect(logged(2)).toEqual([
      "simulated MemCopySync: CPU:Float[2, 2] --> MPS:Float[2, 2] (len=16 bytes)",
      "simulated MemCopySync: MPS:Float[] --> CPU:Float[] (len=4 bytes)",
      "simulated MemCopySync: MPS:Float[2, 2] --> CPU:Float[2, 2] (len=16 bytes)",
      "simulated MemCopySync: CPU:ComplexFloat[2] --> MPS:ComplexFloat[2] (len=16 bytes)",
      "simulated MemCopySync: CPU:ComplexFloat[2, 2] --> MPS:ComplexFloat[2, 2] (len=32 bytes)",
      "simulated MemCopySync: MPS:ComplexFloat[2] --> CPU:ComplexFloat[2] (len=16 bytes)",
    ]);
  });

  it("4 logs every fallback, with the bytes that it copies to the CPU", () => {
    expect(logged(4)).toEqual([
      "simulated CPU Fallback::aten::linalg_eig:MPS:Float[2, 2] (id=1, run=1, CopyOverhead=16 bytes)",
    ]);
  });

  it("128 tells the time on the device, when it is known", () => {
    expect(logged(1 + 4 + 128).map(withoutTimes)).toEqual([
      "simulated aten::exp:MPS:Float[2, 2] (id=K1, run=1, gpu=T ms)",
      "simulated aten::exp:MPS:Float[2, 2] (id=K1, run=2, gpu=T ms)",
      "simulated aten::add:MPS:Float[2, 2]:MPS:Float[2, 2] (id=K2, run=1, gpu=T ms)",
      "simulated aten::sum:MPS:Float[2, 2] (id=K3, run=1, gpu=T ms)",
      "simulated CPU Fallback::aten::linalg_eig:MPS:Float[2, 2] (id=1, run=1, CopyOverhead=16 bytes, cpu=T ms)",
    ]);
  });

  it("256 tells the wait for the device beside it, 512 the buffers, by the numbers of the allocator's log", () => {
    const [first, second, sum] = logged(1 + 256 + 512).map(withoutTimes);
    const buffers = (line: string | undefined) => line?.match(/buf#\d+/g);
    expect(first).toMatch(
      /^simulated aten::exp:MPS\(buf#\d+\):Float\[2, 2\] \(id=K1, run=1, gpu=T ms, cpu=T ms\)$/,
    );
    // The second operand of the sum is the very input of the first exponential.
    expect(buffers(sum)![1]).toBe(buffers(first)![0]);
    expect(buffers(second)![0]).not.toBe(buffers(first)![0]);
  });

  describe("8 prints tables at the end", () => {
    const log = logged(8);
    const heads = log.flatMap((line, i) => (line.includes(" Profiling: ") ? [i] : []));
    const [operations, fallbacks, copies] = heads.map((from, i) => log.slice(from, heads[i + 1]));
    const cells = (row: string) => withoutTimes(row).trim().split(/ {2,}/);

    it("of operations, those that take longest first", () => {
      const [title, head, , ...rows] = operations!;
      expect(title).toMatch(/^-+ Simulated MPS Operations Profiling: 0 graphs, 3 kernels -+$/);
      expect(head).toBe("  ID  | #Runs | Mean KRNL(ms) | Mean GPU(ms) | Total GPU(ms) | Operation Name");
      expect(rows.map(cells).toSorted()).toEqual([
        ["K1", "2", "T", "T", "T", "aten::exp"],
        ["K2", "1", "T", "T", "T", "aten::add"],
        ["K3", "1", "T", "T", "T", "aten::sum"],
      ]);
      const means = rows.map((row) => Number(row.trim().split(/ +/)[3]));
      expect(means).toEqual(means.toSorted((a, b) => b - a));
    });

    it("of fallbacks", () => {
      const [title, head, , ...rows] = fallbacks!;
      expect(title).toMatch(
        /^-+ Simulated CPU Fallback Profiling: Total 1 Runs, \d+\.\d\d ms, 16 bytes Copies -+$/,
      );
      expect(head).toBe(" ID  | #Runs | Mean CPU(ms) | Total CPU(ms) | Copy Overhead | Operation Name");
      expect(rows.map(cells)).toEqual([["1", "1", "T", "T", "16 bytes", "aten::linalg_eig"]]);
    });

    it("of copies by direction, those of a single number apart", () => {
      const [title, head, , ...rows] = copies!;
      expect(title).toMatch(
        /^-+ Simulated MPS Copy Profiling: 6 total copies \(100 bytes\), 1 scalar copies -+$/,
      );
      expect(head).toBe(
        "    Kind    |  Total#  |   Total Size    | Total KRNL(ms) | Total GPU(ms) | Scalars | Scalars GPU | Blocking | memcpy ",
      );
      expect(rows.map(cells)).toEqual([
        ["CPU to MPS", "3", "64 bytes", "T", "T", "0", "0.00 %", "3", "3"],
        ["MPS to CPU", "3", "36 bytes", "T", "T", "1", "0.00 %", "3", "3"],
      ]);
    });
  });

  it.each([
    ["16", "operations", " Simulated MPS Operations Profiling: "],
    ["32", "copies", " Simulated MPS Copy Profiling: "],
    ["64", "fallbacks", " Simulated CPU Fallback Profiling: "],
  ])("%s prints that of %s alone", (bits, _, title) => {
    const titles = logged(Number(bits)).filter((line) => line.includes(" Profiling: "));
    expect(titles).toEqual([expect.stringContaining(title)]);
  });

  it("bits that PyTorch does not have are refused", () => {
    const { log, status } = run({ PYTORCH_MPS_LOG_PROFILE_INFO: "1024" });
    expect(status).toBe(1);
    expect(log.join("\n")).toContain(
      "RangeError: invalid log options 1024 passed to PYTORCH_MPS_LOG_PROFILE_INFO",
    );
  });
});

describe("PYTORCH_MPS_TRACE_SIGNPOSTS", () => {
  const traced = (bits: number) => run({ PYTORCH_MPS_TRACE_SIGNPOSTS: String(bits) }).signposts;

  it("3 sets events and intervals from the beginning, of operations, copies and fallbacks", () => {
    const signposts = traced(3);
    expect(signposts.slice(0, 4).map(({ kind, name, mode }) => [kind, name, mode])).toEqual([
      ["copy", "CPU to MPS", "interval"],
      ["copy", "CPU to MPS", "event"],
      ["operation", "aten::exp", "interval"],
      ["operation", "aten::exp", "event"],
    ]);
    expect(new Set(signposts.map(({ kind }) => kind))).toEqual(new Set(["operation", "copy", "fallback"]));
  });

  it("of operations alone by bit 16, as intervals, which begin at the launch by 8", () => {
    expect(traced(8 + 2 ** 16).map(({ name, mode }) => [name, mode])).toEqual([
      ["aten::exp", "interval"],
      ["aten::exp", "interval"],
      ["aten::add", "interval"],
      ["aten::sum", "interval"],
    ]);
  });

  it("of copies and fallbacks by bits 17 and 18", () => {
    expect(traced(2 ** 17 + 2 ** 18).map(({ kind }) => kind)).toEqual([
      ...["copy", "copy", "copy", "copy", "copy"],
      ...["fallback", "copy"],
    ]);
  });

  it("bits that PyTorch does not have are refused", () => {
    const { log } = run({ PYTORCH_MPS_TRACE_SIGNPOSTS: "64" });
    expect(log.join("\n")).toContain("invalid profiling options 64 passed to PYTORCH_MPS_TRACE_SIGNPOSTS");
  });
});

describe("PYTORCH_DEBUG_MPS_ALLOCATOR", () => {
  const told = (bits: number) =>
    run({ PYTORCH_DEBUG_MPS_ALLOCATOR: String(bits), TORCH_CPP_LOG_LEVEL: "INFO" })
      .log.filter((line) => line.includes("simulated Metal: "))
      .map((line) => line.replace(/^.*simulated Metal: /, ""));

  it("logs where TORCH_CPP_LOG_LEVEL=INFO lets it, as PyTorch's LOG(INFO); nothing else logs without a variable", () => {
    expect(run({ PYTORCH_DEBUG_MPS_ALLOCATOR: "31" })).toEqual({ signposts: [], log: [], status: 0 });
  });

  it("1 tells the limits, 2 new heaps and buffers, 4 what is used again", () => {
    const lines = told(1 + 2 + 4);
    expect(lines.slice(0, 5)).toEqual([
      "High watermark memory allocation limit: 4.53 GiB",
      "Low watermark memory allocation limit: 3.73 GiB",
      "Initializing heap allocator on unified device memory of size 2.67 GiB",
      "Allocated shared heap #1 of size 8.00 MiB (#heaps: 1, current allocated: 8.00 MiB)",
      "Allocated shared buffer #1 of size 256 bytes from heap #1 (offset: 0 bytes, heap free: 8.00 MiB, total: 8.00 MiB)",
    ]);
    expect(lines).toContain("Reusing shared buffer #2 of size 256 bytes (requested: 16 bytes, use#: 1)");
  });

  it("16 leaves small buffers out", () => {
    expect(told(2 + 16)).toEqual([
      "Allocated shared heap #1 of size 8.00 MiB (#heaps: 1, current allocated: 8.00 MiB)",
    ]);
  });
});

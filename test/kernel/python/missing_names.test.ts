// The list of PyTorch's names that are missing here, in docs/pytorch-names.md, is what `%%python` marks as missing:
//     MPSLAB_UPDATE_GUIDES=1 npm test -- test/kernel/python/missing_names.test.ts
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { convertPython } from "../../../kernel/python/convert.ts";

const guide = new URL("../../../docs/pytorch-names.md", import.meta.url);
const names = JSON.parse(
  readFileSync(new URL("../../fixtures/python/public_names.json", import.meta.url), "utf8"),
) as Record<string, string[]>;

/** Of no program that trains: the compiler's and TorchScript's own, and what one backend's kernels are called. */
const INTERNAL =
  /^(cudnn|miopen|mkldnn|fbgemm|quantized|sym|has_torch_function|native)_|_(copy|backward_elemt|backward_reduce)$|Storage$|DataPipe$|^(assert_int_or_pair|factory_kwargs|argument_validation|functional_datapipe|\w+_datapipes_\w+|runtime_validation\w*|non_deterministic|DataChunk|debug_unwrap|region_activation_memory_budget|enforce_grad_layout_policy|set_override_stale_capture_stream|import_ir_module\w*|parse_\w+|(un|merge_t)\w*ify_type_list|unify_type_list|merge_type_from_type_comment|init_num_threads|thread_safe_generator|cond|wait|fork|dsmm|hsmm|saddmm)$/;
/** Of these modules the classes are such, too: types of TorchScript, and errors. */
const FUNCTIONS_ONLY = new Set(["torch", "torch.fft", "torch.linalg", "torch.cuda"]);
/** Base classes of users' own, which are converted where they stand in a class. */
const EXTENDED = new Set(["Dataset", "IterableDataset", "Sampler"]);

const PROBES: Readonly<Record<string, (name: string) => string>> = {
  "torch.Tensor": (name) => `import torch\nx = torch.ones(2)\nx.${name}()`,
  "torch.nn.Module": (name) => `import torch\nlayer = torch.nn.Linear(2, 3)\nlayer.${name}()`,
};

function isMissing(module: string, name: string): boolean {
  const probe = PROBES[module]?.(name) ?? `import ${module} as module\nmodule.${name}()`;
  return convertPython(probe).marks.some(({ message }) => / has no |there is no /.test(message));
}

function missing(): string {
  const rows = Object.entries(names).map(([module, all]) => {
    const asked = all.filter(
      (name) =>
        !INTERNAL.test(name) && !EXTENDED.has(name) && !(FUNCTIONS_ONLY.has(module) && /^[A-Z]/.test(name)),
    );
    const absent = asked.filter((name) => isMissing(module, name)).map((name) => `\`${name}\``);
    const are = absent.length === asked.length ? `all ${asked.length}: ` : "";
    return absent.length === 0 ? null : `| \`${module}\` | ${asked.length} | ${are}${absent.join(", ")} |`;
  });
  return ["| module | names | missing |", "| --- | --- | --- |", ...rows.filter((row) => row !== null)].join(
    "\n",
  );
}

it("the guide lists what is missing, by module", () => {
  const text = readFileSync(guide, "utf8");
  const [, before, , after] = /^([^]*\n## What is missing\n[^|]*)(\|[^]*?\n)(\n[^]*)$/.exec(text)!;
  const wanted = `${before}${missing()}\n${after}`;
  if (process.env["MPSLAB_UPDATE_GUIDES"] !== undefined) writeFileSync(guide, wanted);
  else expect(text).toBe(wanted);
});

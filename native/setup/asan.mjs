// Runs the tests of the addon and of tensors under AddressSanitizer: preloads its libraries, suppresses known reports,
// collects new ones.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { addonFile, buildAddon } from "./build.mjs";
import { SetupError, capture, runInForeground } from "./report.mjs";

const OPTIONS = {
  // V8 unmaps its heap and libtorch never frees its registries, so all of it would count as a leak at exit.
  // The memory tests check that nothing of ours grows.
  detect_leaks: 0,
  // Some of Node's own allocations are made before the sanitizer intercepts C++'s functions, and are released after.
  alloc_dealloc_mismatch: 0,
  // The first error ends the process, so it hides later ones of the same test file.
  halt_on_error: 1,
  abort_on_error: 1,
  detect_stack_use_after_return: 1,
  // As without the sanitizer, a tensor of 2^50 bytes is refused with an error.
  allocator_may_return_null: 1,
  // CUDA's driver maps memory where the sanitizer would have a gap.
  protect_shadow_gap: 0,
  // In MB. Freed memory stays in quarantine until this much more was freed. A use after free is reported only while its
  // memory is in quarantine.
  quarantine_size_mb: 64,
};

/**
 * Returns the libraries to preload. libasan must be the first library of the process. libstdc++ must follow, because
 * Node contains a C++ library of its own, whose exceptions libasan cannot see.
 */
async function preloaded() {
  const compiler = process.env.CXX ?? "c++";
  const files = [];
  for (const library of ["libasan.so", "libstdc++.so.6"]) {
    const { output } = await capture(compiler, [`-print-file-name=${library}`]);
    const file = output.trim();
    if (!path.isAbsolute(file))
      throw new SetupError(
        `${compiler} has no ${library}: install the sanitizers of your compiler (on Debian they come with g++; Clang is not set up for this).`,
      );
    files.push(file);
  }
  return files.join(":");
}

/** Runs vitest on the suites. Returns its status, or 1 if the tests passed but a process reported an error. */
export async function testUnderAsan(root, report, torch, vitest, suites) {
  const variant = { asan: true };
  await buildAddon(root, report, torch, variant);
  const reports = path.join(root, "build", "asan", "reports");
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const options = {
    ...OPTIONS,
    log_path: path.join(reports, "report"),
    suppressions: path.join(root, "native/setup/asan.supp"),
  };
  // Left out, because the processes that it starts load no addon.
  const without = ["--exclude", "test/native/setup/setup.test.ts"];
  const status = await runInForeground(vitest, ["run", ...without, ...suites], {
    cwd: root,
    env: {
      ...process.env,
      LD_PRELOAD: await preloaded(),
      ASAN_OPTIONS: Object.entries(options)
        .map(([name, value]) => `${name}=${value}`)
        .join(":"),
      MPSLAB_ADDON: addonFile(root, variant),
    },
  });
  const written = readdirSync(reports);
  for (const name of written) process.stderr.write(readFileSync(path.join(reports, name), "utf8"));
  if (written.length > 0)
    process.stderr.write(`mpslab: AddressSanitizer reported ${written.length} errors.\n`);
  return status || (written.length > 0 ? 1 : 0);
}

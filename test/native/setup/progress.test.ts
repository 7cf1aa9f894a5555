// Set-up says how far a step is that takes minutes, so that nobody takes it for hung.
import { describe, expect, it, vi } from "vitest";
import { builtShare, createReport } from "../../../native/setup/report.mjs";

describe("a step that takes minutes", () => {
  it.each([
    ["[3/40] Building CXX object a.o\n[8/40] Building CXX object b.o\n[9/4", 0.2],
    ["[  5%] Building CXX object a.o\n[ 40%] Building CXX object b.o\n", 0.4],
    ["-- Configuring done\n", 0],
  ])("reads the share that is done from what CMake prints: %j", (output, share) => {
    expect(builtShare(output)).toBe(share);
  });

  it("says each ten percent once, and its end", async () => {
    const said: string[] = [];
    const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
    try {
      await createReport("/nowhere").step("addon", async (progress) => {
        for (const share of [0.04, 0.12, 0.13, 0.38, 1]) progress(share);
      });
    } finally {
      write.mockRestore();
    }
    expect(said).toEqual([
      "  addon ...\n",
      "  addon: 10% after 0 s\n",
      "  addon: 30% after 0 s\n",
      "  addon: 90% after 0 s\n",
      "  addon: done in 0 s\n",
    ]);
  });
});

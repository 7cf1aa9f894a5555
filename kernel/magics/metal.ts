// `%metal`: whether Apple's GPU can be used here, and if not, why.
import { sessionMagic } from "./magic.ts";

export const metal = sessionMagic({
  name: "metal",
  summary: "says whether Metal can be used here",
  line: { kind: "none" },
  async run(_, session) {
    const { isAvailable, isBuilt, deviceCount } = await session.mps();
    if (isAvailable()) return session.print(`Metal: ${deviceCount()} device\n`);
    const reason = isBuilt()
      ? "libtorch has Metal, but finds no device that it can use"
      : `libtorch is built without Metal, as it is on ${process.platform} ${process.arch}`;
    session.print(`Metal is not available: ${reason}.\n`);
  },
});

// `%device`: shows or chooses the session's device.
import type { SessionHandler } from "./handler.ts";

export const device: SessionHandler<"device"> = async ({ text }, session) => {
  const { chooseDevice, device: current } = await session.device();
  session.print(`${text === "" ? current() : chooseDevice(text)}\n`);
};

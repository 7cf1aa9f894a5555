// Binds a socket, and tries again while an earlier kernel still holds the address.
import { setTimeout as sleep } from "node:timers/promises";

/** A restart reuses the ports of the process before, which may be closing them just now. */
const BIND_ATTEMPTS = 10;
const BIND_RETRY_MS = 30;

/** @throws if the address stays taken */
export async function bind(socket: { bind(address: string): Promise<void> }, address: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await socket.bind(address);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || attempt === BIND_ATTEMPTS) throw error;
      await sleep(BIND_RETRY_MS);
    }
  }
}

// Connects to one Jupyter server through JupyterLab's client library: checks that it is a Jupyter server and has this
// kernel, and measures the round trip. Runs in the agent. A token goes only into the Authorization header, never into a
// URL. Errors are worded anew, because network errors quote their request.
import { KernelAPI, KernelSpecAPI, ServerConnection } from "@jupyterlab/services";
import type { ServerAddress } from "./agent_messages.ts";
import { RefusedError } from "./errors.ts";
import { formatBytes } from "../../units.ts";
import { unreachable } from "./unreachable.ts";

const KERNEL_NAME = "mpslab";
const ROUND_TRIPS = 7;
/** A loaded server may take long to start a kernel; one that is silent for longer is not there. */
const ANSWER_MS = 30_000;

export function settingsOf({ baseUrl, token }: ServerAddress): ServerConnection.ISettings {
  const plain = ServerConnection.makeSettings({
    baseUrl,
    wsUrl: baseUrl.replace(/^http/, "ws"),
    token,
    appendToken: false,
  });
  return {
    ...plain,
    fetch: fetchSayingWhy as typeof fetch,
    WebSocket: withHeader(plain.WebSocket, token),
  };
}

/** The library's Node WebSocket accepts headers; a browser's would need the token in the URL. */
function withHeader(Plain: ServerConnection.ISettings["WebSocket"], token: string): typeof Plain {
  const NodeWebSocket = Plain as unknown as new (
    url: string,
    protocols: readonly string[],
    options: { readonly headers: Readonly<Record<string, string>> },
  ) => object;
  class AuthorizedWebSocket extends NodeWebSocket {
    constructor(url: string, protocols: readonly string[] = []) {
      super(url, protocols, { headers: token === "" ? {} : { Authorization: `token ${token}` } });
    }
  }
  return AuthorizedWebSocket as unknown as typeof Plain;
}

/** @throws RefusedError if there is no such server, it refuses the token, or it does not know the kernel */
export async function requireKernelspec(settings: ServerConnection.ISettings): Promise<void> {
  const specs = await answered("api/kernelspecs", KernelSpecAPI.getSpecs(settings));
  const names = Object.keys(specs.kernelspecs);
  if (names.includes(KERNEL_NAME)) return;
  const others = names.length === 0 ? "no kernel" : names.join(", ");
  throw new RefusedError(
    `it knows ${others}, but not ${KERNEL_NAME}: run \`npx mpslab install\` on that machine`,
  );
}

/** Times requests that the server answers by itself, without the first one, which opens the connection. */
export async function roundTripsMs(settings: ServerConnection.ISettings): Promise<number[]> {
  const times: number[] = [];
  for (let trip = 0; trip <= ROUND_TRIPS; trip++) {
    const beganMs = performance.now();
    const response = await answered(
      "api",
      ServerConnection.makeRequest(`${settings.baseUrl}api`, {}, settings),
    );
    await response.arrayBuffer();
    if (trip > 0) times.push(performance.now() - beganMs);
  }
  return times;
}

export async function startKernel(
  settings: ServerConnection.ISettings,
  folder: string | null,
): Promise<{ readonly id: string; readonly name: string }> {
  const options = { name: KERNEL_NAME, ...(folder === null ? {} : { path: folder }) };
  const started = KernelAPI.startNew(options, settings);
  try {
    return await answered("api/kernels", started);
  } catch (thrown) {
    // If the kernel starts only after the deadline, nobody owns it, so it is shut down.
    started.then(({ id }) => KernelAPI.shutdownKernel(id, settings)).catch(() => {});
    throw thrown;
  }
}

/** @throws RefusedError in words of our own, whatever error the library throws */
export async function answered<Answer>(what: string, request: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RefusedError(`it did not answer ${what} within ${ANSWER_MS / 1000} s`)),
      ANSWER_MS,
    );
  });
  try {
    return await Promise.race([request, silence]);
  } catch (thrown) {
    throw thrown instanceof RefusedError ? thrown : new RefusedError(reasonOf(what, thrown));
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(what: string, thrown: unknown): string {
  const { status } = (thrown as { response?: { status?: number } }).response ?? {};
  if (status === 401 || status === 403) return `it refuses the token (HTTP ${status})`;
  if (status !== undefined) return `it answers ${what} with HTTP ${status}: is it a Jupyter server?`;
  if (thrown instanceof SyntaxError) return `it answers ${what} with no JSON: is it a Jupyter server?`;
  if (thrown instanceof ServerConnection.NetworkError) return thrown.message;
  return `${what} failed (${thrown instanceof Error ? thrown.name : "unknown error"})`;
}

/** A server's lists of kernels and kernelspecs take some kilobytes. A response without an end would fill the memory. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/** The response; reading fails if it is longer than allowed. */
function limited(response: Response): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= MAX_ANSWER_BYTES) controller.enqueue(chunk);
      else
        controller.error(
          new RefusedError(
            `it answers with more than ${formatBytes(MAX_ANSWER_BYTES)}: is it a Jupyter server?`,
          ),
        );
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counting), { status, statusText, headers });
}

/**
 * The library drops the cause of a failed fetch, and with it the system's error message. So the message is copied into
 * the error first.
 */
async function fetchSayingWhy(request: Request): Promise<Response> {
  try {
    return limited(await fetch(request));
  } catch (thrown) {
    const { code = null } = ((thrown as Error).cause ?? {}) as { code?: string };
    throw new TypeError(unreachable(code), { cause: thrown });
  }
}

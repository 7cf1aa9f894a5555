// Runs the remote agent: a process between a session and other machines' Jupyter servers. It holds the tokens and the
// connections. However the session ends, the agent shuts down the kernels that it started. Output of the client library
// is discarded.
import {
  type AgentAnswer,
  type AgentOutput,
  type AgentRequest,
  type CellEnd,
  type Greeting,
  type Numbered,
} from "./agent_messages.ts";
import { LostError, RefusedError } from "./errors.ts";
import { RemoteKernel } from "./kernel.ts";
import { without } from "./redact.ts";

const kernels = new Map<number, RemoteKernel>();
const starting = new Set<Promise<unknown>>();
const tokens: string[] = [];
let closing = false;

function send(message: AgentAnswer | AgentOutput): void {
  if (process.connected) process.send!(without(message, tokens));
}

async function answer(request: Numbered<AgentRequest>): Promise<void> {
  const { id } = request;
  try {
    send({ id, value: await perform(request) });
  } catch (thrown) {
    const kind = thrown instanceof LostError ? "lost" : "refused";
    const known = thrown instanceof LostError || thrown instanceof RefusedError;
    const message = known ? thrown.message : `the connection failed (${String(thrown)})`;
    send({ id, kind, message });
  }
  if (request.type === "close") process.disconnect();
}

async function perform(request: Numbered<AgentRequest>): Promise<Greeting | CellEnd | null> {
  if (request.type === "connect") return connect(request);
  if (request.type === "close") return closeAll();
  const kernel = kernels.get(request.remote);
  if (kernel === undefined) throw new LostError("it is not connected");
  if (request.type === "run")
    return kernel.run(request.code, (text) => send({ remote: request.remote, text }));
  await (request.type === "interrupt" ? kernel.interrupt() : kernel.restart());
  return null;
}

async function connect(request: AgentRequest & { readonly type: "connect" }): Promise<Greeting> {
  const connected = startKernel(request);
  starting.add(connected);
  try {
    return await connected;
  } finally {
    starting.delete(connected);
  }
}

async function startKernel({
  remote,
  address,
}: AgentRequest & { readonly type: "connect" }): Promise<Greeting> {
  if (address.token !== "") tokens.push(address.token);
  const { kernel, greeting } = await RemoteKernel.start(address);
  if (closing) await kernel.close();
  else kernels.set(remote, kernel);
  return greeting;
}

async function closeAll(): Promise<null> {
  closing = true;
  await Promise.all([...kernels.values()].map((kernel) => kernel.close()));
  // A kernel that was still starting closes itself.
  await Promise.allSettled(starting);
  kernels.clear();
  return null;
}

process.on("message", (request: Numbered<AgentRequest>) => void answer(request));
process.once("disconnect", () => void closeAll().finally(() => process.exit()));
// If the client library cannot read a message, only that message is lost: every wait for one has a deadline.
process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});

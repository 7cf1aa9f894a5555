// Attaches to V8's inspector at an address, as VS Code and Chrome do.
import { createRequire } from "node:module";

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

interface Socket {
  on(event: "message", listener: (data: Buffer) => void): void;
  once(event: "open" | "error" | "close", listener: (error?: Error) => void): void;
  send(text: string): void;
  close(): void;
}

const { WebSocket } = createRequire(import.meta.url)("ws") as { WebSocket: new (address: string) => Socket };

export class InspectorClient {
  readonly #socket: Socket;
  readonly #replies: Reply[] = [];
  #count = 0;
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("message", (data) => this.#replies.push(JSON.parse(data.toString()) as Reply));
  }

  /** @throws Error where nobody listens, or nothing has this path */
  static async attach(address: string): Promise<InspectorClient> {
    const socket = new WebSocket(address);
    const client = new InspectorClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", (error) => reject(error!));
    });
    return client;
  }

  async send(method: string, params: object = {}): Promise<Reply> {
    const id = ++this.#count;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return this.#found((reply) => reply.id === id);
  }

  /** The first event of that name, as soon as it is there. */
  event(method: string): Promise<Reply> {
    return this.#found((reply) => reply.method === method);
  }

  close(): void {
    this.#socket.close();
  }

  async #found(matches: (reply: Reply) => boolean): Promise<Reply> {
    for (;;) {
      const found = this.#replies.find(matches);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

// Implements `Deno.jupyter` for cells that were written for Deno's kernel. It is no global, because packages look for
// `Deno` to find out where they run: only a `Deno` in a cell is compiled to it.
import { DISPLAY, type MimeBundle } from "../../lib/display.ts";
import { insteadOfDeno } from "../cell/deno_names.ts";
import { checkedBundle, clearOutput, isBundle, shownAlone, showBundle } from "./output/display.ts";

interface DenoDisplayOptions {
  /** Whether the value is a MIME bundle. */
  readonly raw?: boolean;
  readonly update?: boolean;
  readonly display_id?: string;
}

async function display(value: unknown, options: DenoDisplayOptions = {}): Promise<void> {
  const { raw = false, update = false, display_id: displayId } = options;
  const bundle = raw ? value : await shownAlone(value);
  showBundle(checkedBundle(bundle), displayId === undefined ? {} : { displayId, update });
}

/** The value of a tagged template: it shows itself as text of one MIME type. */
const tag =
  (type: string) =>
  (strings: TemplateStringsArray, ...values: readonly unknown[]): object => {
    const text = String.raw({ raw: strings }, ...values);
    return { [DISPLAY]: (): MimeBundle => ({ [type]: text }) };
  };

/** Accepts the Jupyter messages that show something; Deno sends any. */
async function broadcast(type: string, content: Readonly<Record<string, unknown>>): Promise<void> {
  const { data, metadata, transient, name, text, wait } = content as {
    readonly [key: string]: unknown;
    readonly metadata?: MimeBundle;
    readonly transient?: { readonly display_id?: string };
  };
  const displayId = transient?.display_id;
  if ((type === "display_data" || type === "update_display_data") && isBundle(data)) {
    const update = type === "update_display_data";
    showBundle(checkedBundle(data), {
      ...(metadata && { metadata }),
      ...(displayId && { displayId, update }),
    });
  } else if (type === "stream") (name === "stderr" ? process.stderr : process.stdout).write(String(text));
  else if (type === "clear_output") clearOutput({ wait: wait === true });
  else {
    const sent = "display_data, update_display_data, stream and clear_output";
    throw new TypeError(
      `Deno.jupyter.broadcast: ${type} is not sent; ${sent} are, and comms and widgets are the library's.`,
    );
  }
}

const jupyter = {
  $display: DISPLAY,
  display,
  broadcast,
  format: async (value: unknown): Promise<MimeBundle> => checkedBundle(await shownAlone(value)),
  html: tag("text/html"),
  md: tag("text/markdown"),
  svg: tag("image/svg+xml"),
};

/** The `Deno` of a cell. Every other member throws, and names what Node has instead. */
export const deno: object = new Proxy(
  { jupyter },
  {
    get(target, name) {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name) as unknown;
      throw new TypeError(insteadOfDeno(name));
    },
  },
);

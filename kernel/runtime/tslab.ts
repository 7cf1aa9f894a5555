// `import * as tslab from "tslab"` in a cell: the package's own display functions, writing to this session. The
// package looks for the writer of its own kernel; it finds ours. (Loading it takes about 0.2 s, as it brings a compiler:
// only cells that import it pay.)
import { createRequire } from "node:module";
import type * as Tslab from "tslab";
import type { MimeBundle } from "../session/channel.ts";
import { showBundle } from "./display.ts";

interface TslabJupyter {
  lastWriteDisplayData: (
    content: { readonly data: MimeBundle; readonly transient: { readonly display_id?: string | undefined } },
    update?: boolean,
  ) => void;
}

const require = createRequire(import.meta.url);
const jupyter = require("tslab/dist/jupyter.js") as TslabJupyter;
jupyter.lastWriteDisplayData = (content, update) =>
  showBundle(content.data, { displayId: content.transient.display_id, update: update ?? false });

const tslab = require("tslab") as typeof Tslab;

export const display: Tslab.Display = tslab.display;
export const newDisplay: () => Tslab.Display = tslab.newDisplay;
export const versions: Readonly<Record<"tslab" | "typescript" | "node", string>> = tslab.versions;

import path, { join as joined, type ParsedPath } from "node:path";
import * as os from "node:os";
import "node:url";
import type { Stats } from "node:fs";
import { type Dirent } from "node:fs";
import { OnlyAType } from "node:fs";
import { NotThere } from "no-such-package";
import fs = require("node:fs");

let parsed: ParsedPath | undefined;
let node: NotThere | undefined;
const late = await import("node:path");
[path.sep === late.sep, joined("a", "b"), typeof os.cpus, typeof fs.statSync, typeof import.meta.url];

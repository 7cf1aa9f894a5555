"use strict";
let { default: path, join: joined } = await __mpslab_import("node:path");
let os = await __mpslab_import("node:os");
void await __mpslab_import("node:url");

let { OnlyAType } = await __mpslab_import("node:fs");
let { NotThere } = await __mpslab_import("no-such-package").catch(() => ({}));
let fs = require("node:fs");
let parsed;
let node;
let late = await __mpslab_await(__mpslab_import("node:path"));
[
	path.sep === late.sep,
	joined("a", "b"),
	typeof os.cpus,
	typeof fs.statSync,
	typeof __mpslab_meta.url
];
//# sourceURL=mpslab-cell:1

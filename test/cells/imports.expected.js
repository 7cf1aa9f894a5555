"use strict";
let { default: path = __mpslab_imported("node:path"), join: joined } = __mpslab_imported("node:path");
let os = __mpslab_imported("node:os");
void __mpslab_imported("node:url");

let { OnlyAType } = __mpslab_imported("node:fs");
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

"use strict";
let twice = (x) => (__mpslab_stop[0] && __mpslab_interrupted(), x * 2);
let point = (x) => (__mpslab_stop[0] && __mpslab_interrupted(), ({ x }));
let nested = (a) => (__mpslab_stop[0] && __mpslab_interrupted(), async (b) => (__mpslab_stop[0] && __mpslab_interrupted(), await __mpslab_await(Promise.resolve(a + b))));
let count = 0;
do
	{ if (__mpslab_stop[0]) __mpslab_interrupted(); count++; }
while (count < 3);
while (count < 5) { if (__mpslab_stop[0]) __mpslab_interrupted(); count = twice(count); }
outer: for (const a of [1, 2]) { if (__mpslab_stop[0]) __mpslab_interrupted(); for (const b of [1, 2]) { if (__mpslab_stop[0]) __mpslab_interrupted(); if (a === b) continue outer; } }
for (const key in point(1)) { if (__mpslab_stop[0]) __mpslab_interrupted(); switch (key) {
	case "x": count++;
} }
for await (const value of __mpslab_await_each([nested(1)(2)])) { if (__mpslab_stop[0]) __mpslab_interrupted(); count += value; }
let Counter = class Counter {
	static { if (__mpslab_stop[0]) __mpslab_interrupted();
		count++;
	}
	#n = 0;
	set n(n) { if (__mpslab_stop[0]) __mpslab_interrupted();
		this.#n = n;
	}
};
if (count > 100) throw __mpslab_thrown("too many");
if (count > 200) throw new Error("far too many");
count;
//# sourceURL=mpslab-cell:1

"use strict";

let fit = async function(rates) { if (__mpslab_stop[0]) __mpslab_interrupted();
	for (const rate of rates) { if (__mpslab_stop[0]) __mpslab_interrupted(); { const __mpslab_loop = __mpslab_epochs({ variable: "ep", line: 23 }); try {
for (let ep = 0; ep < 2; ep++) { if (__mpslab_stop[0]) __mpslab_interrupted(); __mpslab_loop.begin(); try {
		if (rate > 1) return await __mpslab_await(rate);
		for (const epoch of [ep]) { if (__mpslab_stop[0]) __mpslab_interrupted(); losses.push(epoch); }
	} catch (__mpslab_error) { __mpslab_loop.cut(); throw __mpslab_error; } finally { __mpslab_loop.end(); } }
} finally { __mpslab_loop.close(); } } }
};
let losses = [];
{ const __mpslab_loop = __mpslab_epochs({ variable: "epoch", line: 3 }); try {
for (const epoch of __mpslab_loop.over([
	0,
	1,
	2
])) { if (__mpslab_stop[0]) __mpslab_interrupted(); __mpslab_loop.begin(); try {
	for (const batch of [1, 2]) { if (__mpslab_stop[0]) __mpslab_interrupted();
		if (batch > epoch) continue;
		losses.push(epoch * batch);
	}
} catch (__mpslab_error) { __mpslab_loop.cut(); throw __mpslab_error; } finally { __mpslab_loop.end(); } }
} finally { __mpslab_loop.close(); } }
// @epoch until the loss is small
{ const __mpslab_loop = __mpslab_epochs({ variable: "epoch", line: 11 }); try {
train: while (losses.length > 0) { if (__mpslab_stop[0]) __mpslab_interrupted(); __mpslab_loop.begin(); try {
	for (;;) { if (__mpslab_stop[0]) __mpslab_interrupted();
		losses.pop();
		continue train;
	}
} catch (__mpslab_error) { __mpslab_loop.cut(); throw __mpslab_error; } finally { __mpslab_loop.end(); } }
} finally { __mpslab_loop.close(); } }
// @no-flush: every iteration is short
for (let epoch = 0; epoch < 2; epoch++) { if (__mpslab_stop[0]) __mpslab_interrupted(); losses.push(epoch); }
let lab = { epochs: (n) => (__mpslab_stop[0] && __mpslab_interrupted(), Array.from({ length: n }, (_, i) => (__mpslab_stop[0] && __mpslab_interrupted(), i))) };
{ const __mpslab_loop = __mpslab_epochs({ variable: "epoch", line: 30, explicit: true }); try {
for (const epoch of __mpslab_loop.over(lab.epochs(2))) { if (__mpslab_stop[0]) __mpslab_interrupted(); __mpslab_loop.begin(); try { losses.push(epoch); } catch (__mpslab_error) { __mpslab_loop.cut(); throw __mpslab_error; } finally { __mpslab_loop.end(); } }
} finally { __mpslab_loop.close(); } }
await __mpslab_await(fit([1, 2]));
//# sourceURL=mpslab-cell:1

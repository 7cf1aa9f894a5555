"use strict";
// Libraries go on seeing the real ones.
let { setTimeout: __mpslab_own_setTimeout } = __mpslab_imported("node:timers/promises");
let __mpslab_own_process = { process: function({ performance: own = __mpslab_own_performance }, { fetch }) { if (__mpslab_stop[0]) __mpslab_interrupted();
	return {
		own,
		fetch,
		Response: __mpslab_own_Response,
		waited: __mpslab_own_setTimeout(1, "waited")
	};
} }.process;

let __mpslab_own_performance = { accuracy: .97 };
let __mpslab_own_Response = class Response {
	static of = () => (__mpslab_stop[0] && __mpslab_interrupted(), new Response());
};
await __mpslab_await(__mpslab_own_process({}, { fetch: 1 }).waited);
//# sourceURL=mpslab-cell:1

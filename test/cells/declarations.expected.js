"use strict"; let total, unset, Phase, i, n, last;

/** Moved to the top with its comment, as JavaScript hoists it. */
let scale = function(by) { if (__mpslab_stop[0]) __mpslab_interrupted();
	return by === 0 ? total : scale(by - 1);
};

let stream = async function*() { if (__mpslab_stop[0]) __mpslab_interrupted();
	yield rate;
};
// Everything that a cell can declare becomes a `let`, so that a later cell can declare it anew.
let rate = .001;
let { step, decay: [first = 1] } = {
	step: 2,
	decay: []
};
void (total = 0);
let Model = class Model {
	hidden;
	depth;
	static made = 0;
	constructor(hidden, depth = 2) { if (__mpslab_stop[0]) __mpslab_interrupted();
		this.hidden = hidden;
		this.depth = depth;
		Model.made++;
	}
	get width() { if (__mpslab_stop[0]) __mpslab_interrupted();
		return this.hidden;
	}
};
void (Phase = /* @__PURE__ */ function(Phase) { if (__mpslab_stop[0]) __mpslab_interrupted();
	Phase[Phase["Warm"] = 0] = "Warm";
	Phase["Steady"] = "steady";
	return Phase;
}(Phase || {}));
let Space;
(function(_Space) { if (__mpslab_stop[0]) __mpslab_interrupted();
	const origin = _Space.origin = [0, 0];
})(Space || (Space = {}));
let exported = new Model(3).width;
for (i = 0; i < 2; i++) { if (__mpslab_stop[0]) __mpslab_interrupted();
	void (last = i);
}
void 0;
//# sourceURL=mpslab-cell:1

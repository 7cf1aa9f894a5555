"use strict"; let __mpslab_1_usingCtx3, open, file, stream, size, Mode, __mpslab_1_usingCtx4;

let read = function() { if (__mpslab_stop[0]) __mpslab_interrupted();
	try {
		var _usingCtx = __mpslab_helper_usingCtx();
		const lock = _usingCtx.u(open("lock"));
		return lock.name + size;
	} catch (_) { if (__mpslab_stop[0]) __mpslab_interrupted();
		_usingCtx.e = _;
	} finally { __mpslab_cleanup(1); try {
		_usingCtx.d();
	} finally { __mpslab_cleanup(-1); } }
};

try {
	void (__mpslab_1_usingCtx3 = __mpslab_helper_usingCtx());
	void (open = (name) => (__mpslab_stop[0] && __mpslab_interrupted(), ({
		name,
		[Symbol.dispose]() { if (__mpslab_stop[0]) __mpslab_interrupted();}
	})));
	void (file = __mpslab_1_usingCtx3.u(open("file")));
	void (stream = __mpslab_1_usingCtx3.a({ async [Symbol.asyncDispose]() { if (__mpslab_stop[0]) __mpslab_interrupted();} }));
	void (size = file.name.length);
	void (Mode = /* @__PURE__ */ function(Mode) { if (__mpslab_stop[0]) __mpslab_interrupted();
		Mode[Mode["Read"] = 0] = "Read";
		return Mode;
	}({}));
	try {
		void (__mpslab_1_usingCtx4 = __mpslab_helper_usingCtx());
		const inner = __mpslab_1_usingCtx4.u(open("inner"));
		const size = inner.name;
	} catch (_) { if (__mpslab_stop[0]) __mpslab_interrupted();
		__mpslab_1_usingCtx4.e = _;
	} finally { __mpslab_cleanup(1); try {
		__mpslab_1_usingCtx4.d();
	} finally { __mpslab_cleanup(-1); } }
	read();
} catch (_) { if (__mpslab_stop[0]) __mpslab_interrupted();
	__mpslab_1_usingCtx3.e = _;
} finally { __mpslab_cleanup(1); try {
	await __mpslab_await(__mpslab_1_usingCtx3.d());
} finally { __mpslab_cleanup(-1); } }
//# sourceURL=mpslab-cell:1

"use strict"; let __mpslab__usingCtx3, open, file, stream, size, Mode, __mpslab__usingCtx4;

let read = function() { if (__mpslab_stop[0]) __mpslab_interrupted();
	try {
		var _usingCtx = __mpslab_using();
		const lock = _usingCtx.u(open("lock"));
		return lock.name + size;
	} catch (_) {
		_usingCtx.e = _;
	} finally {
		_usingCtx.d();
	}
};

try {
	void (__mpslab__usingCtx3 = __mpslab_using());
	void (open = (name) => (__mpslab_stop[0] && __mpslab_interrupted(), ({
		name,
		[Symbol.dispose]() { if (__mpslab_stop[0]) __mpslab_interrupted();}
	})));
	void (file = __mpslab__usingCtx3.u(open("file")));
	void (stream = __mpslab__usingCtx3.a({ async [Symbol.asyncDispose]() { if (__mpslab_stop[0]) __mpslab_interrupted();} }));
	void (size = file.name.length);
	void (Mode = /* @__PURE__ */ function(Mode) { if (__mpslab_stop[0]) __mpslab_interrupted();
		Mode[Mode["Read"] = 0] = "Read";
		return Mode;
	}({}));
	try {
		void (__mpslab__usingCtx4 = __mpslab_using());
		const inner = __mpslab__usingCtx4.u(open("inner"));
		const size = inner.name;
	} catch (_) {
		__mpslab__usingCtx4.e = _;
	} finally {
		__mpslab__usingCtx4.d();
	}
	read();
} catch (_) {
	__mpslab__usingCtx3.e = _;
} finally {
	await __mpslab_await(__mpslab__usingCtx3.d());
}
//# sourceURL=mpslab-cell:1

"use strict";
let before = 7;
await __mpslab_await(__mpslab_magic("memory", {
	"options": {},
	"text": ""
}));
let memory = 4;
;
before % memory;
//# sourceURL=mpslab-cell:1

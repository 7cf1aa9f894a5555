// Names that a cell's variable must not take from libraries. A top-level `let` lives in the realm's script scope, which
// every module sees before `globalThis`. A cell's own `setTimeout` would break each library that uses timers. A
// `module` or `window` makes a UMD library believe that it runs elsewhere.

const ECMASCRIPT = `
  Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error
  AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis JSON Math
  Intl Temporal Iterator ArrayBuffer SharedArrayBuffer DataView Atomics Uint8Array Int8Array Uint16Array Int16Array
  Uint32Array Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array BigInt Map
  Set WeakMap WeakSet WeakRef FinalizationRegistry Proxy Reflect DisposableStack AsyncDisposableStack decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN`;

/** The globals of Node 20 to 24. */
const NODE = `
  console process global Buffer setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate
  queueMicrotask structuredClone atob btoa fetch performance crypto navigator localStorage sessionStorage gc WebAssembly
  URL URLSearchParams URLPattern DOMException AbortController AbortSignal Event EventTarget CustomEvent MessageChannel
  MessagePort MessageEvent BroadcastChannel CloseEvent ErrorEvent WebSocket EventSource Navigator Storage TextEncoder
  TextDecoder TextEncoderStream TextDecoderStream TransformStream TransformStreamDefaultController WritableStream
  WritableStreamDefaultController WritableStreamDefaultWriter ReadableStream ReadableStreamDefaultReader
  ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableByteStreamController ReadableStreamDefaultController
  ByteLengthQueuingStrategy CountQueuingStrategy CompressionStream DecompressionStream Blob File FormData Headers Request
  Response Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver
  PerformanceObserverEntryList PerformanceResourceTiming Crypto CryptoKey SubtleCrypto`;

/** Names whose mere existence libraries ask for, to learn where they run. */
const PROBED = `
  window self document location module exports require define __filename __dirname importScripts WorkerGlobalScope
  HTMLElement XMLHttpRequest Deno Bun`;

export const GLOBAL_NAMES: ReadonlySet<string> = new Set(
  [ECMASCRIPT, NODE, PROBED].flatMap((names) => names.trim().split(/\s+/)),
);

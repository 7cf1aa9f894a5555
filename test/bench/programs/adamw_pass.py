"""AdamW in one pass over memory: reads a bfloat16 gradient, updates the weight and both moments, and writes the weight in
bfloat16 too. For fusing.py, which times it; the bias corrections are those of one step."""

import triton
import triton.language as tl


@triton.jit
def update(weight, gradient, first, second, half, count, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    w = tl.load(weight + place, mask=inside)
    g = tl.load(gradient + place, mask=inside).to(tl.float32)
    m = tl.load(first + place, mask=inside)
    v = tl.load(second + place, mask=inside)
    w = w - 1e-3 * 0.01 * w
    m = m + 0.1 * (g - m)
    v = 0.999 * v + 0.001 * g * g
    w = w - 1e-3 / 0.1 * m / (tl.sqrt(v) / 0.0316 + 1e-8)
    tl.store(weight + place, w, mask=inside)
    tl.store(first + place, m, mask=inside)
    tl.store(second + place, v, mask=inside)
    tl.store(half + place, w.to(tl.bfloat16), mask=inside)

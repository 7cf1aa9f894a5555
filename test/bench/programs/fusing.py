"""What fusing operators can gain in a captured step. Runs GPT-2 small, ViT-B/16 or ResNet-50, forward, backward and
optimizer, as one CUDA graph: as PyTorch calls the operators; with chains of elementwise operators fused by Inductor, and
every reduction, norm, loss and product left as it is; and with all that Inductor fuses. A second table compares AdamW and
the casts around it with one pass over memory. Needs a GPU, Triton and torchvision: python3 fusing.py gpt2|vit|resnet|optimizer
"""

import collections
import json
import statistics
import sys
import time

import torch
import torch._functorch.config
import torch._inductor.config
import torch._inductor.lowering as lowering
from torch import nn
from torch._inductor.compile_fx import compile_fx
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.scheduler import Scheduler
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

WIDTH, HEADS, BLOCKS, TOKENS, WORDS, BATCH = 768, 12, 12, 512, 50304, 8
ROUNDS, REPLAYS = 6, 12
KINDS = (
    ("fused by Inductor", ("triton",)),
    ("products", ("gemm", "cutlass", "nvjet", "xmma", "cublas", "splitk")),
    ("attention", ("flash", "fmha", "attention")),
    ("convolutions", ("conv", "cudnn", "dgrad", "wgrad")),
    ("optimizer", ("multi_tensor",)),
    ("norms", ("norm",)),
    ("softmax, loss", ("softmax", "nll")),
    ("elementwise", ("elementwise", "vectorized")),
    ("reductions", ("reduce",)),
)
aten = torch.ops.aten
LEFT_AS_THEY_ARE = [
    getattr(getattr(aten, name), overload)
    for name, overload in (
        ("native_layer_norm", "default"),
        ("native_layer_norm_backward", "default"),
        ("native_batch_norm", "default"),
        ("native_batch_norm_backward", "default"),
        ("_native_batch_norm_legit_functional", "default"),
        ("cudnn_batch_norm", "default"),
        ("cudnn_batch_norm_backward", "default"),
        ("convolution_backward", "default"),
        ("_log_softmax", "default"),
        ("_log_softmax_backward_data", "default"),
        ("_softmax", "default"),
        ("_softmax_backward_data", "default"),
        ("nll_loss_forward", "default"),
        ("nll_loss_backward", "default"),
        ("embedding", "default"),
        ("embedding_dense_backward", "default"),
        ("sum", "dim_IntList"),
        ("mean", "dim"),
    )
]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, tokens, _ = x.shape
        parts = self.attention(self.norm1(x)).split(WIDTH, 2)
        query, key, value = (
            part.view(batch, tokens, HEADS, WIDTH // HEADS).transpose(1, 2) for part in parts
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        mixed = mixed.transpose(1, 2).contiguous().view(batch, tokens, WIDTH)
        x = x + F.dropout(self.output(mixed), 0.1, self.training)
        return x + F.dropout(self.down(F.gelu(self.up(self.norm2(x)))), 0.1, self.training)


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(TOKENS, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.norm(self.blocks(self.words(tokens) + self.places(places))))


fuses_elementwise_alone = False
can_fuse = Scheduler.can_fuse
own_lowerings = dict(lowering.lowerings)


def can_fuse_here(scheduler, first, second, *rest, **named):
    """Inductor's rule, without reductions, products and operators of others where only elementwise ones are fused."""
    if fuses_elementwise_alone and any(
        node.is_reduction() or node.is_template() or node.is_extern() for node in (first, second)
    ):
        return False
    return can_fuse(scheduler, first, second, *rest, **named)


Scheduler.can_fuse = can_fuse_here


def elementwise_alone(graph, inputs):
    global fuses_elementwise_alone
    fuses_elementwise_alone = True
    table = {op: rule for op, rule in select_decomp_table().items() if op not in LEFT_AS_THEY_ARE}
    for op in LEFT_AS_THEY_ARE:
        lowering.lowerings.pop(op, None)
        lowering.make_fallback(op, warn=False, override_decomp=True)
    return compile_fx(graph, inputs, decompositions=table)


VARIANTS = {
    "nothing fused": None,
    "all that Inductor fuses": compile_fx,
    "elementwise alone": elementwise_alone,
}


def make(model):
    """The model on the GPU, its optimizer, and a function that gives the loss of one batch."""
    torch.manual_seed(0)
    if model == "gpt2":
        network = Gpt2().cuda()
        optimizer = torch.optim.AdamW(network.parameters(), lr=3e-4, fused=True, capturable=True)
        x, y = (torch.randint(WORDS, (BATCH, TOKENS), device="cuda") for _ in range(2))
    else:
        import torchvision

        build = torchvision.models.vit_b_16 if model == "vit" else torchvision.models.resnet50
        network = build().cuda().to(memory_format=torch.channels_last)
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, fused=True)
        x = torch.randn(64, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
        y = torch.randint(1000, (64,), device="cuda")

    def loss():
        with torch.autocast("cuda", torch.bfloat16):
            return F.cross_entropy(network(x).flatten(0, -2), y.flatten())

    return network, optimizer, loss


def graph_of(step):
    """A CUDA graph of the step, after calls on a side stream as torch.cuda.graph asks for."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(4):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    graph.replay()
    torch.cuda.synchronize()
    return graph


def median_ms(graph):
    times = []
    for _ in range(REPLAYS):
        start = time.perf_counter()
        graph.replay()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def milliseconds_by_kind(graph):
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        graph.replay()
        torch.cuda.synchronize()
    times, kernels = collections.Counter(), collections.Counter()
    for event in profiled.events():
        if event.device_type.name != "CUDA":
            continue
        name = event.name.lower()
        kind = next((kind for kind, words in KINDS if any(word in name for word in words)), "other")
        times[kind] += event.device_time / 1e3
        kernels[kind] += 1
    return {kind: [round(ms, 2), kernels[kind]] for kind, ms in times.most_common()}


def compare_models(model):
    torch.set_float32_matmul_precision("high")
    torch._inductor.config.force_disable_caches = True
    torch._functorch.config.enable_autograd_cache = False
    # Each graph reads the memory of its model, so all are kept.
    graphs, kept, first_s = {}, [], {}
    for name, backend in VARIANTS.items():
        torch._dynamo.reset()
        network, optimizer, loss = make(model)
        compiled = loss if backend is None else torch.compile(loss, backend=backend)

        def step(optimizer=optimizer, compiled=compiled):
            optimizer.zero_grad(set_to_none=True)
            compiled().backward()
            optimizer.step()

        start = time.perf_counter()
        graphs[name] = graph_of(step)
        first_s[name] = round(time.perf_counter() - start, 1)
        kept.append((network, optimizer, loss))
    times = collections.defaultdict(list)
    for _ in range(ROUNDS):
        for name, graph in graphs.items():
            times[name].append(median_ms(graph))
    base = statistics.median(times["nothing fused"])
    for name, graph in graphs.items():
        ms = statistics.median(times[name])
        figures = {"ms": round(ms, 2), "ratio": round(ms / base, 3), "first s": first_s[name]}
        print(json.dumps({"step": model, "fused": name, **figures, "kinds": milliseconds_by_kind(graph)}))


def compare_optimizers():
    """AdamW on float32 weights whose gradients are bfloat16, with both casts, beside one kernel that does all of it."""
    import triton
    from adamw_pass import update

    count, parts = 124_000_000, 148
    gradient = torch.randn(count, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(count, device="cuda")
    half, first, second = torch.empty_like(gradient), torch.zeros_like(weight), torch.zeros_like(weight)
    leaves = [part.clone().requires_grad_() for part in weight.split(count // parts)]
    gradients = gradient.split(count // parts)
    optimizer = torch.optim.AdamW(leaves, fused=True, capturable=True)

    def apart():
        for leaf, part in zip(leaves, gradients):
            leaf.grad = part.float()
        optimizer.step()
        return [leaf.detach().bfloat16() for leaf in leaves]

    def one_pass():
        update[(triton.cdiv(count, 4096),)](weight, gradient, first, second, half, count, BLOCK=4096)

    graphs = {"AdamW and casts": graph_of(apart), "one pass": graph_of(one_pass)}
    times = {name: [median_ms(graph) for _ in range(ROUNDS)] for name, graph in graphs.items()}
    print(json.dumps({name: round(statistics.median(ms), 3) for name, ms in times.items()}))


compare_optimizers() if sys.argv[1] == "optimizer" else compare_models(sys.argv[1])

"""Data, precision, hooks and memory around a training. trainings.ts has the same programs."""
import torch
import torch.nn.functional as F
from helpers import leaf, refused
from torch import nn, optim
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
)


class _Squares:
    def __init__(self, n=5):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return torch.tensor([float(i)]), i * i


def _seeded():
    return torch.Generator().manual_seed(0)


def batches_with_a_rest():
    return [(x, y) for x, y in DataLoader(_Squares(), batch_size=2)], len(DataLoader(_Squares(), batch_size=2))


def batches_without_a_rest():
    loader = DataLoader(_Squares(), batch_size=2, drop_last=True)
    return [y for _, y in loader], len(loader)


def no_batches():
    return [y for _, y in DataLoader(_Squares(3), batch_size=None)]


def batch_of_zero():
    DataLoader(_Squares(), batch_size=0)


def shuffle_beside_a_sampler():
    DataLoader(_Squares(), shuffle=True, sampler=SequentialSampler(_Squares()))


def batch_size_beside_a_batch_sampler():
    DataLoader(_Squares(), batch_size=2, batch_sampler=BatchSampler(SequentialSampler(_Squares()), 2, False))


def sampler_past_the_end():
    return [y for _, y in DataLoader(_Squares(3), sampler=[0, 5])]


def samplers():
    return (
        list(SubsetRandomSampler([3, 5, 7], generator=_seeded())),
        list(WeightedRandomSampler([0.0, 1.0, 3.0], 6, generator=_seeded())),
        list(WeightedRandomSampler([1.0, 1.0, 3.0], 3, replacement=False, generator=_seeded())),
        list(BatchSampler(SequentialSampler(range(5)), 2, True)),
    )


def weights_that_are_too_few():
    return list(WeightedRandomSampler([1.0, 0.0], 2, replacement=False))


def sets_of_unequal_lengths():
    TensorDataset(torch.ones(3), torch.ones(2))


def parts_of_sets():
    d = ConcatDataset([_Squares(2), _Squares(3)])
    return len(d), d[3][1], Subset(d, [4, 0])[0][1], refused(lambda: d[5]), refused(lambda: d[-6])


def collated_items():
    return default_collate(
        [{"x": torch.ones(2), "n": 1, "name": "a", "pair": (1, 0.5)}, {"x": torch.zeros(2), "n": 2, "name": "b", "pair": (3, 0.25)}]
    )["x"], default_collate([1, 2]), default_collate(["a", "b"]), default_collate([(1, "x"), (2, "y")])


def collated_shapes_that_differ():
    default_collate([torch.ones(2), torch.ones(3)])


def collated_lists_that_differ():
    default_collate([[1, 2], [3]])


def collated_nothing():
    default_collate([None, None])


def collate_of_ones_own():
    def collate(items):
        return nn.utils.rnn.pad_sequence([x for x in items], batch_first=True)

    return list(DataLoader([torch.ones(1), torch.ones(3), torch.ones(2)], batch_size=2, collate_fn=collate))


def two_passes_at_once():
    loader = DataLoader(_Squares(3))
    a, b = iter(loader), iter(loader)
    next(a)
    return next(a)[1], next(b)[1]


def autocast_casts_products_alone():
    a, b = torch.ones(2, 2), torch.ones(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return [t.dtype for t in (a @ b, a + b, (a @ b).softmax(0), F.mse_loss(a @ b, b), (a @ b) + a, a.sum())]


def autocast_of_a_layer_keeps_its_gradient():
    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = m(torch.ones(1, 2))
    y.sum().backward()
    return y, m.weight.grad


def autocast_inside_out():
    a = torch.ones(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.autocast("cpu", enabled=False):
            inner = (a @ a).dtype
        outer = (a @ a).dtype
    return inner, outer, (a @ a).dtype, torch.is_autocast_enabled("cpu")


def autocast_refuses_binary_cross_entropy():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.0]))


def autocast_of_mixed_matrices():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return (torch.ones(2, 2, dtype=torch.bfloat16) @ torch.ones(2, 2)).dtype


def half_precision_without_autocast():
    m = nn.Linear(2, 1).bfloat16()
    return refused(lambda: m(torch.ones(1, 2))), m(torch.ones(1, 2, dtype=torch.bfloat16)).dtype


def small_gradients_vanish_in_half():
    x = torch.tensor([1.0], dtype=torch.float16, requires_grad=True)
    (x * 1e-4 * 1e-4).sum().backward()
    return x.grad


def gradient_scaler():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1)
    s = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    scales = []
    for k in range(5):
        o.zero_grad()
        loss = (p * p).sum()
        if k == 2:
            loss = loss * float("inf")
        s.scale(loss).backward()
        s.step(o)
        s.update()
        scales.append(s.get_scale())
    return scales, p


def gradient_scaler_with_clipping():
    p = leaf(3, 4)
    o = optim.Adam([p], lr=0.1)
    s = torch.amp.GradScaler("cpu", init_scale=8.0)
    s.scale((p * p).sum()).backward()
    s.unscale_(o)
    n = nn.utils.clip_grad_norm_([p], 1.0)
    g = p.grad.clone()
    s.step(o)
    s.update()
    return n, g, p, refused(lambda: s.unscale_(o))


def gradient_scaler_unscaled_twice():
    p = leaf(3, 4)
    o = optim.SGD([p], lr=0.1)
    s = torch.amp.GradScaler("cpu", init_scale=8.0)
    s.scale((p * p).sum()).backward()
    s.unscale_(o)
    s.unscale_(o)


def gradient_scaler_without_gradients():
    o = optim.SGD([leaf(3, 4)], lr=0.1)
    s = torch.amp.GradScaler("cpu")
    s.scale(torch.ones(1))
    s.step(o)


def gradient_scaler_updated_before_a_step():
    torch.amp.GradScaler("cpu").update()


def gradient_scaler_switched_off():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1)
    s = torch.amp.GradScaler("cpu", enabled=False)
    s.scale((p * p).sum()).backward()
    s.step(o)
    s.update()
    return p, s.get_scale()


def hooks_of_an_optimizer():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1)
    seen = []
    h = o.register_step_pre_hook(lambda *_: seen.append(p.detach().clone()))
    o.register_step_post_hook(lambda *_: seen.append(p.detach().clone()))
    (p * p).sum().backward()
    o.step()
    h.remove()
    o.step()
    return seen


def step_with_a_closure():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1)

    def closure():
        o.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    return o.step(closure), p


def weight_decay_for_some():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3))
    decayed = [p for n, p in m.named_parameters() if p.ndim > 1]
    others = [p for n, p in m.named_parameters() if p.ndim <= 1]
    o = optim.AdamW([{"params": decayed, "weight_decay": 0.5}, {"params": others, "weight_decay": 0.0}], lr=0.1)
    (m(torch.tensor([[1.0, 3.0]])).pow(3) * torch.arange(3.0)).sum().backward()
    o.step()
    return m[0].weight, m[0].bias, m[1].weight


def bias_corrected_learning_curve():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    o = optim.Adam(m.parameters(), lr=0.05)
    x = torch.linspace(-1, 1, 16)[:, None]
    losses = []
    for _ in range(20):
        loss = F.mse_loss(m(x), x**2)
        o.zero_grad()
        loss.backward()
        o.step()
        losses.append(loss.item())
    return losses


def classifier_of_images():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.1), nn.Linear(16, 3))
    o = optim.SGD(m.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3)
    x, y = torch.rand(6, 1, 4, 4), torch.tensor([0, 1, 2, 0, 1, 2])
    losses = []
    for _ in range(5):
        o.zero_grad()
        loss = F.cross_entropy(m(x), y)
        loss.backward()
        o.step()
        losses.append(loss.item())
    m.eval()
    with torch.no_grad():
        return losses, m(x)


def characters_by_a_recurrent_net():
    torch.manual_seed(0)
    e, r, h = nn.Embedding(5, 4), nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 5)
    o = optim.AdamW([*e.parameters(), *r.parameters(), *h.parameters()], lr=0.05)
    x = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])
    losses = []
    state = None
    for _ in range(4):
        o.zero_grad()
        out, state = r(e(x[:, :-1]), state)
        state = tuple(s.detach() for s in state)
        loss = F.cross_entropy(h(out).flatten(0, 1), x[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(r.parameters(), 0.5)
        o.step()
        losses.append(loss.item())
    return losses, state[0]


def attention_block():
    torch.manual_seed(0)
    m = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)
    o = optim.Adam(m.parameters(), lr=0.01)
    x = torch.rand(2, 3, 4)
    losses = []
    for _ in range(3):
        o.zero_grad()
        loss = m(x, mask=nn.Transformer.generate_square_subsequent_mask(3), is_causal=True).pow(2).mean()
        loss.backward()
        o.step()
        losses.append(loss.item())
    return losses


def numbers_of_what_requires_grad():
    x = leaf(1, 2)
    return x.tolist(), x[0].item(), refused(lambda: x.numpy()), refused(lambda: x.detach().numpy())


def numbers_written_through_a_view_of_memory():
    x = torch.ones(2)
    x.numpy()[0] = 5
    return x


def numbers_written_behind_autograd():
    x = leaf(1, 2)
    y = (x * x).sum()
    x.detach().numpy()[0] = 100
    y.backward()
    return x.grad

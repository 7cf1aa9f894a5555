"""States of layers and optimizers, saved and loaded, also wrongly. states.ts has the same programs."""
import copy

import torch
from helpers import leaf, refused, scratch
from torch import nn, optim


class _Net(nn.Module):
    def __init__(self, hidden=3):
        super().__init__()
        self.first = nn.Linear(2, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.last = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x))))


def _net(seed=0, hidden=3):
    torch.manual_seed(seed)
    return _Net(hidden)


def names_of_a_state():
    return list(_net().state_dict()), [n for n, _ in _net().named_parameters()], len(list(_net().buffers()))


def state_loaded():
    a, b = _net(0), _net(1)
    b.load_state_dict(a.state_dict())
    return b.first.weight, b.last.bias


def state_is_alive():
    m = nn.Linear(2, 1)
    s = m.state_dict()
    with torch.no_grad():
        m.weight.fill_(7)
    return s["weight"], s["weight"].requires_grad


def deep_copy_of_a_state():
    m = nn.Linear(2, 1)
    with torch.no_grad():
        m.weight.fill_(1)
        s = {k: v.clone() for k, v in m.state_dict().items()}
        m.weight.fill_(7)
    m.load_state_dict(s)
    return m.weight


def missing_key():
    s = _net().state_dict()
    del s["last.bias"]
    _net().load_state_dict(s)


def unexpected_key():
    s = _net().state_dict()
    s["more"] = torch.zeros(1)
    _net().load_state_dict(s)


def not_strict():
    s = _net(0).state_dict()
    del s["last.bias"]
    s["more"] = torch.zeros(1)
    m = _net(1)
    r = m.load_state_dict(s, strict=False)
    return r.missing_keys, r.unexpected_keys, m.first.weight


def wrong_shape():
    _net(0, 3).load_state_dict(_net(0, 4).state_dict())


def wrong_shape_not_strict():
    _net(0, 3).load_state_dict(_net(0, 4).state_dict(), strict=False)


def wrong_shape_leaves_the_rest_loaded():
    m = _net(1)
    s = _net(0).state_dict()
    s["last.weight"] = torch.zeros(2, 2)
    return refused(lambda: m.load_state_dict(s))


def another_dtype_is_converted():
    m = nn.Linear(2, 1)
    m.load_state_dict({"weight": torch.ones(1, 2, dtype=torch.float64), "bias": torch.tensor([3])})
    return m.weight, m.bias


def assigned_keeps_its_dtype():
    m = nn.Linear(2, 1)
    m.load_state_dict({"weight": torch.ones(1, 2, dtype=torch.float64), "bias": torch.zeros(1)}, assign=True)
    return m.weight, m.weight.requires_grad


def assigned_shares_memory():
    m = nn.Linear(2, 1)
    w = torch.ones(1, 2)
    m.load_state_dict({"weight": w, "bias": torch.zeros(1)}, assign=True)
    w.fill_(5)
    return m.weight


def loaded_does_not_share_memory():
    m = nn.Linear(2, 1)
    w = torch.ones(1, 2)
    m.load_state_dict({"weight": w, "bias": torch.zeros(1)})
    w.fill_(5)
    return m.weight


def a_parameter_instead_of_a_state():
    nn.Linear(2, 1).load_state_dict(torch.ones(1))


def whole_checkpoint_instead_of_its_model():
    m = _net()
    m.load_state_dict({"model": m.state_dict(), "epoch": 3})


def prefix_of_data_parallel():
    m = _net()
    m.load_state_dict({f"module.{k}": v for k, v in m.state_dict().items()})


def state_loaded_into_a_step():
    m = _net()
    o = optim.SGD(m.parameters(), lr=0.1)
    m(torch.ones(4, 2) * torch.arange(4.0)[:, None]).sum().backward()
    m.load_state_dict(_net(1).state_dict())
    o.step()
    return m.last.bias, m.first.bias


def loading_between_forward_and_backward():
    m = _net()
    y = m(torch.arange(8.0).reshape(4, 2)).sum()
    m.load_state_dict(_net(1).state_dict())
    y.backward()


def batch_norm_state_goes_along():
    m = _net()
    m(torch.arange(8.0).reshape(4, 2))
    s = m.state_dict()
    b = _net(1)
    b.load_state_dict(s)
    return s["norm.num_batches_tracked"], b.norm.running_mean, b.norm.running_var


def shared_parameter():
    a = nn.Linear(2, 2, bias=False)
    b = nn.Linear(2, 2, bias=False)
    b.weight = a.weight
    m = nn.Sequential(a, b)
    return len(list(m.parameters())), list(m.state_dict())


def weight_tied_after_the_optimizer():
    torch.manual_seed(0)
    a, b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    o = optim.SGD(list(a.parameters()) + list(b.parameters()), lr=0.1)
    b.weight = a.weight
    (b(a(torch.ones(1, 2)))).sum().backward()
    o.step()
    return a.weight, b.weight


def buffer_that_is_not_kept():
    m = nn.Module()
    m.register_buffer("kept", torch.ones(1))
    m.register_buffer("lost", torch.ones(1), persistent=False)
    return list(m.state_dict())


def list_of_layers_is_not_registered():
    class Lost(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(2, 2)]

    class Found(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2)])

    return len(list(Lost().parameters())), list(Found().state_dict())


def plain_tensor_is_no_parameter():
    class Module(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.ones(2, requires_grad=True)
            self.p = nn.Parameter(torch.ones(2))

    return [n for n, _ in Module().named_parameters()]


def parameter_replaced_by_a_tensor():
    m = nn.Linear(2, 1)
    m.weight = torch.ones(1, 2)


def parameter_replaced_by_a_parameter():
    m = nn.Linear(2, 1, bias=False)
    m.weight = nn.Parameter(torch.ones(1, 2))
    return m(torch.ones(1, 2)), list(m.state_dict())


def parameter_of_integers():
    nn.Parameter(torch.tensor([1, 2]))


def modes_go_down():
    m = _net().eval()
    return m.norm.training, m.train().norm.training, m.norm.eval().training, m.training


def eval_uses_running_statistics():
    m = nn.BatchNorm1d(2)
    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    a = m(x)
    return a, m.eval()(x), m.running_mean, m.running_var


def batch_norm_of_one_value():
    nn.BatchNorm1d(2)(torch.ones(1, 2))


def optimizer_state_loaded():
    p, q = leaf(1, 2), leaf(1, 2)
    a, b = optim.Adam([p], lr=0.1), optim.Adam([q], lr=0.5)
    for _ in range(2):
        a.zero_grad()
        (p * p).sum().backward()
        a.step()
    b.load_state_dict(a.state_dict())
    with torch.no_grad():
        q.copy_(p)
    (q * q).sum().backward()
    b.step()
    return q, b.param_groups[0]["lr"]


def optimizer_state_is_copied():
    p, q = leaf(1, 2), leaf(1, 2)
    a = optim.SGD([p], lr=0.1, momentum=0.9)
    (p * p).sum().backward()
    a.step()
    b = optim.SGD([q], lr=0.1, momentum=0.9)
    b.load_state_dict(copy.deepcopy(a.state_dict()))
    a.step()
    q.grad = torch.ones(2)
    b.step()
    return p, q


def optimizer_state_of_other_groups():
    a = optim.SGD([leaf(1), leaf(2)], lr=0.1)
    optim.SGD([leaf(1)], lr=0.1).load_state_dict(a.state_dict())


def optimizer_state_of_more_groups():
    a = optim.SGD([{"params": [leaf(1)]}, {"params": [leaf(2)]}], lr=0.1)
    optim.SGD([leaf(1)], lr=0.1).load_state_dict(a.state_dict())


def contiguous_checkpoint_in_a_channels_last_model():
    torch.manual_seed(0)
    x = torch.arange(32.0).reshape(1, 2, 4, 4) / 32
    m = nn.Conv2d(2, 2, 3)
    o = optim.Adam(m.parameters(), lr=0.1)
    m(x).pow(2).sum().backward()
    o.step()
    n = nn.Conv2d(2, 2, 3).to(memory_format=torch.channels_last)
    q = optim.Adam(n.parameters(), lr=0.1)
    n.load_state_dict(m.state_dict())
    q.load_state_dict(o.state_dict())
    for _ in range(2):
        q.zero_grad()
        n(x).pow(2).sum().backward()
        q.step()
    return n.weight


def channels_last_checkpoint_assigned():
    torch.manual_seed(0)
    x = torch.arange(32.0).reshape(1, 2, 4, 4) / 32
    m = nn.Conv2d(2, 2, 3)
    o = optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
    m(x).pow(2).sum().backward()
    o.step()
    s = {k: v.clone().contiguous(memory_format=torch.channels_last) if v.dim() == 4 else v for k, v in m.state_dict().items()}
    m.load_state_dict(s, assign=True)
    q = optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
    q.load_state_dict(o.state_dict())
    m(x).pow(2).sum().backward()
    q.step()
    return m.weight, s["weight"], m.bias


def optimizer_made_before_the_state_was_assigned():
    m = nn.Linear(2, 1, bias=False)
    o = optim.SGD(m.parameters(), lr=0.1)
    m.load_state_dict({"weight": torch.ones(1, 2)}, assign=True)
    m(torch.ones(1, 2)).sum().backward()
    o.step()
    return m.weight


def assigned_has_no_gradient():
    m = nn.Linear(2, 1, bias=False)
    m(torch.ones(1, 2)).sum().backward()
    m.load_state_dict({"weight": torch.ones(1, 2, dtype=torch.float64)}, assign=True)
    return m.weight.grad, m.weight


def file_of_tensors():
    f = scratch("tensors.pt")
    x = torch.arange(6.0).reshape(2, 3)
    torch.save({"x": x, "row": x[1], "t": x.t(), "half": x.half(), "yes": x > 2, "n": 3, "s": "text", "l": [1, 2.5]}, f)
    return torch.load(f)


def file_keeps_shared_memory():
    f = scratch("shared.pt")
    x = torch.zeros(4)
    torch.save({"whole": x, "part": x[1:3]}, f)
    loaded = torch.load(f)
    loaded["whole"].fill_(7)
    return loaded["part"]


def file_keeps_requires_grad():
    f = scratch("leaf.pt")
    torch.save([leaf(1, 2), nn.Parameter(torch.ones(1))], f)
    a, b = torch.load(f)
    return a.requires_grad, b.requires_grad, a


def file_of_a_training():
    f = scratch("training.pt")
    m = _net()
    o = optim.AdamW(m.last.parameters(), lr=0.01)
    x = torch.arange(8.0).reshape(4, 2)
    m(x).sum().backward()
    o.step()
    torch.save({"model": m.state_dict(), "optimizer": o.state_dict(), "epoch": 1}, f)
    n = _net(1)
    q = optim.AdamW(n.last.parameters(), lr=0.5)
    c = torch.load(f)
    n.load_state_dict(c["model"])
    q.load_state_dict(c["optimizer"])
    n(x).sum().backward()
    q.step()
    return n.last.weight, n.norm.running_mean, q.param_groups[0]["lr"], c["epoch"]


def file_that_is_not_there():
    torch.load(scratch("nowhere.pt"))


def file_that_is_no_checkpoint():
    f = scratch("noise.pt")
    with open(f, "w") as file:
        file.write("not a checkpoint")
    torch.load(f)


def file_cut_short():
    f, g = scratch("whole.pt"), scratch("cut.pt")
    torch.save({"x": torch.arange(1000.0)}, f)
    with open(f, "rb") as file, open(g, "wb") as cut:
        cut.write(file.read()[:2000])
    torch.load(g)


def folder_that_is_not_there():
    torch.save(torch.ones(1), scratch("no/folder.pt"))

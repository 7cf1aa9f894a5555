"""Trainings as PyTorch computes them; captured.ts captures the step, and must compute the same."""
import torch
import torch.nn.functional as F
from helpers import leaf
from torch import nn, optim

CALLS = 9


def _model(*extra):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), *extra, nn.Linear(4, 2))


def _batches(calls=CALLS, size=4):
    g = torch.Generator().manual_seed(1)
    return [(torch.rand(size, 3, generator=g), torch.rand(size, 2, generator=g)) for _ in range(calls)]


def _trained(model, optimizer, before=lambda call: None, batches=None, inside=lambda: None):
    def step(x, y):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        inside()
        optimizer.step()
        return loss

    losses = []
    for call, (x, y) in enumerate(batches or _batches()):
        before(call)
        losses.append(step(x, y).detach().clone())
    return losses, list(model.state_dict().values())


def sgd_with_momentum():
    m = _model()
    return _trained(m, optim.SGD(m.parameters(), lr=0.1, momentum=0.9))


def adam_w():
    m = _model()
    return _trained(m, optim.AdamW(m.parameters(), lr=0.05))


def adam_amsgrad():
    m = _model()
    return _trained(m, optim.Adam(m.parameters(), lr=0.05, amsgrad=True))


def rmsprop():
    m = _model()
    return _trained(m, optim.RMSprop(m.parameters(), lr=0.01))


def adadelta():
    m = _model()
    return _trained(m, optim.Adadelta(m.parameters(), lr=1.0))


def rprop():
    m = _model()
    return _trained(m, optim.Rprop(m.parameters(), lr=0.01))


def rate_changed_by_hand():
    m = _model()
    o = optim.SGD(m.parameters(), lr=0.1)

    def before(call):
        o.param_groups[0]["lr"] = 0.1 / (1 + call)

    return _trained(m, o, before)


def schedule_outside():
    m = _model()
    o = optim.Adam(m.parameters(), lr=0.1)
    s = optim.lr_scheduler.ExponentialLR(o, 0.8)
    return _trained(m, o, lambda call: s.step() if call > 0 else None)


def gradients_clipped_inside():
    m = _model()
    return _trained(
        m, optim.SGD(m.parameters(), lr=0.5), inside=lambda: nn.utils.clip_grad_norm_(m.parameters(), 0.1)
    )


def batch_norm():
    m = _model(nn.BatchNorm1d(4))
    return _trained(m, optim.SGD(m.parameters(), lr=0.1))


def dropout():
    m = _model(nn.Dropout(0.5))
    return _trained(m, optim.SGD(m.parameters(), lr=0.1))


def dropout_changed():
    m = _model(nn.Dropout(0.5))

    def before(call):
        if call == 4:
            m[2].p = 0.0

    return _trained(m, optim.SGD(m.parameters(), lr=0.1), before)


def layer_frozen():
    m = _model()

    def before(call):
        if call == 4:
            m[0].weight.requires_grad_(False)

    return _trained(m, optim.SGD(m.parameters(), lr=0.1), before)


def layer_frozen_and_thawed():
    m = _model()

    def before(call):
        if call in (3, 6):
            m[0].requires_grad_(call == 6)

    return _trained(m, optim.Adam(m.parameters(), lr=0.1), before)


def mode_changed():
    m = _model(nn.BatchNorm1d(4), nn.Dropout(0.3))

    def before(call):
        m.train(call != 5)

    return _trained(m, optim.SGD(m.parameters(), lr=0.1), before)


def weights_written():
    m = _model()

    def before(call):
        if call == 5:
            with torch.no_grad():
                m[0].weight.fill_(0.5)

    return _trained(m, optim.SGD(m.parameters(), lr=0.1, momentum=0.5), before)


def state_loaded():
    m = _model()
    kept = {k: v.clone() for k, v in m.state_dict().items()}

    def before(call):
        if call == 5:
            m.load_state_dict(kept)

    return _trained(m, optim.AdamW(m.parameters(), lr=0.1), before)


def state_assigned():
    m = _model()
    kept = {k: v.clone() for k, v in m.state_dict().items()}
    o = optim.SGD(m.parameters(), lr=0.0)

    def before(call):
        if call == 5:
            m.load_state_dict(kept, assign=True)

    return _trained(m, o, before)


def momentum_option_changed():
    m = _model()
    o = optim.SGD(m.parameters(), lr=0.1, momentum=0.9)

    def before(call):
        if call == 4:
            o.param_groups[0]["nesterov"] = True
        if call == 6:
            o.param_groups[0]["maximize"] = True

    return _trained(m, o, before)


def group_added():
    m = _model()
    o = optim.SGD(m[0].parameters(), lr=0.1)

    def before(call):
        if call == 4:
            o.add_param_group({"params": m[2].parameters(), "lr": 0.5})

    return _trained(m, o, before)


def last_batch_smaller():
    m = _model()
    return _trained(m, optim.SGD(m.parameters(), lr=0.1), batches=_batches(4) + _batches(1, 2) + _batches(4) + _batches(1, 2))


def norm_setting_changed():
    m = _model(nn.LayerNorm(4))

    def before(call):
        if call == 4:
            m[2].eps = 1.0

    return _trained(m, optim.SGD(m.parameters(), lr=0.1), before)


def layer_replaced():
    m = _model()
    o = optim.SGD(m.parameters(), lr=0.1)

    def before(call):
        if call == 4:
            m[1] = nn.ReLU()

    return _trained(m, o, before)


def channels_last_between():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Flatten())
    o = optim.Adam(m.parameters(), lr=0.01)
    x = torch.arange(32.0).reshape(1, 2, 4, 4) / 32

    def before(call):
        if call == 4:
            m.to(memory_format=torch.channels_last)

    return _trained(m, o, before, [(x, torch.zeros(1, 12))] * 8)


def moving_average_inside():
    m = _model()
    a = optim.swa_utils.AveragedModel(m, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.5))
    o = optim.SGD(m.parameters(), lr=0.1)
    losses = _trained(m, o, lambda call: a.update_parameters(m))[0]
    return losses, [p for p in a.module.parameters()]


def evaluated():
    m = _model(nn.Dropout(0.5)).eval()
    out = []
    for call, (x, _) in enumerate(_batches()):
        with torch.no_grad():
            if call == 4:
                m[0].bias.add_(1)
            out.append(m(x).sum())
    return out


def noise_inside():
    torch.manual_seed(3)
    x = leaf(1, 2)
    out = []
    for _ in range(6):
        out.append((x + torch.randn(2)).sum().detach())
    return out


def gradients_accumulate():
    m = _model()
    out = []
    for x, y in _batches(5):
        F.mse_loss(m(x), y).backward()
        out.append(m[0].weight.grad.sum())
    return out


def gradient_cleared_outside():
    m = _model()
    out = []
    for call, (x, y) in enumerate(_batches(8)):
        if call % 3 == 0:
            m.zero_grad()
        F.mse_loss(m(x), y).backward()
        out.append(m[0].weight.grad.sum())
    return out


def mixed_precision():
    m = _model()
    o = optim.SGD(m.parameters(), lr=0.1)
    losses = []
    for x, y in _batches(6):
        o.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = m(x)
        loss = F.mse_loss(out.float(), y)
        loss.backward()
        o.step()
        losses.append(out.dtype)
    return losses, m[0].weight.dtype

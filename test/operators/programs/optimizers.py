"""Optimizers in usual and in wrong orders. optimizers.ts has the same programs."""
import torch
from helpers import leaf, refused
from torch import nn, optim


def _slope(*params):
    return sum((p * p * 0.5).sum() for p in params)


def _trained(make, steps=3):
    p = leaf(1, -2, 3)
    o = make([p])
    for _ in range(steps):
        o.zero_grad()
        _slope(p).backward()
        o.step()
    return p


def sgd():
    return _trained(lambda ps: optim.SGD(ps, lr=0.1))


def sgd_with_momentum_and_dampening():
    return _trained(lambda ps: optim.SGD(ps, lr=0.1, momentum=0.9, dampening=0.5))


def sgd_nesterov():
    return _trained(lambda ps: optim.SGD(ps, lr=0.1, momentum=0.9, nesterov=True))


def sgd_nesterov_without_momentum():
    return _trained(lambda ps: optim.SGD(ps, lr=0.1, nesterov=True))


def sgd_with_negative_rate():
    return _trained(lambda ps: optim.SGD(ps, lr=-0.1))


def sgd_maximizes():
    return _trained(lambda ps: optim.SGD(ps, lr=0.1, momentum=0.5, maximize=True))


def adam():
    return _trained(lambda ps: optim.Adam(ps, lr=0.1))


def adam_with_weight_decay():
    return _trained(lambda ps: optim.Adam(ps, lr=0.1, weight_decay=0.1))


def adam_w_default_decay():
    return _trained(lambda ps: optim.AdamW(ps, lr=0.1))


def adam_amsgrad():
    return _trained(lambda ps: optim.Adam(ps, lr=0.1, amsgrad=True), 5)


def adam_with_wrong_betas():
    return _trained(lambda ps: optim.Adam(ps, lr=0.1, betas=(1.0, 0.999)))


def adam_with_zero_eps():
    return _trained(lambda ps: optim.Adam(ps, lr=0.1, eps=0.0))


def rmsprop_centered_with_momentum():
    return _trained(lambda ps: optim.RMSprop(ps, lr=0.1, centered=True, momentum=0.9))


def adagrad_with_rate_decay():
    return _trained(lambda ps: optim.Adagrad(ps, lr=0.1, lr_decay=0.1))


def adadelta():
    return _trained(lambda ps: optim.Adadelta(ps))


def adamax():
    return _trained(lambda ps: optim.Adamax(ps, lr=0.1))


def nadam():
    return _trained(lambda ps: optim.NAdam(ps, lr=0.1))


def radam():
    return _trained(lambda ps: optim.RAdam(ps, lr=0.1), 8)


def rprop():
    return _trained(lambda ps: optim.Rprop(ps, lr=0.1))


def asgd():
    return _trained(lambda ps: optim.ASGD(ps, lr=0.1))


def lbfgs_without_a_closure():
    return _trained(lambda ps: optim.LBFGS(ps))


def lbfgs_with_a_closure():
    p = leaf(3, -2)
    o = optim.LBFGS([p], lr=1, max_iter=5)

    def closure():
        o.zero_grad()
        loss = ((p - 1) ** 4).sum()
        loss.backward()
        return loss

    first = o.step(closure)
    o.step(closure)
    return first, p


def lbfgs_with_line_search():
    p = leaf(-1.5, 2)
    o = optim.LBFGS([p], max_iter=10, line_search_fn="strong_wolfe")

    def closure():
        o.zero_grad()
        loss = (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
        loss.backward()
        return loss

    o.step(closure)
    return p


def no_parameters():
    optim.SGD([], lr=0.1)


def a_tensor_instead_of_a_list():
    optim.SGD(leaf(1, 2), lr=0.1)


def parameter_that_is_no_leaf():
    optim.SGD([leaf(1, 2) * 2], lr=0.1)


def parameter_that_requires_no_grad():
    p = torch.ones(2)
    o = optim.SGD([p], lr=0.1)
    o.step()
    return p


def the_same_parameter_twice():
    p = leaf(1, 2)
    o = optim.SGD([p, p], lr=0.1)
    _slope(p).backward()
    o.step()
    return p


def the_same_parameter_in_two_groups():
    p = leaf(1, 2)
    optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1)


def two_groups_with_rates():
    p, q = leaf(1, 2), leaf(3)
    o = optim.SGD([{"params": [p], "lr": 0.5}, {"params": [q]}], lr=0.1, momentum=0.9)
    for _ in range(2):
        o.zero_grad()
        _slope(p, q).backward()
        o.step()
    return p, q, [g["lr"] for g in o.param_groups]


def step_before_backward():
    p = leaf(1, 2)
    o = optim.Adam([p], lr=0.1)
    o.step()
    _slope(p).backward()
    o.step()
    return p


def forgotten_zero_grad_adds_gradients():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1)
    for _ in range(3):
        _slope(p).backward()
        o.step()
    return p, p.grad


def zero_grad_after_backward_does_nothing():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1)
    _slope(p).backward()
    o.zero_grad()
    o.step()
    return p, p.grad


def step_between_two_backwards_of_one_graph():
    p, q = leaf(1, 2), leaf(3, 4)
    o = optim.SGD([q], lr=0.1)
    loss = (p * q).sum()
    loss.backward(retain_graph=True)
    o.step()
    loss.backward()
    return p.grad


def adam_step_between_two_backwards():
    p, q = leaf(1, 2), leaf(3, 4)
    o = optim.Adam([q], lr=0.1)
    loss = (p * q).sum()
    loss.backward(retain_graph=True)
    o.step()
    return refused(lambda: loss.backward()), p.grad


def generator_steps_before_discriminators_backward():
    torch.manual_seed(3)
    g, d = nn.Linear(2, 2), nn.Linear(2, 1)
    og = optim.AdamW(g.parameters(), lr=0.1)
    fake = g(torch.ones(1, 2))
    score = d(fake)
    loss = (1 - score).sum()
    loss.backward(retain_graph=True)
    og.step()
    (score * score).sum().backward()
    return d.weight.grad


def discriminator_steps_before_generators_backward():
    torch.manual_seed(3)
    g, d = nn.Linear(2, 2), nn.Linear(2, 1)
    od = optim.SGD(d.parameters(), lr=0.1)
    score = d(g(torch.ones(1, 2)))
    score.sum().backward(retain_graph=True)
    od.step()
    (1 - score).sum().backward()
    return g.weight.grad


def gan_with_detach():
    torch.manual_seed(3)
    g, d = nn.Linear(2, 2), nn.Linear(2, 1)
    og, od = optim.SGD(g.parameters(), lr=0.1), optim.SGD(d.parameters(), lr=0.1)
    for _ in range(2):
        fake = g(torch.ones(1, 2))
        od.zero_grad()
        d(fake.detach()).pow(2).sum().backward()
        od.step()
        og.zero_grad()
        (1 - d(fake)).pow(2).sum().backward()
        og.step()
    return g.weight, d.weight


def rate_changed_by_hand():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1)
    for lr in (0.1, 0.01):
        o.zero_grad()
        _slope(p).backward()
        o.param_groups[0]["lr"] = lr
        o.step()
    return p


def parameter_frozen_between_steps():
    p, q = leaf(1, 2), leaf(3)
    o = optim.SGD([p, q], lr=0.1, momentum=0.9)
    for i in range(3):
        o.zero_grad()
        _slope(p, q).backward()
        o.step()
        if i == 0:
            q.requires_grad_(False)
    return p, q


def gradient_of_zeros_still_moves_by_momentum():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1, momentum=0.9)
    _slope(p).backward()
    o.step()
    p.grad.zero_()
    o.step()
    return p


def gradient_of_none_does_not_move():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1, momentum=0.9)
    _slope(p).backward()
    o.step()
    p.grad = None
    o.step()
    return p


def group_added_later():
    p, q = leaf(1, 2), leaf(3)
    o = optim.Adam([p], lr=0.1)
    _slope(p).backward()
    o.step()
    o.add_param_group({"params": [q], "lr": 0.01})
    o.zero_grad()
    _slope(p, q).backward()
    o.step()
    return p, q


def group_added_twice():
    p = leaf(1, 2)
    o = optim.Adam([p], lr=0.1)
    o.add_param_group({"params": [p]})


def gradient_of_another_shape():
    p = leaf(1, 2)
    p.grad = torch.ones(3)


def gradient_of_another_dtype():
    p = leaf(1, 2)
    p.grad = torch.ones(2, dtype=torch.float64)


def channels_last_between_steps():
    torch.manual_seed(1)
    m = nn.Conv2d(2, 3, 3)
    o = optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
    x = torch.arange(32.0).reshape(1, 2, 4, 4) / 32
    for i in range(4):
        if i == 2:
            m.to(memory_format=torch.channels_last)
        o.zero_grad()
        m(x).pow(2).sum().backward()
        o.step()
    return m.weight, m.bias


def adam_on_a_transposed_parameter():
    p = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
    o = optim.Adam([p], lr=0.1)
    for _ in range(2):
        o.zero_grad()
        (p * torch.arange(6.0).reshape(3, 2)).sum().backward()
        o.step()
    return p


def clipped_by_norm():
    p = leaf(3, 4)
    o = optim.SGD([p], lr=1)
    _slope(p).backward()
    norm = nn.utils.clip_grad_norm_([p], 1.0)
    o.step()
    return norm, p


def clipped_by_value():
    p = leaf(3, -4, 0.5)
    _slope(p).backward()
    nn.utils.clip_grad_value_([p], 1.0)
    return p.grad


def clipped_before_backward():
    p = leaf(3, 4)
    norm = nn.utils.clip_grad_norm_([p], 1.0)
    return norm, p.grad


def nan_gradient_spoils_adam():
    p = leaf(1, 2)
    o = optim.Adam([p], lr=0.1)
    p.grad = torch.tensor([float("nan"), 1.0])
    o.step()
    p.grad = torch.ones(2)
    o.step()
    return p


def gradient_accumulation_over_two_batches():
    torch.manual_seed(2)
    m = nn.Linear(2, 1)
    o = optim.SGD(m.parameters(), lr=0.1)
    data = torch.arange(8.0).reshape(4, 2)
    for i in range(4):
        (m(data[i : i + 1]).pow(2).mean() / 2).backward()
        if i % 2 == 1:
            o.step()
            o.zero_grad()
    return m.weight, m.bias

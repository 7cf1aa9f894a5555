"""Modes, functions of one's own and second derivatives. modes.ts has the same programs."""
import torch
import torch.nn.functional as F
from helpers import leaf, refused
from torch import nn
from torch.utils.checkpoint import checkpoint


def grad_mode_set_by_hand():
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    y = leaf(1, 2) * 2
    torch.set_grad_enabled(True)
    return before, y.requires_grad, torch.is_grad_enabled()


def inference_mode_inside_no_grad():
    with torch.no_grad():
        with torch.inference_mode():
            x = torch.ones(1)
        y = torch.ones(1)
    return x.is_inference(), y.is_inference()


def inference_tensor_viewed_and_copied():
    with torch.inference_mode():
        x = torch.ones(2)
    return refused(lambda: x.requires_grad_()), refused(lambda: x.view(2).add_(1)), x.clone().requires_grad_().requires_grad


def layer_made_in_inference_mode():
    torch.manual_seed(0)
    with torch.inference_mode():
        m = nn.Linear(2, 1)
    m(torch.ones(1, 2)).sum().backward()


def layer_made_under_no_grad():
    torch.manual_seed(0)
    with torch.no_grad():
        m = nn.Linear(2, 1)
    m(torch.ones(1, 2)).sum().backward()
    return m.weight.grad


def view_made_under_no_grad_and_changed():
    x = leaf(1, 2) * 1
    with torch.no_grad():
        v = x[:1]
    return refused(lambda: v.add_(1)), x


def view_changed_under_no_grad():
    x = leaf(1, 2)
    y = x * 1
    v = y[:1]
    with torch.no_grad():
        v.zero_()
    (y * 3).sum().backward()
    return y, x.grad


def anomaly_finds_nan():
    x = leaf(0)
    with torch.autograd.detect_anomaly():
        y = (x.sqrt() * 0).sum()
        y.backward()


def saved_tensors_packed():
    x = leaf(2, 3)
    seen = []

    def pack(t):
        seen.append(t.shape)
        return t * 10

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = x.exp()
    y.sum().backward()
    return seen, x.grad


def checkpoint_draws_the_same_dropout():
    torch.manual_seed(0)
    x = torch.ones(8, requires_grad=True)
    y = checkpoint(lambda t: F.dropout(t, 0.5) * t, x, use_reentrant=False)
    y.sum().backward()
    return (x.grad / 2 - y).abs().sum()


def checkpoint_of_what_changed():
    x = leaf(1, 2)
    w = torch.ones(2, requires_grad=True)
    y = checkpoint(lambda t: (t * w).exp(), x, use_reentrant=False)
    with torch.no_grad():
        w.mul_(2)
    return refused(lambda: y.sum().backward())


class _Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        return x * by

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.by, None


def function_with_a_number():
    x = leaf(1, 2)
    _Double.apply(x, 3).sum().backward()
    return x.grad


class _TooFew(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad


def function_that_returns_too_few():
    _TooFew.apply(leaf(1), leaf(2)).sum().backward()


class _WrongShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(3)


def function_that_returns_a_wrong_shape():
    _WrongShape.apply(leaf(1, 2)).backward()


class _InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def function_that_writes_its_input():
    x = leaf(1, 2)
    y = x * 1
    z = _InPlace.apply(y)
    z.sum().backward()
    return y, x.grad, refused(lambda: _InPlace.apply(leaf(1)))


class _Sorted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.mark_non_differentiable(order)
        ctx.save_for_backward(order)
        return values, order

    @staticmethod
    def backward(ctx, grad, _):
        (order,) = ctx.saved_tensors
        return torch.zeros_like(grad).scatter_(0, order, grad)


def function_of_two_results():
    x = leaf(3, 1, 2)
    values, order = _Sorted.apply(x)
    (values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return x.grad, order.requires_grad


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


def straight_through():
    x = leaf(0.4, 1.6)
    (_Round.apply(x) * x).sum().backward()
    y = leaf(0.4, 1.6)
    ((y + (y.round() - y).detach()) * y).sum().backward()
    return x.grad, y.grad


def second_derivatives_of_layers():
    torch.manual_seed(0)
    out = []
    for m, shape in (
        (nn.Linear(2, 2), (3, 2)),
        (nn.Conv1d(1, 2, 2), (1, 1, 4)),
        (nn.BatchNorm1d(2), (3, 2)),
        (nn.LayerNorm(2), (3, 2)),
        (nn.Sequential(nn.Linear(2, 2), nn.Softplus()), (3, 2)),
    ):
        x = (torch.arange(float(torch.Size(shape).numel())).reshape(shape) / 5).requires_grad_()
        (g,) = torch.autograd.grad(m(x).pow(2).sum(), x, create_graph=True)
        g.pow(2).sum().backward()
        out.append(x.grad)
    return out


def second_derivative_of_relu_and_max_pool():
    x = leaf(-1, 2, 3, 1)
    (g,) = torch.autograd.grad((F.max_pool1d(x.relu()[None], 2) ** 3).sum(), x, create_graph=True)
    g.sum().backward()
    return g, x.grad


def second_derivative_of_attention():
    q = (torch.arange(6.0).reshape(1, 1, 3, 2) / 5).requires_grad_()
    (g,) = torch.autograd.grad(F.scaled_dot_product_attention(q, q, q).pow(2).sum(), q, create_graph=True)
    g.sum().backward()
    return q.grad


def second_derivative_of_losses():
    x = torch.tensor([[1.0, 2.0, 0.5]], requires_grad=True)
    (g,) = torch.autograd.grad(F.cross_entropy(x, torch.tensor([1])), x, create_graph=True)
    (g * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return x.grad


def learned_learning_rate():
    w, lr = leaf(1, 2), leaf(0.1)
    (g,) = torch.autograd.grad((w**2).sum(), w, create_graph=True)
    ((w - lr * g) ** 2).sum().backward()
    return lr.grad, w.grad


def inner_step_of_meta_learning():
    torch.manual_seed(0)
    m = nn.Linear(2, 1)
    x = torch.ones(1, 2)
    grads = torch.autograd.grad(m(x).pow(2).sum(), list(m.parameters()), create_graph=True)
    w, b = (p - 0.1 * g for p, g in zip(m.parameters(), grads))
    F.linear(x * 2, w, b).pow(2).sum().backward()
    return m.weight.grad, m.bias.grad


def gradients_of_a_batch_one_by_one():
    torch.manual_seed(0)
    m = nn.Linear(2, 1)
    x = torch.arange(6.0).reshape(3, 2)
    each = []
    for row in x:
        m.zero_grad()
        m(row).pow(2).sum().backward()
        each.append(m.weight.grad.clone())
    m.zero_grad()
    m(x).pow(2).sum().backward()
    return each, m.weight.grad


def complex_gradient():
    z = torch.tensor([1 + 2j], requires_grad=True)
    z.abs().pow(2).sum().backward()
    return z.grad

"""Graphs of autograd: backward, grad, hooks, functions of one's own, modes. graphs.ts has the same programs."""
import torch
from helpers import leaf, refused
from torch import nn


def backward_twice():
    y = (leaf(1, 2) ** 2).sum()
    y.backward()
    y.backward()


def backward_twice_of_a_sum():
    x = leaf(1, 2)
    y = x.sum()
    y.backward()
    y.backward()
    return x.grad


def backward_twice_with_retain_graph():
    x = leaf(1, 2)
    y = (x**2).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad, refused(lambda: y.backward())


def shared_graph_freed_by_the_first_loss():
    x = leaf(1, 2)
    h = x.exp()
    (h * 2).sum().backward()
    return x.grad, refused(lambda: (h * 3).sum().backward())


def backward_of_many_elements():
    (leaf(1, 2) * 2).backward()


def backward_with_a_gradient():
    x = leaf(1, 2)
    (x * 2).backward(torch.tensor([1.0, 10.0]))
    return x.grad


def backward_with_a_gradient_of_another_shape():
    (leaf(1, 2) * 2).backward(torch.ones(3))


def backward_without_a_graph():
    torch.ones(2).sum().backward()


def backward_of_integers():
    torch.tensor([1, 2], requires_grad=True)


def argmax_has_no_gradient():
    leaf(1, 2).argmax().backward()


def gradient_of_what_is_no_leaf():
    x = leaf(1, 2)
    y = x * 2
    y.sum().backward()
    return y.grad, x.grad


def retain_grad():
    x = leaf(1, 2)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad, x.grad


def retain_grad_of_what_requires_none():
    torch.ones(2).retain_grad()


def detach_cuts():
    x = leaf(1, 2)
    y = x * 2
    (y.detach() * y).sum().backward()
    return x.grad


def detach_in_place_of_a_view():
    x = leaf(1, 2)
    y = (x * 2)[0]
    y.detach_()
    return y


def requires_grad_of_what_is_no_leaf():
    y = leaf(1, 2) * 2
    y.requires_grad_(False)


def requires_grad_switched_off_in_the_middle():
    x = leaf(1, 2)
    y = (x * x).sum()
    x.requires_grad_(False)
    y.backward()
    return x.grad, x.requires_grad


def grad_of_unused():
    x, y = leaf(1, 2), leaf(3)
    return refused(lambda: torch.autograd.grad(x.sum(), [x, y])), torch.autograd.grad(
        x.sum(), [x, y], allow_unused=True
    )


def grad_does_not_fill_grad():
    x = leaf(1, 2)
    (g,) = torch.autograd.grad((x**2).sum(), x)
    return g, x.grad


def second_derivative():
    x = leaf(2, 3)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return g, h


def second_derivative_without_create_graph():
    x = leaf(2, 3)
    (g,) = torch.autograd.grad((x**3).sum(), x)
    torch.autograd.grad(g.sum(), x)


def gradient_penalty():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    x = torch.ones(2, 2, requires_grad=True)
    (g,) = torch.autograd.grad(m(x).sum(), x, create_graph=True)
    ((g.norm(2, 1) - 1) ** 2).mean().backward()
    return m[0].weight.grad, m[2].bias.grad


def inputs_of_backward():
    x, y = leaf(1, 2), leaf(3, 4)
    (x * y).sum().backward(inputs=[x])
    return x.grad, y.grad


def hook_changes_the_gradient():
    x = leaf(1, 2)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return x.grad


def hook_removed():
    x = leaf(1, 2)
    handle = x.register_hook(lambda g: g * 10)
    handle.remove()
    (x * 3).sum().backward()
    return x.grad


def two_hooks_in_their_order():
    x = leaf(1, 2)
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: g * 10)
    (x * 3).sum().backward()
    return x.grad


def hook_of_another_shape():
    x = leaf(1, 2)
    x.register_hook(lambda g: torch.ones(3))
    (x * 3).sum().backward()
    return x.grad


def hook_of_what_requires_none():
    torch.ones(2).register_hook(lambda g: g)


def hook_that_throws():
    x = leaf(1, 2)

    def hook(g):
        raise ValueError("no")

    x.register_hook(hook)
    (x * 3).sum().backward()


def hook_after_accumulation():
    x = leaf(1, 2)
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    (x * 3).sum().backward()
    (x * 2).sum().backward()
    return seen


def gradients_meet_in_a_shared_leaf():
    x = leaf(2)
    y = x * 2
    z = y * y + y
    z.backward(torch.ones(1))
    return x.grad


def no_grad_gives_what_requires_none():
    x = leaf(1, 2)
    with torch.no_grad():
        y = x * 2
        z = torch.ones(2, requires_grad=True)
        inner = torch.is_grad_enabled()
    return y.requires_grad, z.requires_grad, inner, torch.is_grad_enabled()


def enable_grad_inside_no_grad():
    x = leaf(1, 2)
    with torch.no_grad():
        with torch.enable_grad():
            y = x * 2
    y.sum().backward()
    return x.grad


def no_grad_ends_after_an_error():
    try:
        with torch.no_grad():
            torch.zeros(2).reshape(3)
    except RuntimeError:
        pass
    return torch.is_grad_enabled()


def layer_called_under_no_grad():
    torch.manual_seed(0)
    m = nn.Linear(2, 1)
    with torch.no_grad():
        y = m(torch.ones(1, 2))
    y.sum().backward()


def inference_tensor_in_autograd():
    x = leaf(1, 2)
    with torch.inference_mode():
        y = torch.ones(2)
    return refused(lambda: (x * y).sum().backward()), (x + y.clone()).requires_grad


def inference_tensor_changed_outside():
    with torch.inference_mode():
        y = torch.ones(2)
    y.add_(1)
    return y


def parameter_frozen():
    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    m.weight.requires_grad_(False)
    m(torch.ones(1, 2)).sum().backward()
    return m.weight.grad, m.bias.grad


def all_frozen():
    m = nn.Linear(2, 2).requires_grad_(False)
    m(torch.ones(1, 2)).sum().backward()


def checkpointed_gradient():
    from torch.utils.checkpoint import checkpoint

    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    x = leaf(1, 2)
    checkpoint(lambda t: m(t).tanh(), x, use_reentrant=False).sum().backward()
    return x.grad, m.weight.grad


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


def function_of_ones_own():
    x = leaf(2, 3)
    _Cube.apply(x).sum().backward()
    return x.grad


def function_of_ones_own_whose_input_changed():
    x = leaf(2, 3)
    y = x * 1
    z = _Cube.apply(y)
    y.add_(1)
    z.sum().backward()
    return x.grad


def function_of_ones_own_twice_differentiable():
    x = leaf(2, 3)
    (g,) = torch.autograd.grad(_Cube.apply(x).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return g, h


def norm_at_zero():
    x = torch.zeros(3, requires_grad=True)
    x.norm().backward()
    return x.grad


def square_root_at_zero():
    x = torch.zeros(2, requires_grad=True)
    x.sqrt().sum().backward()
    return x.grad


def where_does_not_hide_nan():
    x = torch.zeros(2, requires_grad=True)
    torch.where(x > 0, x.sqrt(), x).sum().backward()
    return x.grad


def max_shares_among_equals():
    x = leaf(2, 2, 1)
    x.max().backward()
    g = x.grad.clone()
    x.grad = None
    x.max(0).values.backward()
    return g, x.grad


def abs_at_zero():
    x = leaf(-1, 0, 2)
    x.abs().sum().backward()
    return x.grad

"""Tensors changed in place under autograd. in_place.ts has the same programs."""
import torch
import torch.nn.functional as F
from helpers import leaf, refused
from torch import nn


def exp_needs_its_result():
    x = leaf(1, 2, 3)
    y = x.exp()
    y.add_(1)
    y.sum().backward()
    return x.grad


def relu_in_place_then_changed():
    x = leaf(-1, 2, 3)
    y = (x * 2).relu_()
    y.mul_(3)
    y.sum().backward()
    return x.grad


def add_does_not_need_its_result():
    x = leaf(1, 2, 3)
    y = x + 1
    y.mul_(2)
    y.sum().backward()
    return x.grad


def square_needs_its_input():
    x = leaf(1, 2, 3)
    y = x * 1
    z = y.pow(2)
    y.add_(1)
    z.sum().backward()
    return x.grad


def mul_by_number_does_not_need_its_input():
    x = leaf(1, 2, 3)
    y = x * 1
    z = y * 5
    y.zero_()
    z.sum().backward()
    return x.grad, y


def leaf_that_requires_grad():
    x = leaf(1, 2)
    x.add_(1)
    return x


def leaf_under_no_grad():
    x = leaf(1, 2)
    with torch.no_grad():
        x.add_(1)
    (x * x).sum().backward()
    return x, x.grad, x.requires_grad


def leaf_changed_between_forward_and_backward():
    x = leaf(1, 2)
    y = (x * x).sum()
    with torch.no_grad():
        x.mul_(10)
    y.backward()
    return x.grad


def view_of_leaf():
    x = leaf(1, 2, 3)
    x[:2].zero_()
    return x


def view_of_leaf_under_no_grad():
    x = leaf(1, 2, 3)
    with torch.no_grad():
        x[:2].zero_()
    (x * 2).sum().backward()
    return x, x.grad


def detach_shares_memory_and_version():
    x = leaf(1, 2, 3)
    y = x * x
    x.detach().zero_()
    return refused(lambda: y.sum().backward()), x


def data_does_not_share_its_version():
    x = leaf(1, 2, 3)
    y = x * x
    with torch.no_grad():
        z = x.detach().clone()
    z.zero_()
    y.sum().backward()
    return x.grad


def sigmoid_in_place_twice():
    x = leaf(0.5, -0.5)
    y = x.clone().sigmoid_()
    z = y.sigmoid()
    z.sum().backward()
    return x.grad


def sigmoid_result_overwritten():
    x = leaf(0.5, -0.5)
    y = x.clone().sigmoid_()
    y.sigmoid_()
    y.sum().backward()
    return x.grad


def gradient_through_index_assignment():
    x = leaf(1, 2, 3)
    y = torch.zeros(3)
    y[1] = x[0] * x[2]
    y.sum().backward()
    return y, x.grad


def overwritten_element_has_no_gradient():
    x = leaf(1, 2, 3)
    y = x * 2
    y[0] = 0
    y.sum().backward()
    return x.grad


def fill_cuts_the_gradient():
    x = leaf(1, 2, 3)
    y = x * 2
    y.fill_(7)
    y.sum().backward()
    return y, x.grad


def masked_fill_in_place():
    x = leaf(1, -2, 3)
    y = x.clone()
    y.masked_fill_(x < 0, 0)
    (y * y).sum().backward()
    return y, x.grad


def copy_passes_the_gradient():
    x = leaf(1, 2, 3)
    y = torch.zeros(3)
    y.copy_(x * 2)
    (y * y).sum().backward()
    return y.requires_grad, x.grad


def clone_then_change():
    x = leaf(1, 2, 3)
    y = x.exp()
    z = y.clone()
    z.add_(1)
    (y.sum() + z.sum()).backward()
    return x.grad


def softmax_then_divided_in_place():
    x = leaf(1, 2, 3)
    y = x.softmax(0)
    y.div_(2)
    y.sum().backward()
    return x.grad


def matmul_needs_both():
    a = torch.ones(2, 2, requires_grad=True)
    b = torch.ones(2, 2, requires_grad=True)
    c = b * 1
    d = a @ c
    c.zero_()
    d.sum().backward()
    return a.grad


def matmul_needs_only_what_requires_grad():
    a = torch.ones(2, 2, requires_grad=True)
    b = torch.ones(2, 2)
    d = a @ b
    a.detach().zero_()
    d.sum().backward()
    return a.grad


def accumulated_sum():
    x = leaf(1, 2, 3)
    total = torch.zeros(1)
    for i in range(3):
        total += x[i] * x[i]
    total.backward()
    return total, x.grad


def running_state_in_place_keeps_the_graph():
    w = leaf(2)
    h = torch.zeros(1)
    for _ in range(3):
        h.mul_(w).add_(1)
    h.sum().backward()
    return w.grad


def running_state_out_of_place():
    w = leaf(2)
    h = torch.zeros(1)
    for _ in range(3):
        h = h * w + 1
    h.sum().backward()
    return w.grad


def dropout_in_place_then_linear():
    x = torch.ones(2, 4, requires_grad=True)
    y = torch.dropout_(x * 1, 0.5, True)
    y.sum().backward()
    return y, x.grad


def relu_in_place_module_after_linear():
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(inplace=True), nn.Linear(2, 1))
    net(torch.ones(2, 3)).sum().backward()
    return [p.grad for p in net.parameters()]


def residual_added_in_place():
    torch.manual_seed(1)
    a = nn.Linear(2, 2)
    x = torch.ones(1, 2)
    y = F.relu(a(x))
    y += x
    y.sum().backward()
    return y, a.weight.grad


def sigmoid_then_residual_in_place():
    torch.manual_seed(1)
    a = nn.Linear(2, 2)
    y = torch.sigmoid(a(torch.ones(1, 2)))
    y += 1
    y.sum().backward()
    return a.weight.grad


def unbind_gives_views_that_may_not_change():
    x = leaf(1, 2, 3)
    a, b, c = (x * 2).unbind(0)
    a.add_(1)
    return a


def chunk_gives_views_that_may_not_change():
    x = leaf(1, 2, 3, 4)
    a, b = (x * 2).chunk(2)
    return refused(lambda: a.mul_(2)), b


def view_changed_base_used():
    x = leaf(1, 2, 3, 4)
    y = x * 1
    y.view(2, 2)[0].mul_(10)
    (y * torch.arange(4.0)).sum().backward()
    return y, x.grad


def base_changed_view_used():
    x = leaf(1, 2, 3, 4)
    y = x * 1
    v = y.view(2, 2)
    y.mul_(3)
    v[1].sum().backward()
    return v, x.grad


def transposed_view_changed():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 1
    y.t()[0] = 5
    y.sum().backward()
    return y, x.grad


def expanded_cannot_be_written():
    x = torch.zeros(1, 3).expand(2, 3)
    x.add_(1)
    return x


def index_put_accumulates_with_gradient():
    x = torch.zeros(4)
    v = leaf(1, 2, 3)
    y = x.index_put((torch.tensor([0, 1, 1]),), v, accumulate=True)
    (y * y).sum().backward()
    return y, v.grad


def scatter_add_in_place_with_gradient():
    v = leaf(1, 2, 3)
    y = torch.zeros(2).scatter_add_(0, torch.tensor([0, 1, 0]), v)
    (y * y).sum().backward()
    return y, v.grad


def index_add_in_place_with_gradient():
    v = leaf(1, 2, 3)
    y = torch.ones(2).index_add_(0, torch.tensor([1, 1, 0]), v, alpha=2)
    (y * y).sum().backward()
    return y, v.grad


def clamp_in_place():
    x = leaf(-2, 0.5, 2)
    y = (x * 1).clamp_(-1, 1)
    y.sum().backward()
    return y, x.grad


def out_refuses_what_requires_grad():
    a = leaf(1, 2)
    out = torch.zeros(2)
    torch.add(a, a, out=out)
    return out


def out_under_no_grad():
    a = leaf(1, 2)
    out = torch.zeros(2)
    with torch.no_grad():
        torch.add(a, a, out=out)
    return out, out.requires_grad


def squeeze_and_unsqueeze_in_place():
    x = leaf(1, 2, 3)
    y = (x * 2).unsqueeze_(0)
    y.squeeze_(0).mul_(2)
    y.sum().backward()
    return y, x.grad


def gradient_changed_in_place_after_backward():
    x = leaf(1, 2)
    (x * 3).sum().backward()
    x.grad.mul_(2)
    (x * 3).sum().backward()
    return x.grad


def gradient_zeroed_in_place_is_the_same_tensor():
    x = leaf(1, 2)
    (x * 3).sum().backward()
    g = x.grad
    x.grad.zero_()
    (x * 5).sum().backward()
    return g


def swapped_rows_need_a_clone():
    x = torch.arange(4.0).reshape(2, 2)
    x[0] = x[1].clone()
    x[1] = x[0]
    return x


def where_then_inplace_on_condition():
    x = leaf(1, -2, 3)
    mask = x.detach() > 0
    y = torch.where(mask, x * 2, x * 3)
    mask.fill_(True)
    y.sum().backward()
    return x.grad


def max_needs_its_indices():
    x = leaf(1, 5, 3)
    values, indices = (x * 2).max(0)
    indices.zero_()
    values.backward()
    return x.grad

"""What shares memory with what between forward, backward and step. aliases.ts has the same programs."""
import copy

import torch
from helpers import leaf, refused
from torch import nn, optim


def gradient_given_to_backward_is_not_kept():
    x = leaf(1, 2)
    g = torch.ones(2)
    x.backward(g)
    x.grad.add_(5)
    return g, x.grad


def gradient_set_by_hand_is_added_to():
    x = leaf(1, 2)
    g = torch.ones(2)
    x.grad = g
    (x * 3).sum().backward()
    return g, x.grad


def gradient_held_over_zero_grad():
    x = leaf(1, 2)
    o = optim.SGD([x], lr=0.1)
    (x * 3).sum().backward()
    g = x.grad
    o.zero_grad()
    (x * 5).sum().backward()
    return g, x.grad


def gradient_of_a_sum_can_be_written():
    x = leaf(1, 2, 3)
    x.sum().backward()
    x.grad[0] = 5
    return x.grad


def gradient_of_a_sum_of_two():
    x, y = leaf(1, 2), leaf(3, 4)
    (x + y).sum().backward()
    x.grad.mul_(10)
    return x.grad, y.grad


def hook_that_writes_into_the_gradient():
    x, y = leaf(1, 2), leaf(3, 4)
    z = x * 2 + y * 2
    z.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g.clone().mul_(2))
    z.sum().backward()
    return x.grad, y.grad


def gradients_of_grad_do_not_share():
    x = leaf(1, 2)
    a, b = x * 1, x * 1
    g, h = torch.autograd.grad((a + b).sum(), [a, b])
    return g.clone().mul_(3), h


def tensor_made_of_a_tensor_is_a_copy():
    x = torch.ones(2)
    y = x.clone()
    z = x.detach()
    x.add_(1)
    return y, z


def to_the_same_is_the_same():
    x = torch.ones(2)
    y = x.to(torch.float32)
    z = x.float()
    w = x.to(torch.float32, copy=True)
    x.add_(1)
    return y, z, w


def to_another_dtype_is_a_copy():
    x = torch.ones(2)
    y = x.double()
    x.add_(1)
    return y


def as_tensor_shares_and_tensor_copies():
    x = torch.ones(2)
    y = torch.as_tensor(x)
    x.add_(1)
    return y


def parameter_of_a_tensor_shares():
    x = torch.ones(2)
    p = nn.Parameter(x)
    x.add_(1)
    return p


def parameter_of_a_result_is_a_leaf():
    x = leaf(1, 2)
    p = nn.Parameter(x * 2)
    (p * 3).sum().backward()
    return p.is_leaf, p.grad, x.grad


def buffer_shares():
    m = nn.Module()
    x = torch.ones(2)
    m.register_buffer("x", x)
    x.add_(1)
    return m.x


def momentum_is_no_gradient():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1, momentum=0.9)
    (p * 3).sum().backward()
    o.step()
    p.grad.zero_()
    return o.state[p]["momentum_buffer"]


def weights_written_by_hand_between_forward_and_backward():
    m = nn.Linear(2, 2)
    y = m(torch.ones(1, 2, requires_grad=True)).sum()
    nn.init.zeros_(m.weight)
    y.backward()


def biases_written_by_hand_between_forward_and_backward():
    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    x = torch.ones(1, 2, requires_grad=True)
    y = m(x).sum()
    nn.init.zeros_(m.bias)
    y.backward()
    return x.grad


def step_between_forward_and_backward():
    m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    o = optim.RMSprop(m.parameters(), lr=0.1)
    m(torch.ones(1, 2)).sum().backward()
    y = m(torch.ones(1, 2)).sum()
    o.step()
    y.backward()


def zero_grad_between_forward_and_backward():
    torch.manual_seed(0)
    m = nn.Linear(2, 1)
    m(torch.ones(1, 2)).sum().backward()
    y = m(torch.ones(1, 2) * 3).sum()
    m.zero_grad()
    y.backward()
    return m.weight.grad


def sgd_by_hand():
    x = leaf(1, 2)
    for _ in range(3):
        (x**2).sum().backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
        x.grad = None
    return x


def sgd_by_hand_loses_the_leaf():
    x = leaf(1, 2)
    (x**2).sum().backward()
    x = x - 0.1 * x.grad
    (x**2).sum().backward()
    return x.grad


def sgd_by_hand_without_no_grad():
    x = leaf(1, 2)
    (x**2).sum().backward()
    x.sub_(0.1 * x.grad)


def batch_norm_evaluated_then_trained():
    torch.manual_seed(0)
    m = nn.BatchNorm1d(2).eval()
    x = torch.tensor([[1.0, 2.0], [3.0, 7.0]], requires_grad=True)
    y = (m(x) * torch.tensor([1.0, 3.0])).sum()
    m.train()(x.detach())
    y.backward()
    return x.grad


def running_mean_set_between():
    m = nn.BatchNorm1d(2).eval()
    x = torch.ones(2, 2, requires_grad=True)
    y = m(x).pow(2).sum()
    m.reset_running_stats()
    m.running_var.fill_(4)
    return refused(lambda: y.backward())


def input_changed_after_the_layer():
    torch.manual_seed(0)
    m = nn.Linear(2, 1)
    x = torch.ones(1, 2)
    y = m(x).sum()
    x.fill_(100)
    y.backward()


def input_changed_after_an_activation():
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    x = torch.ones(1, 2)
    y = m(x.clone()).sum()
    x.fill_(100)
    y.backward()
    return m[0].weight.grad[0, 0] in (0, 1)


def target_changed_after_the_loss():
    x = leaf(1, 2)
    t = torch.zeros(2)
    y = nn.MSELoss()(x, t)
    t.fill_(9)
    y.backward()


def class_weights_changed_after_the_loss():
    x = torch.zeros(1, 2, requires_grad=True)
    w = torch.ones(2)
    y = nn.CrossEntropyLoss(weight=w)(x, torch.tensor([1]))
    w.fill_(9)
    y.backward()


def index_changed_after_the_gather():
    x = leaf(1, 2, 3)
    i = torch.tensor([0, 1])
    y = x.gather(0, i).sum()
    i.fill_(2)
    y.backward()


def index_changed_after_the_read():
    x = leaf(1, 2, 3)
    i = torch.tensor([0, 1])
    y = x[i].sum()
    i.fill_(2)
    y.backward()


def mask_changed_after_the_read():
    x = leaf(1, 2, 3)
    m = torch.tensor([True, False, True])
    y = (x[m] ** 2).sum()
    m.fill_(True)
    y.backward()


def embedding_index_changed():
    m = nn.Embedding(3, 1)
    i = torch.tensor([0, 1])
    y = m(i).sum()
    i.fill_(2)
    y.backward()


def dropout_result_changed():
    x = torch.ones(4, requires_grad=True)
    y = nn.functional.dropout(x, 0.5)
    y.mul_(2)
    y.sum().backward()
    return x.grad == y


def out_writes_what_backward_needs():
    x = leaf(1, 2)
    y = x * 1
    z = (y * y).sum()
    with torch.no_grad():
        torch.add(torch.ones(2), 1, out=y.detach())
    z.backward()


def foreach_writes_what_backward_needs():
    x = leaf(1, 2)
    y = x * 1
    z = (y * y).sum()
    with torch.no_grad():
        torch._foreach_mul_([y], 2.0)
    z.backward()


def clip_writes_gradients_of_a_graph():
    x = leaf(1, 2)
    (x**3).sum().backward(create_graph=True)
    g = x.grad
    s = (g * g).sum()
    nn.utils.clip_grad_norm_([x], 1.0)
    s.backward()


def average_of_a_model():
    torch.manual_seed(0)
    m = nn.Linear(2, 1)
    a = optim.swa_utils.AveragedModel(m)
    for k in range(3):
        with torch.no_grad():
            m.weight.fill_(k)
        a.update_parameters(m)
    return a.module.weight, m.weight, a.n_averaged


def moving_average_of_a_model():
    m = nn.Linear(2, 1)
    with torch.no_grad():
        m.weight.fill_(1)
    a = optim.swa_utils.AveragedModel(m, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.9))
    for k in range(3):
        with torch.no_grad():
            m.weight.fill_(k)
        a.update_parameters(m)
    return a.module.weight


def average_updated_between_forward_and_backward():
    torch.manual_seed(0)
    m = nn.Linear(2, 2)
    a = optim.swa_utils.AveragedModel(m)
    a.update_parameters(m)
    x = torch.ones(1, 2, requires_grad=True)
    y = a(x).sum()
    with torch.no_grad():
        m.weight.fill_(3)
    a.update_parameters(m)
    return refused(lambda: y.backward())


def state_taken_before_training_changes_with_it():
    torch.manual_seed(0)
    m = nn.Linear(1, 1, bias=False)
    best = m.state_dict()
    kept = copy.deepcopy(m.state_dict())
    o = optim.SGD(m.parameters(), lr=1)
    m(torch.ones(1, 1)).sum().backward()
    o.step()
    return best["weight"] == m.weight, kept["weight"] - m.weight


def optimizer_state_taken_before_training_changes_with_it():
    p = leaf(1, 2)
    o = optim.SGD([p], lr=0.1, momentum=0.5)
    (p * 3).sum().backward()
    o.step()
    s = o.state_dict()
    o.step()
    return s["state"][0]["momentum_buffer"]


def freed_graph_frees_what_it_saved():
    x = leaf(1, 2)
    y = x.exp()
    z = y.sum()
    z.backward()
    y.mul_(2)
    return x.grad, y

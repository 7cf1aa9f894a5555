"""Losses with usual and with wrong targets. losses.ts has the same programs."""
import torch
import torch.nn.functional as F
from helpers import leaf, refused
from torch import nn


def _logits():
    return torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]], requires_grad=True)


def _backward(loss, x):
    loss.backward()
    return loss, x.grad


def cross_entropy():
    x = _logits()
    return _backward(nn.CrossEntropyLoss()(x, torch.tensor([1, 2])), x)


def cross_entropy_of_probabilities():
    x = _logits()
    return _backward(nn.CrossEntropyLoss()(x, torch.tensor([[0.2, 0.8, 0.0], [0.0, 0.0, 1.0]])), x)


def cross_entropy_of_float_classes():
    nn.CrossEntropyLoss()(_logits(), torch.tensor([1.0, 2.0]))


def cross_entropy_of_int32_classes():
    nn.CrossEntropyLoss()(_logits(), torch.tensor([1, 2], dtype=torch.int32))


def cross_entropy_of_a_column():
    nn.CrossEntropyLoss()(_logits(), torch.tensor([[1], [2]]))


def cross_entropy_of_a_class_too_many():
    nn.CrossEntropyLoss()(_logits(), torch.tensor([1, 3]))


def cross_entropy_of_a_negative_class():
    nn.CrossEntropyLoss()(_logits(), torch.tensor([1, -1]))


def cross_entropy_ignores():
    x = _logits()
    return _backward(nn.CrossEntropyLoss(ignore_index=2)(x, torch.tensor([1, 2])), x)


def cross_entropy_ignores_minus_hundred():
    return nn.CrossEntropyLoss()(_logits(), torch.tensor([1, -100]))


def cross_entropy_ignores_all():
    return nn.CrossEntropyLoss()(_logits(), torch.tensor([-100, -100])), nn.CrossEntropyLoss(reduction="sum")(
        _logits(), torch.tensor([-100, -100])
    )


def cross_entropy_of_an_empty_batch():
    return nn.CrossEntropyLoss()(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64))


def cross_entropy_with_weights():
    x = _logits()
    return _backward(nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5]))(x, torch.tensor([1, 2])), x)


def cross_entropy_with_too_few_weights():
    nn.CrossEntropyLoss(weight=torch.ones(2))(_logits(), torch.tensor([1, 2]))


def cross_entropy_smoothed():
    x = _logits()
    return _backward(nn.CrossEntropyLoss(label_smoothing=0.1)(x, torch.tensor([1, 2])), x)


def cross_entropy_over_pixels():
    x = torch.arange(12.0).reshape(1, 3, 2, 2)
    return nn.CrossEntropyLoss(reduction="none")(x, torch.tensor([[[0, 1], [2, 0]]]))


def cross_entropy_with_classes_last():
    F.cross_entropy(torch.zeros(2, 4, 3), torch.zeros(2, 4, dtype=torch.int64))


def cross_entropy_of_another_batch():
    F.cross_entropy(_logits(), torch.tensor([1]))


def cross_entropy_without_a_batch():
    return F.cross_entropy(torch.tensor([1.0, 2.0]), torch.tensor(1))


def nll_of_what_is_no_log():
    return F.nll_loss(torch.tensor([[0.3, 0.7]]), torch.tensor([1])), F.nll_loss(
        torch.tensor([[0.3, 0.7]]).log(), torch.tensor([1])
    )


def softmax_before_cross_entropy():
    x = _logits()
    return _backward(F.cross_entropy(F.softmax(x, 1), torch.tensor([1, 2])), x)


def mse():
    x = leaf(1, 2, 3)
    return _backward(nn.MSELoss()(x, torch.tensor([1.0, 1.0, 1.0])), x)


def mse_of_integers():
    x = leaf(1, 2)
    return _backward(F.mse_loss(x, torch.tensor([1, 1])), x)


def mse_of_doubles():
    x = leaf(1, 2)
    return F.mse_loss(x, torch.tensor([1.0, 1.0], dtype=torch.float64)).dtype


def mse_of_a_column_broadcasts():
    return F.mse_loss(torch.arange(3.0), torch.arange(3.0)[:, None])


def mse_of_shapes_that_do_not_fit():
    F.mse_loss(torch.zeros(3), torch.zeros(2))


def mse_of_an_empty_batch():
    return F.mse_loss(torch.zeros(0), torch.zeros(0)), F.mse_loss(torch.zeros(0), torch.zeros(0), reduction="sum")


def reductions():
    x, y = torch.tensor([1.0, 5.0]), torch.tensor([2.0, 2.0])
    return [F.l1_loss(x, y, reduction=r) for r in ("none", "mean", "sum")], refused(
        lambda: F.l1_loss(x, y, reduction="average")
    )


def huber_and_smooth_l1():
    x = leaf(0.5, 3, -3)
    y = torch.zeros(3)
    return F.huber_loss(x, y, delta=2.0), F.smooth_l1_loss(x, y, beta=0.5), F.smooth_l1_loss(x, y, beta=0.0)


def huber_of_integers():
    return F.huber_loss(leaf(1, 3), torch.tensor([0, 0]))


def bce_with_logits():
    x = leaf(2, -1)
    return _backward(nn.BCEWithLogitsLoss()(x, torch.tensor([1.0, 0.0])), x)


def bce_with_logits_of_integers():
    nn.BCEWithLogitsLoss()(leaf(2, -1), torch.tensor([1, 0]))


def bce_with_logits_of_truth_values():
    nn.BCEWithLogitsLoss()(leaf(2, -1), torch.tensor([True, False]))


def bce_with_logits_of_another_shape():
    nn.BCEWithLogitsLoss()(torch.zeros(2, 1), torch.zeros(2))


def bce_with_a_weight_of_positives():
    x = leaf(2, -1)
    return _backward(nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))(x, torch.tensor([1.0, 0.0])), x)


def bce_of_logits_without_sigmoid():
    F.binary_cross_entropy(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 0.0]))


def bce_at_the_ends():
    x = leaf(0, 1)
    return F.binary_cross_entropy(x, torch.tensor([1.0, 0.0])), refused(
        lambda: F.binary_cross_entropy(x, torch.tensor([2.0, 0.0]))
    )


def kl_divergence():
    p = torch.tensor([[0.3, 0.7]])
    q = torch.tensor([[0.5, 0.5]]).log()
    return (
        F.kl_div(q, p),
        F.kl_div(q, p, reduction="batchmean"),
        F.kl_div(q, p.log(), log_target=True, reduction="sum"),
        F.kl_div(q, torch.tensor([[0.0, 1.0]]), reduction="none"),
    )


def cosine_embedding():
    a, b = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[1.0, 1.0], [0.0, -1.0]])
    return F.cosine_embedding_loss(a, b, torch.tensor([1, -1])), F.cosine_similarity(a, torch.zeros(2, 2))


def triplets():
    a, p, n = torch.zeros(2, 2), torch.ones(2, 2), torch.full((2, 2), 1.2)
    return F.triplet_margin_loss(a, p, n), F.triplet_margin_loss(a, p, n, margin=0.1, swap=True)


def margins():
    x = _logits()
    return (
        F.multi_margin_loss(x, torch.tensor([1, 2])),
        F.multilabel_soft_margin_loss(x, torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])),
        F.margin_ranking_loss(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([1.0])),
        F.hinge_embedding_loss(torch.tensor([0.5, 2.0]), torch.tensor([1.0, -1.0])),
        F.soft_margin_loss(torch.tensor([0.5, 2.0]), torch.tensor([1.0, -1.0])),
        F.multilabel_margin_loss(x, torch.tensor([[1, -1, 0], [2, 0, -1]])),
    )


def gaussian_and_poisson():
    x = leaf(1, 2)
    return (
        F.gaussian_nll_loss(x, torch.zeros(2), torch.tensor([0.5, 0.0])),
        F.poisson_nll_loss(x, torch.tensor([1.0, 3.0])),
        F.poisson_nll_loss(x, torch.tensor([1.0, 3.0]), log_input=False, full=True),
        refused(lambda: F.gaussian_nll_loss(x, torch.zeros(2), torch.tensor([-1.0, 1.0]))),
    )


def ctc():
    x = torch.arange(24.0).reshape(4, 2, 3).sin().log_softmax(2).requires_grad_()
    loss = F.ctc_loss(x, torch.tensor([[1, 2], [2, 1]]), torch.tensor([4, 3]), torch.tensor([2, 1]))
    return _backward(loss, x)


def ctc_of_a_target_too_long():
    x = torch.zeros(2, 1, 3).log_softmax(2)
    t, i, n = torch.tensor([[1, 1, 2]]), torch.tensor([2]), torch.tensor([3])
    return F.ctc_loss(x, t, i, n), F.ctc_loss(x, t, i, n, zero_infinity=True)


def loss_of_half_precision():
    x = torch.tensor([[1.0, 2.0]], dtype=torch.bfloat16)
    return F.cross_entropy(x, torch.tensor([0])), F.mse_loss(x, x + 1)


def loss_added_up_keeps_its_graph():
    x = leaf(1, 2)
    total = 0
    for _ in range(3):
        total += (x**2).sum()
    return total.requires_grad, _backward(total, x)


def loss_added_up_as_numbers():
    x = leaf(1, 2)
    total = 0.0
    for _ in range(3):
        total += (x**2).sum().item()
    return total


def loss_of_arguments_swapped():
    F.cross_entropy(torch.tensor([1, 2]), _logits())


def accuracy():
    x = _logits()
    return (x.argmax(1) == torch.tensor([1, 0])).float().mean(), (x.argmax(1) == torch.tensor([[1], [0]])).float().mean()

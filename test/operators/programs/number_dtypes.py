"""Numbers that make a dtype. number_dtypes.ts has the same programs, where 1.0 is 1: a float that is whole names its dtype there."""
import numpy
import torch
import torch.nn.functional as F
from helpers import refused
from torch import nn
from torch.utils.data import default_collate

nan, inf = float("nan"), float("inf")


def _kinds(*tensors):
    return [t.dtype for t in tensors]


def single_numbers():
    t = torch.tensor
    return t(3), t(-3), t(0.5), t(1e20), t(nan), t(-inf), t(True)


def lists_of_whole_numbers():
    t = torch.tensor
    return t([1, 2]), t([[1], [2]]), t([0]), t([True, 2]), t([1 - 2**53])


def one_fraction_decides():
    t = torch.tensor
    return t([1, 2.5]), t([[1, 2], [3, 0.5]]), t([True, 0.5]), t([1, nan]), t([inf, 1]), t([2**60, 0.5])


def whole_floats_name_their_dtype():
    return torch.tensor([1.0, 0.0]), torch.full((2,), 3.0), torch.arange(3.0), torch.tensor(2.0)


def beyond_what_a_double_counts():
    stamp = 1767225600 * 10**9
    return torch.tensor([stamp]), torch.tensor(-(2**62)), torch.full((1,), 2**60), torch.arange(2**60, 2**60 + 512, 256)


def beyond_int64():
    return torch.tensor([1e19]), refused(lambda: torch.tensor([2**63])), torch.tensor([float(2**64), 1])


def zero_with_a_sign():
    x = torch.tensor([-0.0, 0.0])
    return x, x.signbit(), torch.full((1,), -0.0), torch.tensor([1.0, 2.0]) * -0.0, torch.tensor([3.0]).copysign(torch.tensor(-0.0))


def complex_beside_numbers():
    return torch.tensor([1, 2j]), torch.tensor([True, 1 + 1j, 0.5]), torch.full((1,), 1j)


def lists_of_nothing():
    return torch.tensor([]), torch.tensor([[]]), torch.tensor([[], []])


def arrays_among_lists():
    t, a = torch.tensor, numpy.array
    return (
        t([a([1, 2], "int32"), a([1.5, 2.5], "float32")]),
        t([a([1, 2], "float32"), a([0.1, 2], "float64")]),
        t([[1, 2], a([1.5, 2.5], "float32")]),
        t([a([1, 2], "int8"), [1.5, 2.5]]),
        t([a([1, 2], "uint8"), [3, 4]]),
        t([a([1, 2], "int8"), a([3, 200], "uint8")]),
        t([[1, 2], [1, 2]]),
        refused(lambda: t([a([1, 2], "uint64"), [1, 2]])),
    )


def arrays_alone():
    a = numpy.array
    return _kinds(
        *(torch.tensor(a([1, 2], kind)) for kind in ("float32", "float64", "int8", "int16", "int32", "int64", "uint8"))
    ) + _kinds(torch.as_tensor([1, 2]), torch.as_tensor([1, 2.5]), torch.as_tensor(a([1, 2], "float64")))


def filled():
    f = torch.full
    return f((2,), 1), f((2,), 0.5), f((), 7), f((1,), nan), f((1,), True), f((2,), 1, dtype=torch.float64), f((1,), 2.5, dtype=torch.int32)


def filled_like():
    x, y = torch.tensor([1, 2]), torch.tensor([0.5])
    return torch.full_like(x, 2.5), torch.full_like(y, 2), x.new_full((1,), 2.5), y.new_full((1,), 2), torch.scalar_tensor(1)


def written_in_place():
    x, y = torch.tensor([1, 2]), torch.tensor([0.5, 1.5])
    m = torch.tensor([True, False])
    return x.clone().fill_(2.5), y.clone().fill_(2), x.masked_fill(m, 2.5), y.masked_fill(m, 2), refused(lambda: x.add_(0.5))


def counted():
    a = torch.arange
    return a(3), a(1, 4), a(0, 1, 0.5), a(0.5, 3), a(0, 4, 2), a(3, dtype=torch.float32), torch.linspace(0, 2, 3), torch.logspace(0, 1, 2)


def chosen():
    m, x, y = torch.tensor([True, False]), torch.tensor([1, 2]), torch.tensor([0.5, 1.5])
    w = torch.where
    return w(m, 1, 0), w(m, 0.5, 0), w(m, x, 0), w(m, x, 0.5), w(m, y, 0), w(m, x, y), w(m, True, False), w(m, 1, nan)


def beside_integers():
    x = torch.tensor([1, 2, 3])
    return x + 1, x + 0.5, x * 2, x / 2, x - True, x * inf, x.clamp(0, 2), x.clamp(0.5, 2), x**2, x**0.5, x % 2, x.remainder(0.5)


def beside_floats():
    x = torch.tensor([0.5, 1.5])
    return x + 1, x * 2, x / 2, x.clamp(0, 1), x**2, x.eq(1), x > 1, x.half() * 2, x.double() * 0.1


def beside_bytes_and_truth():
    x, m = torch.tensor([250], dtype=torch.uint8), torch.tensor([True, False])
    return x + 1, x + 0.5, x * 2, m + 1, m * 0.5, m * True, m / 2


def compared_with_numbers():
    x = torch.tensor([1, 2, 3])
    return x == 2, x > 1.5, x.maximum(torch.tensor(2)), x.eq(2.5), torch.equal(x, torch.tensor([1, 2, 3]))


def of_two_numbers():
    x, y = torch.tensor([1]), torch.tensor([0.5])
    r = torch.result_type
    return r(1, 2), r(1, 0.5), r(x, 1), r(x, 0.5), r(y, 1), r(True, 1), r(x, True), r(torch.tensor(1), 0.5)


def tensors_of_single_numbers():
    x = torch.tensor([1, 2])
    return x + torch.tensor(0.5), torch.tensor([0.5]) + torch.tensor(2), torch.stack([torch.tensor(1), torch.tensor(0.5)]), torch.cat([x, torch.tensor([0.5])])


def sums_and_means():
    x, m = torch.tensor([1, 2]), torch.tensor([True, True])
    return x.sum(), m.sum(), x.prod(), x.cumsum(0), refused(lambda: x.mean()), x.float().mean(), x.bincount(), refused(lambda: torch.tensor([0.5]).bincount())


def losses_of_whole_targets():
    x = torch.tensor([0.5, 0.25, 0.75])
    whole, float_ = torch.tensor([1, 0, 1]), torch.tensor([1.0, 0.0, 1.0])
    return (
        refused(lambda: F.binary_cross_entropy(x, whole)),
        F.binary_cross_entropy(x, float_),
        refused(lambda: F.binary_cross_entropy_with_logits(x, whole)),
        F.binary_cross_entropy_with_logits(x, float_),
        refused(lambda: F.kl_div(x, whole)),
        F.mse_loss(x, whole),
        F.huber_loss(x, whole),
        F.l1_loss(x, whole),
    )


def labels_of_classes():
    logits = torch.tensor([[0.5, 1.5], [2.5, 0.5]])
    return F.cross_entropy(logits, torch.tensor([0, 1])), refused(lambda: F.cross_entropy(logits, torch.tensor([0.0, 1.0])))


def gradients_of_whole_numbers():
    return (
        refused(lambda: torch.tensor([1, 2], requires_grad=True)),
        refused(lambda: torch.full((2,), 1, requires_grad=True)),
        refused(lambda: nn.Parameter(torch.tensor([1, 2]))),
        torch.tensor([1.0, 2.0], requires_grad=True).sum(),
    )


def layers_of_whole_numbers():
    layer = nn.Linear(2, 1, bias=False)
    nn.init.ones_(layer.weight)
    embedding = nn.Embedding(2, 1)
    nn.init.ones_(embedding.weight)
    return (
        refused(lambda: layer(torch.tensor([1, 2]))),
        layer(torch.tensor([1.0, 2.0])),
        embedding(torch.tensor([0, 1])),
        refused(lambda: embedding(torch.tensor([0.5]))),
    )


def batches_of_numbers():
    return default_collate([1, 2]), default_collate([True, False]), default_collate([2**60, 1])


def whole_learning_rate():
    p = torch.tensor([1.0], requires_grad=True)
    p.grad = torch.tensor([1.0])
    optimizer = torch.optim.SGD([p], lr=1)
    optimizer.step()
    return p, refused(lambda: setattr(p, "grad", torch.tensor([1])))

"""Reductions, comparisons and linear algebra at their edges. numerics.ts has the same programs."""
import math

import torch
from helpers import leaf, refused

nan, inf = math.nan, math.inf


def nan_goes_through_reductions():
    x = torch.tensor([1.0, nan, 3.0])
    return x.max(), x.min(), x.sum(), x.nansum(), x.nanmean(), x.argmax(), x.median(), x.nanmedian()


def nan_in_sorting():
    x = torch.tensor([nan, 2.0, 1.0])
    return x.sort(), x.topk(2), x.unique()


def maximum_and_fmax_of_nan():
    x, y = torch.tensor([nan, 1.0]), torch.tensor([2.0, nan])
    return torch.maximum(x, y), torch.fmax(x, y)


def clamp_of_nan():
    return torch.tensor([nan, 5.0]).clamp(0, 1), torch.tensor([nan]).nan_to_num(7.0), torch.tensor([inf, -inf]).nan_to_num()


def reductions_of_nothing():
    x = torch.zeros(0)
    return x.sum(), x.prod(), x.mean(), refused(lambda: x.max()), refused(lambda: x.argmax()), x.all(), x.any()


def reductions_of_an_empty_dimension():
    x = torch.zeros(2, 0)
    return x.sum(1), x.sum(0), refused(lambda: x.max(1)), x.mean(1)


def reduction_over_a_wrong_dimension():
    torch.ones(2, 3).sum(2)


def reduction_over_a_dimension_twice():
    torch.ones(2, 3).sum((0, 0))


def reduction_over_no_dimension():
    x = torch.ones(2, 3)
    return x.sum(()), x.amax((0, 1)), x.mean((0,))


def keepdim_of_everything():
    x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
    return x.max(1, keepdim=True), x.norm(dim=0, keepdim=True), x.argmin(0, keepdim=True), x.sum(keepdim=True, dim=0)


def all_and_any_of_numbers():
    x = torch.tensor([[0, 2], [1, 1]])
    return x.all(), x.any(1), torch.tensor([0.0, 0.5]).any()


def medians_and_quantiles():
    x = torch.tensor([1.0, 4.0, 2.0, 3.0])
    return (
        x.median(),
        x.median(0),
        x.quantile(0.5),
        x.quantile(torch.tensor([0.25, 0.9]), interpolation="lower"),
        refused(lambda: x.quantile(1.5)),
        x.mode(),
        x.kthvalue(2),
    )


def cumulative_ones():
    x = torch.tensor([1.0, 3.0, 2.0])
    return x.cumsum(0), x.cumprod(0), x.cummax(0), x.logcumsumexp(0), refused(lambda: x.cumsum(1))


def differences_and_integrals():
    x = torch.tensor([1.0, 4.0, 9.0])
    return x.diff(), x.diff(n=2), torch.trapezoid(x), torch.gradient(x)[0]


def histograms():
    x = torch.tensor([1.0, 2.0, 2.0, 10.0])
    return x.histc(3), x.histc(2, 0, 4), torch.histogram(x, 2).hist


def uniques():
    x = torch.tensor([3, 1, 3, 2])
    return x.unique(return_inverse=True, return_counts=True), x.unique_consecutive(), torch.tensor([[1, 1], [1, 1]]).unique(dim=0)


def logarithms_and_roots_outside():
    return torch.tensor([-1.0, 0.0]).log(), torch.tensor([-1.0]).sqrt(), torch.tensor([-8.0]).pow(1 / 3), torch.tensor([0.0]).pow(0)


def remainders_of_negatives():
    x = torch.tensor([-5.5, 5.5])
    return x % 3, x.fmod(3), x.remainder(-3), x.floor_divide(2), torch.tensor([5]).remainder(-3)


def gradients_at_corners():
    out = []
    for f in (lambda t: t.relu(), lambda t: t.abs(), lambda t: t.clamp(0, 1), lambda t: t.sign(), lambda t: t.round()):
        x = leaf(-1, 0, 1)
        f(x).sum().backward()
        out.append(x.grad)
    return out


def gradients_of_min_and_max():
    x, y = leaf(1, 2), leaf(1, 3)
    torch.maximum(x, y).sum().backward()
    a = leaf(1, 1)
    a.amax().backward()
    return x.grad, y.grad, a.grad


def gradients_of_norms():
    out = []
    for p in (1, 2, inf, 0):
        x = leaf(3, -4)
        x.norm(p).backward()
        out.append(x.grad)
    return out


def gradient_of_a_power_of_zero():
    x = leaf(0, 2)
    (x**0).sum().backward()
    y = leaf(0, 2)
    (2**y).sum().backward()
    z = leaf(0)
    (z**0.5).sum().backward()
    return x.grad, y.grad, z.grad


def gradient_of_a_product_with_zeros():
    x = leaf(2, 0, 3)
    x.prod().backward()
    y = leaf(0, 0, 3)
    y.prod().backward()
    return x.grad, y.grad


def gradient_of_deviations():
    x = leaf(1, 3)
    x.std().backward()
    y = leaf(2, 2)
    y.std().backward()
    return x.grad, y.grad


def gradient_of_a_sort():
    x = leaf(3, 1, 2)
    (x.sort().values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return x.grad


def gradient_of_distances():
    x = torch.zeros(2, 2, requires_grad=True)
    torch.cdist(x, torch.zeros(1, 2)).sum().backward()
    return x.grad


def gradient_of_atan_and_hypot():
    x, y = leaf(0), leaf(0)
    torch.atan2(y, x).sum().backward()
    torch.hypot(x, y).sum().backward()
    return x.grad, y.grad


def sums_of_products():
    a, b = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
    return (
        torch.einsum("ij,jk->ik", a, b),
        torch.einsum("ij->j", a),
        torch.einsum("ii", torch.eye(3)),
        torch.einsum("...i,i", a, torch.ones(3)),
        refused(lambda: torch.einsum("ij,kj->ik", a, b)),
    )


def products_of_shapes():
    v, m, t = torch.ones(3), torch.ones(3, 2), torch.ones(4, 2, 3)
    return (
        (v @ v).shape,
        (v @ m).shape,
        (t @ m).shape,
        (t @ v).shape,
        refused(lambda: m @ v),
        refused(lambda: torch.mm(t, m)),
        torch.dot(v, v),
        refused(lambda: torch.dot(v, torch.ones(2))),
    )


def products_of_nothing():
    return torch.ones(2, 0) @ torch.ones(0, 3), torch.ones(0, 2) @ torch.ones(2, 3)


def kronecker_cross_and_outer():
    a = torch.tensor([1.0, 2.0, 3.0])
    return torch.kron(a[:2], a[:2]), torch.linalg.cross(a, a.flip(0)), torch.tensordot(a, a, dims=1), torch.cov(a), torch.corrcoef(
        torch.stack([a, -a])
    )


def solves():
    a = torch.tensor([[2.0, 0.0], [1.0, 3.0]])
    b = torch.tensor([[2.0], [7.0]])
    return (
        torch.linalg.solve(a, b),
        torch.linalg.inv(a),
        torch.linalg.solve_triangular(a, b, upper=False),
        refused(lambda: torch.linalg.solve(torch.ones(2, 2), b)),
        refused(lambda: torch.linalg.inv(torch.zeros(2, 2))),
    )


def decompositions():
    s = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    return (
        torch.linalg.cholesky(s),
        torch.linalg.eigvalsh(s),
        torch.linalg.svdvals(s),
        torch.linalg.det(s),
        torch.linalg.slogdet(-s),
        torch.linalg.matrix_rank(torch.ones(2, 2)),
        refused(lambda: torch.linalg.cholesky(-s)),
        refused(lambda: torch.linalg.cholesky(torch.ones(2, 3))),
    )


def least_squares():
    a = torch.tensor([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    return torch.linalg.lstsq(a, torch.tensor([[1.0], [2.0], [2.0]])).solution, torch.linalg.pinv(a)


def norms_of_matrices():
    m = torch.tensor([[1.0, -2.0], [3.0, 4.0]])
    return (
        torch.linalg.norm(m),
        torch.linalg.norm(m, 1),
        torch.linalg.norm(m, "nuc"),
        torch.linalg.vector_norm(m, 3),
        torch.linalg.matrix_norm(m, inf),
        torch.linalg.matrix_power(m, -1),
        torch.linalg.matrix_exp(torch.zeros(2, 2)),
    )


def gradient_of_a_determinant():
    m = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    torch.linalg.det(m).backward()
    n = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    torch.linalg.eigvalsh(n).sum().backward()
    return m.grad, n.grad


def triangles():
    x = torch.arange(9.0).reshape(3, 3)
    return x.tril(), x.triu(1), x.tril(-1), torch.tril_indices(2, 2), x.trace()


def comparisons():
    x = torch.tensor([1.0, 2.0])
    return (
        x.eq(torch.tensor([1, 2])),
        x.isclose(torch.tensor([1.0 + 1e-9, 3.0])),
        torch.allclose(torch.tensor([nan]), torch.tensor([nan])),
        torch.allclose(torch.tensor([nan]), torch.tensor([nan]), equal_nan=True),
        x.equal(torch.tensor([[1.0, 2.0]])),
        torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2])),
    )


def logic():
    a, b = torch.tensor([True, False]), torch.tensor([1, 0])
    return a & True, a.logical_and(b), a.logical_xor(b), b.logical_not(), refused(lambda: torch.tensor([1.5]).bitwise_and(1))


def broadcasting():
    return (
        (torch.ones(3, 1) + torch.ones(2)).shape,
        (torch.ones(1, 3) + torch.ones(2, 1, 1)).shape,
        refused(lambda: torch.ones(3) + torch.ones(2)),
        (torch.ones(0, 1) + torch.ones(3)).shape,
        [t.shape for t in torch.broadcast_tensors(torch.ones(2, 1), torch.ones(3))],
    )


def gradient_of_what_was_broadcast():
    a, b = torch.ones(3, 1, requires_grad=True), torch.ones(2, requires_grad=True)
    (a * b * torch.arange(6.0).reshape(3, 2)).sum().backward()
    return a.grad, b.grad


def lerp_and_addcmul():
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0])
    return x.lerp(y, 0.5), torch.addcmul(x, x, y, value=2), torch.addcdiv(x, x, y), torch.addmm(torch.ones(2, 2), torch.eye(2), torch.eye(2), beta=2, alpha=3)


def fourier():
    x = torch.tensor([1.0, 2.0, 0.0, -1.0])
    return torch.fft.fft(x), torch.fft.irfft(torch.fft.rfft(x)), torch.fft.fftshift(x), torch.fft.rfftfreq(4)


def special_functions():
    x = torch.tensor([0.5, 2.0])
    return torch.special.gammaln(x), torch.erf(x), torch.special.expit(x), torch.special.logit(torch.tensor([0.0, 0.5])), torch.special.xlogy(torch.tensor([0.0]), torch.tensor([0.0])), torch.sinc(torch.tensor([0.0, 0.5]))


def sparse_tensors():
    s = torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 0]]), torch.tensor([3.0, 4.0, 5.0]), (2, 3))
    return s.to_dense(), s.coalesce().values(), s @ torch.ones(3, 1)


def sparse_place_outside():
    torch.sparse_coo_tensor(torch.tensor([[0], [3]]), torch.tensor([1.0]), (2, 3))


def derivatives_of_functions():
    x = torch.tensor([1.0, 2.0])
    return (
        torch.autograd.functional.jacobian(lambda t: t**2, x),
        torch.autograd.functional.hessian(lambda t: (t**3).sum(), x),
        torch.autograd.functional.vjp(lambda t: t * 3, x, torch.ones(2))[1],
        refused(lambda: torch.autograd.functional.hessian(lambda t: t**2, x)),
    )

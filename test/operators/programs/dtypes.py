"""Dtypes of values, results and conversions. dtypes.ts has the same programs."""
import torch
from helpers import refused


def of_whole_numbers():
    return torch.tensor([1, 2]).dtype, torch.tensor(3).dtype, torch.tensor([-(2**40)])


def of_fractions():
    return torch.tensor([1.5, 2]).dtype, torch.tensor(0.5).dtype


def of_truth_values():
    return torch.tensor([True, False]).dtype, torch.tensor(True)


def of_truth_values_and_numbers():
    return torch.tensor([True, 2]), torch.tensor([True, 0.5])


def of_nothing():
    return torch.tensor([]), torch.tensor([[], []])


def of_ragged_lists():
    torch.tensor([[1, 2], [3]])


def of_infinities():
    return torch.tensor([float("inf"), -float("inf"), float("nan")])


def whole_numbers_that_double_does_not_hold():
    return torch.tensor([2**53 - 1, -(2**53) + 1])


def fractions_as_integers():
    return torch.tensor([1.9, -1.9], dtype=torch.int64), torch.tensor([1.5]).to(torch.int32)


def numbers_as_truth_values():
    return torch.tensor([0, 2, -1], dtype=torch.bool), torch.tensor([0.0, 0.1]).bool()


def too_large_for_a_byte():
    return refused(lambda: torch.tensor([300], dtype=torch.uint8)), torch.tensor([300]).to(torch.uint8)


def negative_as_a_byte():
    return torch.tensor([-1]).to(torch.uint8), torch.tensor([1], dtype=torch.uint8) - 2


def byte_overflows():
    x = torch.tensor([250], dtype=torch.uint8)
    x += 10
    return x


def int32_overflows():
    return torch.tensor([2**31 - 1], dtype=torch.int32) + 1


def factories():
    return [
        t.dtype
        for t in (torch.zeros(1), torch.ones(1), torch.empty(1), torch.rand(1), torch.eye(1), torch.linspace(0, 1, 2))
    ]


def full_follows_its_value():
    return torch.full((2,), 1), torch.full((2,), 1.5), torch.full((2,), True)


def full_like_follows_its_tensor():
    return torch.full_like(torch.tensor([1, 2]), 1.7), torch.full_like(torch.tensor([1.0]), 2)


def arange_follows_its_ends():
    return torch.arange(3), torch.arange(0, 1, 0.5), torch.arange(3, dtype=torch.float32)


def arange_with_a_wrong_step():
    torch.arange(0, 3, -1)


def arange_of_fractions_counts():
    return torch.arange(0, 1, 0.1).shape, torch.arange(1, 2, 0.3), torch.linspace(0, 1, 11)


def integer_with_a_fraction():
    return torch.tensor([1, 2]) * 1.5, torch.tensor([1, 2]) + 0.5


def float_with_an_integer():
    return torch.tensor([1.5]) * 2, torch.tensor([1.5]) + torch.tensor([2])


def half_with_a_number():
    return (torch.tensor([1.5], dtype=torch.float16) * 2.5).dtype, (
        torch.tensor([1.5], dtype=torch.float16) * torch.tensor(2.0)
    ).dtype


def half_with_a_float_tensor():
    return (torch.tensor([1.5], dtype=torch.float16) * torch.tensor([2.0])).dtype


def float_with_a_double_scalar_tensor():
    return (torch.tensor([1.5]) * torch.tensor(2.0, dtype=torch.float64)).dtype, (
        torch.tensor(1.5) * torch.tensor(2.0, dtype=torch.float64)
    ).dtype


def half_meets_bfloat16():
    return torch.promote_types(torch.float16, torch.bfloat16), (
        torch.ones(1, dtype=torch.float16) + torch.ones(1, dtype=torch.bfloat16)
    ).dtype


def byte_meets_int8():
    return torch.tensor([200], dtype=torch.uint8) + torch.tensor([-100], dtype=torch.int8)


def bool_with_numbers():
    t = torch.tensor([True, False])
    return t + 1, t * 1.5, t + t, t.sum()


def bool_minus_bool():
    torch.tensor([True]) - torch.tensor([True])


def bool_negated():
    return ~torch.tensor([True, False]), refused(lambda: -torch.tensor([True]))


def division_of_integers():
    x = torch.tensor([7, -7])
    return x / 2, x // 2, torch.div(x, 2, rounding_mode="trunc"), x % 3, x.fmod(3)


def division_by_zero():
    return torch.tensor([1.0, -1.0, 0.0]) / 0, refused(lambda: torch.tensor([1]) // 0)


def in_place_cannot_make_integers_floats():
    x = torch.tensor([1, 2])
    return refused(lambda: x.add_(0.5)), refused(lambda: x.div_(2)), x


def in_place_keeps_half():
    x = torch.ones(1, dtype=torch.float16)
    return x.add_(torch.tensor([0.5], dtype=torch.float64))


def in_place_bool_with_integers():
    x = torch.tensor([True])
    return refused(lambda: x.add_(1)), x


def out_of_a_narrower_dtype():
    out = torch.zeros(1, dtype=torch.int64)
    torch.add(torch.tensor([1.5]), 1, out=out)


def out_of_a_wider_dtype():
    out = torch.zeros(1, dtype=torch.float64)
    torch.add(torch.tensor([1.5]), 1, out=out)
    return out


def sum_of_small_integers():
    return torch.tensor([200, 100], dtype=torch.uint8).sum(), torch.tensor([True, True]).sum(0)


def sum_with_a_dtype():
    return torch.tensor([1.5, 2.5]).sum(dtype=torch.int64), torch.tensor([1, 2]).sum(dtype=torch.float64)


def mean_of_integers():
    return refused(lambda: torch.tensor([1, 2]).mean()), torch.tensor([1, 2]).mean(dtype=torch.float32)


def std_of_integers():
    torch.tensor([1, 2]).std()


def std_of_one():
    return torch.tensor([1.0]).std(), torch.tensor([1.0]).std(unbiased=False), torch.tensor([1.0, 3.0]).var(
        correction=0
    )


def softmax_of_integers():
    torch.tensor([1, 2]).softmax(0)


def square_root_of_integers():
    return torch.tensor([4, 9]).sqrt(), torch.tensor([1, 2]).exp().dtype, torch.tensor([1]).sigmoid().dtype


def power_of_integers():
    return torch.tensor([2, 3]) ** 2, torch.tensor([2]) ** 0.5, refused(lambda: torch.tensor([2]) ** -1)


def matmul_of_dtypes():
    torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)


def matmul_of_integers():
    return torch.tensor([[1, 2]]) @ torch.tensor([[3], [4]])


def where_with_numbers():
    m = torch.tensor([True, False])
    return torch.where(m, 1, 0), torch.where(m, 1.5, 0), torch.where(m, torch.tensor([1, 2]), 0.5)


def where_with_a_mask_of_integers():
    torch.where(torch.tensor([1, 0]), 1.0, 0.0)


def clamp_with_fractions():
    return torch.tensor([1, 5]).clamp(max=2.5), torch.tensor([1.0]).clamp(2, 1)


def comparison_with_fractions():
    return torch.tensor([1, 2]) > 1.5, torch.tensor([2]) == 2.0, torch.tensor([float("nan")]) == float("nan")


def rounding():
    return torch.tensor([0.5, 1.5, 2.5, -0.5]).round(), torch.tensor([1.25, 1.35]).round(decimals=1), torch.tensor(
        [-1.5]
    ).trunc()


def equal_needs_equal_dtypes():
    return torch.tensor([1]).equal(torch.tensor([1])), refused(
        lambda: torch.allclose(torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float64))
    )


def default_dtype_is_followed():
    torch.set_default_dtype(torch.float64)
    found = [torch.tensor([1.5]).dtype, torch.zeros(1).dtype, torch.tensor([1]).dtype, (torch.tensor([1]) / 2).dtype]
    torch.set_default_dtype(torch.float32)
    return found


def default_dtype_of_integers():
    torch.set_default_dtype(torch.int64)


def double_layer_with_float_input():
    torch.nn.Linear(2, 1).double()(torch.ones(1, 2))


def layer_of_integers():
    torch.nn.Linear(2, 1)(torch.ones(1, 2, dtype=torch.int64))


def type_as_and_to_another():
    x = torch.tensor([1, 2])
    return x.type_as(torch.tensor([0.5])), x.to(torch.tensor([0.5], dtype=torch.float64)), x.to(torch.int64) is x


def complex_numbers():
    z = torch.tensor([3.0]) + torch.tensor([4j])
    return z, z.abs(), z.conj().resolve_conj(), z.real, refused(lambda: z > 1)


def complex_to_real():
    return torch.tensor([3 + 4j]).real, torch.tensor([1.0]).to(torch.complex64)


def shifts_and_bits():
    x = torch.tensor([5])
    return x << 1, x & 3, x | 8, x ^ 1, refused(lambda: torch.tensor([1.5]) & 1)


def half_overflows_to_infinity():
    return torch.tensor([70000.0]).half(), torch.tensor([70000.0]).bfloat16()


def cumsum_and_product():
    return torch.tensor([1, 2, 3], dtype=torch.int8).cumsum(0), torch.tensor([1, 2, 3], dtype=torch.int32).prod()


def bincount_and_histogram():
    return torch.tensor([0, 2, 2]).bincount(), refused(lambda: torch.tensor([0.5]).bincount()), refused(
        lambda: torch.tensor([-1]).bincount()
    )


def bucketize():
    return torch.bucketize(torch.tensor([1.0, 2.5, 9.0]), torch.tensor([1.0, 2.0, 3.0])), torch.searchsorted(
        torch.tensor([1, 2, 3]), torch.tensor([2]), right=True
    )


def large_sums_of_float32():
    return torch.full((100,), 16777216.0).add(1).sum(), torch.tensor([16777216.0]) + 1


def numbers_beside_int64():
    return torch.tensor([2**53 + 2]) + 1, (torch.tensor([3]) * 1.5).dtype

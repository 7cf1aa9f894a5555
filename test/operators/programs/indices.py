"""Reading and writing by index. indices.ts has the same programs."""
import torch
from helpers import leaf, refused


def _counted(*shape):
    n = 1
    for s in shape:
        n *= s
    return torch.arange(float(n)).reshape(shape)


def negative_index():
    return _counted(3, 4)[-1], _counted(3, 4)[-1, -2]


def index_out_of_range():
    _counted(3)[3]


def negative_index_out_of_range():
    _counted(3)[-4]


def too_many_indices():
    _counted(3)[0, 0]


def slice_past_the_end():
    return _counted(5)[3:100], _counted(5)[10:20], _counted(5)[-100:2]


def slice_with_a_step():
    return _counted(7)[::2], _counted(7)[1:6:3]


def slice_with_a_negative_step():
    _counted(5)[::-1]


def ellipsis_and_none():
    x = _counted(2, 3, 4)
    return x[..., 0], x[0, ..., None], x[None].shape


def list_of_rows():
    return _counted(4, 2)[[0, 2]], _counted(4, 2)[[3, 3, -1]]


def two_lists_choose_pairs():
    return _counted(3, 3)[[0, 1, 2], [2, 1, 0]]


def two_lists_of_unequal_lengths():
    _counted(3, 3)[[0, 1], [0, 1, 2]]


def list_beside_a_slice():
    return _counted(3, 4)[[0, 2], 1:3], _counted(3, 4)[1:, [3, 0]]


def lists_apart_go_to_the_front():
    x = _counted(2, 3, 4)
    return x[[0, 1], :, [2, 3]].shape, x[:, [0, 1], [2, 3]].shape


def mask_of_elements():
    x = _counted(2, 3)
    return x[x > 2], x[x > 100]


def mask_of_rows():
    x = _counted(3, 2)
    return x[torch.tensor([True, False, True])], x[[True, False, True]]


def mask_of_another_length():
    _counted(3, 2)[torch.tensor([True, False])]


def mask_beside_an_index():
    x = _counted(3, 4)
    return x[torch.tensor([True, False, True]), 1], x[1, torch.tensor([True, False, True, True])]


def mask_of_bytes():
    return _counted(3)[torch.tensor([1, 0, 1], dtype=torch.uint8)]


def index_of_int32():
    return _counted(4)[torch.tensor([1, 2], dtype=torch.int32)]


def index_of_floats():
    _counted(4)[torch.tensor([1.0, 2.0])]


def index_tensor_of_two_dimensions():
    return _counted(4, 2)[torch.tensor([[0, 1], [2, 3]])]


def index_that_is_a_scalar_tensor():
    x = _counted(3, 2)
    return x[torch.tensor(1)], x[torch.tensor(1), torch.tensor(0)]


def write_a_row():
    x = _counted(3, 2)
    x[1] = torch.tensor([9.0, 8.0])
    return x


def write_a_number_into_a_slice():
    x = _counted(5)
    x[1:4] = 7
    return x


def write_a_number_at_two_rows():
    x = _counted(4, 2)
    x[[0, 2]] = 5
    return x


def write_a_number_at_one_element():
    x = _counted(4, 3)
    x[0, 2] = 50
    return x


def write_through_a_mask():
    x = _counted(2, 3)
    x[x > 2] = -1
    return x


def write_values_through_a_mask():
    x = _counted(4)
    x[torch.tensor([True, False, True, False])] = torch.tensor([10.0, 20.0])
    return x


def write_too_many_values_through_a_mask():
    x = _counted(4)
    x[torch.tensor([True, False, True, False])] = torch.tensor([10.0, 20.0, 30.0])


def write_a_list_of_booleans():
    x = torch.zeros(3)
    x[[True, False, True]] = 1
    return x


def write_twice_at_one_place():
    x = _counted(4)
    x[[1, 1]] = 7
    x[torch.tensor([2, 2])] += 1
    return x


def write_of_another_shape():
    x = _counted(3, 2)
    x[0] = torch.ones(3)


def write_broadcasts():
    x = _counted(2, 3)
    x[:, 1:] = torch.tensor([[5.0], [6.0]])
    return x


def write_of_integers_into_floats():
    x = _counted(3)
    x[0] = torch.tensor(7)
    return x


def write_of_fractions_into_integers():
    x = torch.tensor([1, 2, 3])
    x[0] = 1.9
    x[1] = torch.tensor(-2.9)
    return x


def write_of_nan_into_integers():
    x = torch.tensor([1, 2, 3])
    return refused(lambda: x.fill_(float("nan"))), x.dtype


def write_with_a_step():
    x = _counted(6)
    x[::2] = torch.tensor([1.0, 1.0, 1.0]) * -1
    return x


def write_with_none_and_ellipsis():
    x = _counted(2, 3)
    x[..., 0] = 9
    x[None, 1, 1] = 8
    return x


def write_at_lists_apart():
    x = _counted(2, 2, 2)
    x[[0, 1], :, [1, 0]] = torch.tensor([[1.0, 2.0], [3.0, 4.0]]) * 100
    return x


def update_in_place_by_a_mask():
    x = _counted(4)
    x[x > 1] += 5
    return x


def update_in_place_by_a_slice():
    x = _counted(4)
    x[1:3] *= 10
    return x


def read_gradient():
    x = leaf(1, 2, 3)
    (x[[0, 0, 2]] * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return x.grad


def write_gradient():
    x, v = leaf(1, 2, 3), leaf(5)
    y = x * 2
    y[1:2] = v
    (y * y).sum().backward()
    return x.grad, v.grad


def gather_rows():
    x = _counted(2, 3)
    return x.gather(1, torch.tensor([[0, 2], [1, 1]])), refused(lambda: x.gather(1, torch.tensor([[3], [0]])))


def gather_with_int32():
    return _counted(2, 3).gather(1, torch.tensor([[0], [1]], dtype=torch.int32))


def take_and_take_along_dim():
    x = _counted(2, 3)
    return x.take(torch.tensor([0, 5, -1])), x.take_along_dim(x.argsort(1, descending=True), 1)


def index_select():
    x = _counted(3, 2)
    return x.index_select(0, torch.tensor([2, 0])), refused(lambda: x.index_select(0, torch.tensor([-1])))


def index_fill_and_copy():
    x = _counted(3, 2)
    return x.index_fill(0, torch.tensor([0, 2]), -1), x.index_copy(0, torch.tensor([1]), torch.tensor([[7.0, 7.0]]))


def masked_select_and_scatter():
    x = _counted(4)
    m = x > 1
    return x.masked_select(m), x.masked_scatter(m, torch.tensor([9.0, 8.0])), refused(
        lambda: x.masked_scatter(m, torch.tensor([9.0]))
    )


def masked_fill_with_infinity():
    x = _counted(2, 2)
    return x.masked_fill(torch.tensor([[True, False], [False, True]]), float("-inf")).softmax(1)


def masked_fill_with_a_mask_of_integers():
    _counted(2).masked_fill(torch.tensor([1, 0]), 5)


def scatter_one_hot():
    return torch.zeros(3, 4).scatter_(1, torch.tensor([[1], [3], [0]]), 1)


def scatter_reduce_with_maximum():
    x = torch.zeros(2).scatter_reduce(0, torch.tensor([0, 1, 0]), torch.tensor([3.0, -2.0, 5.0]), "amax")
    y = torch.ones(2).scatter_reduce(
        0, torch.tensor([0, 0]), torch.tensor([3.0, 4.0]), "mean", include_self=False
    )
    return x, y


def put_and_index_put():
    x = _counted(2, 3)
    x.put_(torch.tensor([1, 4]), torch.tensor([9.0, 10.0]))
    x.index_put_((torch.tensor([0, 0]), torch.tensor([0, 0])), torch.tensor([1.0, 2.0]), accumulate=True)
    return x


def nonzero_and_where():
    x = torch.tensor([[0, 3], [4, 0]])
    return x.nonzero(), torch.where(x > 0), x.argwhere()


def topk_and_sort():
    x = torch.tensor([3.0, 1.0, 2.0])
    return x.topk(2), x.sort(descending=True), x.argsort(), refused(lambda: x.topk(4))


def iterate_rows():
    return [row.sum() for row in _counted(2, 3)], len(_counted(2, 3)), refused(lambda: list(torch.tensor(3)))


def value_of_one_element():
    return _counted(3)[1].item(), torch.tensor([[5]]).item(), refused(lambda: _counted(2).item())


def truth_of_many():
    return bool(torch.tensor([5])), refused(lambda: bool(torch.tensor([1, 2]))), refused(lambda: bool(torch.tensor([])))


def index_by_a_boolean():
    x = _counted(2)
    return x[True], x[False]


def embedding_out_of_range():
    torch.nn.functional.embedding(torch.tensor([5]), _counted(3, 2))


def one_hot_grows_with_its_classes():
    import torch.nn.functional as F

    return F.one_hot(torch.tensor([0, 2])), F.one_hot(torch.tensor([0, 2]), 4), refused(
        lambda: F.one_hot(torch.tensor([0, 2]), 2)
    )

"""Views, copies, strides and shapes. views.ts has the same programs."""
import torch
from helpers import leaf, refused


def _counted(*shape):
    n = 1
    for s in shape:
        n *= s
    return torch.arange(float(n)).reshape(shape)


def view_shares_memory():
    x = _counted(2, 3)
    x.view(6)[0] = 9
    return x


def view_of_what_is_not_contiguous():
    _counted(2, 3).t().view(6)


def reshape_of_what_is_not_contiguous_copies():
    x = _counted(2, 3)
    y = x.t().reshape(6)
    y[0] = 9
    return x, y


def reshape_of_what_is_contiguous_shares():
    x = _counted(2, 3)
    x.reshape(6)[0] = 9
    return x


def contiguous_of_contiguous_shares():
    x = _counted(2, 3)
    x.contiguous()[0, 0] = 9
    x.t().contiguous()[0, 1] = 9
    return x


def flatten_shares_where_it_can():
    x = _counted(2, 2, 2)
    x.flatten(1)[0, 0] = 9
    x.transpose(0, 1).flatten()[0] = 7
    return x


def row_is_a_view():
    x = _counted(2, 3)
    x[0].add_(10)
    return x


def advanced_index_is_a_copy():
    x = _counted(2, 3)
    x[[0]].add_(10)
    x[x > 3].zero_()
    return x


def transposed_strides():
    x = _counted(2, 3, 4)
    y = x.transpose(0, 2)
    return list(y.stride()), y.is_contiguous(), y.storage_offset(), y[1].storage_offset()


def permute_and_back():
    x = _counted(2, 3, 4)
    y = x.permute(2, 0, 1)
    return y.shape, y.permute(1, 2, 0).equal(x), y[3, 1]


def expand_adds_in_every_row():
    x = leaf(1, 2, 3)
    (x.expand(4, 3) * 2).sum().backward()
    return x.grad


def expand_of_a_size_that_is_not_one():
    _counted(2, 3).expand(4, 3)


def expand_with_minus_one():
    return _counted(2, 1).expand(-1, 3)


def repeat_copies():
    x = _counted(2)
    y = x.repeat(2, 2)
    y[0, 0] = 9
    return x, y


def repeat_interleave():
    x = _counted(3)
    return x.repeat_interleave(2), x.repeat_interleave(torch.tensor([0, 2, 1]))


def squeeze_of_a_size_that_is_not_one():
    return _counted(2, 1, 3).squeeze(0).shape, _counted(2, 1, 3).squeeze().shape


def unsqueeze_out_of_range():
    _counted(2).unsqueeze(3)


def unsqueeze_from_the_end():
    return _counted(2, 3).unsqueeze(-1).shape, _counted(2, 3).unsqueeze(-3).shape


def narrow_shares():
    x = _counted(5)
    x.narrow(0, 1, 3).mul_(10)
    return x


def narrow_too_long():
    _counted(5).narrow(0, 3, 3)


def select_out_of_range():
    _counted(5).select(0, 5)


def unfold_windows_overlap():
    x = _counted(5)
    y = x.unfold(0, 3, 1)
    x[2] = 50
    return y


def unfold_gradient_adds():
    x = leaf(1, 2, 3, 4)
    x.unfold(0, 2, 1).sum().backward()
    return x.grad


def as_strided_diagonal():
    return _counted(3, 3).as_strided([3], [4]), refused(lambda: _counted(3).as_strided([3], [4]))


def diagonal_is_a_view():
    x = _counted(3, 3)
    x.diagonal().fill_(0)
    x.diagonal(1).fill_(9)
    return x


def diag_is_a_copy_both_ways():
    return torch.diag(_counted(3)), torch.diag(_counted(3, 3))


def split_with_a_rest():
    return [p.tolist() for p in _counted(5).split(2)], [p.tolist() for p in _counted(5).split([1, 4])]


def split_with_a_wrong_sum():
    _counted(5).split([1, 3])


def chunk_gives_fewer():
    return [p.shape[0] for p in _counted(5).chunk(4)], [p.shape[0] for p in _counted(6).chunk(4)]


def tensor_split_gives_all():
    return [p.shape[0] for p in _counted(5).tensor_split(4)], [p.tolist() for p in _counted(5).tensor_split([1, 3])]


def split_pieces_are_views():
    x = _counted(4)
    a, b = x.split(2)
    b.zero_()
    return x, a


def stack_and_cat_copy():
    x = _counted(2)
    s, c = torch.stack([x, x]), torch.cat([x, x])
    x.zero_()
    return s, c


def cat_of_unequal_shapes():
    torch.cat([_counted(2, 3), _counted(2, 2)])


def cat_with_an_empty_one():
    return torch.cat([torch.empty(0), _counted(2, 2)])


def cat_of_dtypes():
    return torch.cat([torch.tensor([1, 2]), torch.tensor([1.5])]), torch.cat(
        [torch.tensor([True]), torch.tensor([3])]
    )


def stack_of_none():
    torch.stack([])


def minus_one_twice():
    _counted(6).view(-1, -1)


def minus_one_that_does_not_divide():
    _counted(6).view(4, -1)


def view_of_empty_with_minus_one():
    return refused(lambda: torch.empty(0).view(-1, 0)), torch.empty(0, 3).view(3, 0).shape


def view_as_another_dtype():
    x = torch.tensor([1.0, -2.0])
    y = x.view(torch.int32)
    y[0] = 0
    return x, y


def view_as_real_shares():
    z = torch.view_as_complex(_counted(2, 2))
    torch.view_as_real(z)[0, 1] = 7
    return z


def channels_last_is_no_other_tensor():
    x = _counted(1, 2, 2, 2)
    y = x.contiguous(memory_format=torch.channels_last)
    return list(y.stride()), y, y.is_contiguous(), refused(lambda: y.view(8)), y.reshape(8)


def channels_last_kept_by_operators():
    x = _counted(1, 2, 2, 2).contiguous(memory_format=torch.channels_last)
    y = (x * 2).relu()
    return list(y.stride()), list(y.clone().stride()), list(torch.zeros_like(y).stride())


def clone_keeps_strides_of_a_transpose():
    y = _counted(2, 3).t()
    return list(y.clone().stride()), list(y.contiguous().stride()), list(torch.empty_like(y).stride())


def copy_into_a_transpose():
    x = torch.zeros(2, 3)
    x.t().copy_(_counted(3, 2))
    return x


def copy_broadcasts_into():
    x = torch.zeros(2, 3)
    x.copy_(_counted(3))
    return x, refused(lambda: torch.zeros(3).copy_(_counted(2, 3)))


def copy_overlapping_parts():
    x = _counted(6)
    x[1:] = x[:-1].clone()
    return x


def add_into_an_overlapping_part():
    x = _counted(6)
    x[1:].add_(x[:-1])
    return x


def in_place_may_not_grow():
    x = _counted(3)
    x.add_(_counted(2, 3))


def in_place_on_its_transpose():
    x = _counted(2, 2)
    x.add_(x.t())
    return x


def rot_flip_and_roll():
    x = _counted(2, 3)
    return x.rot90(), x.flip(0), x.flip([0, 1]), x.roll(1), x.roll((1, 1), (0, 1))


def movedim_and_swapdims():
    x = _counted(2, 3, 4)
    return x.movedim(0, -1).shape, x.swapdims(0, 1).shape, refused(lambda: x.movedim((0, 1), (0, 0)))


def resize_shows_old_memory():
    x = _counted(4)
    x.resize_(2)
    y = x.clone()
    x.resize_(2, 2)
    return y, x


def set_of_a_leaf_shape_by_resize():
    leaf(1, 2).resize_(4)


def broadcast_to_and_write():
    x = _counted(3)
    y = x.broadcast_to(2, 3)
    return y, refused(lambda: y.mul_(2))


def atleast_and_ravel():
    return torch.atleast_2d(_counted(3)).shape, torch.atleast_3d(_counted(3)).shape, _counted(2, 2).t().ravel()


def tile_and_outer():
    return _counted(2).tile(2, 2), torch.outer(_counted(2), _counted(3))


def unflatten_with_a_guess():
    return _counted(2, 6).unflatten(1, (2, -1)).shape, refused(lambda: _counted(6).unflatten(0, (4, -1)))


def meshgrid_orders():
    a, b = torch.meshgrid(_counted(2), _counted(3), indexing="ij")
    c, d = torch.meshgrid(_counted(2), _counted(3), indexing="xy")
    return a, b, c, d


def hessian_sees_a_view():
    x = leaf(1, 2, 3, 4)
    (x.view(2, 2) @ x.view(2, 2).t()).trace().backward()
    return x.grad

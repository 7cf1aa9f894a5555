"""Layers with usual and with wrong inputs. layers.ts has the same programs."""
import torch
import torch.nn.functional as F
from helpers import leaf, refused
from torch import nn


def _counted(*shape):
    n = 1
    for s in shape:
        n *= s
    return torch.arange(float(n)).reshape(shape) / n


def linear_of_many_dimensions():
    m = nn.Linear(3, 2)
    return m(_counted(2, 4, 3)).shape, m(_counted(3)).shape, refused(lambda: m(_counted(2, 4)))


def linear_of_an_empty_batch():
    m = nn.Linear(3, 2)
    y = m(torch.zeros(0, 3))
    y.sum().backward()
    return y.shape, m.weight.grad


def convolution_same_and_circular():
    m = nn.Conv1d(1, 1, 4, padding="same", padding_mode="circular")
    n = nn.Conv1d(1, 1, 3, padding="valid", dilation=2)
    return m(_counted(1, 1, 6)), n(_counted(1, 1, 6))


def convolution_same_with_a_stride():
    nn.Conv1d(1, 1, 3, stride=2, padding="same")


def convolution_of_a_window_too_large():
    nn.Conv2d(1, 1, 5)(_counted(1, 1, 3, 3))


def convolution_in_groups():
    m = nn.Conv2d(4, 4, 3, groups=4, stride=2, padding=1, bias=False)
    return m(_counted(2, 4, 5, 5)), m.weight.shape, refused(lambda: nn.Conv2d(4, 6, 3, groups=4))


def convolution_without_a_batch():
    return nn.Conv2d(1, 2, 2)(_counted(1, 3, 3)), refused(lambda: nn.Conv2d(1, 2, 2)(_counted(3, 3)))


def convolution_of_wrong_channels():
    nn.Conv2d(3, 2, 2)(_counted(1, 4, 3, 3))


def transposed_convolution():
    m = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1, output_padding=1)
    x = _counted(1, 1, 2, 2)
    return m(x), m(x, output_size=[3, 3]).shape, refused(lambda: m(x, output_size=[9, 9]))


def output_padding_too_large():
    nn.ConvTranspose1d(1, 1, 3, output_padding=1)(_counted(1, 1, 3))


def pooling_rounds_up():
    x = _counted(1, 1, 5, 5)
    return (
        F.max_pool2d(x, 2, ceil_mode=True),
        F.avg_pool2d(x, 3, 2, 1),
        F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        refused(lambda: F.max_pool2d(x, 2, padding=2)),
    )


def pooling_indices_go_back():
    x = _counted(1, 1, 4, 4)
    y, i = F.max_pool2d(x, 2, return_indices=True)
    return i, F.max_unpool2d(y, i, 2)


def adaptive_pooling():
    x = _counted(1, 1, 5)
    return F.adaptive_avg_pool1d(x, 2), F.adaptive_max_pool1d(x, 3), F.adaptive_avg_pool1d(x, 7)


def lp_and_fractional_pooling():
    return F.lp_pool1d(_counted(1, 1, 4), 2, 2), F.max_pool1d(torch.tensor([[[1.0, float("nan"), 2.0, 0.0]]]), 2)


def batch_norm_without_running_statistics():
    m = nn.BatchNorm1d(2, track_running_stats=False).eval()
    return m(_counted(3, 2)), m.running_mean


def batch_norm_of_a_cumulative_average():
    m = nn.BatchNorm1d(2, momentum=None)
    for k in range(3):
        m(_counted(3, 2) + k)
    return m.running_mean, m.running_var, m.num_batches_tracked


def batch_norm_frozen_still_counts():
    m = nn.BatchNorm2d(2)
    m.weight.requires_grad_(False)
    m(_counted(2, 2, 2, 2))
    return m.running_mean, m.num_batches_tracked


def batch_norm_twice_before_backward():
    m = nn.BatchNorm1d(2)
    x = _counted(3, 2).requires_grad_()
    (m(x).pow(2).sum() + m(x * 2).sum()).backward()
    return x.grad, m.weight.grad


def norms_of_shapes():
    x = _counted(2, 4, 3)
    return (
        nn.LayerNorm(3)(x),
        nn.LayerNorm([4, 3], elementwise_affine=False)(x).shape,
        nn.GroupNorm(2, 4)(x),
        nn.InstanceNorm1d(4)(x),
        nn.RMSNorm(3)(x),
        refused(lambda: nn.LayerNorm(4)(x)),
        refused(lambda: nn.GroupNorm(3, 4)),
    )


def instance_norm_of_one_value():
    nn.InstanceNorm1d(2)(torch.ones(1, 2, 1))


def group_norm_of_channels_last():
    x = _counted(1, 4, 2, 2)
    return nn.GroupNorm(2, 4)(x.contiguous(memory_format=torch.channels_last))


def embedding_padding_has_no_gradient():
    m = nn.Embedding(4, 2, padding_idx=1)
    m(torch.tensor([1, 2, 2])).sum().backward()
    return m.weight.grad, m.weight[1]


def embedding_of_a_negative_padding():
    return nn.Embedding(4, 2, padding_idx=-1).padding_idx, refused(lambda: nn.Embedding(4, 2, padding_idx=4))


def embedding_of_floats():
    nn.Embedding(4, 2)(torch.tensor([1.0]))


def embedding_renormalizes():
    m = nn.Embedding(2, 2, max_norm=1.0)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[3.0, 4.0], [0.1, 0.1]]))
    y = m(torch.tensor([0]))
    return y, m.weight


def embedding_renormalizes_what_was_used():
    m = nn.Embedding(2, 2, max_norm=1.0)
    a = m.weight * 2
    b = m(torch.tensor([0]))
    (a.pow(2).sum() + b.sum()).backward()
    return m.weight.grad.shape


def embedding_with_sparse_gradients():
    m = nn.Embedding(3, 2, sparse=True)
    m(torch.tensor([0, 2])).sum().backward()
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    a = torch.optim.Adam(m.parameters())
    before = m.weight.detach().clone()
    o.step()
    return m.weight.grad.is_sparse, m.weight - before, refused(lambda: a.step())


def bags_of_embeddings():
    m = nn.EmbeddingBag(4, 2, mode="mean")
    i = torch.tensor([0, 1, 3])
    return m(i, torch.tensor([0, 2])), m(torch.tensor([[0, 1]])), m(i, torch.tensor([0, 0, 3])), refused(lambda: m(i))


def lstm():
    m = nn.LSTM(2, 3, num_layers=2, bidirectional=True, batch_first=True)
    y, (h, c) = m(_counted(2, 4, 2))
    return y, h.shape, c[0]


def gru_with_a_state_of_another_size():
    nn.GRU(2, 3)(_counted(4, 1, 2), torch.zeros(1, 1, 4))


def recurrent_without_a_batch():
    y, h = nn.RNN(2, 3, nonlinearity="relu")(_counted(4, 2))
    return y, h


def recurrent_with_packed_sequences():
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    m = nn.GRU(2, 3, batch_first=True)
    x = _counted(2, 4, 2)
    p = pack_padded_sequence(x, torch.tensor([2, 4]), batch_first=True, enforce_sorted=False)
    y, h = m(p)
    z, n = pad_packed_sequence(y, batch_first=True)
    return z, n, h, refused(lambda: pack_padded_sequence(x, torch.tensor([2, 4]), batch_first=True))


def packed_with_an_empty_sequence():
    from torch.nn.utils.rnn import pack_padded_sequence

    pack_padded_sequence(_counted(2, 4, 2), torch.tensor([4, 0]), batch_first=True)


def padded_sequences():
    from torch.nn.utils.rnn import pad_sequence

    return pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])], batch_first=True, padding_value=-1)


def state_not_detached():
    torch.manual_seed(0)
    m = nn.GRU(1, 2)
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    h = None
    refusals = []
    for _ in range(2):
        y, h = m(torch.ones(2, 1, 1), h)
        refusals.append(refused(lambda: y.sum().backward()))
        o.step()
    return refusals


def state_detached():
    torch.manual_seed(0)
    m = nn.GRU(1, 2)
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    h = torch.zeros(1, 1, 2)
    for _ in range(3):
        y, h = m(torch.ones(2, 1, 1), h.detach())
        o.zero_grad()
        y.sum().backward()
        o.step()
    return h, m.weight_hh_l0


def attention_masks():
    q = _counted(1, 1, 3, 2)
    hidden = torch.tensor([[True, False, False], [True, True, False], [False, False, False]])
    return (
        F.scaled_dot_product_attention(q, q, q, is_causal=True),
        F.scaled_dot_product_attention(q, q, q, attn_mask=hidden),
        F.scaled_dot_product_attention(q, q, q, attn_mask=torch.zeros(3, 3).masked_fill(~hidden, float("-inf"))),
        refused(lambda: F.scaled_dot_product_attention(q, q, q, attn_mask=hidden, is_causal=True)),
    )


def multi_head_attention_hides_padding():
    torch.manual_seed(0)
    m = nn.MultiheadAttention(4, 2, batch_first=True)
    x = _counted(2, 3, 4)
    y, w = m(x, x, x, key_padding_mask=torch.tensor([[False, False, True], [False, True, True]]))
    return y, w


def multi_head_attention_hides_everything():
    torch.manual_seed(0)
    m = nn.MultiheadAttention(4, 2, batch_first=True)
    x = _counted(1, 2, 4)
    return m(x, x, x, key_padding_mask=torch.tensor([[True, True]]))[0]


def multi_head_attention_of_heads_that_do_not_divide():
    nn.MultiheadAttention(4, 3)


def transformer_in_both_modes():
    torch.manual_seed(0)
    m = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    x = _counted(2, 3, 4)
    mask = torch.tensor([[False, False, True], [False, False, False]])
    a = m(x, src_key_padding_mask=mask)
    with torch.no_grad():
        b = m.eval()(x, src_key_padding_mask=mask)
    return a[:, :2], b[:, :2]


def causal_mask():
    return nn.Transformer.generate_square_subsequent_mask(3)


def padding_modes():
    x = _counted(1, 1, 4)
    return (
        F.pad(x, (1, 2)),
        F.pad(x, (2, 1), mode="reflect"),
        F.pad(x, (1, 1), mode="replicate"),
        F.pad(x, (-1, 0), value=9.0),
        refused(lambda: F.pad(x, (4, 0), mode="reflect")),
    )


def interpolation():
    x = _counted(1, 1, 2, 2)
    return (
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, size=(3, 3), mode="bilinear"),
        F.interpolate(x, size=(3, 3), mode="bilinear", align_corners=True),
        F.interpolate(x, size=(3, 3), mode="bicubic"),
        refused(lambda: F.interpolate(x, size=3, scale_factor=2)),
        refused(lambda: F.interpolate(x, size=(3, 3), mode="linear")),
    )


def activations_at_their_edges():
    x = torch.tensor([-30.0, -1.0, 0.0, 1.0, 30.0])
    return (
        F.gelu(x),
        F.gelu(x, approximate="tanh"),
        F.softplus(x),
        F.leaky_relu(x, 0.1),
        F.elu(x, 2.0),
        F.hardswish(x),
        F.mish(x),
        F.glu(x[:4]),
        refused(lambda: F.glu(x)),
    )


def softmax_of_minus_infinity():
    x = torch.tensor([[float("-inf"), 0.0], [float("-inf"), float("-inf")]])
    return x.softmax(1), x.log_softmax(1), x.logsumexp(1)


def parametrized_weight():
    torch.manual_seed(0)
    m = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    m(torch.ones(1, 2)).sum().backward()
    return m.weight, [p.grad for p in m.parameters()]


def shared_layer_twice():
    torch.manual_seed(0)
    a = nn.Linear(2, 2)
    m = nn.Sequential(a, nn.Tanh(), a)
    m(torch.ones(1, 2)).sum().backward()
    return a.weight.grad, len(list(m.parameters()))


def hooks_of_layers():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    seen = []
    m[0].register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    h = m[0].register_forward_hook(lambda module, args, output: output + 1)
    m[0].register_full_backward_hook(lambda module, gi, go: seen.append(go[0].clone()))
    m(torch.ones(1, 2)).sum().backward()
    h.remove()
    return seen, m[0].weight.grad, m(torch.ones(1, 2))


def lazy_layers():
    torch.manual_seed(0)
    m = nn.LazyLinear(2)
    y = m(torch.ones(1, 3))
    return y, m.weight.shape, refused(lambda: m(torch.ones(1, 4)))


def unfold_and_fold():
    x = _counted(1, 1, 3, 3)
    y = F.unfold(x, 2)
    return y, F.fold(y, (3, 3), 2), F.pixel_shuffle(_counted(1, 4, 1, 1), 2)

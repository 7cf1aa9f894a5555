"""Random numbers: seeds, generators, states, distributions. generators.ts has the same programs."""
import torch
from helpers import refused
from torch import nn


def _seeded(seed=42):
    return torch.Generator().manual_seed(seed)


def manual_seed():
    torch.manual_seed(42)
    return torch.rand(3), torch.randn(3), torch.randint(0, 10, (4,)), torch.randperm(5)


def manual_seed_again():
    torch.manual_seed(7)
    a = torch.rand(2)
    torch.manual_seed(7)
    return a.equal(torch.rand(2))


def many_normal_numbers():
    torch.manual_seed(1)
    return torch.randn(17), torch.randn(3)


def generator_leaves_the_default_alone():
    g = _seeded()
    torch.manual_seed(0)
    a = torch.rand(2, generator=g)
    return a, torch.rand(2)


def generator_goes_on():
    g = _seeded()
    return torch.rand(2, generator=g), torch.rand(2, generator=g)


def generator_state_goes_back():
    g = _seeded()
    state = g.get_state()
    a = torch.rand(2, generator=g)
    g.set_state(state)
    return a.equal(torch.rand(2, generator=g)), state.dtype


def state_of_the_default():
    torch.manual_seed(3)
    state = torch.get_rng_state()
    a = torch.randn(2)
    torch.set_rng_state(state)
    return a, torch.randn(2)


def state_of_another_length():
    torch.set_rng_state(torch.zeros(3, dtype=torch.uint8))


def state_of_another_dtype():
    torch.set_rng_state(torch.zeros(5056))


def initial_seed():
    torch.manual_seed(11)
    return torch.initial_seed(), _seeded(5).initial_seed()


def negative_seed():
    torch.manual_seed(-1)
    return torch.rand(2)


def seed_with_a_fraction():
    torch.Generator().manual_seed(1.5)


def fork_leaves_the_state():
    torch.manual_seed(0)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        torch.rand(3)
    return torch.rand(2)


def integers_in_a_range():
    g = _seeded()
    return torch.randint(5, (4,), generator=g), torch.randint(-3, 3, (2, 2), generator=g)


def integers_in_an_empty_range():
    torch.randint(3, 3, (2,))


def integers_of_a_dtype():
    return torch.randint(0, 200, (3,), dtype=torch.uint8, generator=_seeded()), refused(
        lambda: torch.randint(0, 300, (3,), dtype=torch.uint8)
    )


def permutation_with_a_generator():
    return torch.randperm(6, generator=_seeded()), torch.randperm(0), refused(lambda: torch.randperm(-1))


def multinomial_without_replacement():
    w = torch.tensor([0.1, 0.2, 0.7])
    return torch.multinomial(w, 3, generator=_seeded()), refused(lambda: torch.multinomial(w, 4))


def multinomial_with_replacement():
    return torch.multinomial(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), 4, replacement=True, generator=_seeded())


def multinomial_of_negative_weights():
    torch.multinomial(torch.tensor([0.5, -0.1]), 1)


def multinomial_of_zero_weights():
    torch.multinomial(torch.zeros(3), 1)


def multinomial_of_integers():
    torch.multinomial(torch.tensor([1, 2]), 1)


def bernoulli_of_probabilities():
    return torch.bernoulli(torch.tensor([0.0, 1.0, 0.5]), generator=_seeded()), refused(
        lambda: torch.bernoulli(torch.tensor([1.5]))
    )


def bernoulli_in_place():
    return torch.empty(4).bernoulli_(0.5, generator=_seeded()), refused(lambda: torch.empty(2).bernoulli_(2))


def normal_with_means():
    return torch.normal(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 2.0]), generator=_seeded()), torch.normal(
        5.0, 0.0, (2,)
    )


def normal_with_a_negative_deviation():
    torch.normal(0.0, -1.0, (2,))


def uniform_in_place():
    return torch.empty(3).uniform_(-1, 1, generator=_seeded()), refused(lambda: torch.empty(3).uniform_(1, -1))


def other_distributions_in_place():
    g = _seeded()
    return (
        torch.empty(2).normal_(1, 2, generator=g),
        torch.empty(2).exponential_(2, generator=g),
        torch.empty(2).geometric_(0.5, generator=g),
        torch.empty(2).log_normal_(0, 1, generator=g),
        torch.empty(2).cauchy_(0, 1, generator=g),
    )


def random_in_place():
    g = _seeded()
    return torch.empty(3, dtype=torch.int64).random_(0, 10, generator=g), torch.empty(2).random_(generator=g)


def uniform_of_integers():
    torch.empty(3, dtype=torch.int64).uniform_()


def rand_of_integers():
    torch.rand(3, dtype=torch.int64)


def rand_like_has_its_dtype():
    torch.manual_seed(0)
    return torch.rand_like(torch.zeros(2, dtype=torch.float64)), torch.randn_like(torch.zeros(2)), refused(
        lambda: torch.rand_like(torch.tensor([1, 2]))
    )


def rand_of_half_and_double():
    torch.manual_seed(0)
    return torch.rand(2, dtype=torch.float64), torch.rand(2, dtype=torch.float16), torch.randn(2, dtype=torch.bfloat16)


def poisson():
    return torch.poisson(torch.tensor([1.0, 10.0]), generator=_seeded())


def layers_draw_from_the_default():
    torch.manual_seed(5)
    a, b = nn.Linear(2, 2), nn.Conv1d(1, 2, 2)
    return a.weight, a.bias, b.weight, b.bias


def embedding_draws():
    torch.manual_seed(5)
    return nn.Embedding(2, 3, padding_idx=0).weight


def recurrent_layers_draw():
    torch.manual_seed(5)
    return [p for p in nn.GRU(1, 2).parameters()]


def initializers():
    torch.manual_seed(5)
    w = torch.empty(2, 3)
    return [
        nn.init.xavier_uniform_(w).clone(),
        nn.init.kaiming_normal_(w, mode="fan_out").clone(),
        nn.init.orthogonal_(w).clone(),
        nn.init.trunc_normal_(w, std=0.5).clone(),
    ]


def initializer_of_a_vector():
    nn.init.xavier_uniform_(torch.empty(3))


def dropout_draws_anew():
    torch.manual_seed(0)
    d = nn.Dropout(0.5)
    x = torch.ones(6)
    a, b = d(x), d(x)
    return a, b, d.eval()(x)


def dropout_of_everything():
    return nn.Dropout(1.0)(torch.ones(3)), refused(lambda: nn.Dropout(1.5))


def seed_before_the_loader():
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=2, shuffle=True)
    return [[b[0].tolist() for b in loader], [b[0].tolist() for b in loader]]


def loader_with_a_generator():
    from torch.utils.data import DataLoader, TensorDataset

    loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=4, shuffle=True, generator=_seeded())
    return [b[0].tolist() for b in loader]


def random_split_with_a_generator():
    from torch.utils.data import TensorDataset, random_split

    a, b = random_split(TensorDataset(torch.arange(5)), [3, 2], generator=_seeded())
    return [x[0] for x in a], [x[0] for x in b], refused(lambda: random_split(TensorDataset(torch.arange(5)), [3, 3]))

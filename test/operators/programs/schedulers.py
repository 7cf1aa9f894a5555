"""Schedules of the learning rate, in usual and in wrong orders. schedulers.ts has the same programs."""
import copy
import math

import torch
from helpers import leaf
from torch import optim
from torch.optim import lr_scheduler as lrs


def _optimizer(lr=1.0, **others):
    return optim.SGD([leaf(1, 2)], lr=lr, **others)


def _rates(make, steps=8, **others):
    o = _optimizer(**others)
    s = make(o)
    rates = [o.param_groups[0]["lr"]]
    for _ in range(steps):
        o.step()
        s.step()
        rates.append(o.param_groups[0]["lr"])
    return rates, s.get_last_lr()


def step_lr():
    return _rates(lambda o: lrs.StepLR(o, 3, 0.5))


def multi_step_with_a_milestone_twice():
    return _rates(lambda o: lrs.MultiStepLR(o, [2, 2, 5], 0.1))


def multi_step_unsorted():
    return _rates(lambda o: lrs.MultiStepLR(o, [5, 2], 0.1))


def constant_lr():
    return _rates(lambda o: lrs.ConstantLR(o, 0.25, 4))


def linear_lr():
    return _rates(lambda o: lrs.LinearLR(o, 0.1, 1.0, 5))


def linear_lr_with_wrong_factor():
    return _rates(lambda o: lrs.LinearLR(o, 2.0))


def exponential_lr():
    return _rates(lambda o: lrs.ExponentialLR(o, 0.9))


def polynomial_lr():
    return _rates(lambda o: lrs.PolynomialLR(o, 5, 2.0))


def lambda_lr():
    return _rates(lambda o: lrs.LambdaLR(o, lambda epoch: 0.95**epoch))


def multiplicative_lr():
    return _rates(lambda o: lrs.MultiplicativeLR(o, lambda epoch: 0.5 if epoch % 2 else 1.0))


def cosine_annealing():
    return _rates(lambda o: lrs.CosineAnnealingLR(o, 4, 0.1))


def cosine_past_its_end():
    return _rates(lambda o: lrs.CosineAnnealingLR(o, 3), 10)


def warm_restarts():
    return _rates(lambda o: lrs.CosineAnnealingWarmRestarts(o, 2, 2), 10)


def warm_restarts_by_zero():
    return _rates(lambda o: lrs.CosineAnnealingWarmRestarts(o, 0))


def one_cycle():
    return _rates(lambda o: lrs.OneCycleLR(o, 0.5, total_steps=8), 7, momentum=0.9)


def one_cycle_past_its_end():
    return _rates(lambda o: lrs.OneCycleLR(o, 0.5, total_steps=5), 8, momentum=0.9)


def one_cycle_three_phases():
    return _rates(
        lambda o: lrs.OneCycleLR(o, 0.5, epochs=2, steps_per_epoch=5, three_phase=True, anneal_strategy="linear"),
        8,
        momentum=0.9,
    )


def one_cycle_without_momentum_to_cycle():
    return _rates(lambda o: lrs.OneCycleLR(o, 0.5, total_steps=8), 7)


def one_cycle_without_length():
    return _rates(lambda o: lrs.OneCycleLR(o, 0.5), 7, momentum=0.9)


def cyclic_triangular_two():
    return _rates(lambda o: lrs.CyclicLR(o, 0.1, 1.0, step_size_up=2, mode="triangular2", cycle_momentum=False))


def cyclic_exp_range():
    return _rates(
        lambda o: lrs.CyclicLR(o, 0.1, 1.0, step_size_up=2, mode="exp_range", gamma=0.9, cycle_momentum=False)
    )


def sequential():
    def make(o):
        return lrs.SequentialLR(o, [lrs.ConstantLR(o, 0.1, 2), lrs.ExponentialLR(o, 0.9)], [3])

    return _rates(make)


def chained():
    return _rates(lambda o: lrs.ChainedScheduler([lrs.ConstantLR(o, 0.1, 3), lrs.ExponentialLR(o, 0.9)], o))


def warm_up_then_cosine():
    def make(o):
        return lrs.SequentialLR(o, [lrs.LinearLR(o, 0.1, total_iters=3), lrs.CosineAnnealingLR(o, 5)], [3])

    return _rates(make)


def plateau():
    o = _optimizer()
    s = lrs.ReduceLROnPlateau(o, factor=0.5, patience=1)
    rates = []
    for loss in (1.0, 0.9, 0.9, 0.9, 0.95, 0.89995, 0.5, 0.6):
        s.step(loss)
        rates.append(o.param_groups[0]["lr"])
    return rates


def plateau_without_a_metric():
    o = _optimizer()
    lrs.ReduceLROnPlateau(o).step()


def plateau_of_nan():
    o = _optimizer()
    s = lrs.ReduceLROnPlateau(o, factor=0.5, patience=0)
    s.step(1.0)
    s.step(math.nan)
    return o.param_groups[0]["lr"]


def plateau_with_cooldown_and_least_rate():
    o = _optimizer()
    s = lrs.ReduceLROnPlateau(o, mode="max", factor=0.1, patience=0, cooldown=1, min_lr=0.05)
    rates = []
    for accuracy in (0.5, 0.4, 0.4, 0.4, 0.4, 0.6, 0.1):
        s.step(torch.tensor(accuracy))
        rates.append(o.param_groups[0]["lr"])
    return rates


def plateau_factor_of_one():
    lrs.ReduceLROnPlateau(_optimizer(), factor=1.0)


def rate_set_by_hand_between_steps():
    o = _optimizer()
    s = lrs.ExponentialLR(o, 0.5)
    rates = []
    for i in range(4):
        o.step()
        s.step()
        rates.append(o.param_groups[0]["lr"])
        if i == 1:
            o.param_groups[0]["lr"] = 0.8
    return rates


def state_of_a_schedule_loaded():
    o = _optimizer()
    s = lrs.StepLR(o, 2, 0.5)
    for _ in range(3):
        o.step()
        s.step()
    q = _optimizer()
    t = lrs.StepLR(q, 2, 0.5)
    t.load_state_dict(copy.deepcopy(s.state_dict()))
    q.load_state_dict(o.state_dict())
    rates = []
    for _ in range(3):
        q.step()
        t.step()
        rates.append(q.param_groups[0]["lr"])
    return t.last_epoch, rates


def two_schedules_of_one_optimizer():
    o = _optimizer()
    s, t = lrs.ExponentialLR(o, 0.9), lrs.StepLR(o, 2, 0.5)
    rates = []
    for _ in range(5):
        o.step()
        s.step()
        t.step()
        rates.append(o.param_groups[0]["lr"])
    return rates


def groups_have_rates_of_their_own():
    p, q = leaf(1), leaf(2)
    o = optim.SGD([{"params": [p], "lr": 1.0}, {"params": [q], "lr": 0.1}])
    s = lrs.LambdaLR(o, [lambda epoch: 1 / (1 + epoch), lambda epoch: 1.0])
    for _ in range(3):
        o.step()
        s.step()
    return s.get_last_lr()


def one_function_for_two_groups():
    p, q = leaf(1), leaf(2)
    o = optim.SGD([{"params": [p]}, {"params": [q]}], lr=1.0)
    lrs.LambdaLR(o, [lambda epoch: 1.0])


def schedule_of_no_optimizer():
    lrs.StepLR(leaf(1, 2), 3)

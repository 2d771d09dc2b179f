"""Losses."""
import numpy as np
from functions.cases import Case, case, floats, integers


@case(small={'n': 8, 'classes': 10}, large={'n': 1024, 'classes': 1000})
def softmax_cross_entropy(n, classes):
    t = integers(1, classes, n)
    return Case(
        [floats(0, n, classes)], lambda F, x: F.softmax_cross_entropy(x, t),
        lambda torch, x: torch.nn.functional.cross_entropy(x, torch.from_numpy(t)))


@case(small={'n': 8, 'classes': 10}, large={'n': 1024, 'classes': 1000})
def sigmoid_cross_entropy(n, classes):
    t = integers(1, 2, n, classes).astype(np.int32)
    bits = t.astype(np.float32)
    return Case(
        [floats(0, n, classes)], lambda F, x: F.sigmoid_cross_entropy(x, t),
        lambda torch, x: torch.nn.functional.binary_cross_entropy_with_logits(
            x, torch.from_numpy(bits)))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def mean_squared_error(n, units):
    return Case(
        [floats(0, n, units), floats(1, n, units)],
        lambda F, x, y: F.mean_squared_error(x, y),
        lambda torch, x, y: torch.nn.functional.mse_loss(x, y))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def huber_loss(n, units):
    return Case(
        [floats(0, n, units), floats(1, n, units)],
        lambda F, x, t: F.huber_loss(x, t, .5),
        lambda torch, x, t: torch.nn.functional.huber_loss(
            x, t, delta=.5, reduction='none').sum(1))


@case(small={'n': 8, 'classes': 10}, large={'n': 1024, 'classes': 1000})
def hinge(n, classes):
    t = integers(1, classes, n).astype(np.int32)
    all_signs = np.ones((n, classes), np.float32)
    all_signs[np.arange(n), t] = -1

    def by_torch(torch, x):
        signs = torch.from_numpy(all_signs)
        return torch.relu(1 + signs * x).sum() / n
    return Case([floats(0, n, classes)], lambda F, x: F.hinge(x, t), by_torch)


@case(small={'length': 5, 'n': 2, 'symbols': 5, 'labels': 2},
      large={'length': 100, 'n': 32, 'symbols': 60, 'labels': 20})
def connectionist_temporal_classification(length, n, symbols, labels):
    # Labels without the blank, which is symbol 0.
    t = integers(1, symbols - 1, n, labels).astype(np.int32) + 1

    def by_torch(torch, *xs):
        logs = torch.log_softmax(torch.stack(xs), 2)
        return torch.nn.functional.ctc_loss(
            logs, torch.from_numpy(t), (length,) * n, (labels,) * n,
            reduction='none').mean()
    return Case(
        [floats(10 + i, n, symbols) for i in range(length)],
        lambda F, *xs: F.connectionist_temporal_classification(xs, t, 0), by_torch)

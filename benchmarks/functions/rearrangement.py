"""Rearrangement and selection of elements, and running sums."""
from functions.cases import Case, case, floats, integers


@case(small={'shape': (8, 16)}, large={'shape': (32, 64, 56, 56)})
def concat(shape):
    return Case(
        [floats(i, *shape) for i in range(3)],
        lambda F, *xs: F.concat(xs, axis=1), lambda torch, *xs: torch.cat(xs, 1))


@case(small={'shape': (8, 16)}, large={'shape': (32, 64, 56, 56)})
def split_axis(shape):
    return Case(
        [floats(0, *shape)], lambda F, x: F.split_axis(x, 4, 1),
        lambda torch, x: torch.chunk(x, 4, 1))


@case(small={'shape': (8, 16)}, large={'shape': (32, 64, 56, 56)})
def get_item(shape):
    return Case([floats(0, *shape)], lambda F, x: x[:, 2:10],
                lambda torch, x: x[:, 2:10])


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def separate(n, units):
    return Case(
        [floats(0, n, units)], lambda F, x: F.separate(x, 1),
        lambda torch, x: torch.unbind(x, 1))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def broadcast_to(n, units):
    return Case(
        [floats(0, units)], lambda F, row: F.broadcast_to(row, (n, units)),
        lambda torch, row: torch.broadcast_to(row, (n, units)))


@case(small={'rows': 8, 'units': 16, 'n': 32},
      large={'rows': 1024, 'units': 1024, 'n': 1024})
def scatter_add(rows, units, n):
    t = integers(1, rows, n)
    return Case(
        [floats(0, rows, units), floats(1, n, units)],
        lambda F, a, b: F.scatter_add(a, t, b),
        lambda torch, a, b: a.index_add(0, torch.from_numpy(t), b))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def repeat(n, units):
    return Case(
        [floats(0, n, units)], lambda F, x: F.repeat(x, 2, axis=1),
        lambda torch, x: torch.repeat_interleave(x, 2, 1))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def cumsum(n, units):
    return Case(
        [floats(0, n, units)], lambda F, x: F.cumsum(x, axis=1),
        lambda torch, x: torch.cumsum(x, 1))

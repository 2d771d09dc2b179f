"""Table of the differentiable functions and the orders to which they were checked."""
from __future__ import annotations

import importlib.resources
from typing import NamedTuple


class Order(NamedTuple):
    """Verified order of the derivatives of a function.

    Attributes
    ----------
    order : int
        The highest order whose derivatives were verified by differences; 0 if there is
        no gradient.
    remark : str
        Remark on higher orders or special cases; empty if the comparison ended at this
        order.
    """

    order: int
    remark: str


def _read():
    text = importlib.resources.files(__package__).joinpath('orders.tsv').read_text(
        encoding='utf-8')
    for line in text.splitlines():
        if line and not line.startswith('#'):
            name, order, remark = line.split('\t')
            yield name, Order(int(order), remark)


#: Orders by the names of the public functions.
registry: dict[str, Order] = dict(_read())


def show_registry() -> None:
    """Print every public function with the order to which its derivatives are correct.

    The orders were determined by comparing repeated :func:`chainer_fast.nnabla.grad`
    with differences, up to the fourth order; ``registry`` contains them as data.
    """
    width = max(map(len, registry))
    for name, (order, remark) in registry.items():
        print(('%-*s  %d  %s' % (width, name, order, remark)).rstrip())

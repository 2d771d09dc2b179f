"""Checks the derivatives of every public function, and writes a table of orders.

    python compat/gradient_orders.py            # chainer_fast/nnabla/orders.tsv

``tests/nnabla/orders.py`` implements the check of an order, ``cases.py`` in the same
folder has the inputs; the tests compare the table with a new check.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, 'chainer_fast', 'nnabla', 'orders.tsv')


def main():
    sys.path.insert(0, ROOT)
    from tests.nnabla import cases, orders
    found = {name: orders.of_case(name) for name in sorted(cases.CASES)}
    with open(TABLE, 'w', encoding='utf-8') as f:
        f.write('# function, order to which derivatives were right (of %d), remark; '
                'made by compat/gradient_orders.py\n' % orders.LIMIT)
        for name, order in found.items():
            f.write('%s\t%d\t%s\n' % (name, *order))


if __name__ == '__main__':
    main()

"""The order of parameters and links as versions 1 to 4 and Python 2 had it."""
import pytest

import chainer_fast as chainer
from chainer_fast import links as L
from chainer_fast.legacy import _report

NAMES = ['zeta', 'embed', 'alpha', 'l1', 'l2']
MANY = ['hy', 'l2', 'embed', 'hh', 'conv3_1', 'dec', 'lateral', 'conv3', 'W', 'l1_h',
        'out']
MORE = ['fc7', 'hy', 'dec', 'conv1', 'bn1', 'xh', 'ln_var', 'fc6', 'l5', 'embed',
        'l1_h', 'softmax', 'l2_h', 'l3']


class Own(chainer.Chain):

    def __init__(self, names):
        super().__init__(**{name: chainer.Link() for name in names})


def below(link):
    return [path[1:] for path, _ in link.namedlinks(True)]


@pytest.mark.parametrize('parts, order', [
    ((), sorted(NAMES)), (('v2',), sorted(NAMES)), (('v2', 'python3'), sorted(NAMES)),
    (('v5', 'python'), sorted(NAMES)), (('v1',), NAMES),
    (('v1', 'python'), ['alpha', 'zeta', 'l2', 'embed', 'l1']),
    (('v2', 'python'), ['alpha', 'zeta', 'l2', 'embed', 'l1']),
    (('v4.3', 'python'), ['alpha', 'zeta', 'l2', 'embed', 'l1'])])
def test_children(enable, parts, order):
    enable(*parts)
    assert below(Own(NAMES)) == order


@pytest.mark.parametrize('make, order', [
    (lambda: Own(MANY), 'hy W lateral l1_h conv3 hh l2 conv3_1 embed dec out'),
    (lambda: Own(MORE),
     'xh hy fc6 fc7 l2_h bn1 l1_h ln_var conv1 l5 softmax embed dec l3'),
    (lambda: chainer.FunctionSet(**{name: chainer.Link() for name in MANY}),
     'hy conv3_1 lateral l1_h conv3 hh l2 W embed dec out'),
    (lambda: chainer.Chain(**{name: chainer.Link() for name in NAMES}),
     'alpha embed l2 zeta l1'),
    (lambda: L.GRU(1), 'U_r U W W_z U_z W_r'),
    (lambda: L.LSTM(1, 1), 'lateral upward'),
])
def test_children_in_the_order_of_python_2(enable, make, order):
    # The orders are those of Chainer 1.24 on Python 2.7.
    enable('v1', 'python')
    assert below(make()) == order.split()


class Scoped(chainer.Chain):

    def __init__(self, names):
        super().__init__()
        with self.init_scope():
            for name in names:
                setattr(self, name, L.Linear(1, 1))


@pytest.mark.parametrize('version', ['v2', 'v4.3'])
@pytest.mark.parametrize('make, order', [
    (lambda: Scoped(NAMES), 'alpha/b alpha/W zeta/b zeta/W l2/b l2/W embed/b embed/W '
     'l1/b l1/W'),
    (lambda: Scoped(['embed', 'l1_x', 'l1_h', 'l2_h', 'l2_x', 'l3']),
     'l2_x/b l2_x/W l1_h/b l1_h/W l3/b l3/W embed/b embed/W l2_h/b l2_h/W l1_x/b '
     'l1_x/W'),
    (lambda: L.Bilinear(2, 2, 2), 'V1 V2 b W'),
    (lambda: L.BatchNormalization(2), 'beta gamma'),
    (lambda: L.StatefulPeepholeLSTM(2, 2),
     'peep_i/W lateral/W peep_f/W peep_o/W upward/b upward/W'),
    (lambda: L.InceptionBN(2, 2, 2, 2, 2, 2, 'max', 2),
     'conv33b/W conv33a/W proj3/W proj33n/beta proj33n/gamma proj3n/beta proj3n/gamma '
     'conv33an/beta conv33an/gamma conv1n/beta conv1n/gamma conv3/W conv1/W '
     'conv33bn/beta conv33bn/gamma proj33/W poolpn/beta poolpn/gamma conv3n/beta '
     'conv3n/gamma poolp/W'),
    (lambda: L.NStepLSTM(1, 2, 2, 0.),
     '0/w7 0/w1 0/w6 0/b7 0/b3 0/b6 0/b4 0/b5 0/w5 0/w4 0/b0 0/w2 0/b2 0/w0 0/w3 0/b1'),
])
def test_parameters_in_sets_of_python_2(enable, version, make, order):
    # The orders are those of Chainer 2.0 and 4.3 on Python 2.7.
    enable(version, 'python')
    link = make()
    assert ' '.join(path[1:] for path, _ in link.namedparams()) == order
    assert list(map(id, link.params())) == [id(p) for _, p in link.namedparams()]


def test_orders_in_sets_are_counted(enable):
    enable('v2', 'python')
    _report.clear()
    list(Scoped(NAMES).params())
    assert list(_report.uses()) == ['order of parameters in a set']


def test_parameters_in_the_order_of_python_2(enable):
    enable('v1', 'python')
    link = chainer.Link(**dict.fromkeys(NAMES, (1,)))
    assert [path for path, _ in link.namedparams()] == [
        '/alpha', '/embed', '/l2', '/zeta', '/l1']


def test_walks_agree(enable):
    enable('v1')
    chain = chainer.Chain(
        b=L.Linear(2, 2), a=chainer.ChainList(L.LSTM(2, 2), L.Linear(None, 2)))
    chain.add_param('W', (1,))
    paths = ['/W', '/b/W', '/b/b', '/a/0/upward/W', '/a/0/upward/b', '/a/0/lateral/W',
             '/a/1/b']
    assert [path for path, _ in chain.namedparams(False)] == paths
    named = dict(chain.namedparams())
    assert [id(param) for param in chain.params(include_uninit=False)] == [
        id(named[path]) for path in paths]
    assert '/a/1/W' in named
    assert [path for path, _ in chain.namedlinks()] == [
        '/', '/b', '/a', '/a/0', '/a/0/upward', '/a/0/lateral', '/a/1']
    assert [id(link) for link in chain.links()] == [
        id(link) for _, link in chain.namedlinks()]
    assert list(chain.children()) == [chain.b, chain.a]
    chain.cleargrads()
    assert all(param.grad is None for param in chain.params())


def test_orders_that_differ_from_todays_are_counted(enable):
    enable('v1')
    _report.clear()
    chain = chainer.Chain(a=L.Linear(2, 2), b=L.Linear(2, 2))
    list(chain.params())
    assert not _report.uses()
    chain.add_link('L', L.Linear(2, 2))
    chain.cleargrads()
    assert not _report.uses()
    list(chain.params())
    assert list(_report.uses()) == ['order of parameters as they were added']

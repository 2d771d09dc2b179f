import threading

import pytest

import chainer_fast
from chainer_fast import link_hook


class Recorder(chainer_fast.LinkHook):

    def __init__(self, log, name='recorder'):
        self.log, self.name = log, name

    def added(self, link):
        self.log.append(('added', self.name, link))

    def deleted(self, link):
        self.log.append(('deleted', self.name, link))

    def forward_preprocess(self, args):
        self.log.append(('pre', self.name, args.link))
        self.pre = args

    def forward_postprocess(self, args):
        self.log.append(('post', self.name, args.link))
        self.post = args


class Double(chainer_fast.Link):

    def forward(self, x, times=1):
        return 2 * times * x


def test_local_hook():
    log, link = [], Double()
    hook = Recorder(log)
    assert link.add_hook(hook) is link
    assert link(3, times=2) == 12
    link.delete_hook('recorder')
    assert link(3) == 6
    assert log == [(what, 'recorder', link)
                   for what in ('added', 'pre', 'post', 'deleted')]
    for args in (hook.pre, hook.post):
        assert args.link is link
        assert args.forward_name == 'forward'
        assert args.args == (3,)
        assert args.kwargs == {'times': 2}
    assert hook.post.out == 12
    assert "kwargs={'times': 2} out=12" in repr(hook.post)
    assert 'out' not in str(hook.pre)


def test_hook_of_a_thread_applies_to_every_link():
    class Quadruple(chainer_fast.Chain):

        def __init__(self):
            super().__init__(inner=Double())

        def forward(self, x):
            return self.inner(2 * x)

    log, link = [], Quadruple()
    hook = Recorder(log)
    with hook as entered:
        assert entered is hook
        assert link(1) == 4
    link(1)
    assert log == [
        ('added', 'recorder', None), ('pre', 'recorder', link),
        ('pre', 'recorder', link.inner), ('post', 'recorder', link.inner),
        ('post', 'recorder', link), ('deleted', 'recorder', None)]


def test_order_and_precedence():
    # Hooks of the thread come first; one of the link replaces its namesake among them.
    log, link = [], Double()
    link.add_hook(Recorder(log, 'own'))
    link.add_hook(Recorder(log, 'both'))
    shared = Recorder([], 'both')
    with Recorder(log, 'first'), shared:
        del log[:]
        link(1)
    assert [entry[1] for entry in log] == ['first', 'both', 'own', 'first', 'both',
                                           'own', 'first']
    assert [entry[0] for entry in shared.log] == ['added', 'deleted']


def test_names():
    link = Double()
    link.add_hook(Recorder([]), 'mine')
    assert list(link.local_link_hooks) == ['mine']
    assert link._n_local_link_hooks == 1
    with pytest.raises(KeyError, match='mine'):
        link.add_hook(link.local_link_hooks['mine'], 'mine')
    with pytest.raises(KeyError, match='recorder'):
        link.delete_hook('recorder')
    with pytest.raises(TypeError, match='int'):
        link.add_hook(3)
    with Recorder([]):
        with pytest.raises(KeyError, match='recorder'), Recorder([]):
            pass
        assert list(link_hook._get_link_hooks()) == ['recorder']
    assert not link_hook._get_link_hooks()
    assert chainer_fast.LinkHook().name == 'LinkHook'


def test_no_postprocess_after_an_error():
    class Broken(chainer_fast.Link):

        def forward(self):
            raise RuntimeError('broken')

    log, link = [], Broken()
    link.add_hook(Recorder(log))
    with pytest.raises(RuntimeError, match='broken'):
        link()
    assert [entry[0] for entry in log] == ['added', 'pre']


def test_hooks_belong_to_a_thread():
    seen = []
    with Recorder([]):
        thread = threading.Thread(
            target=lambda: seen.append(dict(link_hook._get_link_hooks())))
        thread.start()
        thread.join()
    assert seen == [{}]


def test_default_hook_does_nothing():
    link = Double()
    link.add_hook(chainer_fast.LinkHook())
    with chainer_fast.LinkHook():
        assert link(1) == 2

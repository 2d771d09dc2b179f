"""What is no serializer is an error that says so, for whatever can be saved."""
import pytest

from tests.derived import classes

CASES = classes.cases()


@pytest.fixture(scope='module')
def objects():
    """Return one object of each class that has a method to save it."""
    ours, found = classes.Observer('chainer_fast'), {}
    for name, cases in CASES.items():
        cls = ours.find(name)
        # The base of updaters has its method for others to define.
        if name != 'training.Updater' and hasattr(cls, 'serialize'):
            def make(*args, cls=cls, name=name, **kwargs):
                found[name] = cls(*args, **kwargs)
                return found[name]
            for case in cases.values():
                if name not in found:
                    ours.outcome(case, make)
    assert len(found) > 100
    return found


@pytest.mark.parametrize('wrong', [None, 3, 'link.npz'])
def test_error_tells_what_came(objects, wrong):
    silent = []
    for name, each in objects.items():
        try:
            each.serialize(wrong)
        except TypeError as error:
            message = str(error)
            assert 'serialize() of %s needs a serializer' % type(each).__name__ in (
                message), name
            assert 'but got %r' % (wrong,) in message
            assert 'save_npz' in message
        else:
            silent.append(name)
    # They have nothing to save.
    assert len(silent) < len(objects) / 4, silent


def test_other_errors_stay(objects):
    def serializer(key, value):
        raise TypeError('of its own')

    with pytest.raises(TypeError, match='^of its own$'):
        objects['links.Linear'].serialize(serializer)

"""The search for kernels that no test has compiled."""
from tests.doubles.device_code import missing

SOURCE = '''
def direct(x):
    return cuda.elementwise(
        'T x', 'T y', 'y = x', 'copy')(x)


def wrapper(operation, name):
    return cuda.reduce('T x', 'T y', operation, name)


def outer(operation):
    return wrapper(operation, 'twice')


def uses():
    wrapper('x', 'once')
    return outer('x * x')


def form(function):
    return elements.form(function, 'T x')


tanh = form('Tanh::of')
'''


def test_calls_that_make_kernels():
    assert [site[:2] for site in missing.calls_in(SOURCE)] == [
        (3, 4), (16, 16), (17, 17), (24, 24)]


def test_missing_kernels(tmp_path):
    (tmp_path / 'm.py').write_text(SOURCE)
    kernels = [{'init': {'name': 'made_up'}, 'made_at': ['other.py:7', 'm.py:4']},
               {'init': {'name': 'Tanh_of'}, 'made_at': ['device.py:1']},
               {'init': {'name': 'once'}, 'made_at': None}]
    assert missing.missing(kernels, tmp_path) == ['m.py:17']
    assert missing.missing([], tmp_path) == ['m.py:%d' % n for n in (3, 16, 17, 24)]


def test_all_calls_are_found_in_the_package():
    assert len(missing.missing([])) > 40

"""Approximate functions: within the bounds of the manual, and at both ends of them."""
import numpy as np
import pytest

from tests.doubles.ptx_tests.programs import assert_same, operate, run

APPROXIMATE = [
    # The manual's largest errors: of the result, or of all results.
    ('rcp', lambda x: 1 / x, 2.**-23, 0), ('rsqrt', lambda x: x**-.5, 2.**-22.9, 0),
    ('sqrt', np.sqrt, 2.**-23, 0), ('ex2', np.exp2, 2.**-22.5, 0),
    ('lg2', np.log2, 2.**-22.6, 2.**-22.6), ('sin', np.sin, 0, 2.**-20.5),
    ('cos', np.cos, 0, 2.**-20.5), ('tanh', np.tanh, 2.**-11, 0)]


def approximately(opcode, x, error):
    out = np.zeros_like(x)
    run('''
        shl.b64 %%rd10, %%rd9, 2;
        add.s64 %%rd11, %%rd10, %%rd0;
        add.s64 %%rd12, %%rd10, %%rd1;
        ld.global.f32 %%f1, [%%rd12];
        %s %%f2, %%f1;
        st.global.f32 [%%rd11], %%f2;
        ''' % opcode, out, x.copy(), error=error)
    return out


@pytest.mark.parametrize('name, function, relative, absolute', APPROXIMATE)
def test_approximate_functions_stay_within_their_bounds(
        name, function, relative, absolute):
    low, high = (-8, 8) if name in ('ex2', 'tanh') else (-3.14, 3.14) if name in (
        'sin', 'cos') else (.001, 500)
    x = np.linspace(low, high, 500).astype('f4')
    exact = function(x.astype('d'))
    off = {}
    for error in (-1., 0., 1.):
        off[error] = approximately('%s.approx.ftz.f32' % name, x, error) - exact
        # And half a unit of rounding.
        bound = relative * abs(exact) + absolute + abs(exact) * 2.**-24
        assert (abs(off[error]) <= bound).all()
    # Kernels see both ends.
    assert off[-1.].min() < off[0.].min()
    assert off[1.].max() > off[0.].max()


def test_approximate_functions_of_special_numbers():
    inf, nan, tiny = np.inf, np.nan, np.finfo('f4').tiny
    x = np.array([0, -0., inf, -inf, nan, tiny / 2, -tiny / 2, 1], 'f4')
    for name, expected in (
            ('rcp', [inf, -inf, 0, -0., nan, inf, -inf, 1]),
            ('rsqrt', [inf, -inf, 0, nan, nan, inf, -inf, 1]),
            ('sqrt', [0, -0., inf, nan, nan, 0, -0., 1]),
            ('ex2', [1, 1, inf, 0, nan, 1, 1, 2]),
            ('lg2', [-inf, -inf, inf, nan, nan, -inf, -inf, 0]),
            ('sin', [0, -0., nan, nan, nan, 0, -0., None]),
            ('cos', [1, 1, nan, nan, nan, 1, 1, None]),
            ('tanh', [0, -0., 1, -1, nan, 0, -0., None])):
        some = np.array([each is not None for each in expected])
        for error in (-1., 0., 1.):
            out = approximately('%s.approx.ftz.f32' % name, x, error)
            if name == 'cos':
                np.testing.assert_allclose(out[some], np.array(expected[:-1], 'f4'),
                                           atol=2.**-20)
            elif name == 'tanh':
                np.testing.assert_allclose(out[some], np.array(expected[:-1], 'f4'),
                                           rtol=2.**-10)
            else:
                assert_same(out[some], np.array(expected, 'f4')[some])


def test_reciprocals_of_the_upper_half():
    x = np.array([3., -7., 1e300, 1e-300, 0., -0., np.inf, 5e-320])
    out = operate('rcp.approx.ftz.f64', 'f64', ('f64', x))
    assert (out.view('u8') & 0xffffffff == 0).all()
    np.testing.assert_allclose(out[:4], 1 / x[:4], rtol=2.**-19)
    assert_same(out[4:], np.array([np.inf, -np.inf, 0, np.inf]))


def test_approximate_quotients():
    a = np.array([1, 3, 1, 1, np.inf, 0], 'f4')
    b = np.array([3, -7, 2.**127, 2.**100, 2.**127, 0], 'f4')
    out = operate('div.approx.f32', 'f32', ('f32', a), ('f32', b))
    np.testing.assert_allclose(out[:2], a[:2] / b[:2], rtol=2.**-21)
    # Beyond 2**126 a quotient is zero, and one of infinity is no number.
    assert_same(out[2:], np.array([0, 2.**-100, np.nan, np.nan], 'f4'))
    full = operate('div.full.f32', 'f32', ('f32', a), ('f32', b))
    assert full[2] == 2.**-127

"""Second derivatives of memory cells.

A cell ``c = a i + f c_prev`` with an output ``h = o tanh(c)`` has gradients that are
linear in ``gc_step = gc + gh o (1 - tanh(c)^2)`` and ``gh``. The functions here
differentiate these gradients again; ``gg`` denotes the gradient with respect to one of
them. Gates are given by their values, but gradients are with respect to the inputs of
the gates, before the activation.
"""


def cell(gc_step, c_prev, a, i, f, ggc_prev, gga, ggi, ggf):
    """Differentiate the gradients of the cell and its three gates.

    Returns
    -------
    tuple of array
        Gradients with respect to ``gc_step``, ``c_prev``, and the inputs of ``a``,
        ``i``, ``f``.
    """
    slope_a, slope_i, slope_f = 1 - a * a, i * (1 - i), f * (1 - f)
    by_gc_step = (ggc_prev * f + gga * i * slope_a + ggi * a * slope_i
                  + ggf * c_prev * slope_f)
    by_c_prev = gc_step * ggf * slope_f
    by_a = gc_step * slope_a * (ggi * slope_i - 2 * gga * i * a)
    by_i = gc_step * slope_i * (gga * slope_a + ggi * a * (1 - 2 * i))
    by_f = gc_step * slope_f * (ggc_prev + ggf * c_prev * (1 - 2 * f))
    return by_gc_step, by_c_prev, by_a, by_i, by_f


def output(o, tanh_c, gh, by_gc_step, ggo):
    """Differentiate the gradients of the output.

    Returns
    -------
    tuple of array
        Gradients with respect to the input of ``o``, the new cell, and ``gh``.
    """
    slope_o, slope_c = o * (1 - o), 1 - tanh_c * tanh_c
    by_o = gh * slope_o * (
        by_gc_step * slope_c + ggo * tanh_c * (1 - 2 * o))
    by_c = gh * slope_c * (ggo * slope_o - 2 * by_gc_step * o * tanh_c)
    by_gh = by_gc_step * o * slope_c + ggo * tanh_c * slope_o
    return by_o, by_c, by_gh

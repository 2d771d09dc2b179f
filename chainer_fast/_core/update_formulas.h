/* Formulas of update rules and of hooks, for the type T computed in the type A.
 *
 * They are those of the NumPy code in the file of the rule or hook, with the same
 * operations in the same order, each rounded, so that both give the same bits. No
 * comparison sees NaN, which would raise an error flag that NumPy does not raise.
 */

/* The larger and the smaller number; NaN if either is. */
CF_INLINE A CF_NAME(larger)(A x, A y) {
    A a = NUMBER(x), b = NUMBER(y);
    A larger = a > b ? a : b;
    larger = y == y ? larger : y;
    return x == x ? larger : x;
}

CF_INLINE A CF_NAME(smaller)(A x, A y) {
    A a = NUMBER(x), b = NUMBER(y);
    A smaller = a < b ? a : b;
    smaller = y == y ? smaller : y;
    return x == x ? smaller : x;
}

/* Bounds are no NaN. */
CF_INLINE A CF_NAME(bounded)(A x, A low, A high) {
    A a = NUMBER(x);
    a = a > low ? a : low;
    a = a < high ? a : high;
    return x == x ? a : x;
}

/* lr */
CF_STEP(sgd) {
    CF_UNUSED;
    PUT(p[k], R(GET(p[k]) - R(C(0) * GET(g[k]))));
}
CF_UPDATE(sgd, 0)

/* lr, momentum */
CF_INLINE void CF_NAME(momentum)(
        const A *c, T *p, const T *g, T *s, ptrdiff_t k, uint32_t *overflow,
        int may_be_small) {
    A past = GET(s[k]), change = R(C(0) * GET(g[k])), v;
    uint32_t small = 0, bits = 0;
    (void)overflow;
    if (may_be_small) {
        small = CF_SHRINK(past, C(1), 0, &bits) & (uint32_t)(change == 0);
        past = CF_REPLACE(past, small, 0);
    }
    v = R(R(C(1) * past) - change);
    v = CF_REPLACE(v, small, bits);
    PUT(s[k], v);
    PUT(p[k], R(GET(p[k]) + v));
}

CF_STEP(momentum_sgd) { CF_UNUSED; CF_NAME(momentum)(c, p, g, s, k, overflow, 0); }
CF_STEP(momentum_sgd_small) {
    CF_UNUSED;
    CF_NAME(momentum)(c, p, g, s, k, overflow, 1);
}
CF_DECAYING_UPDATE(momentum_sgd, 1)

/* lr, momentum */
CF_STEP(corrected_momentum_sgd) {
    A v = R(R(C(1) * GET(s[k])) - GET(g[k]));
    CF_UNUSED;
    PUT(s[k], v);
    PUT(p[k], R(GET(p[k]) + R(C(0) * v)));
}
CF_UPDATE(corrected_momentum_sgd, 1)

/* lr, momentum, its square, (1 + momentum) lr */
CF_STEP(nesterov_ag) {
    A gradient = GET(g[k]);
    A v = R(R(C(1) * GET(s[k])) - R(C(0) * gradient));
    CF_UNUSED;
    PUT(s[k], v);
    PUT(p[k], R(R(GET(p[k]) + R(C(2) * v)) - R(C(3) * gradient)));
}
CF_UPDATE(nesterov_ag, 1)

/* lr, alpha, 1 - alpha, eps */
CF_INLINE void CF_NAME(rmsprop_family)(
        const A *c, T *p, const T *g, T *s, ptrdiff_t k, uint32_t *overflow,
        int may_be_small) {
    A gradient = GET(g[k]), change = R(C(0) * gradient), past = GET(s[k]), square;
    uint32_t small = 0, bits = 0;
    (void)overflow;
    if (may_be_small) {
        /* The root does not matter, as nothing is divided by it. */
        small = CF_SHRINK(past, C(1), 0, &bits) & (uint32_t)(gradient == 0)
            & (uint32_t)(change == 0) & (uint32_t)(NUMBER(C(3)) > 0);
        past = CF_REPLACE(past, small, 0);
    }
    square = R(R(C(1) * past) + R(R(C(2) * gradient) * gradient));
    PUT(s[k], CF_REPLACE(square, small, bits));
    PUT(p[k], R(GET(p[k]) - R(change / R(R(ROOT(square)) + C(3)))));
}

CF_STEP(rmsprop) { CF_UNUSED; CF_NAME(rmsprop_family)(c, p, g, s, k, overflow, 0); }
CF_STEP(rmsprop_small) {
    CF_UNUSED;
    CF_NAME(rmsprop_family)(c, p, g, s, k, overflow, 1);
}
CF_DECAYING_UPDATE(rmsprop, 1)

CF_STEP(rmsprop_inside) {
    A gradient = GET(g[k]);
    A square = R(R(C(1) * GET(s[k])) + R(R(C(2) * gradient) * gradient));
    CF_UNUSED;
    PUT(s[k], square);
    PUT(p[k], R(GET(p[k]) - R(R(C(0) * gradient) / R(ROOT(R(square + C(3)))))));
}
CF_UPDATE(rmsprop_inside, 1)

/* lr, alpha, 1 - alpha, momentum, eps; the states n, g and delta */
CF_STEP(rmsprop_graves) {
    A gradient = GET(g[k]);
    A square = R(R(C(1) * GET(s[k])) + R(R(C(2) * gradient) * gradient));
    A mean = R(R(C(1) * GET(s2[k])) + R(C(2) * gradient));
    A deviation = R(ROOT(R(R(square - R(mean * mean)) + C(4))));
    A move = R(R(C(3) * GET(s3[k])) - R(R(C(0) * gradient) / deviation));
    CF_UNUSED;
    PUT(s[k], square);
    PUT(s2[k], mean);
    PUT(s3[k], move);
    PUT(p[k], R(GET(p[k]) + move));
}
CF_UPDATE(rmsprop_graves, 3)

/* lr, eps */
CF_STEP(ada_grad) {
    A gradient = GET(g[k]);
    A total = R(GET(s[k]) + R(gradient * gradient));
    CF_UNUSED;
    PUT(s[k], total);
    PUT(p[k], R(GET(p[k]) - R(R(C(0) * gradient) / R(R(ROOT(total)) + C(1)))));
}
CF_UPDATE(ada_grad, 1)

/* rho, 1 - rho, eps; the means of squared gradients and of squared moves */
CF_STEP(ada_delta) {
    A gradient = GET(g[k]), past = GET(s2[k]);
    A square = R(R(C(0) * GET(s[k])) + R(R(C(1) * gradient) * gradient));
    A move = R(R(ROOT(R(R(past + C(2)) / R(square + C(2))))) * gradient);
    CF_UNUSED;
    PUT(s[k], square);
    PUT(s2[k], R(R(C(0) * past) + R(R(C(1) * move) * move)));
    PUT(p[k], R(GET(p[k]) - move));
}
CF_UPDATE(ada_delta, 2)

/* lr, eps; the states mem, g and g2 */
CF_STEP(smorms3) {
    A gradient = GET(g[k]), memory = GET(s[k]);
    A fresh = R((A)1 / R(memory + (A)1)), keep = R((A)1 - fresh);
    A mean = R(R(GET(s2[k]) * keep) + R(fresh * gradient));
    A square = R(R(GET(s3[k]) * keep) + R(R(fresh * gradient) * gradient));
    A ratio = R(R(mean * mean) / R(square + C(1)));
    A rate = CF_NAME(smaller)(C(0), ratio);
    CF_UNUSED;
    PUT(s2[k], mean);
    PUT(s3[k], square);
    PUT(p[k], R(GET(p[k]) - R(R(gradient * rate) / R(R(ROOT(square)) + C(1)))));
    PUT(s[k], R(R(memory * R((A)1 - ratio)) + (A)1));
}
CF_UPDATE(smorms3, 3)

/* 1 - beta1, 1 - beta2, alpha_t, eps, 1 - eta * decay, eta, lower, upper, the size from
   which on a parameter is not changed by a mean whose part is subnormal; the states m, v
   and the largest v. Halves are computed as floats and rounded when they are stored. */
CF_INLINE void CF_NAME(adam_family)(
        const A *c, const A *w, T *p, const T *g, T *m, T *v, T *largest, ptrdiff_t k,
        uint32_t *overflow, int with_largest, int with_bounds, int may_be_small) {
    A gradient = GET(g[k]), mean = GET(m[k]), square = GET(v[k]), rate;
    A value = R(GET(p[k]) * C(4));
    uint32_t small_m = 0, small_v = 0, m_bits = 0, v_bits = 0;
    (void)overflow;
    if (may_be_small) {
        uint32_t no_change = gradient == 0;
        small_m = CF_SHRINK(mean, W(0), 1, &m_bits) & no_change
            & ((uint32_t)(NUMBER(value) > C(8)) | (uint32_t)(NUMBER(value) < -C(8)));
        mean = CF_REPLACE(mean, small_m, 0);
        if (!with_largest) {
            /* The root is lost in the sum with such an eps. */
            uint32_t no_root = (uint32_t)(NUMBER(W(3)) >= (A)1e-9)
                & (uint32_t)(NUMBER(W(1)) >= (A)1e-4);
            small_v = CF_SHRINK(square, W(1), 1, &v_bits) & no_change & no_root;
            square = CF_REPLACE(square, small_v, 0);
        }
    }
    mean = R(mean + W(0) * (gradient - mean));
    square = R(square + W(1) * (gradient * gradient - square));
    PUT(m[k], CF_REPLACE(mean, small_m, m_bits));
    PUT(v[k], CF_REPLACE(square, small_v, v_bits));
    if (with_largest) {
        square = CF_NAME(larger)(GET(largest[k]), square);
        PUT(largest[k], square);
    }
    rate = W(2) / (ROOT(square) + W(3));
    if (with_bounds)
        rate = CF_NAME(bounded)(rate, W(6), W(7));
    PUT(p[k], R(value - W(5) * (rate * mean)));
}

#define CF_ADAM(name, states, with_largest, with_bounds)                      \
    CF_STEP(name) {                                                           \
        CF_NAME(adam_family)(c, w, p, g, s, s2, s3, k, overflow,              \
                             with_largest, with_bounds, 0);                   \
    }                                                                         \
    CF_STEP(name##_small) {                                                   \
        CF_NAME(adam_family)(c, w, p, g, s, s2, s3, k, overflow,              \
                             with_largest, with_bounds, 1);                   \
    }                                                                         \
    CF_DECAYING_UPDATE(name, states)

CF_ADAM(adam, 2, 0, 0)
CF_ADAM(amsgrad, 3, 1, 0)
CF_ADAM(adabound, 2, 0, 1)
CF_ADAM(amsbound, 3, 1, 1)
#undef CF_ADAM

/* 1 - beta, the weight of the means, 1 - rho, rho, eta, lr, decay; the states m and v.
   The means first; then, in the place of the parameter, the factor of the step, whose
   invalid operations are no errors; then the step. */
CF_STEP(msvag_means) {
    A gradient = GET(g[k]), m = GET(s[k]), v = GET(s2[k]);
    CF_UNUSED;
    PUT(s[k], R(m + R(C(0) * R(gradient - m))));
    PUT(s2[k], R(v + R(C(0) * R(R(gradient * gradient) - v))));
}
CF_UPDATE(msvag_means, 2)

CF_STEP(msvag_factor) {
    A mean = R(GET(s[k]) / C(1)), square = R(mean * mean);
    A variance = R(R(R(GET(s2[k]) / C(1)) - square) / C(2));
    A factor = R(square / R(square + R(C(3) * variance)));
    CF_UNUSED;
    factor = factor == factor ? factor : 0;
    PUT(p[k], CF_NAME(bounded)(factor, 0, 1));
}
CF_UPDATE(msvag_factor, 2)

CF_STEP(msvag_step) {
    A mean = R(GET(s[k]) / C(1)), value = GET(p[k]);
    A step = R(R(R(C(5) * mean) * GET(s3[k])) + R(C(6) * value));
    CF_UNUSED;
    PUT(p[k], R(value - R(C(4) * step)));
}
CF_UPDATE(msvag_step, 1)

static void CF_NAME(msvag)(void **a, ptrdiff_t n, const double *given) {
    T factor[512];
    fexcept_t flags;
    ptrdiff_t i;
    for (i = 0; i < n; i += 512) {
        ptrdiff_t count = n - i < 512 ? n - i : 512;
        T *p = (T *)a[0] + i, *g = (T *)a[1] + i;
        T *m = (T *)a[2] + i, *v = (T *)a[3] + i;
        void *parts[5] = {p, g, m, v, factor};
        CF_NAME(msvag_means)(parts, count, given);
        fegetexceptflag(&flags, FE_INVALID);
        parts[0] = factor;
        CF_NAME(msvag_factor)(parts, count, given);
        fesetexceptflag(&flags, FE_INVALID);
        parts[0] = p;
        CF_NAME(msvag_step)(parts, count, given);
    }
}

/* Of gradients: rate of the decay */
CF_STEP(weight_decay) {
    CF_UNUSED;
    PUT(g[k], R(GET(g[k]) + R(C(0) * GET(p[k]))));
}
CF_UPDATE(weight_decay, 0)

/* rate of the decay */
CF_STEP(lasso) {
    A value = GET(p[k]), x = NUMBER(value);
    A up = x > 0 ? (A)1 : (A)0, down = x < 0 ? (A)1 : (A)0, sign = up - down;
    CF_UNUSED;
    sign = value == value ? sign : value;
    PUT(g[k], R(GET(g[k]) + R(C(0) * sign)));
}
CF_UPDATE(lasso, 0)

/* lower and upper bound */
CF_STEP(hard_clipping) {
    CF_UNUSED;
    PUT(g[k], CF_NAME(bounded)(GET(g[k]), C(0), C(1)));
}
CF_UPDATE(hard_clipping, 0)

/* factor */
CF_STEP(scale) {
    CF_UNUSED;
    PUT(g[k], R(GET(g[k]) * C(0)));
}
CF_UPDATE(scale, 0)

/* divisor */
CF_STEP(unscale) {
    CF_UNUSED;
    PUT(g[k], R(GET(g[k]) / C(0)));
}
CF_UPDATE(unscale, 0)

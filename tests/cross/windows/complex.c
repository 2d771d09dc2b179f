/* Functions of complex numbers that Wine's C library lacks and NumPy's modules import.

   NumPy's own results need more care at the borders; the tests need none of them. */
double atan2(double, double), copysign(double, double), cos(double), cosh(double);
double exp(double), hypot(double, double), log(double), sin(double), sinh(double);
double sqrt(double);

/* Passed and returned as Visual C++ does with its structures of two numbers. */
typedef struct { double re, im; } Double;
typedef struct { float re, im; } Single;

static Double made(double re, double im) { Double z = {re, im}; return z; }
static Single rounded(Double z) { Single w = {z.re, z.im}; return w; }
static Double wide(Single z) { return made(z.re, z.im); }
static Double times_i(Double z) { return made(-z.im, z.re); }
static Double over_i(Double z) { return made(z.im, -z.re); }

static Double product(Double a, Double b) {
    return made(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

static Double quotient(Double a, Double b) {
    double n = b.re * b.re + b.im * b.im;
    return made((a.re * b.re + a.im * b.im) / n, (a.im * b.re - a.re * b.im) / n);
}

/* Each function in double and single precision; a long double is a double there. */
#define REAL(name, value) \
    double x_##name(Double z) { return value; } \
    double x_##name##l(Double z) { return value; } \
    float x_##name##f(Single w) { Double z = wide(w); return value; }
#define COMPLEX(name, value) \
    Double x_##name(Double z) { return value; } \
    Double x_##name##l(Double z) { return value; } \
    Single x_##name##f(Single w) { Double z = wide(w); return rounded(value); }

REAL(cabs, hypot(z.re, z.im))
REAL(carg, atan2(z.im, z.re))
REAL(creal, z.re)
REAL(cimag, z.im)
COMPLEX(cexp, made(exp(z.re) * cos(z.im), exp(z.re) * sin(z.im)))
COMPLEX(clog, made(log(x_cabs(z)), x_carg(z)))
COMPLEX(csqrt, made(sqrt((x_cabs(z) + z.re) / 2),
                    copysign(sqrt((x_cabs(z) - z.re) / 2), z.im)))
COMPLEX(csinh, made(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)))
COMPLEX(ccosh, made(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)))
COMPLEX(ctanh, quotient(x_csinh(z), x_ccosh(z)))
COMPLEX(csin, over_i(x_csinh(times_i(z))))
COMPLEX(ccos, x_ccosh(times_i(z)))
COMPLEX(ctan, over_i(x_ctanh(times_i(z))))
COMPLEX(catan, product(made(0, -.5), x_clog(quotient(
    made(1 - z.im, z.re), made(1 + z.im, -z.re)))))

Double x_cpow(Double a, Double b) {
    if (a.re == 0 && a.im == 0)
        return made(b.re == 0 && b.im == 0, 0);
    return x_cexp(product(b, x_clog(a)));
}
Double x_cpowl(Double a, Double b) { return x_cpow(a, b); }
Single x_cpowf(Single a, Single b) { return rounded(x_cpow(wide(a), wide(b))); }

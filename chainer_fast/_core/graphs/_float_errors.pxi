# Floating-point loops over plain memory, and the error flags that they raise. Part of
# graph.pyx.
#
# NumPy reads the processor's error flags after each ufunc and warns as
# ``numpy.errstate`` specifies. The compiled loops do the same at the cost of two reads
# of a control register: a shortcut whose loop raised a flag leaves the case to NumPy,
# which computes it again and issues the warnings. The loops do not check underflow,
# which NumPy ignores by default.

cdef extern from *:
    """
    #if defined(__SSE2__) || (defined(_M_X64) && !defined(_M_ARM64EC))
    #include <xmmintrin.h>
    /* Bits 0, 2 and 3 of MXCSR. */
    enum { CF_INVALID = 0x01, CF_DIVIDE = 0x04, CF_OVERFLOW = 0x08 };
    /* The C library raises flags by itself, as NumPy's exp has it do, in the x87 unit;
       its status word has the same bits. */
    static unsigned cf_x87_flags(void) {
        unsigned short word = 0;
    #if defined(__GNUC__)
        __asm__ __volatile__("fnstsw %0" : "=a"(word));
    #endif
        return word & 0x3F;
    }
    static void cf_clear_flags(void) {
        _mm_setcsr(_mm_getcsr() & ~0x3Fu);
    #if defined(__GNUC__)
        if (cf_x87_flags())
            __asm__ __volatile__("fnclex");
    #endif
    }
    static int cf_get_flags(void) {
        const unsigned flags = CF_INVALID | CF_DIVIDE | CF_OVERFLOW;
        return (int)((_mm_getcsr() | cf_x87_flags()) & flags);
    }
    #else
    #include <fenv.h>
    enum {
        CF_INVALID = FE_INVALID, CF_DIVIDE = FE_DIVBYZERO, CF_OVERFLOW = FE_OVERFLOW
    };
    static void cf_clear_flags(void) { feclearexcept(FE_ALL_EXCEPT); }
    static int cf_get_flags(void) {
        return fetestexcept(CF_INVALID | CF_DIVIDE | CF_OVERFLOW);
    }
    #endif
    """
    void cf_clear_flags() noexcept nogil
    int cf_get_flags() noexcept nogil
    int CF_INVALID
    int CF_DIVIDE
    int CF_OVERFLOW


cdef void clear_float_errors() noexcept nogil:
    """Forget the error flags raised so far."""
    cf_clear_flags()


cdef int float_errors() noexcept nogil:
    """Return the error flags raised since they were cleared; zero if none."""
    return cf_get_flags()


cdef int report_float_errors(int flags, Operation operation=SUM) except -1:
    """Have NumPy react to flags that loops in place have raised.

    It names an operation: that of the loops which is most often the cause.
    """
    largest = numpy.float64(numpy.finfo(numpy.float64).max)
    if flags & CF_OVERFLOW:
        if operation == SUM:
            numpy.add(largest, largest)
        else:
            numpy.multiply(largest, largest)
    if flags & CF_INVALID:
        if operation == SUM:
            numpy.add(numpy.inf, -numpy.inf)
        elif operation == PRODUCT:
            numpy.multiply(numpy.inf, 0.)
        else:
            numpy.divide(0., 0.)
    if flags & CF_DIVIDE:
        numpy.divide(largest, 0.)
    return 0


cdef int add_into(
        int typenum, void *target, void *source, Py_ssize_t n) noexcept nogil:
    """Add ``source`` to ``target``, both of ``n`` numbers; return the flags.

    They are halves, floats or doubles.
    """
    cf_clear_flags()
    if typenum == np.NPY_FLOAT16:
        add_all(<unsigned short *>target, <unsigned short *>source, n)
    elif typenum == np.NPY_FLOAT32:
        add_all(<float *>target, <float *>source, n)
    else:
        add_all(<double *>target, <double *>source, n)
    return cf_get_flags()

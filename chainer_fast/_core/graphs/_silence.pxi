# Operations without warnings of floats. Part of graph.pyx.
#
# Operations on wrappers do not warn of divisions by zero, overflows and numbers without
# a meaning.
# NumPy 2 reads from the context of the thread whether to warn: operations that run no
# code of the user run in a separate context, which costs less than errstate does.

# Contexts that no thread is in now.
cdef list _silent_contexts = []
cdef bint _in_context = not numpy.__version__.startswith('1.')


cdef object _enter_silence(ThreadState state):
    """Switch warnings of floats off; return what switches them on again.

    Hooks are code of the user, which expects its own context.
    """
    if not _in_context or PyDict_Size(state.function_hooks) > 0:
        scope = numpy.errstate(all='ignore')
        scope.__enter__()
        return scope
    try:
        context = _silent_contexts.pop()
    except IndexError:
        context = contextvars.Context()
        context.run(numpy.seterr, all='ignore')
    PyContext_Enter(context)
    return context


cdef int _leave_silence(object scope) except -1:
    if PyContext_CheckExact(scope):
        PyContext_Exit(scope)
        _silent_contexts.append(scope)
    else:
        scope.__exit__(None, None, None)
    return 0


def silently(function, *arguments):
    """Return what a function of arrays returns, without warnings of floats.

    Parameters
    ----------
    function : callable
        It must not run code of the user.
    """
    scope = _enter_silence(current())
    try:
        return function(*arguments)
    finally:
        _leave_silence(scope)

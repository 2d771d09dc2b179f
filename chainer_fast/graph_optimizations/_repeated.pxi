# Calls that later ones are compared with. Part of _replay.pyx.

#: What :meth:`RepeatedCall.repeat` returns for another call than the recorded one.
MISS = object()

#: What stands for the result of a call that only the code of the chain can make.
REFUSED = object()


class NotStatic(Exception):
    """A function gave something else than it did when it was recorded."""


cdef class RepeatedCall:
    """A recorded call, by which others are recognized."""

    cdef bint _same_settings(self) except -1:
        cdef ThreadState state = current()
        if state.debug or state.static_graph or (
                state.enable_backprop != self.enable_backprop) or (
                    PyDict_Size(state.function_hooks) > 0) or (
                        PyDict_Size(state.link_hooks) > 0):
            return False
        if self._thread is not state or self._version != state.seen:
            if not self.same_settings():
                return False
            self._thread = state
            self._version = state.seen
        return True

    cdef bint is_same(self, args, kwargs, list inputs) except -1:
        """Tell whether a call is like the recorded one; append its inputs to a list."""
        return self._same_settings() and matches(
            self.pattern, (args, kwargs), inputs) and self.guard.holds()

    cpdef object repeat(self, args, kwargs):
        """Make a call, if it is the same as the recorded one.

        Returns
        -------
        object
            What the call returns, or ``MISS``. Nothing has happened then.
        """
        raise NotImplementedError


cdef class RefusedCall(RepeatedCall):
    """A call like others that only the code of the chain can make."""

    cpdef object repeat(self, args, kwargs):
        """Return ``REFUSED`` for a call that is like the one here, or ``MISS``."""
        return REFUSED if self._same_settings() and matches(
            self.pattern, (args, kwargs), []) else MISS


cdef class LatestCalls:
    """By what the latest calls of a chain were made."""
    cdef tuple known            # method, repeated call and schedule of each
    cdef unsigned long long turns

    def __cinit__(self):
        self.known = ()

    def clear(self):
        """Forget all of them."""
        self.known = ()

    def drop(self, repeated):
        """Forget what was made by some repeated calls, a list."""
        self.known = tuple([
            each for each in self.known if each[1] not in repeated])

    def turn_of(self, repeated):
        """Return when one of some repeated calls was used last; 0 if unknown."""
        return max([(<RepeatedCall>each[1]).turn for each in self.known
                    if each[1] in repeated], default=0)

    def note(self, func, RepeatedCall repeated, schedule):
        """Note by what a call was made.

        Parameters
        ----------
        func : function
            The method that was called.
        repeated : RepeatedCall
        schedule : StaticScheduleFunction
            The schedule of the chain for such calls.
        """
        self.turns += 1
        repeated.turn = self.turns
        others = [each for each in self.known if each[1] is not repeated]
        self.known = ((func, repeated, schedule), *others[:3])

    def repeat(self, chain, func, tuple args, dict kwargs):
        """Make a call that is the same as one of the latest ones.

        Returns
        -------
        object
            What the call returned, ``REFUSED`` or ``MISS``.
        """
        cdef tuple each
        for each in self.known:
            if each[0] is func:
                try:
                    returned = (<RepeatedCall>each[1]).repeat(args, kwargs)
                except NotStatic:
                    continue
                if returned is not MISS:
                    self.turns += 1
                    (<RepeatedCall>each[1]).turn = self.turns
                    (<object>instance_dict(chain))['static_schedule'] = each[2]
                    return returned
        return MISS

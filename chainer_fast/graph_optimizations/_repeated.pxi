# Calls with which later ones are compared. Part of _replay.pyx.

#: Result of :meth:`RepeatedCall.repeat` for a call that differs from the recorded one.
MISS = object()

#: Result for a call that only the code of the chain can make.
REFUSED = object()


class NotStatic(Exception):
    """A function returned something else than when it was recorded."""


cdef class RepeatedCall:
    """A recorded call, with which others are compared."""

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
        """Return whether a call matches the recorded one; append its inputs."""
        return self._same_settings() and matches(
            self.pattern, (args, kwargs), inputs) and self.guard.holds()

    cpdef object repeat(self, args, kwargs):
        """Make a call, if it is the same as the recorded one.

        Returns
        -------
        object
            The result of the call, or ``MISS`` if the call was not made.
        """
        raise NotImplementedError


cdef class RefusedCall(RepeatedCall):
    """A kind of call that only the code of the chain can make."""

    cpdef object repeat(self, args, kwargs):
        """Return ``REFUSED`` for a call that matches this one, or ``MISS``."""
        return REFUSED if self._same_settings() and matches(
            self.pattern, (args, kwargs), []) else MISS


cdef class LatestCalls:
    """The objects that made the latest calls of a chain."""
    cdef tuple known            # method, repeated call and schedule of each call
    cdef unsigned long long turns

    def __cinit__(self):
        self.known = ()

    def clear(self):
        """Remove all calls."""
        self.known = ()

    def drop(self, repeated):
        """Remove the calls that some repeated calls (a list) made."""
        self.known = tuple([
            each for each in self.known if each[1] not in repeated])

    def turn_of(self, repeated):
        """Return when any of some repeated calls was last used; 0 if unknown."""
        return max([(<RepeatedCall>each[1]).turn for each in self.known
                    if each[1] in repeated], default=0)

    def note(self, func, RepeatedCall repeated, schedule):
        """Record what made a call.

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
        """Make a call that matches one of the latest ones.

        Returns
        -------
        object
            The result of the call, ``REFUSED`` or ``MISS``.
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

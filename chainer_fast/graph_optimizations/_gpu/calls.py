"""Calls of static chains with recordings, and refused calls.

A *recording* belongs to one kind of call. It has a CUDA graph for the forward
direction, and one for the backward direction of each set of requested gradients.
"""
from __future__ import annotations

import itertools
import weakref

from chainer_fast.backends import _captures
from chainer_fast.graph_optimizations._cache import Cache
from chainer_fast.graph_optimizations._gpu.recording import Recording
from chainer_fast.graph_optimizations._replay import MISS

# Maximum number of recordings of one kind that are in use at the same time.
MOST_IN_USE = 16


class _Recordings(list):
    """Recordings of one kind: one for each call that is waiting for its gradients."""

    def holds(self):
        """Return whether links are unchanged."""
        return self[0].holds()


class RecordedCalls(Cache):
    """The recordings of a chain, by the kind of call."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _captures.add_launcher(self)

    def forget_all(self):
        """Drop all recordings; calls are recorded again."""
        for kind in list(self._kept):
            self.forget(kind)

    def release(self):
        """End all calls."""
        for recording in itertools.chain(*self._kept.values()):
            recording.release()

    def apply(self, call, schedule):
        """Launch a call, after recording it if necessary.

        Parameters
        ----------
        call : Call
        schedule : StaticScheduleFunction
            The schedule of the chain for these inputs.

        Returns
        -------
        object
            The result of the call, or ``MISS``.
        """
        recording = self._free(call)
        if recording is None:
            if call.kind in self.refused:
                self.remember_refused(call, schedule)
            return MISS
        self.latest.note(call.func, recording, schedule)
        return recording.apply(call.inputs)

    def _free(self, call):
        """Return a free recording, or ``None`` if the chain must run."""
        self.touch(call.kind)
        kept = self.find(call.kind) or _Recordings()
        if call.kind in self.refused:
            return None
        for recording in kept:
            if recording.is_free():
                return recording
        if len(kept) >= MOST_IN_USE or (
                not kept and not self.is_worth_it(call.kind)):
            return None
        try:
            kept.append(Recording(call, weakref.WeakMethod(self.refuse)))
        except Exception as e:
            self.refuse(call.kind, str(e) or type(e).__name__)
            return None
        self._kept[call.kind] = kept
        return kept[-1]

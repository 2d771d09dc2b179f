"""Calls of static chains that recordings make, and those that they do not.

A *recording* belongs to one kind of call. It has a CUDA graph for the forward
direction, and one for the backward direction for each set of gradients that was asked
for.
"""
from __future__ import annotations

import itertools
import weakref

from chainer_fast.backends import _captures
from chainer_fast.graph_optimizations._cache import Cache
from chainer_fast.graph_optimizations._gpu.recording import Recording
from chainer_fast.graph_optimizations._replay import MISS

# Recordings of one kind of call that may be in use at the same time.
MOST_IN_USE = 16


class _Recordings(list):
    """Recordings of one kind: one for each call that waits for its gradients."""

    def holds(self):
        """Return whether links are as they were."""
        return self[0].holds()


class RecordedCalls(Cache):
    """The recordings of a chain, by the kinds of its calls."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _captures.add_launcher(self)

    def forget_all(self):
        """Drop all recordings; calls are recorded anew."""
        for kind in list(self._kept):
            self.forget(kind)

    def release(self):
        """Declare all calls done."""
        for recording in itertools.chain(*self._kept.values()):
            recording.release()

    def apply(self, call, schedule):
        """Launch a call, and record it before that if it has to be.

        Parameters
        ----------
        call : Call
        schedule : StaticScheduleFunction
            The schedule of the chain for these inputs.

        Returns
        -------
        object
            What the call returned, or ``MISS``.
        """
        recording = self._free(call)
        if recording is None:
            if call.kind in self.refused:
                self.remember_refused(call, schedule)
            return MISS
        self.latest.note(call.func, recording, schedule)
        return recording.apply(call.inputs)

    def _free(self, call):
        """Return a recording that is free, or ``None`` if the chain has to run."""
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

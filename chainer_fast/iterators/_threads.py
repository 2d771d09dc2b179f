"""Pools of threads of which all start or none stays."""
from __future__ import annotations

import multiprocessing.pool
import typing as tp


def _join(thread):
    if thread is not None and thread.ident is not None:     # it was started
        thread.join()


class ThreadPool(multiprocessing.pool.ThreadPool):
    """Pool of threads that ends those it started if another one cannot start.

    The base class leaves them, and they wait for work as long as the program runs.
    """

    _pool: list[tp.Any]
    _inqueue: tp.Any
    _change_notifier: tp.Any

    def __init__(self, processes: int) -> None:
        try:
            super().__init__(processes)
        except BaseException:
            self._end_all()
            raise

    def _repopulate_pool(self):
        try:
            super()._repopulate_pool()  # type: ignore[misc]
        except BaseException:
            # The base class would end them as processes, which fails.
            self._end_workers()
            raise

    def _end_workers(self):
        for _ in self._pool:
            self._inqueue.put(None)
        for worker in self._pool:
            worker.join()
        self._pool.clear()

    def _end_all(self):
        handler = getattr(self, '_worker_handler', None)
        if handler is not None:
            handler._state = multiprocessing.pool.TERMINATE
            self._change_notifier.put(None)
            _join(handler)
            # The one for tasks ends when that for workers does.
            _join(getattr(self, '_task_handler', None))
        self._end_workers()

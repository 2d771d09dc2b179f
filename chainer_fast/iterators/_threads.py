"""Pools of threads that start completely or not at all."""
from __future__ import annotations

import multiprocessing.pool
from typing import Any


def _join(thread):
    if thread is not None and thread.ident is not None:     # it was started
        thread.join()


class ThreadPool(multiprocessing.pool.ThreadPool):
    """Pool of threads that ends its started threads if another one cannot start.

    With the base class, they would wait for work until the program ends.
    """

    _pool: list[Any]
    _inqueue: Any
    _change_notifier: Any

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
            # The base class would end them like processes, which fails.
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
            # The thread for tasks ends when the one for workers does.
            _join(getattr(self, '_task_handler', None))
        self._end_workers()

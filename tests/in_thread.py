"""Functions in threads of their own."""
import threading


def in_thread(function):
    """Return what a function returns in a thread of its own."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def in_threads(functions):
    """Call each function in a thread of its own, all at the same time."""
    threads = [threading.Thread(target=function) for function in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()

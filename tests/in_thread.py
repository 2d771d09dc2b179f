"""Functions in threads of their own."""
import threading


def in_thread(function):
    """Return what a function returns in a thread of its own."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]

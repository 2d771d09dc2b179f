"""Processes that are spawned, and no other ones."""
import multiprocessing
from multiprocessing import context


def install():
    """Leave multiprocessing the only start method that Windows has."""
    for method in 'fork', 'forkserver':
        context._concrete_contexts.pop(method, None)
    default = context._default_context
    default._default_context = context._concrete_contexts['spawn']
    context.DefaultContext.get_all_start_methods = lambda self: ['spawn']
    multiprocessing.get_all_start_methods = default.get_all_start_methods

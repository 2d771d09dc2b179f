"""Execution of the engine of a graph, with addresses only if the frontend allows it.

The frontend's public call inspects all its arguments and builds tables of them, which
takes tens of microseconds. A private function below it takes the addresses in the
order of the tensors' numbers, in less than one microsecond. It is only called if it
has the expected signature. docs/notebook/gpu.md has the measurements.
"""
from chainer_fast.backends._cudnn import sessions


def find(native, count, handle):
    """Return a function that executes a graph, or None for the public one.

    Parameters
    ----------
    native : cudnn.pygraph
        A graph with an engine that has been built.
    count : int
        Number of its tensors, which are numbered from one.
    handle : object
        Handle of cuDNN, of the frontend's kind.

    Returns
    -------
    sessions.Execution or None
        Takes a list with the addresses of the tensors, and the address of the
        workspace.
    """
    # From version 1.27 on, the graph is a Python object that wraps the compiled one.
    compiled = getattr(native, '_lowered_graph', native)
    call = getattr(compiled, '_execute_with_raw_ptrs', None)
    prepare = getattr(compiled, '_prepare_variant_pack_template', None)
    if call is None or prepare is None:
        return None
    index = None
    if compiled is not native:
        # Version 1.27 executes the most recently built engine, selected or not.
        if 'plan_index' not in (call.__doc__ or '') or native.selected_engine:
            return None
        index = _index(native)
    prepare()
    if compiled._get_variant_pack_uids_sorted() != list(range(1, count + 1)):
        return None
    return sessions.Execution(
        call, count, getattr(handle, 'backend_handle', handle), index)


def _index(native):
    """Return the compiled graph's number of the selected engine."""
    if not native._plans:
        return -1           # The graph was read from a file, and has a single engine.
    return native._materialize_backend_plan(native._plan_index).cpp_index

"""Pytest plugin of conformance.py: the alias, old NumPy names, a record of outcomes."""
import json
import os

import numpy

from chainer_fast import alias

alias.install()

# Upstream's test files use names that NumPy 2 has removed. They are restored for this
# process only; chainer_fast does not need them.
_REMOVED = {
    'product': numpy.prod, 'cumproduct': numpy.cumprod, 'sometrue': numpy.any,
    'alltrue': numpy.all, 'float': float, 'int': int, 'bool': bool, 'object': object,
    'complex': complex, 'str': str, 'float_': numpy.float64,
    'complex_': numpy.complex128, 'NaN': numpy.nan, 'Inf': numpy.inf,
    'infty': numpy.inf, 'row_stack': numpy.vstack, 'in1d': numpy.isin,
    'asfarray': lambda a: numpy.asarray(a, float),
    'AxisError': numpy.exceptions.AxisError, 'Infinity': numpy.inf, 'NAN': numpy.nan,
    'PINF': numpy.inf, 'NINF': -numpy.inf, 'PZERO': 0., 'NZERO': -0.,
}
if os.environ.get('CONFORMANCE_CHAINERX'):
    # These are compared by identity.
    from chainer_fast.chainerx import _constants
    _REMOVED.update({name: value for name, value in vars(_constants).items()
                     if not name.startswith('_') and isinstance(value, float)})
for _name, _value in _REMOVED.items():
    # Looked up in the dictionary, as accessing the attribute would warn.
    if _name not in vars(numpy):
        setattr(numpy, _name, _value)

_outcomes = {}


def pytest_runtest_logreport(report):
    if report.when == 'call':
        if hasattr(report, 'wasxfail'):
            outcome = 'skipped' if report.skipped else 'passed'
        else:
            outcome = report.outcome
        _outcomes[report.nodeid] = outcome
    elif report.failed:
        _outcomes[report.nodeid] = 'error'
    elif report.skipped:
        _outcomes[report.nodeid] = 'skipped'


def pytest_collectreport(report):
    if report.failed:
        _outcomes[report.nodeid] = 'error'


def pytest_sessionfinish(session):
    prefix = 'tests/'
    outcomes = {
        test[len(prefix):] if test.startswith(prefix) else test: outcome
        for test, outcome in _outcomes.items()}
    # In an MPI job, each process writes a separate file.
    rank = os.environ.get('OMPI_COMM_WORLD_RANK', os.environ.get('PMI_RANK'))
    out = os.environ['CONFORMANCE_OUT'] + ('' if rank is None else '.' + rank)
    with open(out, 'w') as f:
        json.dump(outcomes, f, indent=0, sort_keys=True)
    if rank is not None and session.exitstatus in (1, 5):
        # A failure would end the other processes, which have something to write, too.
        session.exitstatus = 0

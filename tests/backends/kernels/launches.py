"""Print what steps launch on a GPU beside their budgets, as a table in Markdown.

``python -m tests.backends.kernels.launches``, from the root of the repository. The
counts are those of the stand-in for CuPy.
"""
from tests.doubles import host_cupy


def main():
    """Count all steps once."""
    host_cupy.install()     # before chainer_fast is imported
    from tests import devices
    from tests.backends.kernels import budgets
    print('| step | budget | now |\n| --- | --- | --- |')
    for name, step, *budget in budgets.BUDGETS:
        # The first call may also prepare something.
        counts = [
            [len(record.launches) for record in budgets.count(
                step, budgets.Inputs(devices.Device('@cupy:0'), 'f'))]
            for _ in range(2)][1]
        print('| %s | %d / %d | %d / %d |' % (name, *budget, *counts))


if __name__ == '__main__':
    main()

"""Reports of hooks, whose first argument was the file up to version 5; old samplers."""
from chainer_fast import function_hooks, link_hooks
from chainer_fast.legacy import _report
from chainer_fast.utils import walker_alias


def _make_print_report(what, method):
    def print_report(self, *arguments, **options):
        if arguments and hasattr(arguments[0], 'write'):
            _report.adapted(what)
            options['file'], *arguments = arguments
        return method(self, *arguments, **options)
    print_report.__doc__ = method.__doc__
    return print_report


def _sample_cpu(self, shape):
    _report.adapted('chainer.utils.WalkerAlias.sample_cpu')
    return self.sample(shape)


def install(patches):
    """Accept a file as the first argument."""
    for package, name, cls in (
            ('function_hooks', 'TimerHook', function_hooks.TimerHook),
            ('function_hooks', 'CupyMemoryProfileHook',
             function_hooks.CupyMemoryProfileHook),
            ('link_hooks', 'TimerHook', link_hooks.TimerHook)):
        what = 'chainer.%s.%s.print_report(file)' % (package, name)
        patches.set(cls, 'print_report', _make_print_report(what, cls.print_report))
    patches.set(walker_alias.WalkerAlias, 'sample_cpu', _sample_cpu)

"""Runs on other devices than the scripts' own: GPUs, and those of ChainerX."""
import dataclasses
import re

REFUSAL = 'This example does not support ChainerX devices'


def _text(run, examples):
    path = examples / run.script
    return path.read_text(encoding='utf-8') if path.is_file() else ''


def _with_devices(run, options, names, text):
    """Return the run's arguments with a device for each option that takes one."""
    arguments = list(run.arguments)
    chosen = [i for i, argument in enumerate(arguments) if argument.startswith(options)]
    for name, i in zip(names, chosen, strict=False):
        arguments[i + 1] = name
    if not chosen:
        option = next((o for o in options if "'%s'" % o in text), None)
        arguments += [option, names[0]] if option else []
    return tuple(arguments)


def on_gpus(run, examples):
    """Return a run with the arguments that choose GPUs, and so for those after it."""
    return dataclasses.replace(
        run,
        arguments=_with_devices(
            run, ('--device', '--gpu'), '01234567', _text(run, examples)),
        then=tuple([on_gpus(later, examples) for later in run.then]))


def is_chainerx(device):
    """Return whether a device is one of ChainerX: ``native``, ``cuda:0``."""
    return re.match('native|cuda', device) is not None


def on_device(run, device, examples):
    """Return a run with arguments that choose a device by name, and those after it.

    Scripts leave out the dump of a graph with ChainerX, and some refuse its devices.
    Jobs of chainermn have an option for its device of the host.
    """
    text = _text(run, examples)
    changes = {
        'arguments': _with_devices(run, ('--device',), [device] * 8, text),
        'then': tuple([on_device(later, device, examples) for later in run.then])}
    if is_chainerx(device):
        if "'--chainerx'" in text:
            changes['arguments'] += ('--chainerx',)
        changes['produces'] = tuple([
            name for name in run.produces if not name.endswith('.dot')])
        if REFUSAL in text:
            changes.update(own_fault=REFUSAL, prints='')
    return dataclasses.replace(run, **changes)


def takes_device(run, examples):
    """Return whether a run, or one after it, takes a device by name."""
    return any(re.search(r"'--(device[s01]?|chainerx)'", _text(r, examples))
               for r in run.chain())

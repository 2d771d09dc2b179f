import pytest

from chainer_fast import training


def test_defaults():
    class MyExtension(training.Extension):
        pass

    ext = MyExtension()
    assert ext.trigger == (1, 'iteration')
    assert ext.priority == training.PRIORITY_READER == 100
    assert (training.PRIORITY_EDITOR, training.PRIORITY_WRITER) == (200, 300)
    assert ext.name is None
    assert ext.default_name == 'MyExtension'
    assert ext.initialize(None) is ext.finalize() is ext.serialize(None) is None
    assert ext.on_error(None, None, None) is None
    with pytest.raises(NotImplementedError, match='MyExtension'):
        ext(None)


def test_attributes_that_are_missing():
    for name, message in ('invoke_before_training', 'initialize'), ('foo', 'foo'):
        with pytest.raises(AttributeError, match=message):
            getattr(training.Extension(), name)


def test_make_extension():
    def function(trainer):
        pass

    assert training.make_extension()(function) is function
    assert vars(function) == {
        'trigger': (1, 'iteration'), 'default_name': 'function', 'priority': 100,
        'finalize': None, 'on_error': None, 'initialize': None}

    training.make_extension((2, 'epoch'), 'name', 0, max, min, any)(function)
    assert vars(function) == {
        'trigger': (2, 'epoch'), 'default_name': 'name', 'priority': 0,
        'finalize': max, 'on_error': any, 'initialize': min}


def test_retired_and_unknown_arguments():
    for value in (True, False, None):
        with pytest.raises(ValueError, match='initializer'):
            training.make_extension(invoke_before_training=value)
    with pytest.raises(TypeError):
        training.make_extension(foo=1)


@pytest.mark.parametrize('trigger', [(2, 'epoch'), [2, 'epoch']])
def test_get_trigger_of_a_pair(trigger):
    result = training.get_trigger(trigger)
    assert isinstance(result, training.IntervalTrigger)
    assert (result.period, result.unit) == (2, 'epoch')


def test_get_trigger_of_something_else():
    assert training.get_trigger(None)(None) is False
    assert training.get_trigger(len) is len
    for wrong in 3, (1,), (1, 'epoch', 2):
        with pytest.raises(TypeError, match='a pair'):
            training.get_trigger(wrong)
    with pytest.raises(ValueError, match="'day'"):
        training.get_trigger((1, 'day'))


def test_former_homes():
    from chainer_fast.training import trigger, updater

    assert trigger.IntervalTrigger is training.IntervalTrigger
    assert trigger.get_trigger is training.get_trigger
    assert updater.StandardUpdater is training.StandardUpdater
    assert updater.Updater is training.Updater

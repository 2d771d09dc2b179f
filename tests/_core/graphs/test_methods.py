import pytest

from chainer_fast._core.graphs.graph import Methods


class Animal:
    def speak(self):
        return 'hm'

    def walk(self):
        return 4


@pytest.fixture
def animal():
    """A class of the test's own, which it may change."""
    return type('Own', (Animal,), {})


def test_class_and_derived_class(animal):
    methods = Methods(animal, ['speak', 'walk'])
    assert methods.cls is animal
    assert methods.by_name == {'speak': Animal.speak, 'walk': Animal.walk}
    assert methods.held_by(animal())
    assert methods.held_by(type('Derived', (animal,), {'run': Animal.walk})())
    assert not methods.held_by(type('Derived', (animal,), {'walk': lambda self: 2})())


@pytest.mark.parametrize('place', ['class', 'base'])
def test_replaced_method(animal, place, monkeypatch):
    methods = Methods(animal, ['speak'])
    instance = animal()
    assert methods.held_by(instance)
    with monkeypatch.context() as patch:
        patch.setattr(animal if place == 'class' else Animal, 'speak', lambda self: '')
        assert not methods.held_by(instance)
        assert not methods.held_by(type('Derived', (animal,), {})())
    assert methods.held_by(instance)


def test_other_methods_may_change(animal):
    methods = Methods(animal, ['speak'])
    animal.walk = lambda self: 2
    instance = animal()
    instance.run = None
    assert methods.held_by(instance)


def test_method_of_an_instance(animal):
    methods = Methods(animal, ['speak'])
    instance = animal()
    instance.speak = instance.speak
    assert not methods.held_by(instance)
    del instance.speak
    assert methods.held_by(instance)


def test_instance_without_dictionary():
    assert Methods(int, ['bit_length']).held_by(3)
    assert Methods(int, ['bit_length']).held_by(True)


def test_missing_method(animal):
    with pytest.raises(AttributeError, match='fly'):
        Methods(animal, ['fly'])
    methods = Methods(animal, ['speak'])
    speak = Animal.speak
    del Animal.speak
    try:
        with pytest.raises(AttributeError, match='speak'):
            methods.held_by(animal())
    finally:
        Animal.speak = speak

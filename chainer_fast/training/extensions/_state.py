"""State of extensions that snapshots of Chainer do not contain."""
import warnings


def serialize_late_addition(target, serializer, name):
    """Write or read a state; where a snapshot lacks it, leave it to the target.

    Without the state of its trigger, an extension would take a resumed training for a
    new one and fire at once. Programs that do not know the additional entries do not
    look for them, and the complaints of triggers about missing ones are no news here.

    Parameters
    ----------
    target : object
        Something with a method ``serialize``; anything else is left alone.
    serializer : AbstractSerializer
        Serializer of the extension.
    name : str
        Name of the entry.
    """
    if not hasattr(target, 'serialize'):
        return
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        target.serialize(serializer[name])

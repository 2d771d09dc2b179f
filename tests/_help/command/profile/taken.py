"""Profiles of a part of a test."""
from chainer_fast._help.command.profile import observe, records


class taken:
    """Context of a profile; gives the rows of functions as ``functions[name]``.

    Phases are ``phases[name]``, and in a group ``phases[group, name]``.
    """

    def __init__(self, traced=False):
        self.profile = records.Profile(traced)

    def __enter__(self):
        observe.start(self.profile)
        return self

    def __exit__(self, *_):
        self.profile.stop()
        observe.stop()
        self.functions = self.profile.functions()
        self.links = self.profile.links()
        self.phases = {
            (*groups, phase) if groups else phase: row
            for (groups, phase), row in self.profile.threads[0].spans.rows.items()}

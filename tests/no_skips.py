"""A plugin of pytest for where nothing may be skipped: ``-p tests.no_skips``."""
import pytest


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin('terminalreporter')
    if reporter is None:        # in a worker of xdist
        return
    if reporter.stats.get('skipped') and exitstatus in (
            pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        reporter.write_line('tests were skipped, which -p tests.no_skips forbids')
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

"""Workers of benchmarks: processes that take commands in JSON, and answer likewise."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Process:
    """A worker of one side.

    Parameters
    ----------
    name : str
    command : list of str
        Interpreter and arguments; it runs from the root of the repository.
    environment : dict of str to str
        Variables in addition to those of this process.
    """

    def __init__(self, name, command, environment):
        self.name = name
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, **environment))

    def ask(self, *command):
        print(json.dumps(command), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            sys.exit('the process of %s ended: see its message above' % self.name)
        return json.loads(line)

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def serve(worker):
    """Answer commands, which are names of methods with arguments, until they end."""
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        print(json.dumps(getattr(worker, command)(*arguments)), flush=True)

"""A session with `runner play --stdio`."""

import json
import os
import subprocess

PROTOCOL = 1


class RunnerError(RuntimeError):
    """`runner` refused a request or ended."""


class Session:
    """A process that answers each request, a line of JSON, by one line."""

    def __init__(self, game, runner=None):
        runner = runner or os.environ.get("RUNNER", "runner")
        command = [runner, "play", "--stdio", "--game", game]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        try:
            self.game = self._receive()
            if self.game["protocol"] != PROTOCOL:
                version = self.game["protocol"]
                raise RunnerError(f"{runner} speaks protocol {version}, not {PROTOCOL}")
        except RunnerError:
            self.close()
            raise

    def ask(self, kind, **fields):
        """Sends a request and returns the answer."""
        try:
            print(json.dumps({"type": kind, **fields}), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            pass  # The reason is on standard error; there is no answer.
        return self._receive()

    def _receive(self):
        line = self._process.stdout.readline()
        if not line:
            raise RunnerError("runner has ended; see its message on standard error")
        answer = json.loads(line)
        if answer["type"] == "error":
            raise RunnerError(answer["message"])
        return answer

    def close(self):
        """Ends the process."""
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # It has ended already.
        self._process.wait()
        self._process.stdout.close()

"""Runs the agent as `runner` does."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

AGENT = Path(sys.path[0]) / "agent.py"


def turn(*legal):
    """Returns the question about a board with these legal actions."""
    names = ("action", "reward", "cells")
    legal = [dict(zip(names, action)) for action in legal]
    return {"type": "turn", "cells": [[2, 2]], "random": 1, "legal": legal}


class Session(unittest.TestCase):
    def answers(self, *messages):
        lines = "".join(json.dumps(message) + "\n" for message in messages)
        ran = subprocess.run(
            [sys.executable, str(AGENT)],
            input=lines,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def test_each_question_has_one_answer(self):
        answers = self.answers(
            {"type": "hello", "protocol": 1},
            {"type": "begin", "cells": [[2, 2]]},
            turn(("up", 0, [[2, 2]]), ("left", 4, [[4, 0]])),
            {"type": "end", "cells": [[4, 2]]},
            {"type": "begin", "cells": [[2, 2]]},
        )
        ready = {"type": "ready"}
        expected = [ready | {"protocol": 1}, ready, {"action": "left"}, ready]
        self.assertEqual(answers, expected)

    def test_empty_cells_break_ties(self):
        one = ("up", 4, [[2, 4], [0, 0]])
        two = ("left", 4, [[4, 0], [0, 0]])
        for legal in [(one, two), (two, one)]:
            self.assertEqual(self.answers(turn(*legal)), [{"action": "left"}])


unittest.main()

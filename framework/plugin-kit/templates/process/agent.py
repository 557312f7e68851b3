#!/usr/bin/env python3
"""An agent for `runner`, asked through standard input and output.

It takes the action with the largest reward, and of equals the one that leaves
the most cells empty. Change `choose`; `runner` does the rest.
"""

import json
import sys


def choose(turn):
    """Returns the name of the action to take.

    `turn["legal"]` lists the legal actions: `action` is the name, `reward` its
    reward, `cells` the board after it and before chance, as rows of values
    (None if the game has no board). `turn["cells"]` is the board now,
    `turn["state"]` the position as text, and `turn["random"]` a random number
    for this decision: a game is repeatable if it is the only one used.
    """

    def rating(legal):
        empty = sum(row.count(0) for row in legal["cells"] or [])
        return legal["reward"], empty

    return max(turn["legal"], key=rating)["action"]


def answer(message):
    """Writes one line; print anything else to standard error."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    question = json.loads(line)
    if question["type"] == "hello":
        # The game: question["game"], question["actions"], question["board"].
        answer({"type": "ready", "protocol": 1})
    elif question["type"] == "begin":
        # A new game: forget the last one, or results depend on their order.
        answer({"type": "ready"})
    elif question["type"] == "turn":
        answer({"action": choose(question)})

"""The judge of other implementations: environments of gymnasium and adapters, right and wrong."""

import gymnasium
import numpy as np
import pytest

import runner
import runner.gym
from runner.conformance import OpenSpiel

ORDER = ("down", "left", "up", "right")


def test_an_environment_of_the_rules_conforms():
    env = gymnasium.make("runner/2048-v0")

    def put(env, state):
        return env.unwrapped.reset(options={"state": state})[0]

    verdict = runner.conform(env, steps=3_000, ranks=True, set=put)
    assert verdict["verdict"].startswith("conforms"), verdict["report"]
    met = {law["what"]: law["count"] for law in verdict["exercised"]}
    assert met["moves with the winning tile"] > 0 and met["scores"] > 0
    assert met["moves repeated with equal seeds"] > 0


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_all_games_of_a_vectorized_environment_are_judged(mode):
    env = gymnasium.make_vec("runner/2048-v0", num_envs=8, autoreset_mode=mode)
    verdict = runner.conform(env, steps=4_000, ranks=True)
    assert verdict["verdict"] == "conforms-in-part", verdict["report"]
    assert "moves repeated with equal seeds" in verdict["not_tested"]
    met = {law["what"]: law["count"] for law in verdict["exercised"]}
    assert met["ends of games"] > 8 and met["start positions"] > 16


class Wrong(gymnasium.Wrapper):
    """Changes the results of actions."""

    def __init__(self, change):
        super().__init__(gymnasium.make("runner/2048-v0"))
        self.change = change

    def step(self, action):
        return self.change(*super().step(action))


FAULTS = {
    "rewards other than 0": lambda board, reward, *rest: (board, reward / 2, *rest),
    "ends of games": lambda board, reward, over, *rest: (board, reward, bool((board > 0).all()), *rest),
    "moves": lambda board, *rest: (board[::-1], *rest),
}


@pytest.mark.parametrize("law", FAULTS)
def test_faults_are_found(law):
    verdict = runner.conform(Wrong(FAULTS[law]), steps=2_000, ranks=True)
    assert verdict["verdict"] == "differs"
    assert law in [found["law"] for found in verdict["counterexamples"]], verdict["report"]


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda board, reward, *rest: (board, np.nan, *rest), "must be a finite number"),
        (lambda board, *rest: (board[:3], *rest), "the board has 4 rows of 4 cells"),
        (lambda board, *rest: 1 / 0, "ZeroDivisionError: division by zero"),
    ],
)
def test_what_cannot_be_judged_is_named_with_its_step(change, says):
    verdict = runner.conform(Wrong(change), steps=2_000, ranks=True)
    assert verdict["verdict"] == "stopped" and verdict["steps"] == 1
    assert verdict["error"].startswith("step 1: ") and says in verdict["error"]


class Reordered:
    """An adapter of its own: Threes, whose positions are texts, with actions in another order."""

    def __init__(self):
        self.game = runner.Game("threes")

    def reset(self, seed, state):
        self.seed = 1000 * (seed or 0)
        self.state = self.game.start(self.seed) if state is None else self.game.parse(state)
        return {"state": self.game.write(self.state)}

    def step(self, action):
        index = self.game.actions.index(ORDER[action])
        legal = {action: (reward, after) for action, reward, after in self.game.successors(self.state)}
        if index not in legal:
            raise ValueError("illegal")
        reward, after = legal[index]
        self.seed += 1
        self.state = self.game.spawn(after, self.seed)
        reward += self.game.chance_reward(after, self.state)
        over = self.game.is_over(self.state)
        return {"state": self.game.write(self.state), "reward": reward, "terminal": over}


def test_an_adapter_of_another_game_is_judged():
    verdict = runner.conform(Reordered(), "threes", steps=1_500, actions=ORDER)
    assert verdict["verdict"].startswith("conforms"), verdict["report"]
    swapped = runner.conform(Reordered(), "threes", steps=1_500)
    assert swapped["verdict"] == "differs"
    assert "may have another order" in swapped["report"] or "changed nothing" in swapped["report"]


def test_a_game_of_openspiel_is_judged():
    openspiel = pytest.importorskip("runner.openspiel")
    game = openspiel.load_game("2048(rows: 3, cols: 3)")
    adapter = OpenSpiel(game, lambda state: str(state))
    verdict = runner.conform(adapter, "2048(rows: 3, cols: 3)", steps=300)
    assert verdict["verdict"].startswith("conforms"), verdict["report"]


def test_wrong_arguments_are_refused():
    env = gymnasium.make("runner/2048-v0")
    with pytest.raises(ValueError, match="names each of up, right, down, left once"):
        runner.conform(env, actions=["up", "up", "down", "left"])
    with pytest.raises(ValueError, match="starts games by itself"):
        runner.conform(gymnasium.make_vec("runner/2048-v0", 2, autoreset_mode="Disabled"))

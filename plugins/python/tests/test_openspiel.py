"""The games in OpenSpiel: its own tests, and 2048 against its 2048."""

import numpy as np
import pytest

import runner

pyspiel = pytest.importorskip("pyspiel")
from runner import openspiel  # noqa: E402

GAMES = [plugin["name"] for plugin in runner.plugins() if plugin["kind"] == "game"]


@pytest.mark.parametrize("spec", [*GAMES, "2048(rows: 2, cols: 3)", "threes(rows: 3)"])
def test_random_simulations_pass(spec):
    game = openspiel.load_game(spec)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False, mask_test=True)


def test_specs_that_differ_in_signs_have_types_of_their_own():
    specs = ["a(x: 1)", "a(x: -1)", 'a(x: "#.")', 'a(x: ".#")', "a(b(x: 1), y: 2)", "a(b(x: 1, y: 2))"]
    assert len({openspiel.type_name(spec) for spec in specs}) == len(specs)
    assert openspiel.type_name("threes") == "runner_threes"


def board(state):
    rows = [",".join(line.split()) for line in str(state).strip().splitlines()]
    return "/".join(rows)


def chance(state, rng):
    actions, shares = zip(*state.chance_outcomes())
    state.apply_action(int(rng.choice(actions, p=shares)))


def test_2048_equals_that_of_openspiel():
    """The legal actions of OpenSpiel leave out some merges, which it makes all the same when it is
    asked to. So they must be among ours, and the results of all of ours must be equal."""
    theirs, ours = pyspiel.load_game("2048", {"max_tile": 1 << 20}), runner.Game("2048")
    rng, positions = np.random.default_rng(1), 0
    for _ in range(4):
        state = theirs.new_initial_state()
        chance(state, rng), chance(state, rng)
        while not state.is_terminal():
            successors = ours.successors(board(state))
            assert set(state.legal_actions()) <= {action for action, _, _ in successors}
            for action, reward, afterstate in successors:
                child = state.child(action)
                assert child.rewards() == [reward]
                expected = {
                    board(child.child(outcome)): share for outcome, share in child.chance_outcomes()
                }
                outcomes = {ours.write(s): share for s, share in ours.outcomes(afterstate)}
                assert outcomes == pytest.approx(expected)
            positions += 1
            state.apply_action(int(rng.choice(state.legal_actions())))
            chance(state, rng)
        assert ours.is_over(board(state))
    assert positions > 300


def test_starts_and_rewards_are_those_of_the_game():
    game = openspiel.load_game("threes")
    state = game.new_initial_state()
    assert state.is_chance_node() and len(state.chance_outcomes()) > 990
    state.apply_action(7)
    rules = runner.Game("threes")
    assert state.returns() == [rules.chance_reward(None, str(state))]
    assert state.observation_tensor()


def test_each_number_of_starts_is_a_game_of_its_own():
    for starts in (10, 20, 10):
        chances = openspiel.load_game("threes", starts=starts).new_initial_state().chance_outcomes()
        assert len(chances) == starts
        game = pyspiel.load_game(openspiel.type_name("threes", starts=starts))
        assert len(game.new_initial_state().chance_outcomes()) == starts
    with pytest.raises(ValueError, match="`starts` must be at least 1"):
        openspiel.load_game("threes", starts=0)

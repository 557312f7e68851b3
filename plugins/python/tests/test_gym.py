"""The environments: gymnasium's checker, and vectorized ones against single ones."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import runner.gym

IDS = [name for name in gymnasium.registry if name.startswith("runner/")]
# Read while the tests are collected: a test of another file loads one more game.
GAMES = {plugin["name"] for plugin in runner.plugins() if plugin["kind"] == "game"}


def test_every_game_is_registered():
    assert {name.split("/")[1].split("-")[0].lower() for name in IDS} == GAMES | {"game"}


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("observation", ["ranks", "one_hot"])
def test_gymnasium_checker_accepts(name, observation):
    env = gymnasium.make(name, observation=observation, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("observation", ["ranks", "one_hot"])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_vectorized_environments_equal_single_ones(name, observation, mode):
    def make():
        return gymnasium.make(name, observation=observation, max_episode_steps=150)

    one = SyncVectorEnv([make] * 3, autoreset_mode=mode)
    vec = gymnasium.make_vec(
        name, 3, observation=observation, max_episode_steps=150, autoreset_mode=mode
    )
    assert one.observation_space == vec.observation_space
    assert one.action_space == vec.action_space
    assert one.single_observation_space == vec.single_observation_space
    first, infos = one.reset(seed=5)
    second, others = vec.reset(seed=5)
    assert data_equivalence(first, second)
    rng, ends = np.random.default_rng(1), 0
    for _ in range(400):
        np.testing.assert_array_equal(infos["action_mask"], others["action_mask"])
        np.testing.assert_array_equal(vec.action_masks(), others["action_mask"])
        actions = rng.integers(4, size=3)
        first, *figures, infos = one.step(actions)
        second, *others_figures, others = vec.step(actions)
        assert second in vec.observation_space
        assert data_equivalence(first, second)
        for figure, other in zip(figures, others_figures):
            np.testing.assert_array_equal(figure, other)
        ended = figures[1] | figures[2]
        ends += ended.sum()
        if mode == AutoresetMode.SAME_STEP and ended.any():
            np.testing.assert_array_equal(others["_final_obs"], infos["_final_obs"])
            for k in ended.nonzero()[0]:
                final = others["final_obs"]
                row = {key: rows[k] for key, rows in final.items()} if isinstance(final, dict) else final[k]
                assert data_equivalence(infos["final_obs"][k], row, exact=False)
    assert ends > 3


@pytest.mark.parametrize("name", IDS)
def test_rewards_sum_to_the_score(name):
    env = gymnasium.make(name)
    scores = []
    for seed in (3, None):
        observation, info = env.reset(seed=seed)
        total, terminated = 0.0, False
        env.action_space.seed(1)
        while not terminated:
            assert (info["action_mask"] == env.unwrapped.action_masks()).all()
            action = env.action_space.sample(info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            assert observation in env.observation_space and not truncated
            total += reward
        assert total == info["score"] > 0
        scores.append(total)
    if name == "runner/Threes-v0":
        # The tiles of the start count too.
        last = env.unwrapped.state
        tiles = [env.unwrapped.game.values[rank] for rank in observation["board"].flat]
        assert total == sum(3 ** (1 + np.log2(tile / 3)) for tile in tiles if tile > 2), last


def test_parameters_starts_and_pictures():
    env = gymnasium.make("runner/1024-v0", rows=3, blocked=[0])
    assert env.observation_space.shape == (3, 4)
    env = gymnasium.make("runner/2048-v0", spawn=[(2, 0.5), (8, 0.5)], start_tiles=16)
    board, _ = env.reset(seed=1)
    assert set(np.unique(board)) == {1, 3}
    env = gymnasium.make("runner/Threes-v0", bonus=False, rows=3, render_mode="ansi")
    env.reset(seed=1)
    assert env.render().count("\n") == 2
    env = gymnasium.make("runner/2048-v0", render_mode="rgb_array")
    state = "2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,1024"
    board, _ = env.reset(options={"state": state})
    assert board[0].tolist() == [1, 1, 0, 0]
    picture = env.render()
    assert picture.shape == (192, 192, 3) and len(np.unique(picture.reshape(-1, 3), axis=0)) > 3
    _, reward, *_ = env.step(3)
    assert reward == 4
    env = gymnasium.make("runner/2048-v0", starts=[state])
    assert (env.reset(seed=4)[0] == board).all()
    vec = gymnasium.make_vec("runner/2048-v0", 4, starts=[state])
    assert (vec.reset()[0] == board).all()
    kept, _ = vec.reset(seed=1, options={"state": "2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0"})
    mask = np.array([True, False, False, False])
    some, _ = vec.reset(seed=1, options={"reset_mask": mask})
    assert (some[0] == board).all() and (some[1:] == kept[1:]).all()


def test_unseeded_environments_differ():
    boards = {gymnasium.make("runner/2048-v0").reset()[0].tobytes() for _ in range(5)}
    vectors = {gymnasium.make_vec("runner/2048-v0", 2).reset()[0].tobytes() for _ in range(5)}
    assert len(boards) > 1 and len(vectors) > 1


def test_illegal_actions_change_nothing_or_are_refused():
    state = {"state": "2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0"}
    env = gymnasium.make("runner/2048-v0")
    board, _ = env.reset(options=state)
    same, reward, terminated, _, _ = env.step(0)
    assert (board == same).all() and reward == 0 and not terminated
    strict = gymnasium.make("runner/2048-v0", illegal="error")
    strict.reset(options=state)
    with pytest.raises(ValueError, match="`up`, is not legal"):
        strict.step(0)
    with pytest.raises(TypeError):
        strict.step(1.5)
    vec = gymnasium.make_vec("runner/2048-v0", 2)
    vec.reset(seed=1)
    with pytest.raises(TypeError, match="not of float64"):
        vec.step(np.array([1.0, 2.0]))
    vec.step([1, 2])
    with pytest.raises(ValueError, match="did you mean `rows`"):
        gymnasium.make("runner/2048-v0", row=3)
    with pytest.raises(ValueError, match="observation"):
        gymnasium.make("runner/2048-v0", observation="pixels")

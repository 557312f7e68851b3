//! Properties of the search: budgets, memory, reproducibility, scales, priors and faults.

use crate::support::{Circling, Scaled, board};
use agent_mcts::evaluation::Evaluator;
use agent_mcts::search::{Search, SearchTree, Worker};
use agent_mcts::tree::{Edge, Link, NONE, Tree};
use agent_mcts::{Backup, Budget, FirstPlay, Growth, Mcts, Rule, Scale, SearchOptions};
use proptest::prelude::*;
use runner_core::{
    Action, Afterstate, Agent, Fault, Game, Host, Outcomes, Random, Seed, SingleThread, State,
    Successors, Value, ValueScale, catch, play,
};
use runner_laws::doubles::{Scattered, TestThreads, with_turn};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

type Plain = Mcts<Arc<dyn Value>>;

fn plain(options: SearchOptions) -> Plain {
    Mcts::with_options(None, None, options, Arc::new(SingleThread))
}

/// A value that is different for every afterstate, as if at random.
const SCATTERED: Scattered = Scattered(ValueScale::Points);

/// Memory that the trees of the tests do not fill.
const LARGE: usize = 64 << 20;

fn checked_tree<G: Game>(game: &G, options: &SearchOptions, value: Option<&Scattered>, seed: u64) {
    let search = Search::new(game, options, Evaluator::new(value, None, options));
    let (mut tree, mut worker) = (SearchTree::new(options), Worker::default());
    let mut random = Random::from_word(seed);
    let (mut state, mut last) = (game.start(seed), None);
    for _ in 0..4 {
        search.set_root(&mut tree, &mut worker, last, state, &mut random);
        check(game, options, &tree.tree);
        let kept = tree.tree.node(tree.tree.root()).visits;
        while tree.begun < 200 {
            search.collect(&mut tree, &mut worker, options.batch, &mut random);
            search.evaluate(&mut worker, &mut random);
            search.absorb(&mut tree, &mut worker);
        }
        assert_eq!(tree.stats.simulations, tree.begun);
        check(game, options, &tree.tree);
        assert!(tree.tree.bytes() <= options.tree_bytes());
        let root = *tree.tree.node(tree.tree.root());
        assert_eq!(u64::from(root.visits - kept), tree.begun);
        let most = tree.tree.edges_of(&root).iter().max_by_key(|edge| edge.visits);
        let Some(edge) = most.copied() else { return };
        last = Some(edge.action);
        let Some(successor) = game.successor(state, edge.action) else { return };
        state = game.spawn(successor.afterstate, random.word());
        let below = children(&tree.tree, &edge).find(|child| tree.tree.node(*child).state == state);
        let expected = below.map_or(0, |child| tree.tree.node(child).visits);
        // The kept subtree has the same statistics.
        let mut copy = tree.clone();
        search.set_root(&mut copy, &mut worker, last, state, &mut random);
        let root = copy.tree.node(copy.tree.root());
        // A node without edges is evaluated again.
        let again = below.is_some_and(|child| !tree.tree.node(child).expanded);
        assert_eq!(root.visits, expected.max(1) + u32::from(again));
        let mut none = Successors::new();
        game.successors(state, &mut none);
        if none.is_empty() {
            return;
        }
    }
}

fn children(tree: &Tree, edge: &Edge) -> impl Iterator<Item = u32> {
    tree.links(edge).map(|link| tree.link(link).node)
}

/// Checks the sums and links of a tree between simulations.
fn check<G: Game>(game: &G, options: &SearchOptions, tree: &Tree) {
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    let (mut queue, mut seen, mut states) = (vec![tree.root()], HashSet::new(), HashSet::new());
    while let Some(index) = queue.pop() {
        if !seen.insert(index) {
            continue;
        }
        let node = tree.node(index);
        assert!(!options.shares_nodes() || states.insert(node.state), "two nodes");
        assert_eq!(node.pending, 0);
        assert!(node.visits > 0 && node.squares >= 0.0 && node.mean.is_finite());
        let edges = tree.edges_of(node);
        let below: u32 = edges.iter().map(|edge| edge.visits).sum();
        if options.memory == LARGE {
            assert!(node.expanded || !options.growth.is_enough(node.visits));
        }
        if node.expanded {
            // One visit for each simulation below it and one for each of its evaluations.
            assert!(node.visits >= below);
        }
        let values = edges.iter().filter_map(|edge| edge.value());
        if let Some(best) = values.reduce(f64::max).filter(|_| options.backup == Backup::Max) {
            // A shared node tends from the mean to the best action.
            let tends = node.value == node.mean || node.value <= best + 1e-6;
            assert!(node.value == best || (options.shares_nodes() && tends));
        } else {
            assert_eq!(node.value, node.mean);
        }
        for edge in edges {
            assert_eq!(edge.pending, 0);
            let children: Vec<u32> = children(tree, edge).collect();
            assert_eq!(children.len(), edge.children as usize);
            let links: Vec<_> = tree.links(edge).map(|link| tree.link(link)).collect();
            let visits: u32 = links.iter().map(|link| link.visits).sum();
            assert!(visits <= edge.visits);
            assert!(links.iter().all(|link| link.visits <= tree.node(link.node).visits));
            if !edge.estimated && visits == edge.visits {
                let value = |link: &Link| f64::from(edge.reward) + link.value;
                let (sum, mean) = (
                    links.iter().map(|link| f64::from(link.visits) * value(link)).sum::<f64>(),
                    edge.mean,
                );
                let expected = sum / f64::from(visits.max(1));
                assert!((mean - expected).abs() < 1e-6 * (1.0 + mean.abs()), "{mean} {expected}");
            }
            game.outcomes(edge.afterstate, &mut outcomes);
            for &child in &children {
                let state = tree.node(child).state;
                assert!(outcomes.iter().any(|outcome| outcome.state == state));
            }
            queue.extend(children);
        }
    }
    assert!(seen.len() <= tree.nodes() && tree.root() != NONE);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn statistics_of_a_tree_add_up(
        seed in 0u64..1000,
        (rows, cols) in (2usize..4, 2usize..5),
        batch in 1usize..20,
        growth in prop_oneof![(1u32..6).prop_map(Growth::After), (1u32..6).prop_map(Growth::Before)],
        rule in 0usize..2,
        max in any::<bool>(),
        with_value in any::<bool>(),
        first_play in 0usize..2,
        memory in prop_oneof![Just(LARGE), 2_000usize..30_000],
    ) {
        let mut options = SearchOptions { batch, memory, ..SearchOptions::simulations(0) };
        options.backup = if max { Backup::Max } else { Backup::Mean };
        options.selection.rule = [Rule::Uct, Rule::Puct][rule];
        options.selection.first_play = if with_value {
            FirstPlay::Parent
        } else {
            [FirstPlay::TryAll, FirstPlay::Parent][first_play]
        };
        options.growth = match growth {
            Growth::Before(positions) if with_value => Growth::After(positions),
            growth => growth,
        };
        checked_tree(&board(rows, cols), &options, with_value.then_some(&SCATTERED), seed);
    }
}

#[test]
fn games_are_reproducible_and_do_not_depend_on_earlier_games() {
    let game = board(3, 3);
    let options = SearchOptions::simulations(60);
    let per_thread = SearchOptions { threads: 2, ..options.clone() };
    for options in [options, per_thread] {
        let new = || -> Plain {
            Mcts::with_options(None, None, options.clone(), Arc::new(TestThreads(2)))
        };
        let one = |agent: &mut Plain, number| {
            play(&game, agent, &mut Random::stream(Seed(1), number), &AtomicBool::new(false))
        };
        let mut agent = new();
        let first = [one(&mut agent, 0), one(&mut agent, 1)];
        assert_eq!(one(&mut new(), 1), first[1]);
        assert_eq!(one(&mut agent.clone(), 0), first[0]);
        assert_eq!([one(&mut agent, 0), one(&mut agent, 1)], first);
    }
}

/// Scores have no bound, so neither the search nor its constants may depend on their unit.
#[test]
fn choices_do_not_depend_on_the_unit_of_the_scores() {
    let visits = |factor, scale| {
        let game = Scaled { game: board(3, 3), factor };
        let mut options = SearchOptions::simulations(500);
        options.selection.scale = scale;
        if scale == Scale::Points {
            options.selection.exploration = 50.0;
        }
        let mut agent = plain(options);
        (0..5)
            .map(|seed| {
                let state = game.start(seed);
                let found = with_turn(&game, state, seed, |turn| agent.search(&game, turn));
                found.actions.iter().map(|action| action.visits).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    // Powers of two leave no rounding.
    let plain = visits(1.0, Scale::Deviation);
    assert_eq!(visits(1024.0, Scale::Deviation), plain);
    assert_eq!(visits(0.25, Scale::Deviation), plain);
    assert_ne!(visits(1024.0, Scale::Points), visits(1.0, Scale::Points));
}

#[test]
fn search_ends_when_its_budget_is_spent() {
    let game = board(4, 4);
    let state = game.start(1);
    let with = |budget| {
        let options = SearchOptions { budget, ..SearchOptions::simulations(1) };
        with_turn(&game, state, 1, |turn| plain(options).search(&game, turn))
    };
    let none = Budget::default();
    for simulations in [1, 7, 8, 100] {
        let found = with(Budget { simulations: Some(simulations), ..none });
        assert_eq!(found.stats.simulations, simulations);
        assert_eq!(found.actions.iter().map(|a| a.visits).sum::<u64>(), simulations);
        assert!(found.best.is_some());
    }
    let began = Instant::now();
    let time = Duration::from_millis(10);
    let found = with(Budget { time: Some(time), ..none });
    // Without a limit the search would not end. Other programs may load the machine.
    assert!(began.elapsed() >= time && began.elapsed() < 3000 * time);
    assert!(found.stats.simulations > 0);
}

#[test]
fn full_tree_is_searched_on_within_its_memory() {
    let game = board(4, 4);
    let mut options = SearchOptions::simulations(3000);
    for memory in [options.min_memory(4), 20_000] {
        options.memory = memory;
        let mut agent = plain(options.clone());
        let state = game.start(2);
        let found = with_turn(&game, state, 1, |turn| agent.search(&game, turn));
        assert!(found.bytes <= memory as u64, "{found:?}");
        assert_eq!(found.actions.iter().map(|a| a.visits).sum::<u64>(), 3000);
        assert!(found.stats.full > 0, "{found:?}");
        let mut random = Random::stream(Seed(1), 1);
        let short = SearchOptions { memory, ..SearchOptions::simulations(20) };
        let stop = AtomicBool::new(false);
        assert!(play(&game, &mut plain(short), &mut random, &stop).finished);
    }
}

#[test]
fn several_threads_share_the_budget() {
    let game = board(4, 4);
    let state = game.start(1);
    for (threads, simulations) in [(2, 2000), (64, 100), (3, 2)] {
        let options = SearchOptions { threads, ..SearchOptions::simulations(simulations) };
        let mut agent: Plain = Mcts::with_options(None, None, options, Arc::new(TestThreads(2)));
        for _ in 0..20 {
            let found = with_turn(&game, state, 1, |turn| agent.search(&game, turn));
            assert_eq!(found.stats.simulations, simulations);
            assert_eq!(found.actions.iter().map(|a| a.visits).sum::<u64>(), simulations);
        }
        assert_eq!(agent.threads(), threads);
    }
}

/// A policy that prefers one action, and counts its calls and states.
#[derive(Clone, Default)]
struct Policy {
    calls: Arc<AtomicU64>,
    states: Arc<AtomicU64>,
}

impl Value for Policy {
    fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
        panic!("the policy is asked for states");
    }

    fn has_priors(&self) -> bool {
        true
    }

    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        self.calls.fetch_add(1, Relaxed);
        self.states.fetch_add(states.len() as u64, Relaxed);
        let actions = game.description().actions.len();
        for (state, priors) in states.iter().zip(priors.chunks_mut(actions)) {
            let mut successors = Successors::new();
            game.successors(*state, &mut successors);
            priors.fill(0.0);
            let last = successors.last().expect("terminal states are not evaluated").action;
            successors.iter().for_each(|s| priors[s.action.index()] = 0.1);
            priors[last.index()] += 1.0 - 0.1 * successors.len() as f32;
        }
        values.fill(100.0);
    }
}

#[test]
fn policy_gets_leaves_in_batches_and_its_priors_guide_the_search() {
    let game = board(4, 4);
    let mut options = SearchOptions { batch: 16, ..SearchOptions::by_value(2000) };
    options.selection.rule = Rule::Puct;
    options.selection.first_play = FirstPlay::Parent;
    options.selection.exploration = 3.0;
    let policy = Policy::default();
    let state = game.parse("2,4,0,0/0,2,0,0/0,0,0,0/0,0,0,0").unwrap();
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let mut agent = Mcts::with_options(Some(policy.clone()), None, options.clone(), host.clone());
    let found = with_turn(&game, state, 1, |turn| agent.search(&game, turn));
    // Up is not legal.
    assert_eq!(found.best, Some(Action(3)));
    assert!((found.actions[2].prior - 0.8).abs() < 1e-6);
    let (calls, states) = (policy.calls.load(Relaxed), policy.states.load(Relaxed));
    assert!(states >= 8 * calls, "{states} states in {calls} calls");
    // The same priors beside another value.
    let value: Arc<dyn Value> = Arc::new(SCATTERED);
    let prior: Arc<dyn Value> = Arc::new(policy);
    options.selection.exploration = 100.0;
    let mut agent = Mcts::with_options(Some(value), Some(prior), options, host);
    let found = with_turn(&game, state, 1, |turn| agent.search(&game, turn));
    assert_eq!(found.best, Some(Action(3)));
    assert!((found.actions[0].prior - 0.1).abs() < 1e-6);
}

#[test]
fn value_that_is_not_a_number_is_named() {
    struct Wrong(f32);
    impl Value for Wrong {
        fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
            values.fill(1.0);
            if afterstates.iter().any(|afterstate| afterstate.lo.count_ones() > 4) {
                values[0] = self.0;
            }
        }
    }
    let game = board(3, 3);
    let state = game.parse("2,4,0/0,2,0/0,0,0").unwrap();
    for wrong in [f32::NAN, f32::INFINITY] {
        for threads in [1, 2] {
            let options = SearchOptions { threads, ..SearchOptions::simulations(2000) };
            let value: Arc<dyn Value> = Arc::new(Wrong(wrong));
            let mut agent = Mcts::with_options(Some(value), None, options, Arc::new(SingleThread));
            let search = || with_turn(&game, state, 1, |turn| agent.search(&game, turn));
            let Fault(message) = catch(search).unwrap_err();
            assert!(message.contains(&wrong.to_string()) && message.contains('/'), "{message}");
            // The next game is searched again, and fails again.
            agent.begin(&game, state);
            let search = || with_turn(&game, state, 1, |turn| agent.search(&game, turn));
            assert!(catch(search).is_err());
        }
    }
}

#[test]
fn simulation_that_runs_in_a_circle_ends() {
    let game = board(2, 2);
    let start = game.parse("2,0/0,4").unwrap();
    let mut successors = Successors::new();
    game.successors(start, &mut successors);
    let circling = Circling { game, start, back: successors[0] };
    let mut options = SearchOptions::of_small_game(1000);
    options.selection.exploration = 0.0;
    let found = with_turn(&circling, start, 1, |turn| plain(options).search(&circling, turn));
    assert_eq!(found.best, Some(successors[0].action));
    // A path has at most one step more than the tree has nodes, of which one is the root.
    let most = found.nodes + 1;
    assert!((10..=most).contains(&found.stats.depth), "{:?}", found.stats);
}

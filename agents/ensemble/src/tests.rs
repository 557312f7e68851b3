use super::*;
use game_2048::Game2048;
use runner_core::Host;

/// A value that is a constant plus the low word of the position.
struct Constant(f32);

impl Value for Constant {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.0 + afterstate.lo as f32;
        }
    }
}

/// A policy whose values of states are in points, as those of `alpha-zero` are. Its value of an
/// action is ten times the action's number.
struct Policy;

impl Value for Policy {
    fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
        unreachable!("it estimates actions");
    }

    fn estimates_actions(&self) -> bool {
        true
    }

    fn has_priors(&self) -> bool {
        true
    }

    fn action_values(&self, _: &dyn Game, _: State, all: &Successors, values: &mut [f32]) {
        for (value, successor) in values.iter_mut().zip(all.iter()) {
            *value = 10.0 * f32::from(successor.action.0);
        }
    }
}

/// A host that builds no value.
struct Nothing;

impl Host for Nothing {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        Err(BuildError::new(format!("there is no value `{spec}`")))
    }
}

fn constants(all: &[f32]) -> Vec<Arc<dyn Value>> {
    all.iter().map(|&constant| Arc::new(Constant(constant)) as Arc<dyn Value>).collect()
}

#[test]
fn batches_of_any_size_are_averaged() {
    let mean = Mean::of(constants(&[0.0, 1.0, 2.0, 3.0])).unwrap();
    for count in [0, 1, 255, 256, 257, 1000] {
        let afterstates: Vec<_> = (0..count).map(|k| Afterstate::from_bits(k.into())).collect();
        let mut values = vec![f32::NAN; afterstates.len()];
        mean.evaluate(&afterstates, &mut values);
        let expected: Vec<f32> = (0..count).map(|k: u32| 1.5 + k as f32).collect();
        assert_eq!(values, expected);
    }
}

#[test]
fn values_of_actions_are_averaged_and_not_with_points() {
    let game = Game2048::new(Default::default()).unwrap();
    let state = game.parse("2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0").unwrap();
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let values = [constants(&[1.0]), vec![Arc::new(Policy)]].concat();
    let refused = scale(&values, 0.5).unwrap_err();
    assert!(refused.message.contains("probabilities"), "{refused}");
    let mean = Mean { values, share: 0.5, scale: ValueScale::Points };
    let mut values = vec![f32::NAN; successors.len()];
    mean.action_values(&game, state, &successors, &mut values);
    for (value, s) in values.into_iter().zip(successors.iter()) {
        let estimate = s.reward + (1.0 + s.afterstate.lo as f32);
        let expected = 0.5 * estimate + 0.5 * (10.0 * f32::from(s.action.0));
        assert_eq!(value, expected, "{:?}", s.action);
    }
    // A search adds no rewards to probabilities.
    let policies = Mean::of(vec![Arc::new(Policy), Arc::new(Policy)]).unwrap();
    assert!(policies.estimates_actions());
    assert_eq!(policies.scale(), ValueScale::Rating { min: 0.0, max: 1.0 });
}

#[test]
fn missing_and_unknown_values_are_refused_by_name() {
    let host: Arc<dyn Host> = Arc::new(Nothing);
    let game = Game2048::new(Default::default()).unwrap();
    let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    for (spec, part) in [
        ("mean", "at least one value"),
        ("mean(values: [])", "at least one value"),
        ("mean(values: [four])", "no value `four`"),
    ] {
        let spec: Spec = spec.parse().unwrap();
        let error = <Mean as ValuePlugin>::new(spec.read().unwrap(), &context).err().unwrap();
        assert_eq!(error.parameter.as_deref(), Some("values"), "{error}");
        assert!(error.message.contains(part), "{error}");
    }
}

//! The plugin type of all n-tuple learners: a network with a rule and an update scheme. It is a
//! value, which evaluates, and a learner, which trains.

use crate::averaging::Average;
use crate::options::{Joint, Shared};
use crate::player::{PlayedKey, PlayedModel, model_error, no_memory};
use crate::rule::Rule;
use crate::starts::Restarts;
use crate::trainer::{self, InTurn, TrainingOptions, TrainingState};
use crate::update::{TrainingContext, UpdateScheme};
use agent_ntuple_files::{Contents, Definition, Format, History, Model};
use agent_ntuple_network::memory::{Entries, Region};
use agent_ntuple_network::{
    Estimates, Inheritance, Initial, LimitedLookup, Lookup, Memory, Network, Places, Promotion,
    Record, Shape, ValueFunction,
};
use runner_core::geometry::Geometry;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, ForeignModel, Game, Host, Learner, LearnerPlugin,
    ModelFormat, Parameters, Plugin, Preset, Spec, SpecError, SpecValue, State, Successors,
    TrainingBudget, TrainingProgress, TrainingSession, Value, ValuePlugin, above_end,
    afterstate_action_values, prefers_second_level,
};
use runner_files::FileId;
use runner_learning::{Trained, TrainingCell};
use std::path::Path;
use std::sync::Arc;

/// A learning algorithm: its name, its parameters, and the learner that they build.
pub trait Algorithm: Sized + 'static {
    const NAME: &'static str;
    const ABOUT: &'static str;
    type Config: Parameters;
    type Rule: Rule;

    fn presets() -> Vec<Preset> {
        Vec::new()
    }

    /// Builds the learner; `spec` has all parameters.
    fn build(
        config: &Self::Config,
        spec: &Spec,
        context: &BuildContext<'_>,
    ) -> Result<Ntuple<Self>, BuildError>;
}

type MemoryOf<A> = <<A as Algorithm>::Rule as Rule>::Memory;

enum Weights<M> {
    /// The weights of a model, without memory: the network only evaluates.
    Played(Arc<PlayedModel>),
    /// Weights with the memory of the rule: the network learns.
    Learning(Region<Record<M>>),
}

/// An n-tuple network that learns by an algorithm, or evaluates a model.
pub struct Ntuple<A: Algorithm> {
    board: Geometry,
    learns: ValueFunction,
    rewards_never_negative: bool,
    network: Network,
    lookup: LimitedLookup,
    inheritance: Inheritance,
    weights: Weights<MemoryOf<A>>,
    /// Value of every weight before training.
    initial_weight: f32,
    rule: A::Rule,
    scheme: UpdateScheme,
    restarts: Restarts,
    /// If the stages are trained one after the other, in phases: the number of entrances to
    /// collect in each phase. `None` if all stages are trained together.
    entrances_per_phase: Option<usize>,
    /// The running mean of the weights over the last part of a training, if it is wanted.
    average: Option<Average>,
    state: TrainingCell<TrainingState>,
    /// Resolved spec of the game.
    game: String,
    /// Resolved spec of this learner.
    spec: String,
    host: Arc<dyn Host>,
}

impl<A: Algorithm> Plugin for Ntuple<A> {
    const NAME: &'static str = A::NAME;
    const ABOUT: &'static str = A::ABOUT;
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = A::Config;

    fn presets() -> Vec<Preset> {
        A::presets()
    }
}

impl<A: Algorithm> ValuePlugin for Ntuple<A> {
    fn new(config: A::Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let resolved = Spec::resolved(A::NAME, &config);
        let spec = resolved.map_err(|error| BuildError::new(error.message))?;
        A::build(&config, &spec, context)
    }
}

impl<A: Algorithm> LearnerPlugin for Ntuple<A> {
    fn foreign(file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        agent_ntuple_files::foreign(file, whole, crate::TcNtuple::NAME)
    }
}

impl<A: Algorithm> Ntuple<A> {
    /// Builds the network for the context's game. It evaluates if a model is named, else it trains.
    /// `create_rule` gets the number of lookups of a position.
    pub fn build(
        shared: &Shared,
        joint: &Joint,
        spec: &Spec,
        context: &BuildContext<'_>,
        create_rule: impl FnOnce(usize) -> A::Rule,
    ) -> Result<Self, BuildError> {
        let opened = open_model(shared)?;
        let Some(board) = &context.game.geometry else {
            return Err(BuildError::new("n-tuple networks need a board, and the game has none"));
        };
        shared.refuse_idle(joint)?;
        let definition = Definition {
            network: shared.network.as_deref(),
            stages: joint.stages.as_deref(),
            inheritance: joint.promotion,
            learns: joint.learns,
        };
        let model = opened.as_ref().map(|(_, model)| model);
        let (mut network, inheritance, learns) =
            definition.read(model, board, context.game_spec)?;
        if learns == ValueFunction::Actions {
            network = network.with_actions(context.game.actions.len());
        }
        let needs_memory = inheritance == Inheritance::WeightsAndMemory && model.is_none();
        if needs_memory && size_of::<MemoryOf<A>>() == 0 {
            let message = "`weights-and-memory` has no effect: this learner stores nothing beside \
                           the weights; use `weights`";
            return Err(BuildError::of("promotion", message));
        }
        let mut lookup = Lookup::new(&network, board)?;
        let mut initial_weight = shared.initial_value(board) / lookup.per_position() as f32;
        let rule = create_rule(lookup.per_position());
        let lambda = shared.lambda.unwrap_or(0.0);
        let scheme = UpdateScheme::new(shared.update_name(), lambda, shared.steps)?;
        let restarts = Restarts::read(shared.restarts.as_ref(), lookup.stages())?;
        let mut average = None;
        let weights = if let Some((file, model)) = opened {
            let shape = Shape {
                network: &network,
                learns,
                lookup: &lookup,
                inheritance,
                board,
                game: context.game_spec,
                host: &**context.host,
            };
            let learner = spec.without(&["model"]).to_string();
            let key = PlayedKey { file, game: shape.game.to_owned(), learner };
            let played = PlayedModel::get_or_load(key, &model, &shape, initial_weight)?;
            // They differ from those of the file if redundant tuples were folded.
            (network, lookup) = (played.network.clone(), played.lookup.clone());
            initial_weight = played.initial_weight;
            Weights::Played(played)
        } else {
            let count = lookup.weights();
            let records = Region::new(count).map_err(|error| no_memory(count, error))?;
            let initial = Initial::new(initial_weight, inheritance, &lookup);
            initial.store(&records);
            if joint.average > 0.0 {
                let mean = Average::new(joint.average, count, initial);
                average = Some(mean.map_err(|error| no_memory(count, error))?);
            }
            Weights::Learning(records)
        };
        let built = Self {
            board: board.clone(),
            learns,
            rewards_never_negative: context.game.rewards_never_negative,
            network,
            lookup: LimitedLookup::new(lookup),
            inheritance,
            weights,
            initial_weight,
            rule,
            scheme,
            restarts,
            entrances_per_phase: None,
            average,
            state: TrainingCell::new(TrainingState::default()),
            game: context.game_spec.to_owned(),
            spec: spec.to_string(),
            host: context.host.clone(),
        };
        if let Weights::Played(played) = &built.weights {
            built.restore(played.history.clone()).map_err(model_error)?;
        }
        Ok(built)
    }

    /// Trains the stages one after the other, in phases. Each phase collects this number of
    /// entrances of the next stage.
    pub fn in_phases(mut self, entrances: usize) -> Result<Self, Fault> {
        self.entrances_per_phase = Some(entrances);
        self.state.with(|state| self.use_trained_stages(state))?;
        Ok(self)
    }

    fn shape(&self) -> Shape<'_> {
        let &Self { ref network, learns, ref lookup, inheritance, ref board, ref game, .. } = self;
        let host = &*self.host;
        Shape { network, learns, lookup, inheritance, board, game, host }
    }

    /// Returns the contents of a model file. `records` are those of [`Weights`].
    fn contents<'a, M: Memory>(&'a self, records: &'a [Record<M>]) -> Contents<'a, M> {
        Contents {
            shape: self.shape(),
            spec: &self.spec,
            records: Places::new(records, &self.lookup),
            initial: Initial::new(self.initial_weight, self.inheritance, &self.lookup),
        }
    }

    /// Returns the spec with the network of the model and without `model`. A learner with this
    /// spec can load a file that this network saves.
    fn spec_without_model(&self) -> Result<String, SpecError> {
        let spec: Spec = self.spec.parse()?;
        let spec = spec.with("network", self.network.text())?;
        Ok(spec.with("model", SpecValue::NONE)?.to_string())
    }

    /// Loads a model from memory. Messages call it `name`.
    pub fn load_bytes(&self, bytes: &[u8], name: &str) -> Result<(), Fault> {
        let contents = self.contents(self.learning_records()?);
        self.restore(agent_ntuple_files::load_bytes(&contents, bytes, name)?)
    }

    /// Returns the records of a network that learns. Those of a model must not change, because
    /// other players may share them.
    fn learning_records(&self) -> Result<&[Record<MemoryOf<A>>], Fault> {
        match &self.weights {
            Weights::Learning(records) => Ok(records),
            Weights::Played(_) => Err(Fault::new(
                "a learner with the `model` parameter only evaluates; to train, or to load a \
                 model, leave `model` out",
            )),
        }
    }

    fn restore(&self, history: History) -> Result<(), Fault> {
        self.state.with(|state| {
            *state = TrainingState::restored(history);
            self.use_trained_stages(state);
        })?;
        self.average.iter().for_each(Average::reset);
        Ok(())
    }

    /// Limits evaluation to the trained stages. With phases, these are the stages up to that of
    /// the current phase, or the first stage before the first phase. Without phases, all stages
    /// are trained.
    fn use_trained_stages(&self, state: &TrainingState) {
        let all_stages = usize::MAX;
        let last_stage = match state.history.phase {
            Some(phase) => phase.stage,
            None if self.entrances_per_phase.is_some() && state.progress().moves == 0 => 0,
            None => all_stages,
        };
        self.lookup.set_limit(last_stage);
    }

    fn train_with<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
        records: &[Record<MemoryOf<A>>],
        state: &mut TrainingState,
    ) -> Result<TrainingProgress, Fault> {
        if state.history.is_folded {
            return Err(Fault::new(
                "the model is folded, and folded models only evaluate; resume the model that it \
                 was folded from",
            ));
        }
        let context = TrainingContext {
            rule: self.rule,
            records: Entries::new(records),
            lookup: &self.lookup,
            promotion: Promotion::new(self.inheritance, &self.lookup),
            learns: self.learns,
            to_second_level: prefers_second_level(),
        };
        let (scheme, restarts) = (self.scheme, self.restarts);
        if let Some(entrances) = self.entrances_per_phase {
            let in_turn = InTurn { lookup: &self.lookup, scheme, entrances, restarts };
            return trainer::train_in_turn(game, context, in_turn, session, state);
        }
        // The model may come from a training in phases.
        state.history.phase = None;
        self.use_trained_stages(state);
        let options = TrainingOptions { restarts, average: self.average.as_ref(), phase: None };
        trainer::train(game, context, scheme, options, session, state)
    }

    fn estimates<'a, M>(&'a self, records: &'a [Record<M>]) -> Estimates<'a, M> {
        let promotion = Promotion::new(self.inheritance, &self.lookup);
        Estimates { records: Entries::new(records), lookup: self.lookup.current(), promotion }
    }

    #[cold]
    fn refuse_afterstates(&self) -> ! {
        Fault::new(format!(
            "a network with `learns: {:?}` estimates no afterstates; use it as an agent, not as \
             the value of a search",
            self.learns.name()
        ))
        .raise()
    }
}

fn open_model(shared: &Shared) -> Result<Option<(FileId, Model)>, BuildError> {
    let Some(path) = shared.model.as_deref().map(Path::new) else { return Ok(None) };
    // The identity is taken before the file is opened. If the file is replaced between the two, the
    // next player has another identity, and loads the new file.
    let file = FileId::of(path);
    let model = Model::open(path).map_err(model_error)?;
    Ok(Some((file.map_err(model_error)?, model)))
}

impl<A: Algorithm> Value for Ntuple<A> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        if self.learns != ValueFunction::Afterstates {
            self.refuse_afterstates();
        }
        match &self.weights {
            Weights::Played(model) => {
                self.estimates(&model.records).of_afterstates(afterstates, values);
            }
            Weights::Learning(records) => {
                self.estimates(records).of_afterstates(afterstates, values);
            }
        }
        if self.rewards_never_negative {
            values.iter_mut().for_each(|value| *value = above_end(*value));
        }
    }

    fn estimates_actions(&self) -> bool {
        self.learns != ValueFunction::Afterstates
    }

    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let learns = self.learns;
        if learns == ValueFunction::Afterstates {
            return afterstate_action_values(self, successors, values);
        }
        let state_and_actions = (state, successors);
        match &self.weights {
            Weights::Played(model) => {
                self.estimates(&model.records).of_actions(learns, game, state_and_actions, values);
            }
            Weights::Learning(records) => {
                self.estimates(records).of_actions(learns, game, state_and_actions, values);
            }
        }
    }
}

impl<A: Algorithm> Learner for Ntuple<A> {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let records = self.learning_records()?;
        let needs_plan = self.rule.is_planned()
            || self.average.is_some()
            || self.entrances_per_phase.is_some()
            || self.restarts.are_planned();
        let has_plan = session.plan != TrainingBudget::default();
        if needs_plan && !has_plan {
            return Err(Fault::new(
                "`warm_up`, `average`, schedules and the phases of `ms-td` depend on the share of \
                 the training that is done; give the training a number of moves, episodes or a time",
            ));
        }
        self.state.with(|state| self.train_with(game, session, records, state))?
    }

    fn progress(&self) -> TrainingProgress {
        self.state.progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        Format::ALL.iter().map(|&(_, name, about)| ModelFormat::new(name, about)).collect()
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        self.state.with(|state| match &self.weights {
            Weights::Played(model) => {
                let spec = self.spec_without_model().map_err(Fault::new)?;
                let contents = Contents { spec: &spec, ..self.contents(&model.records) };
                agent_ntuple_files::save(&contents, &state.history, path, format)
            }
            Weights::Learning(records) => {
                agent_ntuple_files::save(&self.contents(records), &state.history, path, format)
            }
        })?
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        let contents = self.contents(self.learning_records()?);
        self.restore(agent_ntuple_files::load(&contents, files)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TdConfig, TdNtuple};
    use runner_core::{Control, Description, SingleThread, ValuePlugin};

    /// Builds a network with a redundant tuple to train, or a player of a model.
    fn build(model: Option<&Path>, host: Arc<dyn Host>) -> Result<TdNtuple, BuildError> {
        let game = game_2048::Game2048::new(game_2048::Config::default()).unwrap();
        let network = if model.is_none() { Some("01 4".to_owned()) } else { None };
        let model = model.map(|file| file.display().to_string());
        let shared = Shared { network, model, ..Shared::default() };
        let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
        TdNtuple::new(TdConfig { shared, ..TdConfig::default() }, &context)
    }

    /// The value of the end is 0. If rewards may be negative, an estimate may be below it.
    #[test]
    fn a_position_that_is_alive_is_worth_more_than_the_end_if_no_reward_is_negative() {
        let game = game_2048::Game2048::new(game_2048::Config::default()).unwrap();
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        for rewards_never_negative in [true, false] {
            let described = Description { rewards_never_negative, ..game.description().clone() };
            let context = BuildContext { game: &described, game_spec: "2048", host: &host };
            let shared = Shared { network: Some("01".to_owned()), ..Shared::default() };
            let config = TdConfig { shared, ..TdConfig::default() };
            let learner = TdNtuple::new(config, &context).unwrap();
            let Weights::Learning(records) = &learner.weights else { panic!("no model is named") };
            records.iter().for_each(|record| record.weight.set(-1000.0));
            let mut values = [0.0; 2];
            learner.evaluate(&[0, 0x1100].map(Afterstate::from_bits), &mut values);
            let is_bounded = values.iter().all(|&value| value > 0.0);
            assert_eq!(is_bounded, rewards_never_negative, "{values:?}");
        }
    }

    fn save_trained(file: &Path, moves: u64) {
        let game = game_2048::Game2048::new(game_2048::Config::default()).unwrap();
        let learner = build(None, Arc::new(SingleThread)).unwrap();
        let budget = TrainingBudget { moves: Some(moves), ..TrainingBudget::default() };
        let report = |_: &_| Control::Continue;
        let session = TrainingSession { budget, ..TrainingSession::new(&SingleThread, &report) };
        learner.train(&game, &session).unwrap();
        learner.save(file, "player").unwrap();
    }

    #[test]
    fn players_share_the_network_of_a_model_until_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [file, next] = ["a.model", "b.model"].map(|name| folder.path().join(name));
        save_trained(&file, 1000);
        save_trained(&next, 2000);
        let player = || build(Some(&file), Arc::new(SingleThread)).unwrap();
        let network = |player: &TdNtuple| match &player.weights {
            Weights::Played(model) => model.clone(),
            Weights::Learning(_) => panic!("a model is played"),
        };
        let value = |player: &TdNtuple| {
            let mut values = [0.0];
            player.evaluate(&[Afterstate::new(0x1100, 0)], &mut values);
            values[0]
        };
        let [one, other] = [player(), player()];
        assert!(Arc::ptr_eq(&network(&one), &network(&other)));
        assert!(one.load(&[&next]).is_err(), "the other player shares the network");
        let before = value(&one);
        std::fs::rename(&next, &file).unwrap();
        let replaced = player();
        assert!(!Arc::ptr_eq(&network(&one), &network(&replaced)));
        assert_eq!((one.progress().moves, replaced.progress().moves), (1000, 2000));
        assert!(value(&replaced) != before && value(&other) == before);
    }

    #[test]
    fn a_model_above_the_free_memory_is_refused_before_it_is_read() {
        struct Small;

        impl Host for Small {
            fn threads(&self) -> usize {
                1
            }

            fn for_each(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {
                panic!("the model is read");
            }

            fn memory(&self) -> u64 {
                1000
            }
        }

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.model");
        save_trained(&file, 1000);
        let Err(error) = build(Some(&file), Arc::new(Small)) else { panic!("it is not refused") };
        // 272 weights, and 256 of the folded network, which has no tuple `4`.
        for part in ["a.model", "needs 2.06 KiB", "1000 B may be used"] {
            assert!(error.message.contains(part), "{part:?} is wanted in {:?}", error.message);
        }
        assert!(build(Some(&file), Arc::new(SingleThread)).is_ok());
    }
}

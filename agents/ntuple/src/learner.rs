//! A network with its rule: the value that plays, the learner that trains.

use crate::config::Common;
use crate::credit::{Credit, Work};
use crate::learned::{Estimates, Learns};
use crate::memory::{Cells, Region};
use crate::model::{self, Contents, Format, History, Model, Shape};
use crate::network::{Lookup, Network, Place, USUAL_ALPHABET};
use crate::rule::{Rule, Table, Weight, sum};
use crate::trainer::{Life, Training};
use runner_core::board::Geometry;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Game, Host, ModelFormat, Spec, State, Successors,
    TrainingBudget, TrainingProgress, TrainingSession, Value, afterstate_action_values,
};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A network that learns by a rule, or plays.
pub struct NtupleNetwork<R: Rule> {
    board: Geometry,
    /// What the estimates are of.
    learns: Learns,
    network: Network,
    lookup: Lookup,
    weights: Region<Weight>,
    /// What the rule remembers; nothing where the network plays only.
    memory: Option<Region<R::Memory>>,
    /// What the weights were at first.
    initial: f32,
    rule: R,
    credit: Box<dyn Credit<R>>,
    life: Mutex<Life>,
    /// The seed of the last training, for its file.
    seed: AtomicU64,
    game: String,
    spec: String,
    /// The threads on which models are read and written.
    host: Arc<dyn Host>,
}

impl<R: Rule> NtupleNetwork<R> {
    /// Builds it for the site's game: to play, if a model is named, or else to
    /// learn. `rule` is told how many weights are added up for a position.
    pub(crate) fn new(
        common: &Common,
        spec: &Spec,
        site: &BuildContext<'_>,
        rule: impl FnOnce(usize) -> Result<R, BuildError>,
    ) -> Result<Self, BuildError> {
        let Some(board) = &site.game.geometry else {
            return Err(BuildError::new("n-tuple networks look at boards, and the game has none"));
        };
        let read = |text: &str| Network::read(text, board);
        let model = common.model.as_deref().map(|file| Model::open(Path::new(file)));
        let model = model.transpose().map_err(of_model)?;
        // On another board its network may be none at all.
        model.iter().try_for_each(|model| model.check_game(site.game_spec)).map_err(of_model)?;
        let network = match (&common.network, &model) {
            (Some(text), _) => read(text)?,
            (None, Some(model)) => read(&model.network().map_err(of_model)?)?,
            (None, None) => read(&Network::default_text(board))?,
        };
        let alphabet = match (common.alphabet, &model) {
            (Some(ranks), _) => ranks,
            (None, Some(model)) => model.alphabet().map_err(of_model)?,
            (None, None) => USUAL_ALPHABET,
        };
        let learns = common.learns()?;
        let network = network.with_alphabet(alphabet, board)?;
        let network = match learns {
            Learns::Actions => network.with_actions(site.game.actions.len()),
            Learns::Afterstates | Learns::States => network,
        };
        let lookup = Lookup::new(&network, board)?;
        if let Some(model) = &model {
            // Before there is memory for its weights.
            let (game, host) = (site.game_spec, &**site.host);
            let (network, lookup) = (&network, &lookup);
            let shape = Shape { network, learns, lookup, board, game, host };
            model.check(&shape, None).map_err(of_model)?;
        }
        let refuse = |error: std::io::Error| {
            BuildError::of(
                "network",
                format!("no memory for {} weights: {error}", lookup.weights()),
            )
        };
        let weights = Region::new(lookup.weights()).map_err(refuse)?;
        let memory = match model {
            Some(_) => None,
            None => Some(Region::new(lookup.weights()).map_err(refuse)?),
        };
        let initial = common.optimism(board)? / lookup.per_position() as f32;
        let built = Self {
            rule: rule(lookup.per_position())?,
            credit: common.credit()?,
            life: Mutex::default(),
            seed: AtomicU64::new(0),
            game: site.game_spec.to_owned(),
            spec: spec.to_string(),
            host: site.host.clone(),
            board: board.clone(),
            learns,
            network,
            lookup,
            weights,
            memory,
            initial,
        };
        match model {
            Some(model) => {
                built.restore(model::load_open(&built.contents(), &[model])).map_err(of_model)?
            }
            None if initial != 0.0 => built.weights.iter().for_each(|weight| weight.set(initial)),
            None => {}
        }
        Ok(built)
    }

    pub(crate) fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends what a model file holds.
    fn contents(&self) -> Contents<'_, R> {
        let Self { network, learns, lookup, board, game, host, .. } = self;
        let shape = Shape { network, learns: *learns, lookup, board, game, host: &**host };
        Contents {
            shape,
            spec: &self.spec,
            weights: &self.weights,
            memory: self.memory.as_deref(),
            initial: self.initial,
        }
    }

    /// Writes the network in one of its formats. No training runs meanwhile.
    pub(crate) fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        let life = self.life();
        model::save(&self.contents(), &life.history(self.seed.load(Relaxed)), path, format)
    }

    /// Loads a model, or the mean of several.
    pub(crate) fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        self.restore(model::load(&self.contents(), files))
    }

    /// Loads a model from memory; `name` is its name for messages.
    pub(crate) fn load_bytes(&self, bytes: &[u8], name: &str) -> Result<(), Fault> {
        self.restore(model::load_bytes(&self.contents(), bytes, name))
    }

    /// Takes over the training that a loaded model has behind it.
    fn restore(&self, loaded: Result<Option<History>, Fault>) -> Result<(), Fault> {
        if let Some(history) = loaded? {
            *self.life() = Life::restored(&history);
            self.seed.store(history.seed, Relaxed);
        }
        Ok(())
    }

    pub(crate) fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let Some(memory) = &self.memory else {
            return Err(Fault::new(
                "with `model: ...` it plays what it has learned; leave that out",
            ));
        };
        if self.rule.is_planned() && session.plan == TrainingBudget::default() {
            return Err(Fault::new(
                "a warm-up and a step size that changes go by the share of the whole training                  that is done, and the session's plan does not say how long that is: plan for                  moves, episodes or a time",
            ));
        }
        self.seed.store(session.seed.0, Relaxed);
        let table = self.table(memory);
        let mut life = self.life();
        let work = Work { rule: self.rule, table, lookup: &self.lookup, learns: self.learns };
        Training::run(game, work, &*self.credit, session, &mut life)
    }

    #[allow(unsafe_code)]
    fn cells(&self) -> Cells<'_, Weight> {
        // SAFETY: whoever has a network's weights finds their places in its lookup.
        unsafe { Cells::new(&self.weights, &self.lookup) }
    }

    #[allow(unsafe_code)]
    fn table<'a>(&'a self, memory: &'a [R::Memory]) -> Table<'a, R::Memory> {
        // SAFETY: as above.
        Table { weights: self.cells(), memory: unsafe { Cells::new(memory, &self.lookup) } }
    }

    #[cold]
    fn knows_no_afterstates(&self) -> ! {
        let learns = self.learns.name();
        Fault::new(format!(
            "a network that learns {learns} plays by itself, but estimates no afterstates"
        ))
        .raise()
    }

    pub(crate) fn formats(&self) -> Vec<ModelFormat> {
        Format::ALL.iter().map(|(_, name, about)| ModelFormat::new(name, about)).collect()
    }
}

fn of_model(error: impl std::fmt::Display) -> BuildError {
    BuildError::of("model", error)
}

/// So many places are held at once; more positions are done in parts.
const PLACES: usize = 1024;

impl<R: Rule> Value for NtupleNetwork<R> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        if self.learns != Learns::Afterstates {
            self.knows_no_afterstates();
        }
        let n = self.lookup.per_position();
        let weights = self.cells();
        let mut places = [Place::default(); PLACES];
        let at_once = (PLACES / n).max(1);
        for (afterstates, values) in afterstates.chunks(at_once).zip(values.chunks_mut(at_once)) {
            let all = afterstates.iter().copied();
            self.lookup.places_of_all(all, &mut places, |place| weights.prefetch(place));
            for (value, places) in values.iter_mut().zip(places.chunks_exact(n)) {
                *value = sum(weights, places);
            }
        }
    }

    fn estimates_actions(&self) -> bool {
        self.learns != Learns::Afterstates
    }

    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        worths: &mut [f32],
    ) {
        let estimates = Estimates { weights: self.cells(), lookup: &self.lookup };
        match self.learns {
            Learns::Afterstates => afterstate_action_values(self, successors, worths),
            Learns::States => estimates.of_outcomes(game, successors, worths),
            Learns::Actions => estimates.of_actions(state, successors, worths),
        }
    }
}

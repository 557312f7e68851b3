//! Values: the table of functions, the functions that a library exports, and the loaded value.

use crate::call::{Call, Out, ask};
use crate::forms::{Maybe, Plain, from_text, to_text};
use crate::game::{ForGame, LentGame, LentTables, lend_game, with_lent_game};
use crate::learner::{LearnerTable, LoadedLearner};
use crate::object::{Handle, Object, Shared, Target, This, answer, perform};
use abi_stable::StableAbi;
use abi_stable::std_types::{RSlice, RSliceMut, RString};
use runner_board::lines::LineValues;
use runner_core::{
    Afterstate, Facts, Fault, Game, Learner, LearnerPlugin, ModelFormat, State, Successors,
    TrainingProgress, TrainingSession, Value, ValuePlugin, ValueScale,
};
use std::any::Any;
use std::path::Path;
use std::sync::OnceLock;

/// The functions of a value: the methods of [`Value`]. Each takes the pointer of the object first,
/// and writes its result through its last argument, unless it fails. References and slices are
/// lent until it returns. Slices that would not fit in registers are passed by reference.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct ValueTable {
    /// None if the value does not learn.
    pub learner: Option<&'static LearnerTable>,
    /// Writes the estimate of each afterstate.
    pub evaluate: extern "C" fn(This, RSlice<'_, Plain<Afterstate>>, RSliceMut<'_, f32>) -> Call,
    pub estimates_actions: extern "C" fn(This, Out<'_, bool>) -> Call,
    /// Writes the value of each action of a state.
    pub action_values: extern "C" fn(
        This,
        LentGame<'_>,
        Plain<State>,
        &Plain<Successors>,
        &mut RSliceMut<'_, f32>,
    ) -> Call,
    pub has_priors: extern "C" fn(This, Out<'_, bool>) -> Call,
    /// Writes the priors of all actions of each state, and the value of each state.
    pub evaluate_states: extern "C" fn(
        This,
        LentGame<'_>,
        RSlice<'_, Plain<State>>,
        &mut RSliceMut<'_, f32>,
        &mut RSliceMut<'_, f32>,
    ) -> Call,
    /// Writes the exact value of each afterstate, or NaN.
    pub exact_values:
        extern "C" fn(This, RSlice<'_, Plain<Afterstate>>, RSliceMut<'_, f32>) -> Call,
    /// Writes whether the estimates are guesses, or none if the value cannot tell.
    pub is_guess: extern "C" fn(This, RSlice<'_, Plain<Afterstate>>, Out<'_, Maybe<bool>>) -> Call,
    /// Writes the bounds of a rating, or none for points.
    pub scale: extern "C" fn(This, Out<'_, Maybe<[f32; 2]>>) -> Call,
    /// Writes what else is known about an afterstate, as RON.
    pub facts: extern "C" fn(This, Plain<Afterstate>, Out<'_, RString>) -> Call,
    /// Writes the estimates as tables.
    pub tables: extern "C" fn(This, Out<'_, LentTables>) -> Call,
}

impl Shared for ValueTable {}

// Exported by a library.

extern "C" fn evaluate<V: Value>(
    this: This,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    values: RSliceMut<'_, f32>,
) -> Call {
    perform(this, |value: &ForGame<V>| {
        value.plugin.evaluate(Plain::open(afterstates), values.into_mut_slice());
    })
}

extern "C" fn estimates_actions<V: Value>(this: This, out: Out<'_, bool>) -> Call {
    answer(this, out, |value: &ForGame<V>| value.plugin.estimates_actions())
}

extern "C" fn action_values<V: Value>(
    this: This,
    game: LentGame<'_>,
    Plain(state): Plain<State>,
    Plain(list): &Plain<Successors>,
    values: &mut RSliceMut<'_, f32>,
) -> Call {
    let values = values.as_mut_slice();
    perform(this, |ForGame { plugin, game: own }: &ForGame<V>| match game {
        None => plugin.action_values(own, state, list, values),
        Some(game) => with_lent_game(game, |game| plugin.action_values(game, state, list, values)),
    })
}

extern "C" fn has_priors<V: Value>(this: This, out: Out<'_, bool>) -> Call {
    answer(this, out, |value: &ForGame<V>| value.plugin.has_priors())
}

extern "C" fn evaluate_states<V: Value>(
    this: This,
    game: LentGame<'_>,
    states: RSlice<'_, Plain<State>>,
    priors: &mut RSliceMut<'_, f32>,
    values: &mut RSliceMut<'_, f32>,
) -> Call {
    let (states, priors, values) =
        (Plain::open(states), priors.as_mut_slice(), values.as_mut_slice());
    perform(this, |ForGame { plugin, game: own }: &ForGame<V>| match game {
        None => plugin.evaluate_states(own, states, priors, values),
        Some(game) => {
            with_lent_game(game, |game| plugin.evaluate_states(game, states, priors, values));
        }
    })
}

extern "C" fn exact_values<V: Value>(
    this: This,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    values: RSliceMut<'_, f32>,
) -> Call {
    perform(this, |value: &ForGame<V>| {
        value.plugin.exact_values(Plain::open(afterstates), values.into_mut_slice());
    })
}

extern "C" fn is_guess<V: Value>(
    this: This,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    out: Out<'_, Maybe<bool>>,
) -> Call {
    answer(this, out, |value: &ForGame<V>| {
        Maybe::of(value.plugin.is_guess(Plain::open(afterstates)))
    })
}

extern "C" fn scale<V: Value>(this: This, out: Out<'_, Maybe<[f32; 2]>>) -> Call {
    answer(this, out, |value: &ForGame<V>| match value.plugin.scale() {
        ValueScale::Points => Maybe::None,
        ValueScale::Rating { min, max } => Maybe::Some([min, max]),
    })
}

extern "C" fn facts<V: Value>(
    this: This,
    Plain(afterstate): Plain<Afterstate>,
    out: Out<'_, RString>,
) -> Call {
    answer(this, out, |value: &ForGame<V>| to_text(&value.plugin.facts(afterstate)))
}

extern "C" fn tables<V: Value>(this: This, out: Out<'_, LentTables>) -> Call {
    // SAFETY: the tables belong to the value, whose holder uses them.
    answer(this, out, |value: &ForGame<V>| unsafe { LentTables::of(value.plugin.tables()) })
}

impl<V: Value> Target<ForGame<V>> {
    const VALUE: &'static ValueTable = &ValueTable {
        learner: None,
        evaluate: evaluate::<V>,
        estimates_actions: estimates_actions::<V>,
        action_values: action_values::<V>,
        has_priors: has_priors::<V>,
        evaluate_states: evaluate_states::<V>,
        exact_values: exact_values::<V>,
        is_guess: is_guess::<V>,
        scale: scale::<V>,
        facts: facts::<V>,
        tables: tables::<V>,
    };
}

impl<V: LearnerPlugin> Target<ForGame<V>> {
    const LEARNING_VALUE: &'static ValueTable =
        &ValueTable { learner: Some(Self::LEARNER), ..*Self::VALUE };
}

impl<V: ValuePlugin> Target<ForGame<V>> {
    /// Creates the object of a value that was built for the game object `game`.
    pub fn into_value(self, game: This) -> Object<ValueTable> {
        // SAFETY: the table is one for a `ForGame<V>`.
        unsafe { Object::shared(self, Self::VALUE, game) }
    }

    /// As [`into_value`](Self::into_value), for a value that learns.
    pub fn into_learner(self, game: This) -> Object<ValueTable>
    where
        V: LearnerPlugin,
    {
        // SAFETY: the table is one for a `ForGame<V>`.
        unsafe { Object::shared(self, Self::LEARNING_VALUE, game) }
    }
}

/// The bits of infinity. Those of NaN are larger.
const INFINITY: u32 = f32::INFINITY.to_bits();

/// A value behind the plugin boundary. Clones share it. It plays the game that it is
/// given: its own without a detour, any other one through a lent object.
///
/// Every call checks that the numbers it returns are finite.
#[derive(Clone)]
pub struct DynValue {
    handle: Handle<ValueTable>,
    /// Copied at the first use.
    line_values: OnceLock<Option<LineValues>>,
}

impl DynValue {
    pub(crate) fn new(handle: Handle<ValueTable>) -> Self {
        Self { handle, line_values: OnceLock::new() }
    }

    pub(crate) fn into_object(self) -> Object<ValueTable> {
        self.handle.into_object()
    }

    #[inline(always)]
    fn object(&self) -> Object<ValueTable> {
        self.handle.object()
    }

    pub fn is_learner(&self) -> bool {
        self.object().table.learner.is_some()
    }

    /// Raises a fault if the value does not learn.
    fn learner(&self) -> LoadedLearner<'_> {
        let object = self.handle.lent();
        match object.table.learner {
            Some(table) => LoadedLearner::of(object, table),
            None => Fault::new(format!("{} does not learn", self.handle.label())).raise(),
        }
    }

    fn copy_line_values(&self) -> Option<LineValues> {
        let Object { this, table, .. } = self.object();
        let LentTables::Lines(lines) = ask(|out| (table.tables)(this, out)) else { return None };
        let copied = lines.copy()?;
        let (across, down) = copied.tables();
        self.check_finite("tables", &across[..]);
        self.check_finite("tables", &down[..]);
        Some(copied)
    }

    #[inline(always)]
    fn check_finite(&self, function: &str, values: &[f32]) {
        // A branch for each of a few values is cheap, and a vector of them would be read before
        // it is written. The largest of many is found without branches.
        let is_finite = match values.len() {
            ..16 => values.iter().all(|value| value.is_finite()),
            _ => values.iter().fold(0, |most, v| most.max(v.abs().to_bits())) < INFINITY,
        };
        if !is_finite {
            self.wrong(function, values, f32::is_finite);
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong(&self, function: &str, values: &[f32], right: fn(f32) -> bool) -> ! {
        let wrong = values.iter().find(|value| !right(**value)).expect("one of them is wrong");
        Fault::new(format!("{}: `{function}` returned the value {wrong}", self.handle.label()))
            .raise()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Value for DynValue {
    #[inline]
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let Object { this, table, .. } = self.object();
        (table.evaluate)(this, Plain::lend(afterstates), (&mut *values).into()).done();
        self.check_finite("evaluate", values);
    }

    fn estimates_actions(&self) -> bool {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.estimates_actions)(this, out))
    }

    #[inline]
    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let Object { this, table, game: own, .. } = self.object();
        let (state, list) = (Plain(state), Plain::of(successors));
        let mut out = (&mut *values).into();
        lend_game(&game, own, |game| (table.action_values)(this, game, state, list, &mut out))
            .done();
        self.check_finite("action_values", values);
    }

    fn has_priors(&self) -> bool {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.has_priors)(this, out))
    }

    #[inline]
    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        let Object { this, table, game: own, .. } = self.object();
        let (states, mut to_priors, mut to_values) =
            (Plain::lend(states), (&mut *priors).into(), (&mut *values).into());
        lend_game(&game, own, |game| {
            (table.evaluate_states)(this, game, states, &mut to_priors, &mut to_values)
        })
        .done();
        self.check_finite("evaluate_states", priors);
        self.check_finite("evaluate_states", values);
    }

    #[inline]
    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let Object { this, table, .. } = self.object();
        (table.exact_values)(this, Plain::lend(afterstates), (&mut *values).into()).done();
        if values.iter().any(|value| value.is_infinite()) {
            self.wrong("exact_values", values, |value| !value.is_infinite());
        }
    }

    fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.is_guess)(this, Plain::lend(afterstates), out)).open()
    }

    fn scale(&self) -> ValueScale {
        let Object { this, table, .. } = self.object();
        match ask(|out| (table.scale)(this, out)) {
            Maybe::None => ValueScale::Points,
            Maybe::Some([min, max]) => ValueScale::Rating { min, max },
        }
    }

    fn facts(&self, afterstate: Afterstate) -> Facts {
        let Object { this, table, .. } = self.object();
        from_text(&ask(|out| (table.facts)(this, Plain(afterstate), out)))
    }

    fn tables(&self) -> Option<&dyn Any> {
        let lines = self.line_values.get_or_init(|| self.copy_line_values());
        lines.as_ref().map(|lines| lines as _)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Learner for DynValue {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        self.learner().train(game, session)
    }

    fn progress(&self) -> TrainingProgress {
        self.learner().progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        self.learner().formats()
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        self.learner().save(path, format)
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        self.learner().load(files)
    }
}

//! Values: the table of functions, the functions that a library exports, and the loaded value.

use crate::boundary::{
    Call, Maybe, Object, Out, Plain, Shared, Target, This, answer, ask, from_text, path_text,
    perform, to_text, try_ask,
};
use crate::game::{ForGame, GameRef, pass_game, with_game};
use crate::learner::{LearnerTable, pass_session};
use crate::tables::LinesRef;
use abi_stable::StableAbi;
use abi_stable::std_types::{RSlice, RSliceMut, RStr, RString};
use bytemuck::TransparentWrapper;
use runner_core::lines::LineValues;
use runner_core::{
    Afterstate, Facts, Fault, Game, Learner, LearnerPlugin, ModelFormat, State, Successors,
    TrainingProgress, TrainingSession, Value, ValuePlugin, ValueScale,
};
use std::path::Path;
use std::sync::OnceLock;

/// The functions of a value: the methods of [`Value`]. Each takes the pointer of the object first,
/// and writes its result through its last argument, unless it fails. References and slices are
/// borrowed until it returns. Slices that would not fit in registers are passed by reference.
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
        GameRef<'_>,
        Plain<State>,
        &Plain<Successors>,
        &mut RSliceMut<'_, f32>,
    ) -> Call,
    pub has_priors: extern "C" fn(This, Out<'_, bool>) -> Call,
    /// Writes the priors of all actions of each state, and the value of each state.
    pub evaluate_states: extern "C" fn(
        This,
        GameRef<'_>,
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
    pub tables: extern "C" fn(This, Out<'_, Maybe<LinesRef>>) -> Call,
}

impl Shared for ValueTable {}

// Exported by a library.

extern "C" fn evaluate<V: Value>(
    this: This,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    values: RSliceMut<'_, f32>,
) -> Call {
    perform(this, |value: &ForGame<V>| {
        let afterstates = Plain::peel_slice(afterstates.as_slice());
        value.plugin.evaluate(afterstates, values.into_mut_slice());
    })
}

extern "C" fn estimates_actions<V: Value>(this: This, out: Out<'_, bool>) -> Call {
    answer(this, out, |value: &ForGame<V>| value.plugin.estimates_actions())
}

extern "C" fn action_values<V: Value>(
    this: This,
    game: GameRef<'_>,
    Plain(state): Plain<State>,
    Plain(list): &Plain<Successors>,
    values: &mut RSliceMut<'_, f32>,
) -> Call {
    let values = values.as_mut_slice();
    perform(this, |ForGame { plugin, game: own }: &ForGame<V>| match game {
        None => plugin.action_values(own, state, list, values),
        Some(game) => with_game(game, |game| plugin.action_values(game, state, list, values)),
    })
}

extern "C" fn has_priors<V: Value>(this: This, out: Out<'_, bool>) -> Call {
    answer(this, out, |value: &ForGame<V>| value.plugin.has_priors())
}

extern "C" fn evaluate_states<V: Value>(
    this: This,
    game: GameRef<'_>,
    states: RSlice<'_, Plain<State>>,
    priors: &mut RSliceMut<'_, f32>,
    values: &mut RSliceMut<'_, f32>,
) -> Call {
    let states = Plain::peel_slice(states.as_slice());
    let (priors, values) = (priors.as_mut_slice(), values.as_mut_slice());
    perform(this, |ForGame { plugin, game: own }: &ForGame<V>| match game {
        None => plugin.evaluate_states(own, states, priors, values),
        Some(game) => {
            with_game(game, |game| plugin.evaluate_states(game, states, priors, values));
        }
    })
}

extern "C" fn exact_values<V: Value>(
    this: This,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    values: RSliceMut<'_, f32>,
) -> Call {
    perform(this, |value: &ForGame<V>| {
        let afterstates = Plain::peel_slice(afterstates.as_slice());
        value.plugin.exact_values(afterstates, values.into_mut_slice());
    })
}

extern "C" fn is_guess<V: Value>(
    this: This,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    out: Out<'_, Maybe<bool>>,
) -> Call {
    answer(this, out, |value: &ForGame<V>| {
        Maybe::of(value.plugin.is_guess(Plain::peel_slice(afterstates.as_slice())))
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

extern "C" fn tables<V: Value>(this: This, out: Out<'_, Maybe<LinesRef>>) -> Call {
    // SAFETY: the tables belong to the value, and its holder copies them at once.
    answer(this, out, |value: &ForGame<V>| {
        Maybe::of(value.plugin.tables().map(|tables| unsafe { LinesRef::of(tables) }))
    })
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
/// given: its own without a detour, any other one through an object that it borrows.
///
/// Every call checks that the numbers it returns are finite.
#[derive(Clone)]
pub struct DynValue {
    pub(crate) object: Object<ValueTable>,
    /// Copied at the first use.
    line_values: OnceLock<Option<LineValues>>,
}

impl DynValue {
    pub(crate) fn new(object: Object<ValueTable>) -> Self {
        Self { object, line_values: OnceLock::new() }
    }

    pub fn is_learner(&self) -> bool {
        self.object.table.learner.is_some()
    }

    /// Raises a fault if the value does not learn.
    fn learner(&self) -> &'static LearnerTable {
        self.object.table.learner.unwrap_or_else(|| {
            Fault::new(format!("{} does not learn", self.object.label())).raise()
        })
    }

    fn copy_line_values(&self) -> Option<LineValues> {
        let lines = self.object.ask(|value, this, out| (value.tables)(this, out)).open()?;
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
        let label = self.object.label();
        Fault::new(format!("{label}: `{function}` returned the value {wrong}")).raise()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Value for DynValue {
    #[inline]
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.call(|value, this| (value.evaluate)(this, list, (&mut *values).into()));
        self.check_finite("evaluate", values);
    }

    fn estimates_actions(&self) -> bool {
        self.object.ask(|value, this, out| (value.estimates_actions)(this, out))
    }

    #[inline]
    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let (state, list) = (Plain(state), Plain::wrap_ref(successors));
        let mut places = (&mut *values).into();
        pass_game(&game, self.object.game, |game| {
            self.object
                .call(|value, this| (value.action_values)(this, game, state, list, &mut places));
        });
        self.check_finite("action_values", values);
    }

    fn has_priors(&self) -> bool {
        self.object.ask(|value, this, out| (value.has_priors)(this, out))
    }

    #[inline]
    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        let states = Plain::wrap_slice(states).into();
        let (mut to_priors, mut to_values) = ((&mut *priors).into(), (&mut *values).into());
        pass_game(&game, self.object.game, |game| {
            self.object.call(|value, this| {
                (value.evaluate_states)(this, game, states, &mut to_priors, &mut to_values)
            });
        });
        self.check_finite("evaluate_states", priors);
        self.check_finite("evaluate_states", values);
    }

    #[inline]
    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.call(|value, this| (value.exact_values)(this, list, (&mut *values).into()));
        if values.iter().any(|value| value.is_infinite()) {
            self.wrong("exact_values", values, |value| !value.is_infinite());
        }
    }

    fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.ask(|value, this, out| (value.is_guess)(this, list, out)).open()
    }

    fn scale(&self) -> ValueScale {
        match self.object.ask(|value, this, out| (value.scale)(this, out)) {
            Maybe::None => ValueScale::Points,
            Maybe::Some([min, max]) => ValueScale::Rating { min, max },
        }
    }

    fn facts(&self, afterstate: Afterstate) -> Facts {
        from_text(&self.object.ask(|value, this, out| (value.facts)(this, Plain(afterstate), out)))
    }

    fn tables(&self) -> Option<&LineValues> {
        self.line_values.get_or_init(|| self.copy_line_values()).as_ref()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Learner for DynValue {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let (train, this) = (self.learner().train, self.object.this);
        let progress = pass_session(session, |session| {
            pass_game(game, self.object.game, |game| try_ask(|out| train(this, game, session, out)))
        });
        Ok(from_text(&progress?))
    }

    fn progress(&self) -> TrainingProgress {
        let progress = self.learner().progress;
        from_text(&ask(|out| progress(self.object.this, out)))
    }

    fn formats(&self) -> Vec<ModelFormat> {
        let formats = self.learner().formats;
        from_text(&ask(|out| formats(self.object.this, out)))
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        (self.learner().save)(self.object.this, path_text(path).into(), format.into()).result()
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        let files: Vec<RStr<'_>> = files.iter().map(|file| path_text(file).into()).collect();
        (self.learner().load)(self.object.this, files[..].into()).result()
    }
}

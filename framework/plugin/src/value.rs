//! Values: the table of functions, the functions that a library exports, and the loaded value.

use crate::boundary::{
    Erased, Maybe, Object, Plain, Reply, Shared, Table, Target, This, from_text, path_text, to_text,
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
    TrainingProgress, TrainingSession, Value, ValuePlugin, ValueScale, catch,
};
use std::path::Path;
use std::sync::OnceLock;

/// The functions of a value: the methods of [`Value`]. References and slices are borrowed until a
/// function returns. Slices that would not fit in registers are passed by reference.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E))]
pub struct ValueTable<E = Erased> {
    /// None if the value does not learn.
    pub learner: Maybe<LearnerTable<E>>,
    evaluate:
        extern "C" fn(This<'_, E>, RSlice<'_, Plain<Afterstate>>, RSliceMut<'_, f32>) -> Reply<()>,
    estimates_actions: extern "C" fn(This<'_, E>) -> Reply<bool>,
    action_values: extern "C" fn(
        This<'_, E>,
        GameRef<'_>,
        Plain<State>,
        &Plain<Successors>,
        &mut RSliceMut<'_, f32>,
    ) -> Reply<()>,
    has_priors: extern "C" fn(This<'_, E>) -> Reply<bool>,
    /// Writes the priors of all actions of each state, and the value of each state.
    evaluate_states: extern "C" fn(
        This<'_, E>,
        GameRef<'_>,
        RSlice<'_, Plain<State>>,
        &mut RSliceMut<'_, f32>,
        &mut RSliceMut<'_, f32>,
    ) -> Reply<()>,
    exact_values:
        extern "C" fn(This<'_, E>, RSlice<'_, Plain<Afterstate>>, RSliceMut<'_, f32>) -> Reply<()>,
    is_guess: extern "C" fn(This<'_, E>, RSlice<'_, Plain<Afterstate>>) -> Reply<Maybe<bool>>,
    /// Returns the bounds of a rating, or none for points.
    scale: extern "C" fn(This<'_, E>) -> Reply<Maybe<[f32; 2]>>,
    /// Returns the facts as RON.
    facts: extern "C" fn(This<'_, E>, Plain<Afterstate>) -> Reply<RString>,
    tables: for<'a> extern "C" fn(This<'a, E>) -> Reply<Maybe<LinesRef<'a>>>,
}

// SAFETY: it is the same struct.
unsafe impl Table for ValueTable {
    type For<E> = ValueTable<E>;
}

impl Shared for ValueTable {}

// Exported by a library.

impl<V: Value> ValueTable<ForGame<V>> {
    const EXPORTS: Self = Self {
        learner: Maybe::None,
        evaluate,
        estimates_actions,
        action_values,
        has_priors,
        evaluate_states,
        exact_values,
        is_guess,
        scale,
        facts,
        tables,
    };
}

impl<V: LearnerPlugin> ValueTable<ForGame<V>> {
    const LEARNER_EXPORTS: Self =
        Self { learner: Maybe::Some(LearnerTable::EXPORTS), ..Self::EXPORTS };
}

impl<V: ValuePlugin> Target<ForGame<V>> {
    pub fn into_value(self) -> Object<ValueTable> {
        Object::shared(self, &ValueTable::<ForGame<V>>::EXPORTS)
    }
}

impl<V: LearnerPlugin> Target<ForGame<V>> {
    pub fn into_learner(self) -> Object<ValueTable> {
        Object::shared(self, &ValueTable::<ForGame<V>>::LEARNER_EXPORTS)
    }
}

extern "C" fn evaluate<V: Value>(
    value: This<'_, ForGame<V>>,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    values: RSliceMut<'_, f32>,
) -> Reply<()> {
    let afterstates = Plain::peel_slice(afterstates.as_slice());
    value.answer(|value| value.plugin.evaluate(afterstates, values.into_mut_slice()))
}

extern "C" fn estimates_actions<V: Value>(value: This<'_, ForGame<V>>) -> Reply<bool> {
    value.answer(|value| value.plugin.estimates_actions())
}

extern "C" fn action_values<V: Value>(
    value: This<'_, ForGame<V>>,
    game: GameRef<'_>,
    state: Plain<State>,
    list: &Plain<Successors>,
    values: &mut RSliceMut<'_, f32>,
) -> Reply<()> {
    let values = values.as_mut_slice();
    value.answer(|ForGame { plugin, game: own }| {
        with_game(own, game, |game| plugin.action_values(game, state.0, &list.0, values));
    })
}

extern "C" fn has_priors<V: Value>(value: This<'_, ForGame<V>>) -> Reply<bool> {
    value.answer(|value| value.plugin.has_priors())
}

extern "C" fn evaluate_states<V: Value>(
    value: This<'_, ForGame<V>>,
    game: GameRef<'_>,
    states: RSlice<'_, Plain<State>>,
    priors: &mut RSliceMut<'_, f32>,
    values: &mut RSliceMut<'_, f32>,
) -> Reply<()> {
    let states = Plain::peel_slice(states.as_slice());
    let (priors, values) = (priors.as_mut_slice(), values.as_mut_slice());
    value.answer(|ForGame { plugin, game: own }| {
        with_game(own, game, |game| plugin.evaluate_states(game, states, priors, values));
    })
}

extern "C" fn exact_values<V: Value>(
    value: This<'_, ForGame<V>>,
    afterstates: RSlice<'_, Plain<Afterstate>>,
    values: RSliceMut<'_, f32>,
) -> Reply<()> {
    let afterstates = Plain::peel_slice(afterstates.as_slice());
    value.answer(|value| value.plugin.exact_values(afterstates, values.into_mut_slice()))
}

extern "C" fn is_guess<V: Value>(
    value: This<'_, ForGame<V>>,
    afterstates: RSlice<'_, Plain<Afterstate>>,
) -> Reply<Maybe<bool>> {
    let afterstates = Plain::peel_slice(afterstates.as_slice());
    value.answer(|value| Maybe::of(value.plugin.is_guess(afterstates)))
}

extern "C" fn scale<V: Value>(value: This<'_, ForGame<V>>) -> Reply<Maybe<[f32; 2]>> {
    value.answer(|value| match value.plugin.scale() {
        ValueScale::Points => Maybe::None,
        ValueScale::Rating { min, max } => Maybe::Some([min, max]),
    })
}

extern "C" fn facts<V: Value>(
    value: This<'_, ForGame<V>>,
    afterstate: Plain<Afterstate>,
) -> Reply<RString> {
    value.answer(|value| to_text(&value.plugin.facts(afterstate.0)))
}

extern "C" fn tables<'a, V: Value>(value: This<'a, ForGame<V>>) -> Reply<Maybe<LinesRef<'a>>> {
    value.answer(|value| Maybe::of(value.plugin.tables().map(LinesRef::of)))
}

/// The bits of infinity. Those of NaN are larger.
const INFINITY: u32 = f32::INFINITY.to_bits();

/// A value behind the plugin boundary. Clones share it. It plays the game that it is given: the
/// game that it was built for directly, any other one through an object that it borrows.
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
        matches!(self.object.table.learner, Maybe::Some(_))
    }

    /// Calls a function of a learner.
    fn ask_learner<R>(
        &self,
        call: impl FnOnce(&LearnerTable<Erased>, This<'_, Erased>) -> Reply<R>,
    ) -> R {
        self.object.ask(|table, this| match &table.learner {
            Maybe::Some(learner) => call(learner, this),
            Maybe::None => Fault::new(format!("{} does not learn", self.object.label())).raise(),
        })
    }

    fn copy_line_values(&self) -> Option<LineValues> {
        let lines = self.object.ask(|value, this| (value.tables)(this)).open()?.copy()?;
        let (across, down) = lines.tables();
        self.check_finite("tables", &across[..]);
        self.check_finite("tables", &down[..]);
        Some(lines)
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
        self.object.ask(|value, this| (value.evaluate)(this, list, (&mut *values).into()));
        self.check_finite("evaluate", values);
    }

    fn estimates_actions(&self) -> bool {
        self.object.ask(|value, this| (value.estimates_actions)(this))
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
                .ask(|value, this| (value.action_values)(this, game, state, list, &mut places));
        });
        self.check_finite("action_values", values);
    }

    fn has_priors(&self) -> bool {
        self.object.ask(|value, this| (value.has_priors)(this))
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
            self.object.ask(|value, this| {
                (value.evaluate_states)(this, game, states, &mut to_priors, &mut to_values)
            });
        });
        self.check_finite("evaluate_states", priors);
        self.check_finite("evaluate_states", values);
    }

    #[inline]
    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.ask(|value, this| (value.exact_values)(this, list, (&mut *values).into()));
        if values.iter().any(|value| value.is_infinite()) {
            self.wrong("exact_values", values, |value| !value.is_infinite());
        }
    }

    fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.ask(|value, this| (value.is_guess)(this, list)).open()
    }

    fn scale(&self) -> ValueScale {
        match self.object.ask(|value, this| (value.scale)(this)) {
            Maybe::None => ValueScale::Points,
            Maybe::Some([min, max]) => ValueScale::Rating { min, max },
        }
    }

    fn facts(&self, afterstate: Afterstate) -> Facts {
        from_text(&self.object.ask(|value, this| (value.facts)(this, Plain(afterstate))))
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
        catch(|| {
            let progress = pass_session(session, |session| {
                pass_game(game, self.object.game, |game| {
                    self.ask_learner(|learner, this| (learner.train)(this, game, session))
                })
            });
            from_text(&progress)
        })
    }

    fn progress(&self) -> TrainingProgress {
        from_text(&self.ask_learner(|learner, this| (learner.progress)(this)))
    }

    fn formats(&self) -> Vec<ModelFormat> {
        from_text(&self.ask_learner(|learner, this| (learner.formats)(this)))
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        catch(|| {
            let path = path_text(path).into();
            self.ask_learner(|learner, this| (learner.save)(this, path, format.into()));
        })
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        catch(|| {
            let files: Vec<RStr<'_>> = files.iter().map(|file| path_text(file).into()).collect();
            self.ask_learner(|learner, this| (learner.load)(this, files[..].into()));
        })
    }
}

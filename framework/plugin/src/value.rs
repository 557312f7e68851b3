//! Values: the table of functions, the functions that a library exports, and the loaded value.

use crate::boundary::{
    Erased, List, Maybe, Object, Plain, Reply, Shared, Table, This, from_text, path_text, to_text,
};
use crate::game::{ForGame, GameRef, pass_game, with_game};
use crate::learner::{LearnerTable, pass_session};
use crate::tables::LinesRef;
use abi_stable::StableAbi;
use abi_stable::std_types::{RSliceMut, RStr, RString};
use bytemuck::TransparentWrapper;
use runner_core::lines::LineValues;
use runner_core::{
    Afterstate, Facts, Fault, Game, Learner, ModelFormat, State, Successors, TrainingProgress,
    TrainingSession, Value, ValueScale, catch,
};
use std::path::Path;
use std::sync::OnceLock;

/// The functions of a value: the methods of [`Value`]. References and slices are borrowed until a
/// function returns. A slice for which too few argument registers are left is passed by reference.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E))]
pub struct ValueTable<E = Erased> {
    /// The functions of a learner, if the value is one.
    pub learner: Maybe<LearnerTable<E>>,
    evaluate: extern "C" fn(This<'_, E>, List<'_, Afterstate>, RSliceMut<'_, f32>) -> Reply<()>,
    estimates_actions: extern "C" fn(This<'_, E>) -> Reply<bool>,
    action_values: extern "C" fn(
        This<'_, E>,
        GameRef<'_>,
        Plain<State>,
        &Plain<Successors>,
        &mut RSliceMut<'_, f32>,
    ) -> Reply<()>,
    has_priors: extern "C" fn(This<'_, E>) -> Reply<bool>,
    evaluate_states: extern "C" fn(
        This<'_, E>,
        GameRef<'_>,
        List<'_, State>,
        priors: &mut RSliceMut<'_, f32>,
        values: &mut RSliceMut<'_, f32>,
    ) -> Reply<()>,
    exact_values: extern "C" fn(This<'_, E>, List<'_, Afterstate>, RSliceMut<'_, f32>) -> Reply<()>,
    is_guess: extern "C" fn(This<'_, E>, List<'_, Afterstate>) -> Reply<Maybe<bool>>,
    /// Returns minimum and maximum of a rating, or none for [`ValueScale::Points`].
    scale: extern "C" fn(This<'_, E>) -> Reply<Maybe<[f32; 2]>>,
    /// Returns the facts as RON.
    facts: extern "C" fn(This<'_, E>, Plain<Afterstate>) -> Reply<RString>,
    tables: for<'a> extern "C" fn(This<'a, E>) -> Reply<Maybe<LinesRef<'a>>>,
}

// SAFETY: `For<E>` is the same struct.
unsafe impl Table for ValueTable {
    type For<E> = ValueTable<E>;
}

impl Shared for ValueTable {}

// Exported by a library.

impl<V: Value> ValueTable<ForGame<V>> {
    pub const EXPORTS: Self = Self {
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

impl<V: Learner> ValueTable<ForGame<V>> {
    pub const LEARNER_EXPORTS: Self =
        Self { learner: Maybe::Some(LearnerTable::EXPORTS), ..Self::EXPORTS };
}

extern "C" fn evaluate<V: Value>(
    value: This<'_, ForGame<V>>,
    afterstates: List<'_, Afterstate>,
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
    passed: GameRef<'_>,
    state: Plain<State>,
    successors: &Plain<Successors>,
    values: &mut RSliceMut<'_, f32>,
) -> Reply<()> {
    let values = values.as_mut_slice();
    value.answer(|ForGame { plugin, game: own }| {
        with_game(own, passed, |game| plugin.action_values(game, state.0, &successors.0, values));
    })
}

extern "C" fn has_priors<V: Value>(value: This<'_, ForGame<V>>) -> Reply<bool> {
    value.answer(|value| value.plugin.has_priors())
}

extern "C" fn evaluate_states<V: Value>(
    value: This<'_, ForGame<V>>,
    passed: GameRef<'_>,
    states: List<'_, State>,
    priors: &mut RSliceMut<'_, f32>,
    values: &mut RSliceMut<'_, f32>,
) -> Reply<()> {
    let states = Plain::peel_slice(states.as_slice());
    let (priors, values) = (priors.as_mut_slice(), values.as_mut_slice());
    value.answer(|ForGame { plugin, game: own }| {
        with_game(own, passed, |game| plugin.evaluate_states(game, states, priors, values));
    })
}

extern "C" fn exact_values<V: Value>(
    value: This<'_, ForGame<V>>,
    afterstates: List<'_, Afterstate>,
    values: RSliceMut<'_, f32>,
) -> Reply<()> {
    let afterstates = Plain::peel_slice(afterstates.as_slice());
    value.answer(|value| value.plugin.exact_values(afterstates, values.into_mut_slice()))
}

extern "C" fn is_guess<V: Value>(
    value: This<'_, ForGame<V>>,
    afterstates: List<'_, Afterstate>,
) -> Reply<Maybe<bool>> {
    let afterstates = Plain::peel_slice(afterstates.as_slice());
    value.answer(|value| Maybe::from_option(value.plugin.is_guess(afterstates)))
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
    value.answer(|value| Maybe::from_option(value.plugin.tables().map(LinesRef::of)))
}

/// The bits of infinity. Finite positive numbers have smaller bits, NaN has larger ones.
const INFINITY_BITS: u32 = f32::INFINITY.to_bits();

/// The number of values from which on [`DynValue::check_finite`] checks them without branches.
const MANY: usize = 16;

/// A value behind the plugin boundary. Clones share it. Calls may be for any game. The game that it
/// was built for does not cross, because the library has it; another game is borrowed for the call.
///
/// Calls check that the numbers that they return are finite.
#[derive(Clone)]
pub struct DynValue {
    pub(crate) object: Object<ValueTable>,
    /// Copied at the first use. `None` if the value has no tables, or incomplete ones.
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
        self.object.ask(|vtable, this| match &vtable.learner {
            Maybe::Some(learner) => call(learner, this),
            Maybe::None => Fault::new(format!("{} does not learn", self.object.label())).raise(),
        })
    }

    fn copy_line_values(&self) -> Option<LineValues> {
        let lines = self.object.ask(|vtable, this| (vtable.tables)(this)).into_option()?.copy()?;
        let (row_values, column_values) = lines.tables();
        self.check_finite("tables", &row_values[..]);
        self.check_finite("tables", &column_values[..]);
        Some(lines)
    }

    #[inline(always)]
    fn check_finite(&self, function: &str, values: &[f32]) {
        // The maximum of many values is found with vector instructions. A few values were just
        // written one by one: a vector read would wait for these writes, and a branch for each
        // value is cheap.
        let is_finite = match values.len() {
            ..MANY => values.iter().all(|value| value.is_finite()),
            _ => values.iter().fold(0, |most, v| most.max(v.abs().to_bits())) < INFINITY_BITS,
        };
        if !is_finite {
            self.raise_wrong_value(function, values, f32::is_finite);
        }
    }

    /// Raises the fault of the first value that is not right.
    #[cold]
    #[inline(never)]
    fn raise_wrong_value(&self, function: &str, values: &[f32], is_right: fn(f32) -> bool) -> ! {
        let wrong = values.iter().find(|value| !is_right(**value)).expect("one of them is wrong");
        let label = self.object.label();
        Fault::new(format!("{label}: `{function}` returned the value {wrong}")).raise()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Value for DynValue {
    #[inline]
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.ask(|vtable, this| (vtable.evaluate)(this, list, (&mut *values).into()));
        self.check_finite("evaluate", values);
    }

    fn estimates_actions(&self) -> bool {
        self.object.ask(|vtable, this| (vtable.estimates_actions)(this))
    }

    #[inline]
    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let (state, successors) = (Plain(state), Plain::wrap_ref(successors));
        let mut list = (&mut *values).into();
        pass_game(&game, self.object.built_for, |game| {
            self.object.ask(|vtable, this| {
                (vtable.action_values)(this, game, state, successors, &mut list)
            });
        });
        self.check_finite("action_values", values);
    }

    fn has_priors(&self) -> bool {
        self.object.ask(|vtable, this| (vtable.has_priors)(this))
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
        let mut prior_list = (&mut *priors).into();
        let mut value_list = (&mut *values).into();
        pass_game(&game, self.object.built_for, |game| {
            self.object.ask(|vtable, this| {
                (vtable.evaluate_states)(this, game, states, &mut prior_list, &mut value_list)
            });
        });
        self.check_finite("evaluate_states", priors);
        self.check_finite("evaluate_states", values);
    }

    #[inline]
    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.ask(|vtable, this| (vtable.exact_values)(this, list, (&mut *values).into()));
        // NaN says that a value is not known.
        if values.iter().any(|value| value.is_infinite()) {
            self.raise_wrong_value("exact_values", values, |value| !value.is_infinite());
        }
    }

    fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
        let list = Plain::wrap_slice(afterstates).into();
        self.object.ask(|vtable, this| (vtable.is_guess)(this, list)).into_option()
    }

    fn scale(&self) -> ValueScale {
        match self.object.ask(|vtable, this| (vtable.scale)(this)) {
            Maybe::None => ValueScale::Points,
            Maybe::Some([min, max]) => ValueScale::Rating { min, max },
        }
    }

    fn facts(&self, afterstate: Afterstate) -> Facts {
        from_text(&self.object.ask(|vtable, this| (vtable.facts)(this, Plain(afterstate))))
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
                pass_game(game, self.object.built_for, |game| {
                    self.ask_learner(|vtable, this| (vtable.train)(this, game, session))
                })
            });
            from_text(&progress)
        })
    }

    fn progress(&self) -> TrainingProgress {
        from_text(&self.ask_learner(|vtable, this| (vtable.progress)(this)))
    }

    fn formats(&self) -> Vec<ModelFormat> {
        from_text(&self.ask_learner(|vtable, this| (vtable.formats)(this)))
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        catch(|| {
            let path = path_text(path).into();
            self.ask_learner(|vtable, this| (vtable.save)(this, path, format.into()));
        })
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        catch(|| {
            let files: Vec<RStr<'_>> = files.iter().map(|file| path_text(file).into()).collect();
            self.ask_learner(|vtable, this| (vtable.load)(this, files[..].into()));
        })
    }
}

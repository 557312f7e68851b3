//! The types that cross the boundary, frozen within one major version of the ABI.
//!
//! A game, value or agent crosses as an *object*: a pointer that only its own
//! library reads, and a table of functions. Every function contains panics and
//! reports them as a [`Status`]; the text of the last fault of a thread is then
//! to be had from `take_fault`. What is handed over by pointer in hot calls
//! ([`Successors`], [`Outcomes`]) has a fixed layout in `runner-core`.
//!
//! Growth: tables never change within a major version. A table's `extension`
//! answers for what was not thought of, by number, with null for "unknown".

// The derive writes modules of its own that clippy has views on.
#![allow(missing_docs, clippy::missing_safety_doc)]

use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{ROption, RResult, RSlice, RStr, RString, RVec};
use runner_core::rows::{Entry, Row};
use runner_core::{
    Afterstate, COUNTED_TILES, Episode, Outcome, Outcomes, Playouts, State, Successor, Successors,
    rows,
};
use std::mem::{align_of, offset_of, size_of};

/// The version of this ABI, apart from that of the project: plugins of another
/// major version are refused.
pub const ABI_MAJOR: u32 = 1;
/// Raised when an extension is added.
pub const ABI_MINOR: u32 = 0;

/// The object behind a table of functions.
pub type This = *const u8;

/// How a call went.
#[repr(u8)]
#[derive(StableAbi, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It did what it should.
    Done,
    /// There is no answer: an illegal action, a tile that is not there.
    None,
    /// It failed; `take_fault` of the same table says how.
    Fault,
}

/// A [`State`] or [`Afterstate`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub lo: u64,
    pub hi: u64,
}

impl Position {
    pub const RESERVED: Position = Position { lo: u64::MAX, hi: u64::MAX };
}

impl From<State> for Position {
    #[inline(always)]
    fn from(s: State) -> Self {
        Self { lo: s.lo, hi: s.hi }
    }
}

impl From<Position> for State {
    #[inline(always)]
    fn from(p: Position) -> Self {
        Self { lo: p.lo, hi: p.hi }
    }
}

impl From<Afterstate> for Position {
    #[inline(always)]
    fn from(s: Afterstate) -> Self {
        Self { lo: s.lo, hi: s.hi }
    }
}

impl From<Position> for Afterstate {
    #[inline(always)]
    fn from(p: Position) -> Self {
        Self { lo: p.lo, hi: p.hi }
    }
}

/// A number, if there is one.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Number {
    pub status: Status,
    pub number: u64,
}

/// An outcome in a list that is made once, not in a hot call.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct WeightedPosition {
    pub position: Position,
    pub probability: f64,
}

/// Why a text was refused.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct TextRefused {
    pub at: usize,
    pub message: RString,
}

/// Row tables where they lie: good for as long as the game object.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Tables {
    pub across: *const u8,
    pub down: *const u8,
    pub entries: *const u8,
    pub entry_count: usize,
    /// Whether the layer is the sum of the displayed values.
    pub layer_is_sum: bool,
}

/// The worths of lines where they lie: good for as long as the value object.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct LineTables {
    pub across: *const f32,
    pub down: *const f32,
    /// What lines add that the board does not have.
    pub absent: f32,
    /// No board is worth less.
    pub least: f32,
}

/// A game at work.
#[repr(C)]
#[derive(StableAbi)]
pub struct GameTable {
    /// One more owner of the object.
    pub share: unsafe extern "C" fn(This),
    /// One owner less; the last frees it.
    pub release: unsafe extern "C" fn(This),
    pub take_fault: unsafe extern "C" fn() -> RString,
    pub extension: unsafe extern "C" fn(This, u64) -> *const u8,
    /// The description, as RON.
    pub describe: unsafe extern "C" fn(This) -> RResult<RString, RString>,
    pub start: unsafe extern "C" fn(This, u64) -> Position,
    pub successors: unsafe extern "C" fn(This, Position, *mut u8) -> Status,
    pub successor: unsafe extern "C" fn(This, Position, u8, *mut u8) -> Status,
    pub outcomes: unsafe extern "C" fn(This, Position, *mut u8) -> Status,
    pub spawn: unsafe extern "C" fn(This, Position, u64) -> Position,
    /// Not a number: a fault.
    pub chance_reward: unsafe extern "C" fn(This, ROption<Position>, Position) -> f32,
    pub has_chance_rewards: unsafe extern "C" fn(This) -> Status,
    pub starts: unsafe extern "C" fn(This) -> RResult<ROption<RVec<WeightedPosition>>, RString>,
    pub write: unsafe extern "C" fn(This, Position) -> RResult<RString, RString>,
    pub write_afterstate: unsafe extern "C" fn(This, Position) -> RResult<RString, RString>,
    pub parse:
        unsafe extern "C" fn(This, RStr<'_>) -> RResult<RResult<Position, TextRefused>, RString>,
    pub max_tile: unsafe extern "C" fn(This, Position) -> Number,
    pub layer: unsafe extern "C" fn(This, Position) -> Number,
    pub transform: unsafe extern "C" fn(This, Position, usize) -> Position,
    pub transform_afterstate: unsafe extern "C" fn(This, Position, usize) -> Position,
    pub canonical: unsafe extern "C" fn(This, Position) -> Position,
    pub canonical_afterstate: unsafe extern "C" fn(This, Position) -> Position,
    pub row_tables: unsafe extern "C" fn(This) -> ROption<Tables>,
    /// The kernels that run on the game's side.
    pub playouts: unsafe extern "C" fn(This, Position, u64, u64, *mut u8) -> Status,
    /// One whole game of an agent: (game, agent, seed, stream, stop flag, result).
    pub play: unsafe extern "C" fn(This, AgentObject, u64, u64, *const u8, *mut u8) -> Status,
}

/// A game, borrowed or owned by whoever holds it.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct GameObject {
    pub this: This,
    pub table: &'static GameTable,
}

/// What [`AgentTable::act`] answers when it does not name an action.
pub mod answer {
    /// The agent ends the game here.
    pub const STOP: i32 = -1;
    /// The agent failed.
    pub const FAULT: i32 = -2;
}

/// An agent at work. Each is used by one thread at a time.
#[repr(C)]
#[derive(StableAbi)]
pub struct AgentTable {
    /// A copy for another thread; null if that failed.
    pub copy: unsafe extern "C" fn(This) -> This,
    pub release: unsafe extern "C" fn(This),
    pub take_fault: unsafe extern "C" fn() -> RString,
    pub extension: unsafe extern "C" fn(This, u64) -> *const u8,
    pub begin: unsafe extern "C" fn(This, Position) -> Status,
    /// (agent, state, its successors, random bits) to an action or an [`answer`].
    pub act: unsafe extern "C" fn(This, Position, *const u8, u64) -> i32,
    pub end: unsafe extern "C" fn(This, Position) -> Status,
    /// What it thinks, asked as for an action; nothing after a fault.
    pub analyse: unsafe extern "C" fn(This, Position, *const u8, u64) -> ROption<AbiAnalysis>,
    /// How many threads it sets to work on one decision; 0 after a fault.
    pub threads: unsafe extern "C" fn(This) -> usize,
    /// Whether the agent holds the game's rules as tables, so that a game that it
    /// plays on its own side crosses no boundary.
    pub holds_rules: bool,
    /// One whole game on the agent's side: (agent, seed, stream, stop flag, result).
    pub play: unsafe extern "C" fn(This, u64, u64, *const u8, *mut u8) -> Status,
}

/// What an agent thinks of a position.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct AbiAnalysis {
    /// An action or an [`answer`].
    pub choice: i32,
    pub worths: RVec<ActionWorth>,
    pub facts: RVec<AgentFact>,
}

/// What an agent takes an action to be worth.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct ActionWorth {
    pub action: u8,
    pub worth: f32,
}

/// A named fact of an analysis.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct AgentFact {
    pub name: RString,
    pub fact: AbiFact,
}

/// The content of a fact.
#[repr(u8)]
#[derive(StableAbi, Clone)]
pub enum AbiFact {
    Count(u64),
    Number(f64),
    Text(RString),
}

/// An agent, borrowed or owned by whoever holds it.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct AgentObject {
    pub this: This,
    pub table: &'static AgentTable,
}

/// How long to train.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AbiBudget {
    pub moves: ROption<u64>,
    pub episodes: ROption<u64>,
    pub nanoseconds: ROption<u64>,
}

/// What a learner has done in its life.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AbiProgress {
    pub moves: u64,
    pub episodes: u64,
    pub nanoseconds: u64,
    pub window: u64,
    pub mean: f64,
    pub max_tile: u64,
    pub ended: [u32; COUNTED_TILES],
}

/// A form in which a learner can be saved.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AbiModelFormat {
    pub name: RString,
    pub about: RString,
}

/// A training session; good for the length of one call.
#[repr(C)]
#[derive(StableAbi)]
pub struct AbiTrainingSession {
    pub budget: AbiBudget,
    pub plan: AbiBudget,
    pub seed: u64,
    pub host: HostObject,
    /// Called with `reporter`; answers whether to stop.
    pub report: unsafe extern "C" fn(This, AbiProgress) -> bool,
    pub reporter: This,
}

/// A value at work.
#[repr(C)]
#[derive(StableAbi)]
pub struct ValueTable {
    pub share: unsafe extern "C" fn(This),
    pub release: unsafe extern "C" fn(This),
    pub take_fault: unsafe extern "C" fn() -> RString,
    pub extension: unsafe extern "C" fn(This, u64) -> *const u8,
    /// (value, afterstates, estimates, how many).
    pub evaluate: unsafe extern "C" fn(This, *const u8, *mut f32, usize) -> Status,
    /// (value, afterstates, worths or NaN, how many).
    pub exact_values: unsafe extern "C" fn(This, *const u8, *mut f32, usize) -> Status,
    /// Nothing after a fault.
    pub scale: unsafe extern "C" fn(This) -> ROption<AbiValueScale>,
    /// Whether it weighs actions and estimates no afterstates: `Done`, or `None`.
    pub estimates_actions: unsafe extern "C" fn(This) -> Status,
    /// (value, state, its successors, what each is worth).
    pub action_values: unsafe extern "C" fn(This, Position, *const u8, *mut f32) -> Status,
    pub line_values: unsafe extern "C" fn(This) -> ROption<LineTables>,
    /// Nothing where the value does not learn.
    pub learner: ROption<LearnerTable>,
}

/// What a value's estimates mean.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct AbiValueScale {
    /// Whether they are a rating, not points.
    pub rating: bool,
    /// Bounds of the ratings.
    pub least: f32,
    pub most: f32,
}

/// What a value that learns can do besides.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct LearnerTable {
    pub train: unsafe extern "C" fn(This, &AbiTrainingSession) -> RResult<AbiProgress, RString>,
    pub progress: unsafe extern "C" fn(This) -> RResult<AbiProgress, RString>,
    pub forms: unsafe extern "C" fn(This) -> RResult<RVec<AbiModelFormat>, RString>,
    /// (learner, path, form).
    pub save: unsafe extern "C" fn(This, RStr<'_>, RStr<'_>) -> RResult<(), RString>,
    /// (learner, paths).
    pub load: unsafe extern "C" fn(This, RSlice<'_, RStr<'_>>) -> RResult<(), RString>,
}

/// A value, borrowed or owned by whoever holds it.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct ValueObject {
    pub this: This,
    pub table: &'static ValueTable,
}

/// A function with what it works on; every thread may call it.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Task {
    pub run: unsafe extern "C" fn(This, usize),
    pub context: This,
}

/// What the program offers.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostTable {
    pub share: unsafe extern "C" fn(This),
    pub release: unsafe extern "C" fn(This),
    pub threads: unsafe extern "C" fn(This) -> usize,
    /// Runs the task for 0..n on the program's threads.
    pub for_each: unsafe extern "C" fn(This, usize, Task),
    /// In bytes.
    pub memory: unsafe extern "C" fn(This) -> u64,
    /// The value that a spec names; the caller owns it.
    pub value: unsafe extern "C" fn(This, RStr<'_>) -> RResult<ValueObject, BuildRefused>,
}

/// The program's services, borrowed or owned by whoever holds it.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct HostObject {
    pub this: This,
    pub table: &'static HostTable,
}

/// Where an agent or value is to work; good for the length of one call.
#[repr(C)]
#[derive(StableAbi)]
pub struct BuildSite<'a> {
    pub game: GameObject,
    pub game_spec: RStr<'a>,
    pub host: HostObject,
}

/// Why something could not be built.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct BuildRefused {
    pub message: RString,
    /// The bytes of the spec's text to point at.
    pub span: Span,
    /// What would be right in place of what is there, if that is what is wrong.
    pub allowed: RVec<RString>,
    /// A panic, not an error.
    pub fault: bool,
}

/// A stretch of bytes.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// What was built, with its spec, defaults included.
#[repr(C)]
#[derive(StableAbi)]
pub struct Built<T> {
    pub object: T,
    pub spec: RString,
}

/// What a plugin says about itself.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct Identity {
    pub name: RStr<'static>,
    pub about: RStr<'static>,
    pub version: RStr<'static>,
    /// A list of [`runner_core::Parameter`], as RON.
    pub parameters: RString,
}

/// A game that can be built.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct GameEntry {
    pub identity: Identity,
    pub build: unsafe extern "C" fn(RStr<'_>) -> RResult<Built<GameObject>, BuildRefused>,
}

/// An agent that can be built.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct AgentEntry {
    pub identity: Identity,
    pub build:
        unsafe extern "C" fn(RStr<'_>, &BuildSite<'_>) -> RResult<Built<AgentObject>, BuildRefused>,
}

/// What is known of a value that learns before it is built.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct LearnerEntry {
    /// (path, whether all of it is to be read): a [`runner_core::ForeignModel`], as
    /// RON, if the file is one.
    pub foreign: unsafe extern "C" fn(RStr<'_>, bool) -> RResult<ROption<RString>, RString>,
}

/// A value that can be built.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct ValueEntry {
    pub identity: Identity,
    /// Nothing where the value does not learn.
    pub learner: ROption<LearnerEntry>,
    pub build:
        unsafe extern "C" fn(RStr<'_>, &BuildSite<'_>) -> RResult<Built<ValueObject>, BuildRefused>,
}

/// All that a library has.
#[repr(C)]
#[derive(StableAbi, Clone, Default)]
pub struct Contents {
    pub games: RVec<GameEntry>,
    pub values: RVec<ValueEntry>,
    pub agents: RVec<AgentEntry>,
}

/// The root of a plugin library.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
pub struct Root {
    /// The crate's name.
    pub package: RStr<'static>,
    /// The file the library was loaded from, for its own messages. Called first.
    pub loaded_from: unsafe extern "C" fn(RStr<'_>),
    #[sabi(last_prefix_field)]
    pub contents: unsafe extern "C" fn() -> RResult<Contents, RString>,
}

impl RootModule for RootRef {
    abi_stable::declare_root_module_statics! {RootRef}
    const BASE_NAME: &'static str = "runner_plugin";
    const NAME: &'static str = "runner_plugin";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("1.0.0");
}

/// What `runner-core` must look like for the calls that hand over pointers to
/// its types. A plugin carries its own value of this; they must be equal.
pub const CORE_LAYOUT: u64 = fingerprint(&[
    size_of::<State>(),
    size_of::<Afterstate>(),
    size_of::<Successor>(),
    align_of::<Successor>(),
    offset_of!(Successor, afterstate),
    offset_of!(Successor, reward),
    offset_of!(Successor, action),
    size_of::<Successors>(),
    align_of::<Successors>(),
    size_of::<Outcome>(),
    offset_of!(Outcome, state),
    offset_of!(Outcome, probability),
    size_of::<Outcomes>(),
    size_of::<Episode>(),
    offset_of!(Episode, score),
    offset_of!(Episode, moves),
    offset_of!(Episode, last),
    offset_of!(Episode, finished),
    size_of::<Playouts>(),
    size_of::<Row>(),
    size_of::<Entry>(),
    offset_of!(Entry, rank),
    offset_of!(Entry, probability),
    rows::ROWS,
    rows::BEYOND as usize,
]);

/// FNV-1a over the numbers.
const fn fingerprint(numbers: &[usize]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut i = 0;
    while i < numbers.len() {
        hash = (hash ^ numbers[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

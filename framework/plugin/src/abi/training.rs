//! The data of trainings: length, progress, model formats and start positions.

use super::This;
use super::call::{Call, In};
use super::extension::ExtensionHeader;
use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RStr, RString, RVec, Tuple2};
use runner_core::Start;

/// The length of a training.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AbiBudget {
    pub moves: ROption<u64>,
    pub episodes: ROption<u64>,
    pub nanoseconds: ROption<u64>,
}

/// The progress of a learner.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AbiProgress {
    pub moves: u64,
    pub episodes: u64,
    pub nanoseconds: u64,
    pub window: u64,
    pub mean: f64,
    /// Max tiles and numbers of games.
    pub ended: RVec<Tuple2<u64, u64>>,
    pub series: RVec<AbiFigure>,
}

/// The latest figure of a named series.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AbiFigure {
    pub name: RString,
    pub figure: f64,
}

/// A format in which a learner can be saved.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct AbiModelFormat {
    pub name: RString,
    pub about: RString,
}

/// The functions of a training session.
#[repr(C)]
#[derive(StableAbi)]
pub struct SessionTable {
    pub extension: unsafe extern "C" fn(This, u64) -> *const ExtensionHeader,
    /// (session, progress, whether to stop). One thread at a time calls it.
    pub report: unsafe extern "C" fn(This, &AbiProgress, *mut bool) -> Call,
    /// The positions that games start from.
    pub starts: unsafe extern "C" fn(This, *mut Starts) -> Call,
    /// How many positions of each label are kept; none if they are not wanted.
    pub capacity: unsafe extern "C" fn(This, *mut ROption<usize>) -> Call,
    /// Keeps positions: (session, label, positions).
    pub keep: unsafe extern "C" fn(This, RStr<'_>, Starts) -> Call,
}

/// A list of start positions, borrowed for the length of a session or call.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Starts {
    pub list: In<Start>,
    pub count: usize,
}

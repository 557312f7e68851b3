//! The file of a solved sub-game, and its values for the boards of play.
//!
//! A file is a container of kind `endgame table`; the pattern is a fact of its header. The section
//! `layers` has three u32 for each layer, from sum 0 on: bits of a number in its bucket, buckets and
//! positions. `begin` and `lows` are the lists of `Positions` of all layers, one after the other, and
//! `values` a u16 for each position: its probability in units of 1/65535.

use crate::bits::{LOW, filled, holders, pack, ranks_to_fifteen};
use crate::mapped::Mapped;
use crate::pattern::{Pattern, PatternError};
use crate::positions::Positions;
use crate::subgame::{After, SubGame, merge_in};
use crate::work::{Work, WorkError};
use runner_board::narrow::{inverse, transform};
use runner_core::geometry::Geometry;
use runner_core::{Afterstate, Game, State, Successor};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError, FileError, Header, Problem, replace};
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

const KIND: &str = "endgame table";
const LAYERS: &str = "layers";
const BEGIN: &str = "begin";
const LOWS: &str = "lows";
const VALUES: &str = "values";
const PATTERN: &str = "pattern";

/// The greatest difference of a probability in a file from that of the solution.
pub const ERROR: f32 = 0.5 / u16::MAX as f32;

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error(transparent)]
    Container(#[from] ContainerError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// A finished build.
pub struct Solution<'a> {
    pub game: &'a SubGame,
    /// The resolved spec of the game.
    pub game_spec: &'a str,
    pub pattern: &'a Pattern,
    pub work: &'a Work,
    pub layers: u32,
}

impl Solution<'_> {
    /// Writes the table. Positions whose probability is below `threshold` are left out. Returns how many
    /// it has.
    pub fn save(&self, path: &Path, threshold: f32) -> Result<u64, TableError> {
        let mut layers = Vec::new();
        for sum in 0..self.layers {
            let (positions, values) = self.work.layer(sum)?;
            layers.push(if values.iter().any(|&value| value < threshold) {
                positions.filter(self.game.count(sum), |place| values[place] >= threshold)
            } else {
                positions
            });
        }
        let count: u64 = layers.iter().map(|positions| positions.len() as u64).sum();
        let bytes = |part: fn(&Positions<Vec<u8>>) -> usize| -> u64 {
            layers.iter().map(|positions| part(positions) as u64).sum()
        };
        let (kind, spec) = (KIND.to_owned(), self.pattern.to_string());
        let header = Header { kind, spec, game: self.game_spec.to_owned(), ..Header::default() }
            .with(PATTERN, self.pattern.text())
            .with("threshold", threshold)
            .section(LAYERS, 12 * layers.len() as u64)
            .section(BEGIN, bytes(|positions| positions.parts().1.len()))
            .section(LOWS, bytes(|positions| positions.parts().2.len()))
            .section(VALUES, 2 * count)
            .with("positions", count);
        replace(path, |file| {
            container::write(&mut *file, &header, |out| {
                let mut out = io::BufWriter::with_capacity(1 << 16, out);
                for positions in &layers {
                    let (shift, _, _) = positions.parts();
                    for number in [shift, positions.buckets() as u32, positions.len() as u32] {
                        out.write_all(&number.to_le_bytes())?;
                    }
                }
                layers.iter().try_for_each(|positions| out.write_all(positions.parts().1))?;
                layers.iter().try_for_each(|positions| out.write_all(positions.parts().2))?;
                for sum in 0..self.layers {
                    let (_, values) = self.work.layer(sum).map_err(io::Error::other)?;
                    for value in values.into_iter().filter(|&value| value >= threshold) {
                        let share = (value * f32::from(u16::MAX)).round() as u16;
                        out.write_all(&share.to_le_bytes())?;
                    }
                }
                out.flush()
            })
        })?;
        Ok(count)
    }
}

/// A solved sub-game. `B` has the bytes of its file.
pub struct Table<B = Mapped> {
    pattern: Pattern,
    game: SubGame,
    board: Geometry,
    /// By the set of slots with large tiles: a bit for each symmetry that makes it an arrangement of the
    /// pattern, of those that bring the goal to the same place one.
    orientations: Vec<u8>,
    layers: Vec<Layer>,
    file: B,
    begin: Range<usize>,
    lows: Range<usize>,
    values: Range<usize>,
}

/// Where the lists of a layer lie.
#[derive(Debug)]
struct Layer {
    shift: u32,
    begin: Range<usize>,
    lows: Range<usize>,
    /// The number of its first value.
    first: usize,
}

/// The entry of a table for a board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Answer {
    /// The probability that best play makes the goal.
    pub value: f32,
    /// The symmetry that turns the board to the pattern.
    symmetry: u8,
    /// The slots of the turned board that hold large tiles.
    large: u64,
}

impl Answer {
    fn better(self, other: Self) -> Self {
        if other.value > self.value { other } else { self }
    }
}

impl<B> fmt::Debug for Table<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}

impl Table {
    /// Opens the table of a game with this resolved spec.
    pub fn open(path: &Path, game_spec: &str, game: &dyn Game) -> Result<Self, TableError> {
        let file = Mapped::open(path)?;
        let table =
            Self::read(Container::new(file, &path.display().to_string())?, game_spec, game)?;
        // Not before: it turns off reading ahead, which the checksums of the whole file need.
        table.file.expect_probes();
        Ok(table)
    }
}

impl<B: ReadAt + AsRef<[u8]>> Table<B> {
    /// Reads the table of a game with this resolved spec.
    pub fn read(file: Container<B>, game_spec: &str, game: &dyn Game) -> Result<Self, TableError> {
        let header = file.header();
        if header.kind != KIND {
            let why = format!("is of kind `{}`, not an endgame table", header.kind);
            return Err(file.unsuitable(why).into());
        }
        if header.game != game_spec {
            let why = format!("was built for the game {}, not for {game_spec}", header.game);
            return Err(file.unsuitable(why).into());
        }
        let damaged = |why: &str| file.error(Problem::Damaged(why.to_owned()));
        let pattern = header
            .fact(PATTERN)
            .ok_or_else(|| damaged("its header has no fact `pattern`"))
            .and_then(|text| {
                Pattern::read(text)
                    .map_err(|why| damaged(&format!("its pattern cannot be read: {why}")))
            })?;
        file.verify()?;
        let place = |name| {
            let place = file.place(name)?;
            Ok::<_, ContainerError>(place.start as usize..place.end as usize)
        };
        let (begin, lows, values) = (place(BEGIN)?, place(LOWS)?, place(VALUES)?);
        let list = file.read_section(LAYERS)?;
        let (mut layers, mut at) = (Vec::new(), (0usize, 0usize, 0usize));
        for bytes in list.as_chunks::<12>().0 {
            let number = |at: usize| {
                u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
                    as usize
            };
            let (shift, buckets, count) = (number(0), number(4), number(8));
            if ![8, 16].contains(&shift) {
                return Err(damaged("its layers are divided in an unknown way").into());
            }
            let ends = (at.0 + 4 * (buckets + 1), at.1 + count * (shift / 8), at.2 + count);
            let layer =
                Layer { shift: shift as u32, begin: at.0..ends.0, lows: at.1..ends.1, first: at.2 };
            layers.push(layer);
            at = ends;
        }
        let fits = (begin.len(), lows.len(), values.len()) == (at.0, at.1, 2 * at.2);
        if !fits || !list.len().is_multiple_of(12) {
            return Err(damaged("its lists do not have the lengths of its layers").into());
        }
        let sub_game = SubGame::new(&pattern, game_spec, game)?;
        let board = game.description().geometry.clone().expect("a sub-game is on a board");
        let orientations = orientations(&sub_game, &board);
        Ok(Self {
            pattern,
            game: sub_game,
            board,
            orientations,
            layers,
            file: file.into_source(),
            begin,
            lows,
            values,
        })
    }

    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    pub fn len(&self) -> usize {
        self.values.len() / 2
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns what the table says about a board of play, if it shows the pattern in any orientation.
    pub fn probe(&self, afterstate: Afterstate) -> Option<Answer> {
        let board = ranks_to_fifteen(afterstate.bits());
        let large = self.game.large(board);
        // One more may be a goal tile that lies where it does not count.
        if large.count_ones().wrapping_sub(self.game.large_tiles()) > 1 {
            return None;
        }
        let probe = |large| self.probe_with(afterstate, board, large);
        if let Some(answer) = probe(large) {
            return Some(answer);
        }
        if self.has_goal(afterstate.bits()) {
            return None;
        }
        self.game.other_large(board, large).filter_map(probe).reduce(Answer::better)
    }

    /// Returns true if a board of play has the goal, whichever of two equal tiles is taken for the large
    /// one.
    fn has_goal(&self, bits: u128) -> bool {
        let board = ranks_to_fifteen(bits);
        self.game.other_large(board, self.game.large(board)).any(|large| {
            let symmetries = self.orientations[pack(large, LOW) as usize];
            (0..8).filter(|k| symmetries >> k & 1 == 1).any(|k| {
                let image = transform(self.board.rows, self.board.cols, board | filled(large), k);
                self.game.smallest_fits(&self.board, bits, large, k)
                    && self.game.after(image).1 == After::Goal
            })
        })
    }

    /// Returns the probability of the goal after a move: 1 if the move makes it.
    pub fn value(&self, before: State, next: &Successor) -> Option<f32> {
        if self.has_goal(before.bits()) {
            return None;
        }
        if self.game.makes_goal(&self.board, before, next.action) {
            return Some(1.0);
        }
        self.probe(next.afterstate).map(|answer| answer.value)
    }

    /// Probes a board of which these slots hold the large tiles.
    #[inline]
    fn probe_with(&self, afterstate: Afterstate, board: u64, large: u64) -> Option<Answer> {
        let symmetries = self.orientations[pack(large, LOW) as usize];
        if symmetries == 0 || merge_in(&self.board, afterstate.bits(), large) {
            return None;
        }
        let answers = (0..8).filter(|k| symmetries >> k & 1 == 1).filter_map(|symmetry| {
            let image =
                |board| transform(self.board.rows, self.board.cols, board, usize::from(symmetry));
            if !self.game.smallest_fits(&self.board, afterstate.bits(), large, symmetry.into()) {
                return None;
            }
            let value = self.find(image(board | filled(large)))?;
            Some(Answer { value, symmetry, large: image(large) })
        });
        answers.reduce(Answer::better)
    }

    fn find(&self, board: u64) -> Option<f32> {
        let (sum, number) = self.game.number(board)?;
        let layer = self.layers.get(sum as usize)?;
        let bytes = self.file.as_ref();
        let begin = &bytes[self.begin.clone()][layer.begin.clone()];
        let lows = &bytes[self.lows.clone()][layer.lows.clone()];
        let place = Positions::of_parts(layer.shift, begin, lows)?.find(number)?;
        let at = 2 * (layer.first + place);
        let values = &bytes[self.values.clone()];
        let share = u16::from_le_bytes([values[at], values[at + 1]]);
        Some(f32::from(share) / f32::from(u16::MAX))
    }

    /// Returns the board of an answer after the goal, and the rewards on the way. The goal has
    /// consumed free tiles of its sum, the largest first; the rest lie where they lay.
    pub fn after_goal(&self, afterstate: Afterstate, answer: Answer) -> (Afterstate, f32) {
        let goal = self.game.goal_rank();
        let inverse = inverse(answer.symmetry.into());
        let image = |slots| transform(self.board.rows, self.board.cols, slots, inverse);
        let free = self.game.tables.cells() & !image(answer.large);
        let mut board = afterstate.lo;
        let (mut missing, mut points) = (self.game.units(goal), self.game.points(goal));
        for rank in (1..=goal).rev() {
            let units = self.game.units(rank);
            let mut slots = holders(afterstate.lo, rank) & free;
            while slots != 0 && units <= missing {
                let slot = slots & slots.wrapping_neg();
                missing -= units;
                points -= self.game.points(rank);
                board &= !filled(slot);
                slots ^= slot;
            }
        }
        let places = image(self.game.goal_slots(answer.large).0) & free;
        let places = [places & holders(board, 0), places, free & holders(board, 0)];
        let places = places.into_iter().find(|&places| places != 0).unwrap_or_default();
        let made = places & places.wrapping_neg();
        board = (board & !filled(made)) | (u64::from(goal) * made);
        (Afterstate { lo: board, ..afterstate }, points.max(0.0))
    }
}

/// Returns, by the set of slots with large tiles, the symmetries that make it an arrangement.
fn orientations(game: &SubGame, board: &Geometry) -> Vec<u8> {
    let mut orientations = vec![0u8; 1 << 16];
    let all = if board.rows == board.cols { 8 } else { 4 };
    let turned = |slots, k| transform(board.rows, board.cols, slots, inverse(k));
    for large in game.arrangements() {
        for symmetry in 0..all {
            let place = turned(large, symmetry);
            let goal = |k| {
                let (goal, smallest) = game.goal_slots(transform(board.rows, board.cols, place, k));
                (turned(goal, k), turned(smallest, k))
            };
            let known = &mut orientations[pack(place, LOW) as usize];
            let is_known = |k| *known >> k & 1 == 1 && goal(k) == goal(symmetry);
            if !(0..symmetry).any(is_known) {
                *known |= 1 << symmetry;
            }
        }
    }
    orientations
}

//! The file of a solved sub-game, and its values for the boards of play.
//!
//! A file is a container of kind `endgame table`: the pattern and the objective are facts of its header. The
//! section `layers` has three u32 for each layer, from sum 0 on: bits of a number in its bucket, buckets
//! and positions. `begin` and `lows` are the lists of `Positions` of all layers, one after the other,
//! and `values` a u16 for each position: its share of the greatest value, which is a fact too and 1 for
//! probabilities.

use crate::bits::{LOW, at_least, filled, holders, pack, ranks_to_fifteen};
use crate::build::Objective;
use crate::mapped::Mapped;
use crate::pattern::{Pattern, PatternError};
use crate::positions::Positions;
use crate::subgame::{After, LargeTiles, SubGame, merge_in};
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
const OBJECTIVE: &str = "objective";
const GREATEST: &str = "greatest value";

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

/// Writes the table of a finished build. Positions whose value is below `threshold` are left out.
/// Returns how many it has.
pub fn save(
    path: &Path,
    (game, game_spec): (&SubGame, &str),
    (pattern, objective): (&Pattern, Objective),
    (work, layers): (&Work, u32),
    threshold: f32,
) -> Result<u64, TableError> {
    let (mut kept, mut greatest) = (Vec::new(), 0f32);
    for sum in 0..layers {
        let (positions, values) = work.layer(sum)?;
        greatest = values.iter().fold(greatest, |greatest, &value| greatest.max(value));
        kept.push(match values.iter().any(|&value| value < threshold) {
            false => positions,
            true => positions.filter(game.count(sum), |place| values[place] >= threshold),
        });
    }
    let greatest = if objective == Objective::Goal { 1.0 } else { greatest };
    let facts = facts(pattern, objective, greatest).with("threshold", threshold);
    write(path, Header { game: game_spec.to_owned(), ..facts }, &kept, |sum| {
        let (_, values) = work.layer(sum).map_err(io::Error::other)?;
        let kept = values.into_iter().filter(|&value| value >= threshold);
        Ok(kept.map(|value| (value / greatest * f32::from(u16::MAX)).round() as u16).collect())
    })
}

/// Returns the header of a table, without its game and its sections.
fn facts(pattern: &Pattern, objective: Objective, greatest: f32) -> Header {
    Header { kind: KIND.to_owned(), spec: pattern.to_string(), ..Header::default() }
        .with(PATTERN, pattern.text())
        .with(OBJECTIVE, objective)
        .with(GREATEST, greatest)
}

/// Writes a table: the positions of each layer, and their shares of the greatest value. Returns how many
/// there are.
pub(crate) fn write(
    path: &Path,
    header: Header,
    layers: &[Positions<Vec<u8>>],
    shares: impl Fn(u32) -> io::Result<Vec<u16>>,
) -> Result<u64, TableError> {
    let count: u64 = layers.iter().map(|positions| positions.len() as u64).sum();
    let bytes = |part: fn(&Positions<Vec<u8>>) -> usize| -> u64 {
        layers.iter().map(|positions| part(positions) as u64).sum()
    };
    let header = header
        .section(LAYERS, 12 * layers.len() as u64)
        .section(BEGIN, bytes(|positions| positions.parts().1.len()))
        .section(LOWS, bytes(|positions| positions.parts().2.len()))
        .section(VALUES, 2 * count)
        .with("positions", count);
    replace(path, |file| {
        container::write(&mut *file, &header, |out| {
            let mut out = io::BufWriter::with_capacity(1 << 16, out);
            for positions in layers {
                let (shift, _, _) = positions.parts();
                for number in [shift, positions.buckets() as u32, positions.len() as u32] {
                    out.write_all(&number.to_le_bytes())?;
                }
            }
            layers.iter().try_for_each(|positions| out.write_all(positions.parts().1))?;
            layers.iter().try_for_each(|positions| out.write_all(positions.parts().2))?;
            for sum in 0..layers.len() as u32 {
                for share in shares(sum)? {
                    out.write_all(&share.to_le_bytes())?;
                }
            }
            out.flush()
        })
    })?;
    Ok(count)
}

/// A solved sub-game. `B` has the bytes of its file.
pub struct Table<B = Mapped> {
    pattern: Pattern,
    objective: Objective,
    game_spec: String,
    game: SubGame,
    board: Geometry,
    greatest: f32,
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
    /// The probability that best play makes the goal, or the expected score.
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
        f.debug_struct("Table")
            .field("pattern", &self.pattern)
            .field("objective", &self.objective)
            .finish_non_exhaustive()
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
        let fact = |name: &str| {
            header.fact(name).ok_or_else(|| damaged(&format!("its header has no fact `{name}`")))
        };
        let pattern = Pattern::read(fact(PATTERN)?)
            .map_err(|why| damaged(&format!("its pattern cannot be read: {why}")))?;
        let objective =
            fact(OBJECTIVE)?.parse().map_err(|()| damaged("its objective is unknown"))?;
        let greatest: Option<f32> = fact(GREATEST)?.parse().ok();
        let greatest = greatest.filter(|greatest| greatest.is_finite() && *greatest > 0.0);
        let greatest = greatest.ok_or_else(|| damaged("its greatest value is no number"))?;
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
        let game = sub_game;
        Ok(Self {
            pattern,
            objective,
            game_spec: game_spec.to_owned(),
            game,
            greatest,
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

    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.values.len() / 2
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns what the table says about a board of play, if it shows the pattern in any orientation.
    pub fn probe(&self, afterstate: Afterstate) -> Option<Answer> {
        let board = ranks_to_fifteen(afterstate.bits());
        // One more may be a goal tile that lies where it does not count.
        let more = self.game.count_large(board).wrapping_sub(self.game.large_tiles());
        if more > 1 {
            return None;
        }
        let sets = || self.game.large_sets(&self.board, afterstate.bits(), board);
        let probe = |large| self.probe_with(afterstate, board, large);
        if let Some(answer) = sets().filter_map(probe).reduce(Answer::better) {
            return Some(answer);
        }
        if self.has_goal(afterstate.bits()) {
            return None;
        }
        let others = sets().flat_map(|large| self.game.other_large(board, large));
        others.filter_map(probe).reduce(Answer::better)
    }

    /// Returns true if a board of play has the goal, whichever of two equal tiles is taken for the large
    /// one.
    fn has_goal(&self, bits: u128) -> bool {
        let board = ranks_to_fifteen(bits);
        let sets = self.game.large_sets(&self.board, bits, board);
        sets.flat_map(|large| self.game.other_large(board, large)).any(|large| {
            let symmetries = self.orientations[pack(large.pattern, LOW) as usize];
            (0..8).filter(|k| symmetries >> k & 1 == 1).any(|k| {
                let image = transform(self.board.rows, self.board.cols, large.on(board), k);
                self.game.smallest_fits(&self.board, bits, large.pattern, k)
                    && self.game.after(image).1 == After::Goal
            })
        })
    }

    /// Returns the value of a move: a move that makes the goal has reached it.
    pub fn value(&self, before: State, next: &Successor) -> Option<f32> {
        if self.has_goal(before.bits()) {
            return None;
        }
        let is_made = self.game.makes_goal(&self.board, before, next.action);
        let found = || self.probe(next.afterstate).map(|answer| answer.value);
        match (is_made, self.objective) {
            (true, Objective::Goal) => Some(1.0),
            (true, Objective::Score { goal }) => Some(next.reward + goal),
            (false, Objective::Goal) => found(),
            (false, Objective::Score { .. }) => found().map(|value| next.reward + value),
        }
    }

    /// Probes a board of which these slots hold the large tiles.
    #[inline]
    fn probe_with(&self, afterstate: Afterstate, board: u64, large: LargeTiles) -> Option<Answer> {
        let symmetries = self.orientations[pack(large.pattern, LOW) as usize];
        if symmetries == 0 || merge_in(&self.board, afterstate.bits(), large.pattern) {
            return None;
        }
        let answers = (0..8).filter(|k| symmetries >> k & 1 == 1).filter_map(|symmetry| {
            let image =
                |board| transform(self.board.rows, self.board.cols, board, usize::from(symmetry));
            if !self.game.smallest_fits(
                &self.board,
                afterstate.bits(),
                large.pattern,
                symmetry.into(),
            ) {
                return None;
            }
            let value = self.find(image(large.on(board)))?;
            Some(Answer { value, symmetry, large: image(large.pattern) })
        });
        answers.reduce(Answer::better)
    }

    /// Returns the value of a position of the sub-game.
    fn find(&self, board: u64) -> Option<f32> {
        let (sum, number) = self.game.number(board)?;
        Some(self.value_of(self.share(sum, number)?))
    }

    pub(crate) fn value_of(&self, share: u16) -> f32 {
        f32::from(share) / f32::from(u16::MAX) * self.greatest
    }

    /// Returns the share of the greatest value that a position has.
    pub(crate) fn share(&self, sum: u32, number: u64) -> Option<u16> {
        let layer = self.layers.get(sum as usize)?;
        let bytes = self.file.as_ref();
        let begin = &bytes[self.begin.clone()][layer.begin.clone()];
        let lows = &bytes[self.lows.clone()][layer.lows.clone()];
        let place = Positions::of_parts(layer.shift, begin, lows)?.find(number)?;
        let at = 2 * (layer.first + place);
        let values = &bytes[self.values.clone()];
        Some(u16::from_le_bytes([values[at], values[at + 1]]))
    }

    pub(crate) fn sub_game(&self) -> &SubGame {
        &self.game
    }

    /// Returns the number of layers.
    pub(crate) fn layers(&self) -> u32 {
        self.layers.len() as u32
    }

    /// Returns the header of a table of the same sub-game, without sections.
    pub(crate) fn header(&self) -> Header {
        let facts = facts(&self.pattern, self.objective, self.greatest);
        Header { game: self.game_spec.clone(), ..facts }
    }

    /// Returns the board of an answer after the goal, and the rewards on the way. The goal has
    /// consumed free tiles of its sum, the largest first; the rest lie where they lay.
    pub fn after_goal(&self, afterstate: Afterstate, answer: Answer) -> (Afterstate, f32) {
        let goal = self.game.goal_rank();
        let inverse = inverse(answer.symmetry.into());
        let image = |slots| transform(self.board.rows, self.board.cols, slots, inverse);
        let large = at_least(ranks_to_fifteen(afterstate.bits()), goal + 1) | image(answer.large);
        let free = self.game.tables.cells() & !large;
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

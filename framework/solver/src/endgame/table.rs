//! The file of a solved sub-game, and its values for the boards of play.
//!
//! A file is a container of kind `endgame table`; the pattern is a fact of its header. The section
//! `layers` has three u32 for each layer, from sum 0 on: bits of a number in its bucket, buckets
//! and positions. `begin` and `lows` are the lists of `Positions` of all layers, one after the
//! other, and `values` a u16 for each position: its probability in units of 1/65535.

use super::bits::{filled, ranks_to_fifteen};
use super::mapped::Mapped;
use super::pattern::{Pattern, PatternError};
use super::positions::Positions;
use super::subgame::{SubGame, merge_in};
use super::work::{Work, WorkError};
use runner_board::narrow::inverse;
use runner_core::{Afterstate, Game, State, Successor};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError, ContainerProblem, FileError, Header, replace};
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

/// Writes the table of a finished build, and returns the number of its positions. `game_spec` is
/// the resolved spec of the game.
pub fn save(
    path: &Path,
    game_spec: &str,
    pattern: &Pattern,
    work: &Work,
    layers: u32,
) -> Result<u64, TableError> {
    let positions = |sum| work.positions(sum).ok_or(WorkError::Lost);
    let layers = (0..layers).map(positions).collect::<Result<Vec<_>, _>>()?;
    let count: u64 = layers.iter().map(|positions| positions.len() as u64).sum();
    let bytes = |part: fn(&Positions<Vec<u8>>) -> usize| -> u64 {
        layers.iter().map(|positions| part(positions) as u64).sum()
    };
    let (kind, spec) = (KIND.to_owned(), pattern.to_string());
    let header = Header { kind, spec, game: game_spec.to_owned(), ..Header::default() }
        .with(PATTERN, pattern.text())
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
            for (sum, positions) in (0..).zip(&layers) {
                let values = work.values_of(sum, positions);
                for value in values.ok_or_else(|| io::Error::other(WorkError::Lost))? {
                    let share = (value * f32::from(u16::MAX)).round() as u16;
                    out.write_all(&share.to_le_bytes())?;
                }
            }
            out.flush()
        })
    })?;
    Ok(count)
}

/// A solved sub-game. `B` has the bytes of its file.
pub struct EndgameTable<B = Mapped> {
    pattern: Pattern,
    game: SubGame,
    /// The slots of the large tiles in each orientation of the pattern, and the symmetry that turns
    /// it back. Of the symmetries that also bring the goal to the same place one is here.
    orientations: Vec<(u64, usize)>,
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
    symmetry: usize,
}

impl Answer {
    fn better(self, other: Self) -> Self {
        if other.value > self.value { other } else { self }
    }
}

impl<B> fmt::Debug for EndgameTable<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndgameTable").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}

impl EndgameTable {
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

impl<B: ReadAt + AsRef<[u8]>> EndgameTable<B> {
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
        let damaged = |why: &str| file.error(ContainerProblem::Damaged(why.to_owned()));
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
        Ok(Self {
            pattern,
            orientations: orientations(&sub_game),
            game: sub_game,
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

    /// Returns what the table says about a board of play, if it shows the pattern in any
    /// orientation.
    pub fn probe(&self, afterstate: Afterstate) -> Option<Answer> {
        let board = ranks_to_fifteen(afterstate.bits());
        let large = self.game.large_of_play(board);
        // One more may be a goal tile that lies where it does not count.
        if large.count_ones().wrapping_sub(self.game.large.count_ones()) > 1 {
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

    /// Returns true if a board of play has the goal, whichever of two equal tiles is taken for the
    /// large one.
    fn has_goal(&self, bits: u128) -> bool {
        let board = ranks_to_fifteen(bits);
        self.game.other_large(board, self.game.large_of_play(board)).any(|large| {
            let mut symmetries = self.symmetries_to(large);
            symmetries.any(|k| self.game.has_goal(self.game.image(board | filled(large), k)))
        })
    }

    /// Returns the symmetries that turn these large tiles to those of the pattern.
    #[inline(always)]
    fn symmetries_to(&self, large: u64) -> impl Iterator<Item = usize> {
        let fits = self.orientations.iter().filter(move |orientation| orientation.0 == large);
        fits.map(|orientation| orientation.1)
    }

    /// Returns the probability of the goal after a move: 1 if the move makes it.
    pub fn value(&self, before: State, next: &Successor) -> Option<f32> {
        if self.has_goal(before.bits()) {
            return None;
        }
        if self.game.makes_goal(before, next.action) {
            return Some(1.0);
        }
        self.probe(next.afterstate).map(|answer| answer.value)
    }

    /// Probes a board of which these slots hold the large tiles.
    #[inline]
    fn probe_with(&self, afterstate: Afterstate, board: u64, large: u64) -> Option<Answer> {
        let merges = || merge_in(&self.game.board, afterstate.bits(), large);
        let answers = self.symmetries_to(large).filter_map(|symmetry| {
            let value = self.find(self.game.image(board | filled(large), symmetry))?;
            Some(Answer { value, symmetry })
        });
        answers.reduce(Answer::better).filter(|_| !merges())
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

    /// Returns the board of an answer after the goal, and the rewards on the way.
    pub fn after_goal(&self, afterstate: Afterstate, answer: Answer) -> (Afterstate, f32) {
        self.game.after_goal(afterstate, answer.symmetry)
    }
}

fn orientations(game: &SubGame) -> Vec<(u64, usize)> {
    let place = |k| [game.large, game.goal_slots].map(|slots| game.image(slots, inverse(k)));
    let all: Vec<_> = game.symmetries().map(place).collect();
    let is_first = |k: &usize| !all[..*k].contains(&all[*k]);
    game.symmetries().filter(is_first).map(|k| (all[k][0], k)).collect()
}

//! The stages of a game: parts of it that have separate weights.
//!
//! The stage of a position depends on its large tiles alone. A list of stages is text. It has a
//! word for each stage after the first, the condition for entering the stage:
//!
//! - `8192 16384 16384+8192`: tiles that are present. A position has reached a condition if its
//!   large tiles, in descending order, are those of the condition or a later list in lexicographic
//!   order: 32768, and 16384 twice, have reached `16384+8192`. Every merge and every new tile
//!   makes this list a later one, so a game never returns to an earlier stage.
//! - `2^4` alone: the stage is a number with g = 4 binary digits. A digit is 1 if the tile of its
//!   rank is present; the lowest digit is rank 12 and the highest rank 15.
//!
//! The *cap* of a stage, a suffix of the word such as `@8192`, is the largest tile that the stage
//! distinguishes; larger tiles are read as the cap. `1@8192` sets the cap of the first stage.
//!
//! Conditions and caps name any tile of the game. Only `2^g` reads ranks above 15 as 15.
//!
//! A first word `downgrade@4096` lowers boards before all else: the tiles above 4096 are read
//! as the smallest tiles that keep their order, 8192, 16384 and so on. Boards that differ only
//! in the size of their large tiles then share their weights. It may be the only word.

use crate::tuple::{ALPHABET, MAX_RANKS};
use runner_core::BuildError;
use runner_core::geometry::Geometry;
use runner_core::slots::{at_least, set_bits};
use std::cmp::Reverse;

pub const MAX_STAGES: usize = 32;

/// Maximum g of `2^g`.
const MAX_DIGITS: u32 = 5;

/// The highest rank of a board with four bits per cell.
const TOP_RANK: u8 = ALPHABET as u8 - 1;

/// Maximum number of ranks from `least` to `most` of a [`StageRule`], which has 2^20 sets of them.
const MAX_SPAN: u8 = 20;

/// The cap of a stage that distinguishes all ranks.
const NO_CAP: u8 = u8::MAX;

/// A list of stages: a function from positions to stages, and what each stage distinguishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stages {
    text: String,
    downgrade: Option<Downgrade>,
    rule: StageRule,
    /// For each stage, the rank of its cap, or [`NO_CAP`].
    caps: Vec<u8>,
}

/// How large tiles are lowered to a sequence without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Downgrade {
    /// The highest rank that is never lowered.
    kept: u8,
    /// For each set of higher ranks: the rank that each of them is lowered to. Rank `kept + 1 + k`
    /// is bit k of the set, and is lowered to bits 4k to 4k + 3 of the word.
    lowered: Vec<u64>,
}

/// How the stage depends on the set of ranks from `least` to `most` that are present.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StageRule {
    least: u8,
    /// The highest rank of a condition, but at least [`TOP_RANK`], so that only boards with fifth
    /// bits have higher ranks. A higher rank counts as `most` twice.
    most: u8,
    /// True for conditions. Then a rank that is present twice counts as that rank with all lower
    /// ranks, the last list that has the rank once.
    only_advances: bool,
    /// The stage of each set. Rank `least + k` is bit k of a set.
    stages: Vec<u8>,
}

fn stages_error(message: impl Into<String>) -> BuildError {
    BuildError::of("stages", message.into())
}

impl Stages {
    pub fn read(text: &str, board: &Geometry) -> Result<Self, BuildError> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        // Without conditions, all positions are in the first stage.
        let (least, most, only_advances) = (TOP_RANK, TOP_RANK, false);
        let mut read = Self {
            text: canonical(text),
            downgrade: None,
            rule: StageRule { least, most, only_advances, stages: vec![0; 2] },
            caps: vec![NO_CAP],
        };
        if let Some(kept) = words.first().and_then(|word| word.strip_prefix("downgrade@")) {
            read.downgrade = Some(Downgrade::new(rank(kept, board)?));
            words.remove(0);
            if words.is_empty() {
                return Ok(read);
            }
        }
        if let Some(cap) = words.first().and_then(|word| word.strip_prefix("1@")) {
            read.caps[0] = rank(cap, board)?;
            words.remove(0);
        }
        if let [word] = words[..]
            && let Some(digits) = word.strip_prefix("2^")
        {
            (read.rule, read.caps) = binary_digits(digits, read.caps[0])?;
            return Ok(read);
        }
        read.add_conditions(&words, board)?;
        Ok(read)
    }

    /// Sets the rule, and the caps of the stages after the first, from the words of the conditions.
    fn add_conditions(&mut self, words: &[&str], board: &Geometry) -> Result<(), BuildError> {
        let mut conditions = Vec::new();
        for &word in words {
            refuse_misplaced(word)?;
            let (condition, cap) = match word.split_once('@') {
                Some((condition, cap)) => (condition, rank(cap, board)?),
                None => (word, NO_CAP),
            };
            conditions.push((word, read_condition(condition, board)?));
            self.caps.push(cap);
        }
        let count = self.count();
        if conditions.is_empty() {
            return Err(stages_error(
                "expected the condition of at least a second stage, such as `16384`",
            ));
        }
        if count > MAX_STAGES {
            return Err(stages_error(format!("{count} stages; the maximum is {MAX_STAGES}")));
        }
        self.rule = StageRule::new(&conditions)?;
        Ok(())
    }

    pub fn count(&self) -> usize {
        self.caps.len()
    }

    /// Returns the list as text, which is equal for lists that differ in spaces or in the order of
    /// tiles only.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of stages of another list if they are the first ones of this list, with
    /// equal conditions and caps and the same `downgrade`.
    pub fn leading(&self, other: &str) -> Option<usize> {
        let list = canonical(other);
        if list == self.text {
            return Some(self.count());
        }
        let is_setting = |word: &&str| word.starts_with("downgrade@") || word.starts_with("1@");
        let theirs: Vec<&str> = list.split_whitespace().collect();
        let ours: Vec<&str> = self.text.split(' ').collect();
        let rest = ours.strip_prefix(&theirs[..])?;
        if rest.first().is_some_and(is_setting) {
            return None;
        }
        Some(1 + theirs.iter().filter(|word| !is_setting(word)).count())
    }

    /// Returns the lowest rank that alone ends the first stage, or the highest rank of the rule.
    pub fn first_rank(&self) -> u8 {
        let StageRule { least, most, ref stages, .. } = self.rule;
        let leaves = |rank: &u8| stages[1 << (rank - least)] > 0;
        (least..=most).find(leaves).unwrap_or(most)
    }

    /// Returns the same stages, with `last` in place of all later ones.
    pub fn limited(&self, last: usize) -> Self {
        let mut limited = self.clone();
        limited.rule.stages.iter_mut().for_each(|stage| *stage = last.min((*stage).into()) as u8);
        limited
    }

    /// Returns true if a game never returns to an earlier stage.
    pub fn only_advance(&self) -> bool {
        self.downgrade.is_none() && self.rule.only_advances
    }

    /// Returns the stage of a board with four bits per cell, and the board as that stage
    /// distinguishes it. Use [`of_ranks`](Self::of_ranks) for a position with a rank above 15: its
    /// stage may differ from that of the board that reads the rank as 15.
    #[inline(always)]
    pub fn of_board(&self, board: u64) -> (usize, u64) {
        let board = self.downgrade.as_ref().map_or(board, |downgrade| downgrade.of_board(board));
        let StageRule { least, only_advances, ref stages, .. } = self.rule;
        let mut large = LargeTiles::default();
        for cell in set_bits(at_least(board, least)) {
            large.add(1 << ((board >> cell & 15) - u64::from(least)));
        }
        let stage = usize::from(stages[large.set(only_advances)]);
        let cap = self.caps[stage];
        if cap >= TOP_RANK {
            return (stage, board);
        }
        // The lowest bit of each cell that is read as the cap.
        let capped = at_least(board, cap);
        (stage, (board & !(capped * 15)) | (capped * u64::from(cap)))
    }

    /// Returns the stage of the ranks of all cells, and lowers them to those that it distinguishes.
    pub fn of_ranks(&self, ranks: &mut [usize]) -> usize {
        if let Some(downgrade) = &self.downgrade {
            downgrade.of_ranks(ranks);
        }
        let StageRule { least, most, only_advances, ref stages } = self.rule;
        let (least, most) = (usize::from(least), usize::from(most));
        let mut large = LargeTiles::default();
        for &rank in ranks.iter().filter(|&&rank| rank >= least) {
            large.add(1 << (rank.min(most) - least));
            if rank > most {
                // Twice: a higher rank comes after all lists of ranks up to `most`.
                large.add(1 << (most - least));
            }
        }
        let stage = stages[large.set(only_advances)];
        let cap = self.caps[usize::from(stage)];
        if cap != NO_CAP {
            ranks.iter_mut().for_each(|rank| *rank = usize::from(cap).min(*rank));
        }
        stage.into()
    }
}

/// The large tiles of a board, as sets of ranks.
#[derive(Default)]
struct LargeTiles {
    /// The ranks that are present.
    present: usize,
    /// The ranks that are present twice or more.
    doubled: usize,
}

impl LargeTiles {
    /// Adds a tile with the rank of this bit.
    #[inline(always)]
    fn add(&mut self, bit: usize) {
        self.doubled |= self.present & bit;
        self.present |= bit;
    }

    /// Returns the set for [`StageRule::stages`].
    #[inline(always)]
    fn set(&self, only_advances: bool) -> usize {
        match self.doubled.checked_ilog2() {
            Some(highest) if only_advances => self.present | ((1 << highest) - 1),
            _ => self.present,
        }
    }
}

impl Downgrade {
    fn new(kept: u8) -> Self {
        let higher_ranks = u32::from(TOP_RANK.saturating_sub(kept));
        let mut lowered = Vec::new();
        for present in 0..1u32 << higher_ranks {
            let (mut word, mut rank) = (0, u64::from(kept));
            for bit in (0..higher_ranks).filter(|bit| present >> bit & 1 != 0) {
                rank += 1;
                word |= rank << (4 * bit);
            }
            lowered.push(word);
        }
        Self { kept, lowered }
    }

    #[inline(always)]
    fn of_board(&self, board: u64) -> u64 {
        if self.kept >= TOP_RANK {
            return board;
        }
        let large = at_least(board, self.kept + 1);
        // The bit of a cell's rank in a set.
        let bit = |cell: u32| (board >> cell & 15) - u64::from(self.kept) - 1;
        let present = set_bits(large).fold(0, |present: usize, cell| present | 1 << bit(cell));
        if present & (present + 1) == 0 {
            // The set has no gap.
            return board;
        }
        let lowered = self.lowered[present];
        set_bits(large).fold(board & !(large * 15), |board, cell| {
            board | (lowered >> (4 * bit(cell)) & 15) << cell
        })
    }

    fn of_ranks(&self, ranks: &mut [usize]) {
        let kept = usize::from(self.kept);
        let mut higher: Vec<usize> = ranks.iter().copied().filter(|&rank| rank > kept).collect();
        higher.sort_unstable();
        higher.dedup();
        for rank in ranks {
            if let Ok(number) = higher.binary_search(rank) {
                *rank = kept + 1 + number;
            }
        }
    }
}

/// Returns a list with single spaces and with the tiles of each condition in descending order.
fn canonical(list: &str) -> String {
    let word = |word: &str| {
        let (condition, cap) = word.split_at(word.find('@').unwrap_or(word.len()));
        let mut tiles: Vec<&str> = condition.split('+').collect();
        tiles.sort_by_key(|tile| Reverse((tile.len(), *tile)));
        tiles.join("+") + cap
    };
    list.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the rule of `2^g`, with the caps of its stages, which all equal that of the first.
fn binary_digits(g: &str, cap: u8) -> Result<(StageRule, Vec<u8>), BuildError> {
    let Some(g) = g.parse().ok().filter(|g| (1..=MAX_DIGITS).contains(g)) else {
        return Err(stages_error(format!("expected `2^1` to `2^{MAX_DIGITS}`")));
    };
    if cap < TOP_RANK {
        return Err(stages_error("`2^g` reads every tile and takes no cap"));
    }
    let count = 1 << g;
    let least = ALPHABET as u8 - g as u8;
    let stages = (0..count).map(|stage| stage as u8).collect();
    let rule = StageRule { least, most: TOP_RANK, only_advances: false, stages };
    Ok((rule, vec![cap; count]))
}

impl StageRule {
    /// Returns the rule of conditions, each with its word and its set of ranks: rank k is bit k.
    fn new(conditions: &[(&str, u32)]) -> Result<Self, BuildError> {
        for [(before, lower), (word, ranks)] in conditions.array_windows() {
            if ranks <= lower {
                return Err(stages_error(format!(
                    "`{word}` does not follow `{before}`: the conditions must ascend"
                )));
            }
        }
        let all = conditions.iter().fold(0, |all, (_, ranks)| all | ranks);
        let (least, most) = (all.trailing_zeros(), all.ilog2().max(TOP_RANK.into()));
        let span = most + 1 - least;
        if span > MAX_SPAN.into() {
            return Err(stages_error(format!(
                "the conditions reach over {span} tiles, from the smallest that they name to the \
                 largest; the maximum is {MAX_SPAN}"
            )));
        }
        // A set with a greater number is a later list of tiles, so it has reached lower
        // conditions.
        let stage = |present: u32| {
            conditions.iter().take_while(|(_, ranks)| ranks >> least <= present).count() as u8
        };
        let stages = (0..1 << span).map(stage).collect();
        Ok(Self { least: least as u8, most: most as u8, only_advances: true, stages })
    }
}

/// Refuses words that are not conditions, and says where they belong.
fn refuse_misplaced(word: &str) -> Result<(), BuildError> {
    let message = if word.starts_with("downgrade@") {
        format!("`{word}` must be the first word")
    } else if word.starts_with("1@") {
        format!("`{word}`, the cap of the first stage, must be before all conditions")
    } else if word.starts_with("2^") {
        format!("`{word}` names all stages and has no conditions beside it")
    } else if word.contains(',') {
        format!("`{word}`: separate conditions by spaces, without commas")
    } else {
        return Ok(());
    };
    Err(stages_error(message))
}

/// Returns the ranks of a condition as bits.
fn read_condition(word: &str, board: &Geometry) -> Result<u32, BuildError> {
    let mut ranks = 0;
    for tile in word.split('+') {
        let bit = 1 << rank(tile, board)?;
        if ranks & bit != 0 {
            return Err(stages_error(format!("`{word}` has the tile {tile} twice")));
        }
        ranks |= bit;
    }
    Ok(ranks)
}

/// Returns the rank of a tile that is written as its value.
fn rank(tile: &str, board: &Geometry) -> Result<u8, BuildError> {
    let ranks = &board.values[..board.values.len().min(MAX_RANKS)];
    if let Ok(value @ 1..) = tile.parse::<u64>()
        && let Some(rank) = ranks.iter().position(|&known| known == value)
    {
        return Ok(rank as u8);
    }
    let usual = &ranks[..ranks.len().min(ALPHABET)];
    Err(stages_error(format!(
        "`{tile}` is not a tile of the game; expected conditions such as `{0} {0}+{1}`, of tiles up \
         to {2}",
        usual.iter().rev().nth(1).unwrap_or(&0),
        usual.iter().rev().nth(2).unwrap_or(&0),
        ranks.last().unwrap_or(&0),
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn board() -> Geometry {
        let values = (0..18).map(|rank| if rank == 0 { 0 } else { 1 << rank }).collect();
        Geometry { rows: 4, cols: 4, values, ..Geometry::default() }
    }

    fn stages(text: &str) -> Stages {
        Stages::read(text, &board()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[track_caller]
    fn stage(stages: &Stages, tiles: &[u64]) -> usize {
        let board = board();
        let rank = |&tile: &u64| board.values.iter().position(|&value| value == tile).unwrap();
        let ranks = tiles.iter().map(rank);
        let bits = ranks.zip(0..).fold(0, |bits, (rank, cell)| bits | (rank as u64) << (4 * cell));
        stages.of_board(bits).0
    }

    #[test]
    fn first_stages_of_a_list_are_found() {
        let list = stages("1024 2048 2048+1024");
        for (other, expected) in [
            ("", Some(1)),
            ("1024", Some(2)),
            ("1024 2048", Some(3)),
            ("1024 2048 2048+1024", Some(4)),
            ("1024  2048 1024+2048", Some(4)),
            ("1024 2048 2048+1024 4096", None),
            ("2048", None),
            ("downgrade@512", None),
        ] {
            assert_eq!(list.leading(other), expected, "{other}");
        }
        assert_eq!(stages("512 512+1024 ").text(), "512 1024+512");
        let list = stages("downgrade@4096 1@8192 16384");
        assert_eq!(list.leading(""), None);
        assert_eq!(list.leading("downgrade@4096"), None);
        assert_eq!(list.leading("downgrade@4096 1@8192"), Some(1));
        assert_eq!(stages("downgrade@4096").leading("downgrade@4096"), Some(1));
        assert_eq!(stages("2^4").leading(""), Some(1));
        assert_eq!(stages("2^4").leading("2^4"), Some(16));
        assert_eq!(stages("2^4").leading("2^3"), None);
    }

    #[test]
    fn the_rule_of_powers_reads_the_largest_tiles_as_binary_digits() {
        let stages = stages("2^4");
        assert_eq!((stages.count(), stages.text()), (16, "2^4"));
        for (tiles, expected) in [
            (&[2, 2048, 1024][..], 0),
            (&[4096], 1),
            (&[4096, 4096, 2], 1),
            (&[8192, 512], 2),
            (&[8192, 4096], 3),
            (&[16384], 4),
            (&[32768, 16384, 8192, 4096], 15),
        ] {
            assert_eq!(stage(&stages, tiles), expected, "{tiles:?}");
        }
    }

    #[test]
    fn a_condition_stays_reached_when_its_tiles_merge() {
        let stages = stages("16384  16384+8192 16384+8192+4096");
        assert_eq!(stages.text(), "16384 16384+8192 16384+8192+4096");
        for (tiles, expected) in [
            (&[8192, 4096][..], 0),
            (&[8192, 8192, 4096, 4096], 0),
            (&[16384, 2], 1),
            (&[16384, 4096, 2048], 1),
            (&[16384, 8192], 2),
            (&[4096, 8192, 16384], 3),
            (&[4096, 4096, 8192, 16384], 3),
            (&[8192, 8192, 16384], 3),
            (&[16384, 16384], 3),
            (&[32768], 3),
        ] {
            assert_eq!(stage(&stages, tiles), expected, "{tiles:?}");
        }
    }

    #[test]
    fn conditions_span_a_limited_number_of_tiles() {
        let values = (0..32).map(|rank| if rank == 0 { 0 } else { 1 << rank }).collect();
        let board = Geometry { values, ..board() };
        assert_eq!(Stages::read("2 1048576", &board).unwrap().count(), 3);
        let error = Stages::read("2 2097152", &board).unwrap_err();
        assert!(error.message.contains("over 21 tiles"), "{error}");
        assert_eq!(Stages::read("4 2097152", &board).unwrap().count(), 3);
    }

    #[test]
    fn each_stage_reads_large_tiles_as_its_cap() {
        let stages = stages("1@8192 16384@4096 32768");
        let ranks = |board: u64| [0, 4, 8].map(|shift| board >> shift & 15);
        assert_eq!(ranks(stages.of_board(0xdc3).1), [3, 12, 13]);
        assert_eq!(ranks(stages.of_board(0xed3).1), [3, 12, 12]);
        assert_eq!(ranks(stages.of_board(0xfdc).1), [12, 13, 15]);
    }

    #[test]
    fn large_tiles_are_lowered_in_their_order() {
        let lowered = |text: &str, board: u64| stages(text).of_board(board);
        // 16384 and 4096 beside a 2 are read as 8192 and 4096.
        assert_eq!(lowered("downgrade@4096", 0xec01), (0, 0xdc01));
        assert_eq!(lowered("downgrade@4096", 0xdc01), (0, 0xdc01));
        assert_eq!(lowered("downgrade@4096", 0x1f0f), (0, 0x1d0d));
        assert_eq!(lowered("downgrade@2048", 0xfdf1), (0, 0xdcd1));
        assert_eq!(lowered("downgrade@4096 2^4", 0xfc00), (3, 0xdc00));
        assert_eq!(lowered("downgrade@32768", 0xfdb1), (0, 0xfdb1));
    }

    #[test]
    fn wrong_lists_are_refused() {
        let refused = |text: &str| {
            let error = Stages::read(text, &board()).unwrap_err();
            assert_eq!(error.parameter.as_deref(), Some("stages"), "{text}");
            error.message
        };
        for line in include_str!("wrong_stages.txt").lines() {
            let (text, expected) = line.split_once('|').unwrap();
            let message = refused(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
        let many: Vec<String> = (1..32)
            .map(|k| {
                let tiles = (0..5).filter(|bit| k >> bit & 1 != 0);
                tiles.map(|bit| (1 << (11 + bit)).to_string()).collect::<Vec<_>>().join("+")
            })
            .collect();
        assert_eq!(stages(&many.join(" ")).count(), MAX_STAGES);
        let message = refused(&format!("1024 {}", many.join(" ")));
        assert!(message.contains("maximum is 32"), "{message}");
    }

    proptest! {
        /// Merges of random equal tiles and new small ones, as in a game.
        #[test]
        fn a_game_never_returns_to_an_earlier_stage(
            mut ranks in prop::collection::vec(1usize..=17, 1..16),
            moves in prop::collection::vec((any::<prop::sample::Index>(), 1usize..=2), 1..200),
            text in prop::sample::select(vec![
                "8192 16384 16384+8192", "16384 16384+8192 16384+8192+4096 16384+8192+4096+2048",
                "4 8 8+4 16 16+8 32+8", "1@64 32 64@128 64+32", "16384 65536 65536+32768",
            ]),
        ) {
            let stages = stages(text);
            prop_assert!(stages.only_advance());
            let stage = |ranks: &[usize]| stages.of_ranks(&mut ranks.to_vec());
            let mut before = stage(&ranks);
            for (index, tile) in moves {
                let rank = ranks[index.index(ranks.len())];
                let equal: Vec<usize> = (0..ranks.len()).filter(|&k| ranks[k] == rank).collect();
                match equal[..] {
                    [one, other, ..] => {
                        ranks[one] += 1;
                        ranks.remove(other);
                    }
                    _ if ranks.len() < 16 => ranks.push(tile),
                    _ => {}
                }
                let after = stage(&ranks);
                prop_assert!(after >= before, "{ranks:?}: {after} after {before}");
                before = after;
            }
        }

        #[test]
        fn boards_and_ranks_have_the_same_stage(
            board: u64,
            text in prop::sample::select(vec![
                "2^1", "2^5", "2 4 8", "64@128 256 256+64@64", "1@2 8",
                "downgrade@4", "downgrade@64 2^4", "downgrade@256 64@128", "8192 65536",
                "65536 65536+8192", "8192@65536", "downgrade@65536 16384",
            ]),
        ) {
            let stages = stages(text);
            let mut ranks: Vec<usize> = (0..16).map(|k| (board >> (4 * k) & 15) as usize).collect();
            let (stage, read) = stages.of_board(board);
            prop_assert_eq!(stages.of_ranks(&mut ranks), stage);
            let again: Vec<usize> = (0..16).map(|k| (read >> (4 * k) & 15) as usize).collect();
            prop_assert_eq!(again, ranks);
        }
    }
}

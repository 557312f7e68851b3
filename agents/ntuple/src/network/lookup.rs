//! From a position to the places in the tables.
//!
//! Within a table, the place of a tuple's content is: from the lowest bit on, the
//! low two bits of each cell, then the high two bits of each, then its extra_fields. The
//! small tiles, which change with every move, so lie together: a cache line holds
//! all that two cells of small tiles can be. On a board of up to 4 x 4 cells the cells
//! are in the order in which an image of the tuple has them, see [`layout`]; on others
//! they ascend. In another alphabet than the usual one it is: the extra_fields, then a digit
//! for each cell.
//!
//! Where actions have tables of their own, those of the first come first. What an
//! action is on a board is another one on the board's image, and an image is looked
//! up in the tables of that.

use super::images::{Narrow, Split, split};
use super::{MAX_RANKS, Network, Tuple, USUAL_ALPHABET, layout};
use runner_core::board::{FIFTH_BITS, Geometry, Symmetry};
use runner_core::{Action, Afterstate, BuildError};
use std::ops::Range;

/// The bits of a cell's content in the usual alphabet.
const BITS: u32 = 4;

/// There, ranks above this one are taken for it.
const TOP_RANK: u8 = 15;

/// How the weights of a tuple are ordered, for files: as the module says, on boards of up
/// to 4 x 4 cells and on others, and in other alphabets.
pub const INNER_FIRST: &str = "low and high halves of cells, inner cells first";
/// See [`INNER_FIRST`].
pub const ASCENDING: &str = "low and high halves of cells";
const DIGITS: &str = "digits of cells";

/// A network has at most so many tuples.
pub const MAX_TUPLES: usize = 64;

/// Computes where the weights of a position lie: for each image of the board, in
/// every tuple; then in the tuples that are read where they stand only.
#[derive(Clone, Debug)]
pub struct Lookup {
    board: Board,
    /// The tuples that are read in every image.
    free: Vec<Table>,
    /// Those that are not.
    fixed: Vec<Table>,
    marked: bool,
    per_position: usize,
    /// Where the table of each tuple lies among all weights, in the network's order;
    /// that of the first action, where each has its own.
    ranges: Vec<Range<usize>>,
    /// Which digit of its table each cell of a tuple is, in the same order.
    digits: Vec<Vec<usize>>,
    order: &'static str,
    weights: usize,
    fifth_bits: bool,
    slots: Vec<u8>,
}

/// Where a weight lies among all of its network. Only a [`Lookup`] makes places, and
/// none that is not below its [`weights`](Lookup::weights).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Place(u32);

impl Place {
    /// The place as an index.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How the images of a board are had.
#[derive(Clone, Debug)]
enum Board {
    /// By arithmetic on one word, in the usual alphabet and for no action.
    Narrow(Narrow),
    /// Cell by cell.
    Any(Vec<Image>),
}

/// A board as a symmetry shows it.
#[derive(Clone, Debug)]
struct Image {
    /// The slot whose content it has in each cell.
    slots: Vec<u8>,
    /// Where the tables of each action's image begin.
    starts: Vec<u32>,
}

/// The table of one tuple.
#[derive(Clone, Debug)]
struct Table {
    /// The cells' bits in a split board.
    #[cfg_attr(not(all(target_arch = "x86_64", target_feature = "bmi2")), allow(dead_code))]
    mask: u64,
    /// Where it begins among all weights.
    start: u32,
    /// How the cells' bits come together in an index, without an instruction for it.
    runs: Vec<Run>,
    /// The cells.
    cells: Vec<u8>,
    /// What each rank in each of the cells adds to an index.
    digits: Vec<[u32; MAX_RANKS]>,
    extra_fields: Vec<Marked>,
}

/// Neighbouring cells, shifted to their place in both halves of an index together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    shift: u32,
    mask: u64,
}

/// A mark, shifted to its place.
#[derive(Clone, Copy, Debug)]
struct Marked {
    bit: u32,
    mask: u32,
    shift: u32,
}

impl Lookup {
    /// Lays out the tables of a network for a board.
    pub fn new(network: &Network, board: &Geometry) -> Result<Self, BuildError> {
        let refuse = |message: String| Err(BuildError::of("network", message));
        if network.tuples().len() > MAX_TUPLES {
            return refuse(format!("a network may have {MAX_TUPLES} tuples"));
        }
        if board.symmetries.is_empty() {
            let message = "the game names no symmetry of its board, and the identity always is one";
            return Err(BuildError::new(message));
        }
        let usual = network.alphabet() == USUAL_ALPHABET;
        let narrow = Narrow::of(board).filter(|_| usual && network.actions() == 1);
        let mut start = 0u64;
        let (mut ranges, mut digits) = (Vec::new(), Vec::new());
        let (mut free, mut fixed) = (Vec::new(), Vec::new());
        for tuple in network.tuples() {
            let first = start;
            start += network.table(tuple, board);
            ranges.push(first as usize..start as usize);
            if start.saturating_mul(network.actions() as u64) > 1 << 32 {
                return refuse("the network's tables have more than 2^32 weights".to_owned());
            }
            let cells = match narrow {
                Some(_) if !tuple.fixed => layout::image(&tuple.cells, board),
                _ => tuple.cells.clone(),
            };
            let mut ascending = Tuple { cells: cells.clone(), ..tuple.clone() };
            ascending.cells.sort_unstable();
            let digit =
                |cell: &u8| ascending.cells.iter().take_while(|other| *other < cell).count();
            digits.push(cells.iter().map(digit).collect());
            let table = Table::new(&ascending, board, network.alphabet(), first as u32);
            if tuple.fixed { &mut fixed } else { &mut free }.push(table);
        }
        let images = match narrow {
            Some(narrow) => Board::Narrow(narrow),
            None => Board::Any(images(board, network.actions(), start)?),
        };
        let count = match &images {
            Board::Narrow(narrow) => narrow.count(),
            Board::Any(images) => images.len(),
        };
        Ok(Self {
            board: images,
            marked: network.tuples().iter().any(|tuple| !tuple.extra_fields.is_empty()),
            per_position: free.len() * count + fixed.len(),
            weights: start as usize * network.actions(),
            ranges,
            digits,
            order: match (narrow, usual) {
                (Some(_), _) => INNER_FIRST,
                (None, true) => ASCENDING,
                (None, false) => DIGITS,
            },
            free,
            fixed,
            fifth_bits: board.has_fifth_bits(),
            slots: (0..board.cells()).map(|cell| board.slot(cell) as u8).collect(),
        })
    }

    /// How many weights are added up for a position.
    #[inline(always)]
    pub fn per_position(&self) -> usize {
        self.per_position
    }

    /// How many weights all tables have.
    pub fn weights(&self) -> usize {
        self.weights
    }

    /// Where the table of each tuple lies among all weights, in the network's order;
    /// that of the first action, where each has its own.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Which digit of its table each cell of a tuple is, 0 the lowest, in the network's
    /// order.
    pub fn digits(&self) -> &[Vec<usize>] {
        &self.digits
    }

    /// How the weights of a tuple are ordered, for files.
    pub fn order(&self) -> &'static str {
        self.order
    }

    /// Writes the places of the position's weights to `out`, which is
    /// [`per_position`](Lookup::per_position) long.
    #[inline(always)]
    pub fn places(&self, position: Afterstate, out: &mut [Place]) {
        self.places_of_all([position].into_iter(), out, |_| ());
    }

    /// Writes the places of several positions, one after the other, to `out`, which
    /// is long enough; `also` sees each place while it is at hand.
    #[inline(always)]
    pub fn places_of_all(
        &self,
        positions: impl Iterator<Item = Afterstate>,
        out: &mut [Place],
        also: impl Fn(Place),
    ) {
        let each = positions.zip(out.chunks_exact_mut(self.per_position));
        // Which kind of board it is, is asked once for all of them.
        match &self.board {
            Board::Narrow(narrow) if narrow.is_full() && !self.marked => {
                each.for_each(|(position, out)| {
                    let images = Narrow::FULL.all(split(self.capped(position).lo));
                    self.narrow::<false>(&images, 0, out, &also);
                });
            }
            Board::Narrow(narrow) => each.for_each(|(position, out)| {
                let position = self.capped(position);
                let images = narrow.all(split(position.lo));
                self.narrow::<true>(&images[..narrow.count()], position.hi, out, &also);
            }),
            Board::Any(images) => each.for_each(|(position, out)| {
                self.any(images, position, Action(0), out, &also);
            }),
        }
    }

    /// Writes the places of a position for an action, which is the first where
    /// actions are not told apart.
    #[inline(always)]
    pub fn places_for(
        &self,
        position: Afterstate,
        action: Action,
        out: &mut [Place],
        also: impl Fn(Place),
    ) {
        match &self.board {
            Board::Narrow(_) => self.places_of_all([position].into_iter(), out, also),
            Board::Any(images) => self.any(images, position, action, out, also),
        }
    }

    /// The position with every rank above the top one as the top one.
    #[inline(always)]
    fn capped(&self, position: Afterstate) -> Afterstate {
        if self.fifth_bits && position.hi >> (FIFTH_BITS - 64) != 0 {
            self.cap(position)
        } else {
            position
        }
    }

    #[inline(always)]
    fn narrow<const MARKED: bool>(
        &self,
        images: &[Split],
        hi: u64,
        out: &mut [Place],
        also: impl Fn(Place),
    ) {
        let content = |table: &Table, image| {
            let content = table.content(image);
            let place = table.start + content;
            let place = Place(if MARKED { place + table.marked(hi) } else { place });
            also(place);
            place
        };
        let (free, fixed) = out.split_at_mut(images.len() * self.free.len());
        // A known number of tuples needs no loops: the usual numbers are known.
        match self.free.len() {
            0 => {}
            4 => spread::<4>(&self.free, images, free, content),
            5 => spread::<5>(&self.free, images, free, content),
            6 => spread::<6>(&self.free, images, free, content),
            7 => spread::<7>(&self.free, images, free, content),
            8 => spread::<8>(&self.free, images, free, content),
            count => {
                for (places, &image) in free.chunks_exact_mut(count).zip(images) {
                    for (place, table) in places.iter_mut().zip(&self.free) {
                        *place = content(table, image);
                    }
                }
            }
        }
        for (place, table) in fixed.iter_mut().zip(&self.fixed) {
            *place = content(table, images[0]);
        }
    }

    fn any(
        &self,
        images: &[Image],
        position: Afterstate,
        action: Action,
        out: &mut [Place],
        also: impl Fn(Place),
    ) {
        let bits = position.bits();
        let mut ranks = [0; MAX_RANKS];
        for &slot in &self.slots {
            let slot = u32::from(slot);
            let fifth = if self.fifth_bits { bits >> (FIFTH_BITS + slot) & 1 } else { 0 };
            ranks[slot as usize] = (bits >> (BITS * slot) & 15 | fifth << BITS) as usize;
        }
        let content = |table: &Table, image: &Image| {
            let digit = |(&cell, digits): (&u8, &[u32; MAX_RANKS])| {
                digits[ranks[usize::from(image.slots[usize::from(cell)])]]
            };
            let content: u32 = table.cells.iter().zip(&table.digits).map(digit).sum();
            let start = image.starts[action.index()] + table.start;
            let place = Place(start + table.marked(position.hi) + content);
            also(place);
            place
        };
        let free = images.iter().flat_map(|image| self.free.iter().map(move |t| (t, image)));
        let fixed = self.fixed.iter().map(|table| (table, &images[0]));
        for (place, (table, image)) in out.iter_mut().zip(free.chain(fixed)) {
            *place = content(table, image);
        }
    }

    #[cold]
    fn cap(&self, position: Afterstate) -> Afterstate {
        let mut bits = position.bits();
        for &slot in &self.slots {
            if bits >> (FIFTH_BITS + u32::from(slot)) & 1 != 0 {
                bits |= u128::from(TOP_RANK) << (BITS * u32::from(slot));
            }
        }
        Afterstate::from_bits(bits)
    }
}

impl Table {
    /// In an alphabet of so many ranks.
    fn new(tuple: &Tuple, board: &Geometry, alphabet: usize, start: u32) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        let mut mask = 0;
        for (k, &cell) in tuple.cells.iter().enumerate() {
            // Cells ascend, so a cell never lies below its place in the index.
            let place = 2 * k as u32;
            let shift = 2 * board.slot(usize::from(cell)) - place;
            let bits = 3 << place | 3 << (place + 32);
            match runs.last_mut() {
                Some(last) if last.shift == shift => last.mask |= bits,
                _ => runs.push(Run { shift, mask: bits }),
            }
            // A board that is not narrow is not split.
            mask |= bits.checked_shl(shift).unwrap_or(0);
        }
        let usual = alphabet == USUAL_ALPHABET;
        let mut bits = if usual { BITS * tuple.cells.len() as u32 } else { 0 };
        let mut extra_fields = Vec::new();
        for &mark in &tuple.extra_fields {
            let mark = &board.extra_fields[mark];
            extra_fields.push(Marked {
                bit: mark.bit - 64,
                mask: (1 << mark.bits) - 1,
                shift: bits,
            });
            bits += mark.bits;
        }
        let digit = |cell: usize, rank: usize| {
            let rank = rank.min(alphabet - 1) as u32;
            match usual {
                true => (rank & 3 | (rank >> 2) << (2 * tuple.cells.len())) << (2 * cell),
                false => (rank * (alphabet as u32).pow(cell as u32)) << bits,
            }
        };
        let digits = |cell| std::array::from_fn(|rank| digit(cell, rank));
        let digits = (0..tuple.cells.len()).map(digits).collect();
        Self { mask, start, runs, cells: tuple.cells.clone(), digits, extra_fields }
    }

    /// What a split board has in the tuple's cells, as an index.
    #[inline(always)]
    fn content(&self, image: Split) -> u32 {
        #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
        #[allow(unsafe_code)]
        // SAFETY: the instruction is there, the cfg says so.
        return unsafe { core::arch::x86_64::_pext_u64(image, self.mask) as u32 };
        #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
        return self.content_portable(image);
    }

    /// [`content`](Table::content) for any processor.
    #[inline(always)]
    #[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
    fn content_portable(&self, image: Split) -> u32 {
        let halves = self.runs.iter().fold(0, |halves, run| halves | image >> run.shift & run.mask);
        (halves | halves >> (32 - 2 * self.cells.len())) as u32
    }

    #[inline(always)]
    fn marked(&self, hi: u64) -> u32 {
        self.extra_fields
            .iter()
            .map(|mark| ((hi >> mark.bit) as u32 & mark.mask) << mark.shift)
            .sum()
    }
}

/// Writes the places of every image in each of these tables.
#[inline(always)]
fn spread<const TABLES: usize>(
    tables: &[Table],
    images: &[Split],
    out: &mut [Place],
    content: impl Fn(&Table, Split) -> Place,
) {
    let Some(tables) = tables.first_chunk::<TABLES>() else { return };
    for (places, &image) in out.as_chunks_mut::<TABLES>().0.iter_mut().zip(images) {
        for (place, table) in places.iter_mut().zip(tables) {
            *place = content(table, image);
        }
    }
}

/// The images of a board, where each of so many actions has so many weights.
fn images(board: &Geometry, actions: usize, weights: u64) -> Result<Vec<Image>, BuildError> {
    let image = |symmetry: &Symmetry| {
        let slot = |&cell: &u8| board.slot(usize::from(cell)) as u8;
        let start = |action: usize| match symmetry.actions.get(action) {
            _ if actions == 1 => Some(0),
            // All weights together are no more than an index can tell apart.
            Some(image) if image.index() < actions => Some((image.index() as u64 * weights) as u32),
            _ => None,
        };
        let starts: Option<_> = (0..actions).map(start).collect();
        Some(Image { slots: symmetry.cells.iter().map(slot).collect(), starts: starts? })
    };
    let images: Option<_> = board.symmetries.iter().map(image).collect();
    images.ok_or_else(|| {
        BuildError::new("the game does not say what each action becomes under a symmetry")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The board of a game on 4 x 4 that knows no symmetries.
    fn board() -> Geometry {
        let (values, symmetries, extra_fields) = (vec![0; 16], vec![], vec![]);
        Geometry { rows: 4, cols: 4, values, symmetries, extra_fields, merges: vec![] }
    }

    proptest! {
        #[test]
        fn a_table_finds_contents_alike_by_any_processor(
            cells in prop::sample::subsequence((0..16).collect::<Vec<u8>>(), 1..=8),
            image: u64,
        ) {
            let tuple = Tuple { cells, extra_fields: vec![], fixed: false };
            let table = Table::new(&tuple, &board(), USUAL_ALPHABET, 0);
            prop_assert_eq!(table.content(image), table.content_portable(image));
        }
    }
}

//! The format of the program TDL2048+: the `.w` file.
//!
//! ```text
//! version          u8, 0; a `w` may precede it
//! count            u32, the number of tables
//! tables           see the module `table`
//! ```
//!
//! Little-endian, without alignment or checksum. The name of a table is the cells of its tuple. An
//! *entry* is a weight of a table; the index of an entry has four bits for the rank in each cell,
//! with the first cell lowest. The file names no game: it is always 2048 on 4 x 4.

mod order;
mod table;

use crate::contents::Contents;
use crate::header::{WEIGHTS_ONLY, mismatch};
use crate::state::State;
use agent_ntuple_network::threads::each;
use agent_ntuple_network::{Memory, Shape, Tuple, ValueFunction};
use order::{Order, parts};
use runner_core::{Fault, ForeignModel};
use runner_files::container::ReadAt;
use runner_files::{ContainerError, ContainerProblem};
use std::io::{self, Write};
use std::ops::Range;
use table::{FileTable, MARK, VERSION, WIDTH};

/// The sum of errors and the sum of absolute errors of a weight that was never updated.
const UNTOUCHED: f32 = f32::MIN_POSITIVE;

/// An open file of this format, whose structure was checked.
pub struct Exchange<S> {
    source: S,
    file: String,
    tables: Vec<FileTable>,
}

impl<S: ReadAt> Exchange<S> {
    /// Returns true if a file begins like one of this format.
    pub fn is_exchange(source: &S) -> io::Result<bool> {
        let mut start = [u8::MAX; 2];
        let length = source.length()?.min(2) as usize;
        source.read_at(0, &mut start[..length])?;
        Ok(start[0] == VERSION || start == [MARK, VERSION])
    }

    /// Reads the structure: which tables there are, and where.
    pub fn new(source: S, file: &str) -> Result<Self, ContainerError> {
        match table::read_all(&source) {
            Ok(tables) => Ok(Self { source, file: file.to_owned(), tables }),
            Err(problem) => Err(ContainerError { file: file.to_owned(), problem }),
        }
    }

    pub fn network(&self) -> String {
        let names = self.tables.iter().map(|table| table.name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    /// Checks that the tuples of the file are those of the network, in any order.
    pub fn check(&self, shape: &Shape<'_>) -> Result<(), ContainerError> {
        if let Some(why) = obstacle(shape) {
            return Err(self.error(ContainerProblem::Unsuitable(format!(
                "does not fit: it is of 2048 on 4 x 4, needed is `{}` for `{}`; {why}",
                shape.network.text(),
                shape.game
            ))));
        }
        let are_those = self.tables.len() == shape.network.tuples().len()
            && self.tables.iter().all(|table| table.tuple_of(shape.network).is_some());
        if are_those { Ok(()) } else { Err(self.other_network(shape)) }
    }

    /// Returns the description of the file, which names the learner that loads it.
    pub fn describe(&self, learner: &str) -> ForeignModel {
        let all = self.tables.len();
        let holds = match self.tables.iter().filter(|table| table.sums.is_some()).count() {
            0 => WEIGHTS_ONLY.to_owned(),
            with_sums if with_sums == all => "weights and sums of errors".to_owned(),
            with_sums => format!("weights and sums of errors in {with_sums} of {all} tables"),
        };
        let weights: u64 = self.tables.iter().map(|table| table.entries).sum();
        let facts =
            [("network", self.network()), ("holds", holds), ("weights", weights.to_string())];
        let mut sections = Vec::new();
        for table in &self.tables {
            let numbers_of_entry = if table.sums.is_some() { 3 } else { 1 };
            let bytes = numbers_of_entry * u64::from(WIDTH) * table.entries;
            sections.push((format!("table {}", table.name), bytes));
        }
        ForeignModel {
            kind: "model of TDL2048+, format w".to_owned(),
            game: "2048".to_owned(),
            facts: facts.map(|(fact, value)| (fact.to_owned(), value)).into(),
            sections,
            spec: format!("{learner}(network: \"{}\")", self.network()),
        }
    }

    /// Reads every number and checks that training can produce it.
    pub fn verify(&self) -> Result<(), ContainerError> {
        for table in &self.tables {
            for entries in parts(table.entries as usize) {
                self.values(table, &entries)?;
                self.sums(table, &entries)?;
            }
        }
        Ok(())
    }

    /// Reads the weights and their sums, as [`Model::read`](crate::Model::read) does.
    pub fn read<M: Memory>(
        &self,
        shape: &Shape<'_>,
        state: &State<'_, M>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        // The sums of the file are of errors that are divided by the number of lookups.
        let lookups = shape.lookup.per_position() as f32;
        self.each_part(shape, |part| {
            let values = self.values(part.table, &part.entries)?;
            part.places().zip(values).for_each(|(place, value)| take(place, value));
            if state.is_ignored() {
                return Ok(());
            }
            // Reading the sums checks them, also if they are not stored.
            let sums = self.sums(part.table, &part.entries)?;
            let State::Restored(records) = state else { return Ok(()) };
            part.places().for_each(|place| records[place].memory.reset());
            for (place, (sum, absolute_sum)) in part.places().zip(sums) {
                if absolute_sum > UNTOUCHED {
                    records[place].memory.set_sums(sum * lookups, absolute_sum * lookups);
                }
            }
            Ok(())
        })
    }

    fn values(
        &self,
        table: &FileTable,
        entries: &Range<usize>,
    ) -> Result<Vec<f32>, ContainerError> {
        self.numbers(table, table.values, entries, "weight", f32::is_finite)
    }

    /// Reads both sums of some entries, of errors and of absolute errors: none if the table has
    /// none.
    fn sums(
        &self,
        table: &FileTable,
        entries: &Range<usize>,
    ) -> Result<Vec<(f32, f32)>, ContainerError> {
        let Some(sums_at) = table.sums else { return Ok(Vec::new()) };
        let absolute_at = sums_at + u64::from(WIDTH) * table.entries;
        let is_valid = |sum: f32| sum.is_finite() && sum >= 0.0;
        let sums = self.numbers(table, sums_at, entries, "sum of errors", f32::is_finite)?;
        let absolute =
            self.numbers(table, absolute_at, entries, "sum of absolute errors", is_valid)?;
        Ok(sums.into_iter().zip(absolute).collect())
    }

    /// Reads and checks the numbers of some entries. That of entry 0 is at the offset `first`.
    fn numbers(
        &self,
        table: &FileTable,
        first: u64,
        entries: &Range<usize>,
        what: &str,
        is_valid: impl Fn(f32) -> bool,
    ) -> Result<Vec<f32>, ContainerError> {
        let mut bytes = vec![0; usize::from(WIDTH) * entries.len()];
        let offset = first + u64::from(WIDTH) * entries.start as u64;
        let read = self.source.read_at(offset, &mut bytes);
        read.map_err(|error| self.error(ContainerProblem::Io(error)))?;
        let numbers: Vec<f32> =
            bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
        match numbers.iter().position(|&number| !is_valid(number)) {
            None => Ok(numbers),
            Some(k) => Err(self.error(ContainerProblem::Damaged(format!(
                "entry {} of the table `{}` is {}, not a valid {what}",
                entries.start + k,
                table.name,
                numbers[k]
            )))),
        }
    }

    /// Calls `work` for each part of each table, on the host's threads.
    fn each_part(
        &self,
        shape: &Shape<'_>,
        work: impl Fn(&Part<'_>) -> Result<(), ContainerError> + Sync,
    ) -> Result<(), ContainerError> {
        let mut tables = Vec::new();
        for table in &self.tables {
            let tuple = table.tuple_of(shape.network).ok_or_else(|| self.other_network(shape))?;
            let order = Order::new(&table.cells, &shape.lookup.ordered_cells()[tuple]);
            tables.push((table, order, shape.lookup.ranges()[tuple].start));
        }
        let mut all_parts = Vec::new();
        for &(table, ref order, start) in &tables {
            for entries in parts(table.entries as usize) {
                all_parts.push(Part { table, order, start, entries });
            }
        }
        each(shape.host, all_parts.len(), |k, (): &mut ()| work(&all_parts[k]))
    }

    fn other_network(&self, shape: &Shape<'_>) -> ContainerError {
        self.error(mismatch("network", self.network(), shape.network.text()))
    }

    pub fn error(&self, problem: ContainerProblem) -> ContainerError {
        ContainerError { file: self.file.clone(), problem }
    }
}

/// Entries of a table that are read together.
struct Part<'a> {
    table: &'a FileTable,
    order: &'a Order,
    /// The first place of the tuple's table in the network.
    start: usize,
    entries: Range<usize>,
}

impl Part<'_> {
    fn places(&self) -> impl Iterator<Item = usize> {
        self.order.places(&self.entries).map(|place| self.start + place)
    }
}

/// Returns why a network cannot be written in this format, if it cannot.
fn obstacle(shape: &Shape<'_>) -> Option<String> {
    let &Shape { network, board, learns, .. } = shape;
    if (board.rows, board.cols) != (4, 4) {
        return Some(format!("this board has {} x {} cells", board.rows, board.cols));
    }
    for (rank, &value) in board.values.iter().enumerate() {
        // Rank 0 is the empty cell.
        let of_2048 = if rank == 0 { 0 } else { 1 << rank };
        if value != of_2048 {
            return Some(format!("this game has other tiles, such as {value}"));
        }
    }
    if learns != ValueFunction::Afterstates {
        return Some(format!("this network learns {}, not afterstates", learns.name()));
    }
    match network.stages().map(|stages| stages.count()) {
        None => {}
        // A list of stages without conditions only downgrades tiles.
        Some(1) => return Some("this network reads large tiles as smaller ones".to_owned()),
        Some(count) => return Some(format!("this network has {count} stages")),
    }
    if !network.features().is_empty() {
        let name = network.text().split(' ').nth(network.tuples().len()).unwrap_or_default();
        return Some(format!("it has no tables of features, and this network has `{name}`"));
    }
    let is_special = |tuple: &Tuple| !tuple.extra_fields.is_empty() || tuple.fixed;
    let special = network.tuples().iter().position(is_special)?;
    let name = network.text().split(' ').nth(special).unwrap_or_default();
    Some(format!("its tuples have no extra fields and no `!`, and this network has `{name}`"))
}

pub fn check_writable(shape: &Shape<'_>) -> Result<(), Fault> {
    let Some(why) = obstacle(shape) else { return Ok(()) };
    Err(Fault::new(format!("the format `w` is for networks of 2048 on 4 x 4; {why}")))
}

/// Writes a network that passed [`check_writable`], with the sums of errors if it has them.
pub fn write<M: Memory>(contents: &Contents<'_, M>, mut out: impl Write) -> io::Result<()> {
    let Shape { network, lookup, .. } = contents.shape;
    let records = contents.records;
    let has_sums = records[0].memory.sums().is_some();
    let lookups = lookup.per_position() as f32;
    out.write_all(&[VERSION])?;
    out.write_all(&(network.tuples().len() as u32).to_le_bytes())?;
    for (number, tuple) in network.tuples().iter().enumerate() {
        let order = Order::new(&tuple.cells, &lookup.ordered_cells()[number]);
        let places = lookup.ranges()[number].clone();
        table::write_start(&tuple.cells, &mut out)?;
        let weight = |place| records[place].weight.get();
        write_numbers(&order, &places, weight, &mut out)?;
        if has_sums {
            let sums = |place| match records[place].memory.sums() {
                // The division of a tiny sum can underflow.
                Some((sum, absolute)) if absolute > 0.0 => {
                    (sum / lookups, (absolute / lookups).max(UNTOUCHED))
                }
                _ => (UNTOUCHED, UNTOUCHED),
            };
            table::write_block_start(2 * places.len(), &mut out)?;
            write_numbers(&order, &places, |place| sums(place).0, &mut out)?;
            write_numbers(&order, &places, |place| sums(place).1, &mut out)?;
        }
        out.write_all(&table::END)?;
    }
    Ok(())
}

/// Writes a number for each entry of a table: what `number_at` returns for its place.
fn write_numbers(
    order: &Order,
    table: &Range<usize>,
    number_at: impl Fn(usize) -> f32,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for entries in parts(table.len()) {
        bytes.clear();
        let numbers = order.places(&entries).map(|place| number_at(table.start + place));
        bytes.extend(numbers.flat_map(f32::to_le_bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}

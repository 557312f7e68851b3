//! The format of the program TDL2048+: the `.w` file.
//!
//! ```text
//! version          u8, 0; a `w` may precede it
//! count            u32, the number of tables
//! tables           see `record`
//! ```
//!
//! Little-endian, without alignment or checksum. The name of a table is the cells of its
//! tuple; the content of the first cell is the lowest digit of an entry's index. The file
//! names no game: it is always 2048 on 4 x 4.

mod order;
mod record;

use crate::contents::Contents;
use crate::header::{WEIGHTS_ONLY, mismatch};
use crate::state::State;
use agent_ntuple_network::threads::each;
use agent_ntuple_network::{Memory, Shape, Tuple, ValueFunction, axes};
use order::{Order, parts};
use record::{FileTable, MARK, VERSION, WIDTH};
use runner_core::{Fault, ForeignModel};
use runner_files::container::ReadAt;
use runner_files::{ContainerError, ContainerProblem};
use std::io::{self, Write};
use std::ops::Range;

/// Both sums of a weight that was never updated.
const UNTOUCHED: f32 = f32::MIN_POSITIVE;

/// An open file of this format, whose structure was checked.
pub struct Exchange<S> {
    source: S,
    file: String,
    records: Vec<FileTable>,
}

impl<S: ReadAt> Exchange<S> {
    pub fn is_exchange(source: &S) -> io::Result<bool> {
        let mut start = [u8::MAX; 2];
        let known = source.length()?.min(2) as usize;
        source.read_at(0, &mut start[..known])?;
        Ok(start[0] == VERSION || start == [MARK, VERSION])
    }

    /// Reads the structure: which tables there are, and where.
    pub fn new(source: S, file: &str) -> Result<Self, ContainerError> {
        match record::read_all(&source) {
            Ok(records) => Ok(Self { source, file: file.to_owned(), records }),
            Err(problem) => Err(ContainerError { file: file.to_owned(), problem }),
        }
    }

    pub fn network(&self) -> String {
        let names = self.records.iter().map(|record| record.name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    /// Checks that its tuples are those of the network, in any order.
    pub fn check(&self, shape: &Shape<'_>) -> Result<(), ContainerError> {
        if let Some(why) = obstacle(shape) {
            return Err(self.error(ContainerProblem::Unsuitable(format!(
                "does not fit: it is of 2048 on 4 x 4, needed is `{}` for `{}`; {why}",
                shape.network.text(),
                shape.game
            ))));
        }
        let same = self.records.len() == shape.network.tuples().len()
            && self.records.iter().all(|record| record.tuple_of(shape.network).is_some());
        if same { Ok(()) } else { Err(self.other_network(shape)) }
    }

    /// Returns the description of the file, which names the learner that loads it.
    pub fn describe(&self, learner: &str) -> ForeignModel {
        let with_sums = self.records.iter().filter(|record| record.sums.is_some()).count();
        let holds = match (with_sums, self.records.len()) {
            (0, _) => WEIGHTS_ONLY.to_owned(),
            (some, all) if some == all => "weights and sums of errors".to_owned(),
            (some, all) => format!("weights and sums of errors in {some} of {all} tables"),
        };
        let weights: u64 = self.records.iter().map(|record| record.entries).sum();
        let facts =
            [("network", self.network()), ("holds", holds), ("weights", weights.to_string())];
        let section = |record: &FileTable| {
            let numbers = if record.sums.is_some() { 3 } else { 1 };
            (format!("table {}", record.name), numbers * u64::from(WIDTH) * record.entries)
        };
        ForeignModel {
            kind: "model of TDL2048+, format w".to_owned(),
            game: "2048".to_owned(),
            facts: facts.into_iter().map(|(fact, value)| (fact.to_owned(), value)).collect(),
            sections: self.records.iter().map(section).collect(),
            spec: format!("{learner}(network: \"{}\")", self.network()),
        }
    }

    /// Reads every number and checks that training can produce it.
    pub fn verify(&self) -> Result<(), ContainerError> {
        for record in &self.records {
            for entries in parts(record.entries as usize) {
                self.values(record, &entries)?;
                self.sums(record, &entries)?;
            }
        }
        Ok(())
    }

    pub fn read<M: Memory>(
        &self,
        shape: &Shape<'_>,
        state: State<'_, M>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        // In the file, errors are divided by the number of lookups.
        let lookups = shape.lookup.per_position() as f32;
        self.each_part(shape, |part| {
            let values = self.values(part.record, &part.entries)?;
            part.places().zip(values).for_each(|(place, value)| take(place, value));
            if state.is_ignored() {
                return Ok(());
            }
            let sums = self.sums(part.record, &part.entries)?;
            let State::Restored(records) = state else { return Ok(()) };
            part.places().for_each(|place| records[place].memory.reset());
            for (place, (sum, size)) in part.places().zip(sums) {
                if size > UNTOUCHED {
                    records[place].memory.set_sums(sum * lookups, size * lookups);
                }
            }
            Ok(())
        })
    }

    fn values(
        &self,
        record: &FileTable,
        entries: &Range<usize>,
    ) -> Result<Vec<f32>, ContainerError> {
        self.numbers(record, record.values, entries, "weight", f32::is_finite)
    }

    /// Reads the sums of errors and of absolute errors of some entries; none if the table has none.
    fn sums(
        &self,
        record: &FileTable,
        entries: &Range<usize>,
    ) -> Result<Vec<(f32, f32)>, ContainerError> {
        let Some(start) = record.sums else { return Ok(Vec::new()) };
        let behind = start + u64::from(WIDTH) * record.entries;
        let is_size = |size: f32| size.is_finite() && size >= 0.0;
        let sums = self.numbers(record, start, entries, "sum of errors", f32::is_finite)?;
        let sizes = self.numbers(record, behind, entries, "sum of absolute errors", is_size)?;
        Ok(sums.into_iter().zip(sizes).collect())
    }

    /// Reads the numbers of some entries of a table that begins at `start`, and checks each.
    fn numbers(
        &self,
        record: &FileTable,
        start: u64,
        entries: &Range<usize>,
        what: &str,
        is_valid: impl Fn(f32) -> bool,
    ) -> Result<Vec<f32>, ContainerError> {
        let mut bytes = vec![0; usize::from(WIDTH) * entries.len()];
        let place = start + u64::from(WIDTH) * entries.start as u64;
        let read = self.source.read_at(place, &mut bytes);
        read.map_err(|error| self.error(ContainerProblem::Io(error)))?;
        let numbers: Vec<f32> =
            bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
        match numbers.iter().position(|&number| !is_valid(number)) {
            None => Ok(numbers),
            Some(k) => Err(self.error(ContainerProblem::Damaged(format!(
                "entry {} of the table `{}` is {}, not a valid {what}",
                entries.start + k,
                record.name,
                numbers[k]
            )))),
        }
    }

    fn each_part(
        &self,
        shape: &Shape<'_>,
        work: impl Fn(&Part<'_>) -> Result<(), ContainerError> + Sync,
    ) -> Result<(), ContainerError> {
        let mut tables = Vec::new();
        for record in &self.records {
            let tuple = record.tuple_of(shape.network).ok_or_else(|| self.other_network(shape))?;
            let cells = &shape.network.tuples()[tuple].cells;
            let order = Order::new(&record.cells, cells, &axes(shape, tuple));
            tables.push((record, order, shape.lookup.ranges()[tuple].start));
        }
        let mut all = Vec::new();
        for &(record, ref order, start) in &tables {
            let part = |entries| Part { record, order, start, entries };
            all.extend(parts(record.entries as usize).map(part));
        }
        each(shape.host, all.len() as u64, |k, (): &mut ()| work(&all[k as usize]))
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
    record: &'a FileTable,
    order: &'a Order,
    /// The first place of the tuple's table among the network's weights.
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
    // Rank 0 is the empty cell.
    let tile = |rank: usize| if rank == 0 { 0 } else { 1 << rank };
    let other = board.values.iter().enumerate().find(|&(rank, &value)| value != tile(rank));
    if let Some((_, value)) = other {
        return Some(format!("this game has other tiles, such as {value}"));
    }
    if learns != ValueFunction::Afterstates {
        return Some(format!("this network learns {}, not afterstates", learns.name()));
    }
    match network.stages().map(|stages| stages.count()) {
        None => {}
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

/// Writes a network that passed [`check_writable`], with the sums of errors if its rule
/// has them.
pub fn write<M: Memory>(contents: &Contents<'_, M>, mut out: impl Write) -> io::Result<()> {
    let Shape { network, lookup, .. } = contents.shape;
    let records = contents.records;
    let has_sums = contents.learns && records[0].memory.sums().is_some();
    let lookups = lookup.per_position() as f32;
    out.write_all(&[VERSION])?;
    out.write_all(&(network.tuples().len() as u32).to_le_bytes())?;
    for (k, tuple) in network.tuples().iter().enumerate() {
        let order = Order::new(&tuple.cells, &tuple.cells, &axes(&contents.shape, k));
        let places = lookup.ranges()[k].clone();
        record::write_start(&tuple.cells, &mut out)?;
        let weight = |place| records[place].weight.get();
        write_table(&order, &places, weight, &mut out)?;
        if has_sums {
            let shared = |place| match records[place].memory.sums() {
                Some((sum, size)) if size > 0.0 => (sum / lookups, size / lookups),
                _ => (UNTOUCHED, UNTOUCHED),
            };
            record::write_block(2 * places.len(), &mut out)?;
            write_table(&order, &places, |place| shared(place).0, &mut out)?;
            write_table(&order, &places, |place| shared(place).1.max(UNTOUCHED), &mut out)?;
        }
        record::write_end(&mut out)?;
    }
    Ok(())
}

fn write_table(
    order: &Order,
    table: &Range<usize>,
    number: impl Fn(usize) -> f32,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for entries in parts(table.len()) {
        bytes.clear();
        let numbers = order.places(&entries).map(|place| number(table.start + place));
        bytes.extend(numbers.flat_map(f32::to_le_bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}

//! Export of weights in the safetensors format, which NumPy, PyTorch and others read.
//!
//! Each tuple is a tensor of F32, named as in the network's text. Its axes are: the
//! stage, if there is more than one; the action, if actions have weights of their own; the rank of each cell, in the order of
//! the name; the value of each extra field. The axes of a feature after stage and action are its
//! count, or those of its counts, that of the smallest tile first. The value of a position is the
//! sum over all features, all tuples and, except for tuples with `!`, over all symmetries of the
//! board.

use crate::contents::Contents;
use crate::history::History;
use agent_ntuple_network::{Feature, Memory, Shape, axes};
use runner_files::container::ReadAt;
use runner_files::{ContainerError, Problem};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

const AT_ONCE: usize = 1 << 14;

/// The header starts and ends at a multiple of this many bytes.
const ALIGNMENT: usize = 8;

#[derive(Serialize)]
struct Tensor {
    dtype: &'static str,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

/// The header: a JSON object of tensors and metadata.
#[derive(Serialize)]
struct Header<'a> {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<&'a str, String>,
    #[serde(flatten)]
    tensors: BTreeMap<&'a str, Tensor>,
}

/// Returns the refusal of a file of this format, if it is one: it is written for other programs.
pub fn refuse<S: ReadAt>(source: &S, file: &str) -> Result<(), ContainerError> {
    let refused = |problem| ContainerError { file: file.to_owned(), problem };
    let is_tensors = || -> io::Result<bool> {
        // The length of the header, and its first byte.
        let mut start = [0; 9];
        if source.length()? < start.len() as u64 {
            return Ok(false);
        }
        source.read_at(0, &mut start)?;
        let [length @ .., brace] = start;
        Ok(brace == b'{' && u64::from_le_bytes(length) < source.length()?)
    };
    match is_tensors() {
        Ok(false) => Ok(()),
        Ok(true) => Err(refused(Problem::Unsuitable(
            "is a safetensors file, which is written for other programs and cannot be loaded"
                .into(),
        ))),
        Err(error) => Err(refused(Problem::Io(error))),
    }
}

pub fn write<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    mut out: impl Write,
) -> io::Result<()> {
    let shape = &contents.shape;
    let network = shape.network;
    let tuples = network.tuples().iter().enumerate().map(|(k, _)| Axes::of_tuple(shape, k));
    let features = network.features().iter().map(|&feature| Axes::of_feature(shape, feature));
    let all: Vec<Axes> = tuples.chain(features).collect();
    let (mut tensors, mut end) = (BTreeMap::new(), 0);
    for (axes, name) in all.iter().zip(network.text().split(' ')) {
        let start = end;
        end += 4 * axes.0.iter().map(|axis| axis.len() as u64).product::<u64>();
        let shape = axes.0.iter().map(Vec::len).collect();
        tensors.insert(name, Tensor { dtype: "F32", shape, data_offsets: [start, end] });
    }
    let metadata = [
        ("game", shape.game.to_owned()),
        ("spec", contents.spec.to_owned()),
        ("network", network.text().to_owned()),
        ("learns", shape.learns.name().to_owned()),
        ("moves", history.common.moves.to_string()),
    ];
    let mut header = serde_json::to_vec(&Header { metadata: metadata.into(), tensors })?;
    header.resize(header.len().next_multiple_of(ALIGNMENT), b' ');
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    let promotion = shape.promotion();
    let weight = |place| match promotion {
        Some(promotion) => promotion.weight(contents.weights, place),
        None => contents.weights[place].get(),
    };
    let mut bytes = Vec::with_capacity(4 * AT_ONCE);
    for (axes, range) in all.iter().zip(shape.lookup.ranges()) {
        axes.each_place(|place| {
            bytes.extend(weight(range.start + place).to_le_bytes());
            if bytes.len() == 4 * AT_ONCE {
                out.write_all(&bytes)?;
                bytes.clear();
            }
            Ok(())
        })?;
    }
    out.write_all(&bytes)
}

/// For each axis of a tensor, and each index on it, the summand of the place in the table.
struct Axes(Vec<Vec<usize>>);

impl Axes {
    fn of_tuple(shape: &Shape<'_>, tuple: usize) -> Self {
        Self([Self::of_stage_and_action(shape), axes(shape, tuple)].concat())
    }

    fn of_feature(shape: &Shape<'_>, feature: Feature) -> Self {
        let mut axes = Self::of_stage_and_action(shape);
        let mut base = 1;
        for radix in feature.radices(shape.board, shape.network.alphabet()) {
            axes.push((0..radix).map(|digit| digit * base).collect());
            base *= radix;
        }
        Self(axes)
    }

    fn of_stage_and_action(shape: &Shape<'_>) -> Vec<Vec<usize>> {
        let Shape { network, lookup, .. } = shape;
        let mut axes = Vec::new();
        if lookup.stages() > 1 {
            axes.push((0..lookup.stages()).map(|stage| stage * lookup.per_stage()).collect());
        }
        if network.actions() > 1 {
            axes.push((0..network.actions()).map(|action| action * shape.per_action()).collect());
        }
        axes
    }

    /// Calls `work` with the place of every element, in row-major order.
    fn each_place(&self, mut work: impl FnMut(usize) -> io::Result<()>) -> io::Result<()> {
        let Some((last, others)) = self.0.split_last() else { return Ok(()) };
        let mut index = vec![0; others.len()];
        loop {
            let start: usize = others.iter().zip(&index).map(|(axis, &k)| axis[k]).sum();
            last.iter().try_for_each(|summand| work(start + summand))?;
            // The next index of the other axes, the last one first.
            let Some(axis) = (0..others.len()).rev().find(|&k| index[k] + 1 < others[k].len())
            else {
                return Ok(());
            };
            index[axis] += 1;
            index[axis + 1..].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::{Inheritance, Lookup, Network, ValueFunction, WeightIndex};
    use runner_core::{Action, Afterstate, Game, Random, Seed, SingleThread};

    /// The element of a position's ranks and extra fields is the weight of that position.
    #[test]
    fn elements_are_at_the_places_of_their_indices() {
        let game = game_threes::Threes::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let mut random = Random::stream(Seed(1), 0);
        for (alphabet, actions) in [(16, 1), (10, 1), (16, 4), (12, 4)] {
            // `!`: one image, so that a position has one place in each tuple.
            let network = Network::read("012+next! 59ae! 7!", board).unwrap();
            let network = network.with_alphabet(alphabet, board).unwrap().with_actions(actions);
            let lookup = Lookup::new(&network, board).unwrap();
            let (learns, host) = (ValueFunction::Afterstates, &SingleThread);
            let (network, lookup) = (&network, &lookup);
            let inheritance = Inheritance::None;
            let shape = Shape { network, learns, lookup, inheritance, board, game: "threes", host };
            for (k, tuple) in network.tuples().iter().enumerate() {
                let axes = Axes::of_tuple(&shape, k);
                let mut places = Vec::new();
                axes.each_place(|place| {
                    places.push(place);
                    Ok(())
                })
                .unwrap();
                let mut sorted = places.clone();
                sorted.sort_unstable();
                let size = lookup.ranges()[k].len();
                let all = (0..actions).flat_map(|action| {
                    let start = action * lookup.weights() / actions;
                    start..start + size
                });
                assert!(sorted.into_iter().eq(all), "each weight of the tuple once");
                for action in 0..actions {
                    let position = Afterstate::new(random.word(), random.word());
                    let bits = position.bits();
                    let mut index = if actions > 1 { vec![action] } else { Vec::new() };
                    let rank = |&cell: &u8| {
                        let rank = (bits >> (4 * board.slot(cell.into()))) as usize & 15;
                        rank.min(alphabet - 1)
                    };
                    index.extend(tuple.cells.iter().map(rank));
                    let field = |&field: &usize| {
                        let field = &board.extra_fields[field];
                        (bits >> field.bit) as usize & ((1 << field.bits) - 1)
                    };
                    index.extend(tuple.extra_fields.iter().map(field));
                    let flat =
                        index.iter().zip(&axes.0).fold(0, |flat, (k, axis)| flat * axis.len() + k);
                    let mut found = [WeightIndex::default(); 3];
                    lookup.indices_for(position, Action(action as u8), &mut found, |_| ());
                    let found = found[k].index() - lookup.ranges()[k].start;
                    assert_eq!(places[flat], found, "alphabet {alphabet}, action {action}");
                }
            }
        }
    }
}

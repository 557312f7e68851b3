//! A network: forward and backward passes over a batch.

use crate::layer::{Kind, Layer, each_patch};
use crate::matrix::{add_product, add_rows, add_transposed_product, transpose};
use runner_core::Random;
use wide::f32x16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    layers: Vec<Layer>,
    /// Where the parameters of each layer begin.
    offsets: Vec<usize>,
    parameters: usize,
}

pub type Parameters = Vec<f32>;

#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The rows of the table that each sum of each input has.
    Rows(&'a [u16]),
    Numbers(&'a [f32]),
}

/// The results of all layers for a batch, and buffers for the backward pass.
#[derive(Clone, Debug, Default)]
pub struct Activations {
    outputs: Vec<Vec<f32>>,
    errors: Vec<Vec<f32>>,
    batch: usize,
}

impl Network {
    /// Creates a network.
    ///
    /// # Panics
    ///
    /// If the layers do not fit together.
    pub fn new(layers: Vec<Layer>) -> Self {
        assert!(!layers.is_empty());
        for (k, pair) in layers.windows(2).enumerate() {
            assert_eq!(pair[0].outputs(), pair[1].inputs(), "layer {k}");
            assert!(!matches!(pair[1].kind, Kind::Table { .. }), "a table is the first layer");
        }
        for (k, layer) in layers.iter().enumerate().filter(|(_, layer)| layer.skip) {
            assert!(k >= 2 && layers[k - 2].outputs() == layer.outputs(), "layer {k}");
        }
        let (mut offsets, mut parameters) = (Vec::new(), 0);
        for layer in &layers {
            offsets.push(parameters);
            parameters += layer.parameters();
        }
        Self { layers, offsets, parameters }
    }

    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    pub fn parameters(&self) -> usize {
        self.parameters
    }

    pub fn outputs(&self) -> usize {
        self.layers.last().expect("there is one").outputs()
    }

    /// Returns the matrix and the bias of each layer that has parameters, with the layer's
    /// number and the matrix's shape.
    pub fn tensors<'a>(
        &self,
        parameters: &'a [f32],
    ) -> impl Iterator<Item = (usize, [usize; 2], &'a [f32], &'a [f32])> {
        let layers = self.layers.iter().zip(&self.offsets).enumerate();
        layers.filter_map(move |(number, (layer, &offset))| {
            let shape = layer.shape()?;
            let own = &parameters[offset..offset + layer.parameters()];
            let (matrix, bias) = own.split_at(shape[0] * shape[1]);
            Some((number, shape, matrix, bias))
        })
    }

    /// Returns random parameters: uniform with the deviation that keeps the size of signals
    /// (He et al., 2015), biases 0. The last layer has a tenth of it, so that an untrained
    /// network gives nearly equal outputs.
    pub fn random(&self, random: &mut Random) -> Parameters {
        let mut parameters = Vec::with_capacity(self.parameters);
        for (number, layer) in self.layers.iter().enumerate() {
            let Some([rows, columns]) = layer.shape() else { continue };
            let gain = if layer.relu { 6.0 } else { 3.0 };
            let last = if number + 1 == self.layers.len() { 0.1 } else { 1.0 };
            let bound = last * (gain / layer.fan_in() as f32).sqrt();
            parameters.extend((0..rows * columns).map(|_| bound * signed_unit(random)));
            parameters.extend(std::iter::repeat_n(0.0, columns));
        }
        parameters
    }

    /// Returns the parameters with the matrix of each dense layer transposed, which a backward pass
    /// needs.
    pub fn transposed(&self, parameters: &[f32]) -> Parameters {
        let mut transposed = parameters.to_vec();
        for (layer, &offset) in self.layers.iter().zip(&self.offsets) {
            if let Kind::Dense { inputs, outputs, .. } = layer.kind {
                let matrix = offset..offset + inputs * outputs;
                transpose(&parameters[matrix.clone()], outputs, &mut transposed[matrix]);
            }
        }
        transposed
    }

    /// Computes the outputs of a batch.
    ///
    /// # Panics
    ///
    /// If the input or the parameters do not fit the network.
    pub fn forward<'a>(
        &self,
        parameters: &[f32],
        input: Input<'_>,
        at: &'a mut Activations,
    ) -> &'a [f32] {
        assert_eq!(parameters.len(), self.parameters);
        let elements = match input {
            Input::Rows(rows) => rows.len(),
            Input::Numbers(numbers) => numbers.len(),
        };
        at.batch = elements / self.layers[0].inputs();
        assert_eq!(elements, at.batch * self.layers[0].inputs());
        at.outputs.resize_with(self.layers.len(), Vec::new);
        for (number, (layer, &offset)) in self.layers.iter().zip(&self.offsets).enumerate() {
            let (before, rest) = at.outputs.split_at_mut(number);
            let own = &parameters[offset..offset + layer.parameters()];
            let out = &mut rest[0];
            if !matches!(layer.kind, Kind::Patches { .. }) {
                out.clear();
            }
            match (layer.shape(), layer.skip) {
                (Some([rows, columns]), false) => {
                    let bias = &own[rows * columns..];
                    let places = at.batch * layer.outputs() / columns;
                    (0..places).for_each(|_| out.extend_from_slice(bias));
                }
                (Some([rows, columns]), true) => {
                    out.extend_from_slice(&before[number - 2]);
                    let bias = &own[rows * columns..];
                    for out in out.chunks_exact_mut(columns) {
                        out.iter_mut().zip(bias).for_each(|(out, bias)| *out += bias);
                    }
                }
                // Patches replace every element.
                (None, _) => out.resize(at.batch * layer.outputs(), 0.0),
            }
            match (&layer.kind, before.last(), input) {
                (&Kind::Table { terms, width, .. }, _, Input::Rows(indices)) => {
                    add_table_rows(own, indices, out, terms, width);
                }
                (&Kind::Dense { inputs, outputs, .. }, None, Input::Numbers(numbers)) => {
                    add_product(numbers, &own[..inputs * outputs], out, inputs, outputs);
                }
                (&Kind::Dense { inputs, outputs, .. }, Some(numbers), _) => {
                    add_product(numbers, &own[..inputs * outputs], out, inputs, outputs);
                }
                (&Kind::Patches { grid, kernel, channels }, Some(numbers), _) => {
                    let pairs = numbers.chunks_exact(layer.inputs());
                    for (numbers, out) in pairs.zip(out.chunks_exact_mut(layer.outputs())) {
                        each_patch(grid, kernel, channels, |from, to| {
                            out[to].copy_from_slice(&numbers[from]);
                        });
                    }
                }
                _ => panic!("the first layer and the input are of different kinds"),
            }
            if layer.relu {
                out.iter_mut().for_each(|out| *out = out.max(0.0));
            }
        }
        at.outputs.last().expect("there is one")
    }

    /// Adds the gradient of a loss to `gradient`, after a [`forward`](Self::forward) pass over
    /// the same input. `transposed` are the [transposed](Self::transposed) parameters; `errors` is
    /// the gradient of the loss with respect to the outputs.
    ///
    /// # Panics
    ///
    /// If anything does not fit the forward pass.
    pub fn backward(
        &self,
        transposed: &[f32],
        input: Input<'_>,
        errors: &[f32],
        at: &mut Activations,
        gradient: &mut [f32],
    ) {
        assert_eq!(transposed.len(), self.parameters);
        let Activations { outputs, errors: all, batch } = at;
        assert_eq!(errors.len(), *batch * self.outputs());
        assert_eq!(gradient.len(), self.parameters);
        if *batch == 0 {
            return;
        }
        all.resize_with(self.layers.len(), Vec::new);
        for (errors, outputs) in all.iter_mut().zip(&*outputs) {
            errors.clear();
            errors.resize(outputs.len(), 0.0);
        }
        all[self.layers.len() - 1].copy_from_slice(errors);
        for (number, (layer, &offset)) in self.layers.iter().zip(&self.offsets).enumerate().rev() {
            let (before, rest) = all.split_at_mut(number);
            let errors = &mut rest[0];
            if layer.relu {
                let outputs = outputs[number].iter();
                errors.iter_mut().zip(outputs).for_each(|(error, &output)| {
                    *error = if output > 0.0 { *error } else { 0.0 };
                });
            }
            if layer.skip {
                let skipped = before[number - 2].iter_mut();
                skipped.zip(&*errors).for_each(|(before, error)| *before += error);
            }
            let own = offset..offset + layer.parameters();
            let (transposed, gradient) = (&transposed[own.clone()], &mut gradient[own]);
            match (&layer.kind, number.checked_sub(1), input) {
                (&Kind::Table { terms, rows, width, .. }, _, Input::Rows(indices)) => {
                    let (table, bias) = gradient.split_at_mut(rows * width);
                    add_rows(errors, bias);
                    for (rows, error) in indices.chunks_exact(terms).zip(errors.chunks_exact(width))
                    {
                        for &row in rows {
                            let row = &mut table[usize::from(row) * width..][..width];
                            row.iter_mut().zip(error).for_each(|(sum, error)| *sum += error);
                        }
                    }
                }
                (&Kind::Dense { inputs, outputs: columns, .. }, previous, input) => {
                    let numbers = match (previous, input) {
                        (Some(previous), _) => outputs[previous].as_slice(),
                        (None, Input::Numbers(numbers)) => numbers,
                        (None, Input::Rows(_)) => panic!("a dense layer needs numbers"),
                    };
                    let (matrix, bias) = gradient.split_at_mut(inputs * columns);
                    add_rows(errors, bias);
                    add_transposed_product(numbers, errors, matrix, inputs, columns);
                    if let Some(previous) = previous {
                        let transposed = &transposed[..inputs * columns];
                        add_product(errors, transposed, &mut before[previous], columns, inputs);
                    }
                }
                (&Kind::Patches { grid, kernel, channels }, Some(previous), _) => {
                    let pairs = before[previous].chunks_exact_mut(layer.inputs());
                    for (before, errors) in pairs.zip(errors.chunks_exact(layer.outputs())) {
                        each_patch(grid, kernel, channels, |from, to| {
                            let before = before[from].iter_mut();
                            before.zip(&errors[to]).for_each(|(sum, error)| *sum += error);
                        });
                    }
                }
                _ => panic!("the first layer and the input are of different kinds"),
            }
        }
    }
}

fn add_table_rows(table: &[f32], indices: &[u16], out: &mut [f32], terms: usize, width: usize) {
    /// Vectors of 16 numbers, summed in registers.
    const VECTORS: usize = 4;
    for (rows, out) in indices.chunks_exact(terms).zip(out.chunks_exact_mut(width)) {
        let row = |index: u16, first: usize| &table[usize::from(index) * width + first..];
        let (blocks, _) = out.as_chunks_mut::<16>().0.as_chunks_mut::<VECTORS>();
        let rest = blocks.len() * 16 * VECTORS;
        for (place, block) in blocks.iter_mut().enumerate() {
            let mut sums = block.map(f32x16::new);
            for &index in rows {
                let row = &row(index, place * 16 * VECTORS).as_chunks::<16>().0[..VECTORS];
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += f32x16::new(*x));
            }
            *block = sums.map(f32x16::to_array);
        }
        let out = &mut out[rest..];
        for &index in rows {
            out.iter_mut().zip(row(index, rest)).for_each(|(sum, x)| *sum += x);
        }
    }
}

/// Returns a uniform number in [-1, 1).
fn signed_unit(random: &mut Random) -> f32 {
    (random.word() >> 40) as f32 / (1 << 23) as f32 - 1.0
}

//! The values of a compact piece: exact, or rounded to 16 or 8 bits.
//!
//! The first bytes of all values come first, then the second, and so on: bytes of the
//! same significance compress best together. Rounded values come in blocks of [`BLOCK`],
//! each with an offset and a step (both f32, before all values): a value is the offset
//! plus its integer times the step.

/// Values of a block, which share offset and step.
const BLOCK: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    Exact,
    /// Rounded to integers of this many bytes: 1 or 2.
    Rounded(usize),
}

impl Precision {
    /// Returns the number of bytes of this many values.
    fn bytes(self, count: usize) -> usize {
        match self {
            Self::Exact => 4 * count,
            Self::Rounded(bytes) => 8 * count.div_ceil(BLOCK) + bytes * count,
        }
    }

    pub fn write(self, values: &[f32], out: &mut Vec<u8>) {
        match self {
            Self::Exact => write_planes(values.iter().map(|value| value.to_bits()), 4, out),
            Self::Rounded(bytes) => {
                let blocks = || values.chunks(BLOCK).map(|block| (Scale::of(block, bytes), block));
                for (scale, _) in blocks() {
                    out.extend(scale.offset.to_le_bytes());
                    out.extend(scale.step.to_le_bytes());
                }
                let round = |(scale, block): (Scale, &'_ [f32])| -> Vec<u32> {
                    block.iter().map(|&value| scale.round(value)).collect()
                };
                let numbers: Vec<u32> = blocks().flat_map(round).collect();
                write_planes(numbers.into_iter(), bytes, out);
            }
        }
    }

    /// Reads this many values, which take all the bytes.
    pub fn read(self, bytes: &[u8], count: usize, out: &mut Vec<f32>) -> Result<(), String> {
        let expected = self.bytes(count);
        if bytes.len() != expected {
            let found = bytes.len();
            return Err(format!("has {found} bytes of values, and {expected} are needed"));
        }
        out.clear();
        match self {
            Self::Exact => out.extend(read_planes::<4>(bytes, count).map(f32::from_bits)),
            Self::Rounded(width) => {
                let (scales, bytes) = bytes.split_at(expected - width * count);
                let scales: Vec<_> = scales.as_chunks::<8>().0.iter().map(Scale::read).collect();
                if !scales.iter().all(|scale| scale.offset.is_finite() && scale.step.is_finite()) {
                    return Err("has an offset or a step that is no finite number".to_owned());
                }
                let value = |(k, number): (usize, u32)| scales[k / BLOCK].value(number);
                match width {
                    1 => out.extend(read_planes::<1>(bytes, count).enumerate().map(value)),
                    _ => out.extend(read_planes::<2>(bytes, count).enumerate().map(value)),
                }
            }
        }
        Ok(())
    }
}

/// Appends the lowest bytes of all numbers, then the second ones, and so on.
fn write_planes(numbers: impl Iterator<Item = u32> + Clone, bytes: usize, out: &mut Vec<u8>) {
    for byte in 0..bytes {
        out.extend(numbers.clone().map(|number| number.to_le_bytes()[byte]));
    }
}

fn read_planes<const BYTES: usize>(bytes: &[u8], count: usize) -> impl Iterator<Item = u32> {
    let planes: [&[u8]; BYTES] = std::array::from_fn(|byte| &bytes[byte * count..][..count]);
    (0..count).map(move |k| {
        (planes.iter().rev()).fold(0, |number, plane| number << 8 | u32::from(plane[k]))
    })
}

#[derive(Clone, Copy, Debug)]
struct Scale {
    offset: f32,
    step: f32,
    max: f64,
}

impl Scale {
    /// Returns the scale from the minimum of some values to their maximum.
    fn of(values: &[f32], bytes: usize) -> Self {
        let lowest = values.iter().copied().fold(f32::INFINITY, f32::min);
        let highest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let max = f64::from((1u32 << (8 * bytes)) - 1);
        let step = ((f64::from(highest) - f64::from(lowest)) / max) as f32;
        Self { offset: lowest, step, max }
    }

    fn read(bytes: &[u8; 8]) -> Self {
        let number = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        Self { offset: number(0), step: number(4), max: 0.0 }
    }

    fn round(self, value: f32) -> u32 {
        if self.step == 0.0 {
            return 0;
        }
        let number = (f64::from(value) - f64::from(self.offset)) / f64::from(self.step);
        number.round().clamp(0.0, self.max) as u32
    }

    fn value(self, number: u32) -> f32 {
        let value = f64::from(self.offset) + f64::from(self.step) * f64::from(number);
        // The rounding error of the step must not lead to infinity.
        (value as f32).clamp(f32::MIN, f32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(precision: Precision, values: &[f32]) -> Vec<f32> {
        let mut bytes = Vec::new();
        precision.write(values, &mut bytes);
        assert_eq!(bytes.len(), precision.bytes(values.len()));
        let mut read = Vec::new();
        precision.read(&bytes, values.len(), &mut read).unwrap();
        for wrong in [bytes.len() - 1, bytes.len() / 2] {
            assert!(precision.read(&bytes[..wrong], values.len(), &mut Vec::new()).is_err());
        }
        read
    }

    proptest! {
        #[test]
        fn rounding_errors_are_at_most_half_a_step(
            values in prop::collection::vec(-1e6f32..1e6, 1..200)
        ) {
            prop_assert_eq!(&round_trip(Precision::Exact, &values), &values);
            for (bytes, levels) in [(2, 65535.0), (1, 255.0)] {
                let read = round_trip(Precision::Rounded(bytes), &values);
                for (read, values) in read.chunks(BLOCK).zip(values.chunks(BLOCK)) {
                    let lowest = values.iter().copied().fold(f32::INFINITY, f32::min);
                    let highest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                    let step = (highest - lowest) / levels;
                    for (read, value) in read.iter().zip(values) {
                        // And the rounding error of floats as large as these.
                        prop_assert!((read - value).abs() <= 0.51 * step + 0.25);
                    }
                }
            }
        }
    }

    #[test]
    fn equal_values_and_extreme_values_are_kept() {
        for precision in [Precision::Exact, Precision::Rounded(2), Precision::Rounded(1)] {
            assert_eq!(round_trip(precision, &[-7.25; 3]), [-7.25; 3]);
            let far = round_trip(precision, &[f32::MIN, f32::MAX, 0.0]);
            assert!(far.iter().all(|value| value.is_finite()), "{far:?}");
        }
    }
}

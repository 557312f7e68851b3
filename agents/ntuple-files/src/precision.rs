//! The values of a compact piece: exact, or rounded to 16 or 8 bits.
//!
//! A stream has the lowest bytes of all values, the next one the second bytes, and so on, because bytes
//! of equal significance compress best together. Rounded values come in blocks of [`BLOCK`], each with an
//! offset and a step (both f32, in a stream before the values): a value is the offset plus its integer times
//! the step.
//!
//! The formats with steps have [trees](crate::tree). Their files of earlier versions have a stream of varints,
//! see [`read_steps`].

use runner_files::varint;

/// Values of a block, which share offset and step.
const BLOCK: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    Exact,
    /// Rounded to integers of this many bytes: 1 or 2.
    Rounded(usize),
}

impl Precision {
    /// Calls a function with each stream of values.
    pub fn write(self, values: &[f32], mut push: impl FnMut(&[u8])) {
        match self {
            Self::Exact => write_planes(values.iter().map(|value| value.to_bits()), 4, push),
            Self::Rounded(bytes) => {
                let blocks = || values.chunks(BLOCK).map(|block| (Scale::of(block, bytes), block));
                let scales = blocks().flat_map(|(Scale { offset, step, .. }, _)| [offset, step]);
                let scales: Vec<u8> = scales.flat_map(f32::to_le_bytes).collect();
                push(&scales);
                let round = |(scale, block): (Scale, &'_ [f32])| -> Vec<u32> {
                    block.iter().map(|&value| scale.round(value)).collect()
                };
                let numbers: Vec<u32> = blocks().flat_map(round).collect();
                write_planes(numbers.into_iter(), bytes, push);
            }
        }
    }

    /// Reads this many values from their streams. `next` reads a stream of at most a number of bytes.
    pub fn read(
        self,
        count: usize,
        mut next: impl FnMut(usize) -> Result<Vec<u8>, String>,
        out: &mut Vec<f32>,
    ) -> Result<(), String> {
        let mut next_of = |length: usize| {
            let bytes = next(length)?;
            match bytes.len() == length {
                true => Ok(bytes),
                false => {
                    let found = bytes.len();
                    Err(format!("has {found} bytes of values, and {length} are needed"))
                }
            }
        };
        out.clear();
        match self {
            Self::Exact => out.extend(read_planes::<4>(count, next_of)?.map(f32::from_bits)),
            Self::Rounded(width) => {
                let scales = next_of(8 * count.div_ceil(BLOCK))?;
                let scales: Vec<_> = scales.as_chunks::<8>().0.iter().map(Scale::read).collect();
                if !scales.iter().all(|scale| scale.offset.is_finite() && scale.step.is_finite()) {
                    return Err("has an offset or a step that is no finite number".to_owned());
                }
                let value = |(k, number): (usize, u32)| scales[k / BLOCK].value(number);
                match width {
                    1 => out.extend(read_planes::<1>(count, next_of)?.enumerate().map(value)),
                    _ => out.extend(read_planes::<2>(count, next_of)?.enumerate().map(value)),
                }
            }
        }
        Ok(())
    }
}

/// Reads this many changes, each a number of steps, from a stream of varints: the double of their size, plus
/// 1 below zero.
pub fn read_steps(
    count: usize,
    next: impl FnOnce(usize) -> Result<Vec<u8>, String>,
    out: &mut Vec<f32>,
) -> Result<(), String> {
    let bytes = next(varint::MAX_BYTES * count)?;
    let mut at = 0;
    out.clear();
    for _ in 0..count {
        let number = varint::read(&bytes, &mut at)
            .map_err(|error| format!("has a value that cannot be read: {error}"))?;
        let size = (number >> 1) as f32;
        out.push(if number & 1 == 1 { -size } else { size });
    }
    match at < bytes.len() {
        true => Err(format!("has {} bytes of values, and {at} are needed", bytes.len())),
        false => Ok(()),
    }
}

/// Calls a function with the lowest bytes of all numbers, then with the second ones, and so on.
fn write_planes(
    numbers: impl Iterator<Item = u32> + Clone,
    bytes: usize,
    mut push: impl FnMut(&[u8]),
) {
    for byte in 0..bytes {
        push(&numbers.clone().map(|number| number.to_le_bytes()[byte]).collect::<Vec<u8>>());
    }
}

fn read_planes<const BYTES: usize>(
    count: usize,
    mut next_of: impl FnMut(usize) -> Result<Vec<u8>, String>,
) -> Result<impl Iterator<Item = u32>, String> {
    let planes = (0..BYTES).map(|_| next_of(count)).collect::<Result<Vec<_>, _>>()?;
    Ok((0..count).map(move |k| {
        (planes.iter().rev()).fold(0, |number, plane| number << 8 | u32::from(plane[k]))
    }))
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
        let mut streams = Vec::new();
        precision.write(values, |bytes| streams.push(bytes.to_vec()));
        let read_of = |streams: &[Vec<u8>]| {
            let (mut read, mut next) = (Vec::new(), streams.iter());
            let next = |_| next.next().cloned().ok_or_else(|| "is missing".to_owned());
            precision.read(values.len(), next, &mut read).map(|()| read)
        };
        for stream in 0..streams.len() {
            let mut wrong = streams.clone();
            wrong[stream].pop();
            assert!(read_of(&wrong).is_err());
            wrong[stream].extend([1, 1]);
            assert!(read_of(&wrong).is_err());
        }
        read_of(&streams).unwrap()
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
    fn multiples_of_a_step_are_kept() {
        let steps = [0.0, -1.0, 1.0, 63.0, -64.0, 1e9, (1u64 << 50) as f32];
        let mut bytes = Vec::new();
        for step in steps {
            varint::push((step.abs() as u128) << 1 | u128::from(step < 0.0), &mut bytes);
        }
        let read = |bytes: &[u8]| {
            let mut read = Vec::new();
            read_steps(steps.len(), |_| Ok(bytes.to_vec()), &mut read).map(|()| read)
        };
        assert_eq!(read(&bytes).unwrap(), steps);
        assert!(read(&bytes[1..]).is_err());
        assert!(read(&[&bytes[..], &[1]].concat()).is_err());
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

//! The values of a piece of a compact model, in one of three ways.
//!
//! The first bytes of all values come first, then the second, and so on: those of
//! a kind compress best together. In the ways that round, [`NEIGHBOURS`] that
//! follow each other share an offset and a scale (both f32, before all the rest):
//! a value is the offset and as many times the scale as its number says.

/// So many values share offset and scale.
const NEIGHBOURS: usize = 64;

/// How values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// As they are: four bytes each.
    Exact,
    /// Rounded to this many bytes each: one or two.
    Rounded(usize),
}

impl Values {
    /// The names of the forms.
    pub const NAMES: [&str; 3] = ["compact", "compact16", "compact8"];

    const ALL: [Self; 3] = [Self::Exact, Self::Rounded(2), Self::Rounded(1)];

    /// The way of the form with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|&known| known == name).map(|k| Self::ALL[k])
    }

    /// The name of its form.
    pub fn name(self) -> &'static str {
        let k = Self::ALL.iter().position(|&known| known == self).expect("one of all");
        Self::NAMES[k]
    }

    /// How many bytes so many values have.
    fn bytes(self, count: usize) -> usize {
        match self {
            Self::Exact => 4 * count,
            Self::Rounded(bytes) => 8 * count.div_ceil(NEIGHBOURS) + bytes * count,
        }
    }

    /// Appends values.
    pub fn write(self, values: &[f32], out: &mut Vec<u8>) {
        match self {
            Self::Exact => planes(values.iter().map(|value| value.to_bits()), 4, out),
            Self::Rounded(bytes) => {
                let blocks =
                    || values.chunks(NEIGHBOURS).map(|block| (Scale::of(block, bytes), block));
                for (scale, _) in blocks() {
                    out.extend(scale.offset.to_le_bytes());
                    out.extend(scale.step.to_le_bytes());
                }
                let number = |(scale, block): (Scale, &'_ [f32])| -> Vec<u32> {
                    block.iter().map(|&value| scale.number(value)).collect()
                };
                let numbers: Vec<u32> = blocks().flat_map(number).collect();
                planes(numbers.into_iter(), bytes, out);
            }
        }
    }

    /// Reads so many values, which are all the bytes there are.
    pub fn read(self, bytes: &[u8], count: usize, out: &mut Vec<f32>) -> Result<(), String> {
        let expected = self.bytes(count);
        if bytes.len() != expected {
            let found = bytes.len();
            return Err(format!("has {found} bytes of values, and should have {expected}"));
        }
        out.clear();
        match self {
            Self::Exact => out.extend(unplaned::<4>(bytes, count).map(f32::from_bits)),
            Self::Rounded(width) => {
                let (scales, bytes) = bytes.split_at(expected - width * count);
                let scales: Vec<_> = scales.as_chunks::<8>().0.iter().map(Scale::read).collect();
                if !scales.iter().all(|scale| scale.offset.is_finite() && scale.step.is_finite()) {
                    return Err("has an offset or a scale that is no number".to_owned());
                }
                let value = |(k, number): (usize, u32)| scales[k / NEIGHBOURS].value(number);
                match width {
                    1 => out.extend(unplaned::<1>(bytes, count).enumerate().map(value)),
                    _ => out.extend(unplaned::<2>(bytes, count).enumerate().map(value)),
                }
            }
        }
        Ok(())
    }
}

/// Appends the lowest bytes of all numbers, then the second, and so on.
fn planes(numbers: impl Iterator<Item = u32> + Clone, bytes: usize, out: &mut Vec<u8>) {
    for byte in 0..bytes {
        out.extend(numbers.clone().map(|number| number.to_le_bytes()[byte]));
    }
}

/// What [`planes`] wrote.
fn unplaned<const BYTES: usize>(bytes: &[u8], count: usize) -> impl Iterator<Item = u32> {
    let planes: [&[u8]; BYTES] = std::array::from_fn(|byte| &bytes[byte * count..][..count]);
    (0..count).map(move |k| {
        (planes.iter().rev()).fold(0, |number, plane| number << 8 | u32::from(plane[k]))
    })
}

/// What values that follow each other are rounded to.
#[derive(Clone, Copy, Debug)]
struct Scale {
    offset: f32,
    step: f32,
    top: f64,
}

impl Scale {
    /// From the least of some values to the greatest.
    fn of(values: &[f32], bytes: usize) -> Self {
        let least = values.iter().copied().fold(f32::INFINITY, f32::min);
        let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let top = f64::from((1u32 << (8 * bytes)) - 1);
        let step = ((f64::from(greatest) - f64::from(least)) / top) as f32;
        Self { offset: least, step, top }
    }

    fn read(bytes: &[u8; 8]) -> Self {
        let number = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        Self { offset: number(0), step: number(4), top: 0.0 }
    }

    /// The number of the nearest.
    fn number(self, value: f32) -> u32 {
        if self.step == 0.0 {
            return 0;
        }
        let number = (f64::from(value) - f64::from(self.offset)) / f64::from(self.step);
        number.round().clamp(0.0, self.top) as u32
    }

    fn value(self, number: u32) -> f32 {
        let value = f64::from(self.offset) + f64::from(self.step) * f64::from(number);
        // The step's own rounding must not lead beyond all floats.
        (value as f32).clamp(f32::MIN, f32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written_and_read(way: Values, values: &[f32]) -> Vec<f32> {
        let mut bytes = Vec::new();
        way.write(values, &mut bytes);
        assert_eq!(bytes.len(), way.bytes(values.len()));
        let mut read = Vec::new();
        way.read(&bytes, values.len(), &mut read).unwrap();
        for wrong in [bytes.len() - 1, bytes.len() / 2] {
            assert!(way.read(&bytes[..wrong], values.len(), &mut Vec::new()).is_err());
        }
        read
    }

    proptest! {
        #[test]
        fn values_come_back_as_near_as_their_way_says(
            values in prop::collection::vec(-1e6f32..1e6, 1..200)
        ) {
            prop_assert_eq!(&written_and_read(Values::Exact, &values), &values);
            for (bytes, levels) in [(2, 65535.0), (1, 255.0)] {
                let read = written_and_read(Values::Rounded(bytes), &values);
                for (read, values) in read.chunks(NEIGHBOURS).zip(values.chunks(NEIGHBOURS)) {
                    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
                    let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                    let step = (greatest - least) / levels;
                    for (read, value) in read.iter().zip(values) {
                        // Half a step, and the rounding of floats as large as these.
                        prop_assert!((read - value).abs() <= 0.51 * step + 0.25);
                    }
                }
            }
        }
    }

    #[test]
    fn equal_values_and_the_largest_are_kept() {
        for way in Values::ALL {
            assert_eq!(written_and_read(way, &[-7.25; 3]), [-7.25; 3]);
            let far = written_and_read(way, &[f32::MIN, f32::MAX, 0.0]);
            assert!(far.iter().all(|value| value.is_finite()), "{far:?}");
        }
    }

    #[test]
    fn names_are_of_their_ways() {
        for name in Values::NAMES {
            assert_eq!(Values::named(name).unwrap().name(), name);
        }
        assert_eq!(Values::named("compact4"), None);
    }
}

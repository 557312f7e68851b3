//! The numbers of a table: floats of 2, 4 or 8 bytes.

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    F32,
    F64,
}

impl Element {
    /// Returns the type of this many bytes.
    pub fn of(bytes: u16) -> Option<Self> {
        [Self::F16, Self::F32, Self::F64].into_iter().find(|e| e.bytes() == u64::from(bytes))
    }

    /// Returns the number of bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Appends the numbers of these bytes.
    pub fn decode(self, bytes: &[u8], out: &mut Vec<f32>) {
        match self {
            Self::F16 => {
                out.extend(bytes.as_chunks().0.iter().map(|b| half(u16::from_le_bytes(*b))))
            }
            Self::F32 => out.extend(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
            Self::F64 => {
                out.extend(bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b) as f32));
            }
        }
    }
}

/// Converts a float of 16 bits: sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u16) -> f32 {
    let (sign, exponent) = (u32::from(bits >> 15) << 31, u32::from(bits >> 10 & 31));
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        // Subnormal numbers are multiples of 2^-24.
        0 => (fraction as f32 * f32::from_bits((127 - 24) << 23)).to_bits(),
        // Infinities and NaNs.
        31 => 0xff << 23 | fraction << 13,
        _ => (exponent + 127 - 15) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_decoded_as_ieee_754_says() {
        let known = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0xfc00, f32::NEG_INFINITY),
        ];
        for (bits, value) in known {
            assert_eq!(half(bits), value, "{bits:#06x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn only_2_4_and_8_bytes_are_accepted() {
        assert_eq!(
            [2, 4, 8].map(|n| Element::of(n).map(Element::bytes)),
            [Some(2), Some(4), Some(8)]
        );
        assert!([0, 1, 3, 16].into_iter().all(|bytes| Element::of(bytes).is_none()));
    }
}

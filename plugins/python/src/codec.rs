//! Positions as arrays: boards of ranks, and the fields beside them.

use crate::arrays::{Array, array};
use pyo3::prelude::*;
use runner_core::Afterstate;
use runner_core::geometry::{ExtraField, FIFTH_BITS, Geometry, MAX_CELLS, stride};

/// How the positions of a board game are laid out in arrays.
pub struct Codec {
    pub rows: usize,
    pub cols: usize,
    /// Number of ranks. A cell holds one below it.
    pub ranks: u8,
    /// The fields beside the cells that a player knows.
    pub fields: Vec<ExtraField>,
    stride: usize,
    has_fifth_bits: bool,
    /// The bits of cells and fields.
    known: u128,
}

/// Room for the cells of all slots, in whole words.
const SLOTS: usize = 32;

impl Codec {
    pub fn new(board: &Geometry) -> Self {
        let fields: Vec<_> =
            board.extra_fields.iter().chain(&board.counted_fields).cloned().collect();
        Self {
            rows: board.rows,
            cols: board.cols,
            ranks: board.values.len() as u8,
            stride: stride(board.rows, board.cols),
            has_fifth_bits: board.fifth_bits() != 0,
            known: fields.iter().fold(board.cell_bits(), |bits, field| bits | field.mask()),
            fields,
        }
    }

    pub fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// Returns the boards of positions, with shape (n, rows, cols).
    pub fn boards<'py>(
        &self,
        py: Python<'py>,
        positions: &[Afterstate],
    ) -> PyResult<Array<'py, u8>> {
        let mut boards = vec![0; positions.len() * self.cells()];
        for (board, position) in boards.chunks_exact_mut(self.cells()).zip(positions) {
            self.board(position.bits(), board);
        }
        array(py, boards, &[positions.len(), self.rows, self.cols])
    }

    /// Returns the fields of positions, with shape (n, number of fields).
    pub fn fields_of<'py>(
        &self,
        py: Python<'py>,
        positions: &[Afterstate],
    ) -> PyResult<Array<'py, u8>> {
        let fields = self.fields.len();
        let mut extras = vec![0; positions.len() * fields];
        for (k, position) in positions.iter().enumerate() {
            self.extras(position.bits(), &mut extras[k * fields..][..fields]);
        }
        array(py, extras, &[positions.len(), fields])
    }

    /// Writes the ranks of the cells, row by row.
    #[inline(always)]
    pub fn board(&self, bits: u128, out: &mut [u8]) {
        if self.rows == 4 && self.cols == 4 {
            let (low, high) = (spread(bits as u32), spread((bits >> 32) as u32));
            out[..8].copy_from_slice(&low.to_le_bytes());
            out[8..16].copy_from_slice(&high.to_le_bytes());
        } else {
            let mut slots = [0; SLOTS];
            for (k, slots) in slots.chunks_exact_mut(8).enumerate() {
                slots.copy_from_slice(&spread((bits >> (32 * k)) as u32).to_le_bytes());
            }
            for (row, out) in out.chunks_exact_mut(self.cols).enumerate() {
                out.copy_from_slice(&slots[row * self.stride..][..self.cols]);
            }
        }
        if self.has_large_rank(bits) {
            self.add_fifth_bits(bits, out);
        }
    }

    /// Returns true if the fifth bit of a cell is set.
    #[inline(always)]
    fn has_large_rank(&self, bits: u128) -> bool {
        self.has_fifth_bits && bits >> FIFTH_BITS & ((1 << MAX_CELLS) - 1) != 0
    }

    #[cold]
    fn add_fifth_bits(&self, bits: u128, out: &mut [u8]) {
        for (cell, rank) in out.iter_mut().enumerate() {
            let slot = cell / self.cols * self.stride + cell % self.cols;
            *rank |= (bits >> (FIFTH_BITS as usize + slot) & 1) as u8 * 16;
        }
    }

    #[inline(always)]
    pub fn extras(&self, bits: u128, out: &mut [u8]) {
        for (out, field) in out.iter_mut().zip(&self.fields) {
            *out = (bits >> field.bit) as u8 & (u8::MAX >> (8 - field.bits));
        }
    }

    /// Returns the position of a board and its fields, or `None` if a number is too large.
    #[inline(always)]
    pub fn position(&self, board: &[u8], extras: &[u8]) -> Option<u128> {
        let (cells, is_right) = match board.as_chunks::<8>() {
            ([low, high], []) if self.cols == 4 => self.cells_of_16(*low, *high),
            _ => self.cells_of(board),
        };
        let (mut bits, mut wrong) = (cells, !is_right);
        for (&number, field) in extras.iter().zip(&self.fields) {
            wrong |= u32::from(number) >> field.bits != 0;
            bits |= u128::from(number) << field.bit;
        }
        (!wrong).then_some(bits)
    }

    /// As [`cells_of`](Self::cells_of) for a board of 4 x 4, faster if all ranks are below 16.
    #[inline(always)]
    fn cells_of_16(&self, low: [u8; 8], high: [u8; 8]) -> (u128, bool) {
        let words = [low, high].map(u64::from_le_bytes);
        let [low, high] = words.map(|word| u128::from(gather(word)));
        if (words[0] | words[1]) & 0xf0f0_f0f0_f0f0_f0f0 != 0 || self.ranks < 16 {
            let mut board = [0; 16];
            board.as_chunks_mut::<8>().0.copy_from_slice(&words.map(u64::to_le_bytes));
            return self.cells_of(&board);
        }
        (low | high << 32, true)
    }

    /// Returns the bits of the cells of a board, and true if the game has all of its ranks.
    fn cells_of(&self, board: &[u8]) -> (u128, bool) {
        let too_large = board.iter().fold(false, |wrong, &rank| wrong | (rank >= self.ranks));
        let mut slots = [0; SLOTS];
        for (row, ranks) in board.chunks_exact(self.cols).enumerate() {
            slots[row * self.stride..][..self.cols].copy_from_slice(ranks);
        }
        let mut bits = 0;
        for (k, slots) in slots.as_chunks::<8>().0.iter().enumerate() {
            bits |= u128::from(gather(u64::from_le_bytes(*slots))) << (32 * k);
        }
        if self.has_fifth_bits {
            for (slot, rank) in slots.iter().enumerate().take(MAX_CELLS) {
                bits |= u128::from(rank >> 4) << (FIFTH_BITS as usize + slot);
            }
        }
        (bits, !too_large)
    }

    /// Returns true if no cell holds a rank that the game does not have. The fields of a state are
    /// all of its other bits.
    #[inline(always)]
    pub fn is_possible(&self, bits: u128, is_state: bool) -> bool {
        (self.ranks >= 16 && !self.has_large_rank(bits) || self.has_ranks(bits))
            && (!is_state || bits & !self.known == 0)
    }

    fn has_ranks(&self, bits: u128) -> bool {
        let mut slots = [0; MAX_CELLS];
        let board = &mut slots[..self.cells()];
        self.board(bits, board);
        board.iter().all(|&rank| rank < self.ranks)
    }
}

/// Returns the eight nibbles of a word as bytes, the lowest first.
#[inline(always)]
fn spread(nibbles: u32) -> u64 {
    let x = u64::from(nibbles);
    let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    let x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Returns the low nibbles of eight bytes.
#[inline(always)]
fn gather(bytes: u64) -> u32 {
    let x = bytes & 0x0f0f_0f0f_0f0f_0f0f;
    let x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
    let x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) as u32
}

//! Counts, times and sizes as people type and read them: `20M`, `1.5k`, `2h` in options and files;
//! `1,234,567`, `1m 23s`, `12.3 M/s` in reports.

mod format;
mod parse;
mod values;

pub use format::{
    brief_percent, counted, grouped, memory, move_time, number, percent, precise, rate, time,
};
pub use parse::{bytes, count, duration, time_limit};
pub use values::{Count, PositiveNumber, PositiveTime, Size, ThreadCount, Time, seconds};

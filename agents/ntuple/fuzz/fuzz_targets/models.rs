//! No bytes make the reader of models panic, ask for memory that it has not been
//! shown to need, or change a learner by a model that it refuses.
#![no_main]

#[path = "../any_bytes.rs"]
mod any_bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| any_bytes::load(data));

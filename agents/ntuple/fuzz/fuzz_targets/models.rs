//! No input makes the reader of models panic, allocate more than the file justifies, or
//! change a learner with a model that it refuses.
#![no_main]

#[path = "../any_bytes.rs"]
mod any_bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| any_bytes::load(data));

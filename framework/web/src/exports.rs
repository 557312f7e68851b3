//! The functions of the WebAssembly module. The page writes a request into the buffer, calls a function,
//! and reads the answer where [`answer`] says.

use crate::requests::Requests;
use std::cell::RefCell;

#[derive(Default)]
struct Module {
    requests: Requests,
    /// A request or a model, written by the page.
    buffer: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Module) -> T) -> T {
    MODULE.with(|module| work(&mut module.borrow_mut()))
}

/// Returns the address of a buffer of this many bytes. It is valid until the next call.
// SAFETY: no other symbol of the module has this name, nor those below.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(bytes: usize) -> *mut u8 {
    with(|module| {
        module.buffer = vec![0; bytes];
        module.buffer.as_mut_ptr()
    })
}

/// Answers the request in the buffer; returns the length of the answer in bytes.
// SAFETY: see `buffer`.
#[unsafe(no_mangle)]
pub extern "C" fn request() -> usize {
    with(|module| {
        module.answer = module.requests.answer(&module.buffer);
        module.answer.len()
    })
}

/// Loads the model in the buffer for a game, whose name is the first `name` bytes of the buffer; returns
/// the length of the answer in bytes.
// SAFETY: see `buffer`.
#[unsafe(no_mangle)]
pub extern "C" fn load(name: usize) -> usize {
    with(|module| {
        let buffer = std::mem::take(&mut module.buffer);
        let (name, model) = buffer.split_at(name.min(buffer.len()));
        module.answer = module.requests.load(&String::from_utf8_lossy(name), model);
        module.answer.len()
    })
}

/// Returns the address of the last answer. It is valid until the next call.
// SAFETY: see `buffer`.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    with(|module| module.answer.as_ptr())
}

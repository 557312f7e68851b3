//! Any text is parsed as a spec or rejected at a place in it, and a spec reads back equal
//! from its displayed and from its serialized form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_spec::{Spec, read_document};

fuzz_target!(|text: &str| {
    match text.parse::<Spec>() {
        Ok(spec) => {
            assert_eq!(spec.to_string().parse::<Spec>().as_ref(), Ok(&spec));
            let ron = ron::to_string(&spec).expect("a spec is plain RON");
            assert_eq!(read_document::<Spec>(&ron).as_ref(), Ok(&spec));
            let _ = spec.read::<agent_ntuple::TcConfig>();
        }
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some());
            assert!(!error.to_string().contains(char::is_control));
            let caret = error.caret();
            assert!(caret.lines().all(|line| line.chars().count() <= 80));
        }
    }
    let _ = read_document::<ron::Value>(text);
});

//! Arbitrary bytes as a model of an n-tuple learner, in every format. No input makes the reader
//! panic, allocate more than the file justifies, or change a learner with a model that it refuses.
#![no_main]

use agent_ntuple::{Shared, TcConfig, TcNtuple};
use game_2048::{Config, Game2048};
use libfuzzer_sys::fuzz_target;
use runner_core::{
    Afterstate, BuildContext, Game, Host, Learner, SingleThread, Spec, Value, ValuePlugin,
};
use runner_files::Container;
use runner_files::container::{self, Header};
use std::io::Write;
use std::sync::Arc;

thread_local! {
    static SUBJECT: Subject = Subject::new();
}

/// A learner that is small enough to be loaded thousands of times a second.
struct Subject {
    learner: TcNtuple,
    headers: Vec<Header>,
}

impl Subject {
    fn new() -> Self {
        let game = Game2048::new(Config::default()).expect("the defaults are allowed");
        let spec = Spec::resolved("2048", &Config::default()).expect("it is a spec").to_string();
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        let context = BuildContext { game: game.description(), game_spec: &spec, host: &host };
        let shared = Shared { network: Some("01 7".to_owned()), ..Shared::default() };
        let config = TcConfig { shared, ..TcConfig::default() };
        let learner = TcNtuple::new(config, &context).expect("the network is one of the board");
        let folder = tempfile::tempdir().expect("a folder can be made");
        let header = |format: &str| {
            let file = folder.path().join(format);
            learner.save(&file, format).expect("the file can be written");
            let is_container = Container::is_container(&file).expect("it was just written");
            is_container.then(|| Container::open(&file).expect("it is whole").header().clone())
        };
        let names = learner.formats().into_iter().map(|format| format.name);
        let headers = names.filter_map(|name| header(&name)).collect();
        Self { learner, headers }
    }

    /// Loads a model. A refused model must not change the learner.
    fn load(&self, model: &[u8]) {
        let before = self.values();
        if let Err(fault) = self.learner.load_bytes(model, "fuzz") {
            assert!(fault.0.contains("fuzz"), "the message names the file: {fault}");
            assert_eq!(before, self.values(), "changed by a refused model: {fault}");
        }
    }

    fn values(&self) -> [u32; 16] {
        let positions: [_; 16] = std::array::from_fn(|k| {
            Afterstate::from_bits(
                (k as u128).wrapping_mul(0x1357_9bdf_2468_ace1) & u128::from(u64::MAX),
            )
        });
        let mut values = [0.0; 16];
        self.learner.evaluate(&positions, &mut values);
        values.map(f32::to_bits)
    }
}

/// Loads the bytes as they are; then as the sections of every format, behind a header and
/// with the right checksums.
fn load(data: &[u8]) {
    SUBJECT.with(|subject| {
        subject.load(data);
        for header in &subject.headers {
            let sections = [list(data), data.to_vec()];
            subject.load(&build(header, &sections));
            subject.load(&build(header, &[Vec::new(), Vec::new(), data.to_vec()]));
            if let Ok(text) = std::str::from_utf8(data) {
                let mut other = header.clone();
                other.facts.iter_mut().for_each(|(_, fact)| *fact = text.to_owned());
                subject.load(&build(&other, &sections));
            }
        }
    });
}

fn list(piece: &[u8]) -> Vec<u8> {
    (piece.len() as u32).to_le_bytes().to_vec()
}

/// Returns a container with this header and these sections; those that are not given are
/// empty.
fn build(header: &Header, sections: &[Vec<u8>]) -> Vec<u8> {
    let mut header = header.clone();
    for (k, section) in header.sections.iter_mut().enumerate() {
        section.bytes = sections.get(k).map_or(0, |bytes| bytes.len() as u64);
    }
    let mut file = Vec::new();
    container::write(&mut file, &header, |out| out.write_all(&sections.concat()))
        .expect("memory can be written");
    file
}

fuzz_target!(|data: &[u8]| load(data));

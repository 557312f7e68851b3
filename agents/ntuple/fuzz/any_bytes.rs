//! Any bytes, loaded as a model in every way in which they could be one: what the
//! fuzz target does, and a test for a second.

use agent_ntuple::{TcConfig, TcNtuple};
use game_2048::{Config, Game2048};
use runner_core::{
    Afterstate, BuildContext, Game, Host, Learner, SingleThread, Spec, Value, ValuePlugin,
};
use runner_files::Container;
use runner_files::container::{self, Header};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;
use std::sync::Arc;

thread_local! {
    static SUBJECT: Subject = Subject::new();
}

/// A learner, small enough to be loaded thousands of times a second.
struct Subject {
    learner: TcNtuple,
    /// What its own models say about themselves, form by form.
    headers: Vec<(String, Header)>,
}

impl Subject {
    fn new() -> Self {
        let game = Game2048::new(Config::default()).expect("the defaults are allowed");
        let spec = Spec::resolved("2048", &Config::default()).expect("it is a spec").to_string();
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        let site = BuildContext { game: game.description(), game_spec: &spec, host: &host };
        let config = TcConfig { network: Some("01 7".to_owned()), ..TcConfig::default() };
        let learner = TcNtuple::new(config, &site).expect("the network is one of the board");
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let header = |form: &str| {
            let file = folder.path().join(form);
            learner.save(&file, form).expect("there is room for a file");
            Container::open(&file).expect("it was just written").header().clone()
        };
        let forms = learner.formats().into_iter().map(|form| form.name).filter(|name| name != "w");
        let headers = forms.map(|form| (form.clone(), header(&form))).collect();
        Self { learner, headers }
    }

    /// Loads a model, or is refused and stays as it was.
    fn load(&self, model: &[u8]) {
        let before = self.values();
        if let Err(fault) = self.learner.load_bytes(model, "fuzz") {
            assert!(fault.0.contains("fuzz"), "the message names the file: {fault}");
            assert_eq!(before, self.values(), "refused, and yet changed: {fault}");
        }
    }

    /// The bits of what it says of some positions.
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

/// Loads the bytes as they are; as the sections of every form, behind a header and
/// with checksums that are right; as a compressed piece, and as one before it was.
pub fn load(data: &[u8]) {
    SUBJECT.with(|subject| {
        subject.load(data);
        for (form, header) in &subject.headers {
            let sections = match form.as_str() {
                "checkpoint" => {
                    let (weights, memory) = data.split_at(data.len() / 2);
                    vec![weights.to_vec(), memory.to_vec()]
                }
                "player" => vec![data.to_vec()],
                _ => {
                    let framed = compress_to_vec(data, CompressionLevel::Uncompressed);
                    subject.load(&sealed(header, &[piece(&framed), framed]));
                    vec![piece(data), data.to_vec()]
                }
            };
            subject.load(&sealed(header, &sections));
            if let Ok(text) = std::str::from_utf8(data) {
                let mut told = header.clone();
                told.facts.iter_mut().for_each(|(_, fact)| *fact = text.to_owned());
                subject.load(&sealed(&told, &sections));
            }
        }
    });
}

/// The list of one piece.
fn piece(bytes: &[u8]) -> Vec<u8> {
    (bytes.len() as u32).to_le_bytes().to_vec()
}

/// A container with this header and these sections; one that misses bytes is filled
/// up to the length that it should have.
fn sealed(header: &Header, sections: &[Vec<u8>]) -> Vec<u8> {
    let mut header = header.clone();
    let mut bytes = Vec::new();
    for (section, given) in header.sections.iter_mut().zip(sections) {
        let mut given = given.clone();
        if matches!(section.name.as_str(), "weights" | "memory") {
            given.resize(section.bytes as usize, 0);
        }
        section.bytes = given.len() as u64;
        bytes.extend(given);
    }
    let mut file = Vec::new();
    container::write(&mut file, &header, |out| out.write_all(&bytes)).expect("memory takes it");
    file
}

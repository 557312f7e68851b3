//! Arbitrary bytes as a model of a learner with a neural network: as they are, and as the facts and
//! the sections of a model, with the right checksums. A model that is loaded can be trained.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_core::{
    Control, Fault, Learner, Seed, TrainingBudget, TrainingProgress, TrainingSession,
};
use runner_files::Container;
use runner_files::container::{self, Header};
use runner_play::registry::Registry;
use runner_play::setting::{Resources, Setting};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

const LEARNERS: [&str; 2] = [
    "alpha-zero(channels: 1, hidden: 1, games: 2, simulators: 2, simulations: 2, samples: 256)",
    "policy-net(neuronCountJ: 1, neuronCountK: 1, batch_size: 2, steps: 1)",
];

/// A learner, and the parts of a model that it saved.
struct Subject {
    setting: Setting,
    header: Header,
    /// The facts as lines, an empty line, and the sections.
    parts: Vec<u8>,
    path: PathBuf,
    _folder: TempDir,
}

thread_local! {
    static SUBJECTS: [Subject; 2] = LEARNERS.map(Subject::new);
}

impl Subject {
    fn new(spec: &str) -> Self {
        let mut registry = Registry::new();
        runner_plugins::plugins().into_iter().for_each(|root| registry.link(root));
        let (game, spec) = ("2048(rows: 3, cols: 3)".parse().unwrap(), spec.parse().unwrap());
        let resources = Resources { threads: Some(1), seed: Seed(1) };
        let setting = Setting::new(&game, &spec, resources, &Arc::new(registry)).unwrap();
        train(&setting, 200).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fuzz.model");
        setting.trained_learner().unwrap().save(&path, "checkpoint").unwrap();
        let model = Container::open(&path).unwrap();
        let header = model.header().clone();
        let facts = header.facts.iter().map(|(name, fact)| format!("{name}={fact}\n"));
        let mut parts = facts.collect::<String>().into_bytes();
        parts.push(b'\n');
        for section in &header.sections {
            parts.extend(model.read_section(&section.name).unwrap());
        }
        Self { setting, header, parts, path, _folder: folder }
    }

    /// Returns the model whose facts and sections are these.
    fn model(&self, parts: &[u8]) -> Vec<u8> {
        let end = parts.windows(2).position(|pair| pair == b"\n\n").unwrap_or(parts.len());
        let (facts, body) = (&parts[..end], parts.get(end + 2..).unwrap_or_default());
        let facts = String::from_utf8_lossy(facts);
        let facts = facts.lines().filter_map(|line| line.split_once('='));
        let facts = facts.map(|(name, fact)| (name.to_owned(), fact.to_owned())).collect();
        let mut header = Header { facts, ..self.header.clone() };
        let mut left = body.len() as u64;
        for section in &mut header.sections {
            section.bytes = section.bytes.min(left);
            left -= section.bytes;
        }
        header.sections.last_mut().unwrap().bytes += left;
        let mut file = Vec::new();
        container::write(&mut file, &header, |out| out.write_all(body)).unwrap();
        file
    }

    fn load(&self, model: &[u8]) {
        let _ = std::fs::remove_file(&self.path);
        std::fs::write(&self.path, model).unwrap();
        let loaded = self.setting.trained_learner().unwrap().load(&[&self.path]);
        // A training takes much longer than reading.
        let is_trained = loaded.is_ok() && crc32fast::hash(model).is_multiple_of(8);
        let ended = if is_trained { train(&self.setting, 1).map(drop) } else { loaded };
        if let Err(fault) = ended {
            assert!(!fault.0.contains("panicked"), "{fault}");
        }
    }
}

fn train(setting: &Setting, moves: u64) -> Result<TrainingProgress, Fault> {
    let report = |_: &TrainingProgress| Control::Continue;
    let session = TrainingSession {
        budget: TrainingBudget { moves: Some(moves), ..TrainingBudget::default() },
        seed: Seed(1),
        ..TrainingSession::new(&setting.services, &report)
    };
    setting.trained_learner().unwrap().train(&*setting.game.rules, &session)
}

fuzz_target!(|data: &[u8]| {
    SUBJECTS.with(|subjects| {
        for subject in subjects {
            subject.load(data);
            subject.load(&subject.model(data));
            // Most inputs are not facts: what they replace lies somewhere in a whole model.
            let mut parts = subject.parts.clone();
            let begin = crc32fast::hash(data) as usize % parts.len();
            let end = parts.len().min(begin + data.len());
            parts[begin..end].copy_from_slice(&data[..end - begin]);
            subject.load(&subject.model(&parts));
        }
    });
});

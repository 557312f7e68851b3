//! Models of learners with networks: the facts and the sections of a trained one are changed, and get valid
//! checksums. A model that is loaded can be trained.

use super::{fuzz, write};
use runner_core::{Control, Learner, Seed, TrainingBudget, TrainingProgress, TrainingSession};
use runner_files::Container;
use runner_files::container::{self, Header};
use runner_play::registry::Registry;
use runner_play::setting::{Resources, Setting};
use std::io::Write;
use std::sync::Arc;

const LEARNERS: [&str; 2] = [
    "alpha-zero(channels: 1, hidden: 1, games: 2, simulators: 2, simulations: 2, samples: 256)",
    "policy-net(neuronCountJ: 1, neuronCountK: 1, batch_size: 2, steps: 1)",
];

fn train(setting: &Setting, moves: u64) -> Result<TrainingProgress, runner_core::Fault> {
    let report = |_: &TrainingProgress| Control::Continue;
    let session = TrainingSession {
        budget: TrainingBudget { moves: Some(moves), ..TrainingBudget::default() },
        seed: Seed(1),
        ..TrainingSession::new(&setting.services, &report)
    };
    setting.trained_learner().unwrap().train(&*setting.game.rules, &session)
}

/// Returns the text of the facts, an empty line, and the sections.
fn parts(model: &Container) -> Vec<u8> {
    let Header { facts, sections, .. } = model.header();
    let facts: String = facts.iter().map(|(name, fact)| format!("{name}={fact}\n")).collect();
    let sections = sections.iter().map(|section| model.read_section(&section.name).unwrap());
    [facts.into_bytes(), vec![b'\n'], sections.collect::<Vec<_>>().concat()].concat()
}

/// Returns the model of such parts.
fn whole(header: &Header, parts: &[u8]) -> Vec<u8> {
    let end = parts.windows(2).position(|pair| pair == b"\n\n").unwrap_or(parts.len());
    let (facts, body) = (&parts[..end], parts.get(end + 2..).unwrap_or_default());
    let facts = String::from_utf8_lossy(facts);
    let facts = facts.lines().filter_map(|line| line.split_once('='));
    let facts = facts.map(|(name, fact)| (name.to_owned(), fact.to_owned())).collect();
    let mut header = Header { facts, ..header.clone() };
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

pub fn models(registry: &Arc<Registry>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    for spec in LEARNERS {
        let (game, spec) = ("2048(rows: 3, cols: 3)".parse().unwrap(), spec.parse().unwrap());
        let resources = Resources { threads: Some(1), seed: Seed(1) };
        let setting = Setting::new(&game, &spec, resources, registry).unwrap();
        let learner = setting.trained_learner().unwrap();
        train(&setting, 200).unwrap();
        learner.save(&path, "checkpoint").unwrap();
        let model = Container::open(&path).unwrap();
        let (header, seed) = (model.header().clone(), parts(&model));
        fuzz(&format!("models of {}", spec.name()), &[seed], &|bytes| {
            for model in [bytes.to_vec(), whole(&header, bytes)] {
                write(&path, &model);
                let loaded = learner.load(&[&path]);
                // A training takes much longer than reading.
                let is_trained = loaded.is_ok() && crc32fast::hash(&model).is_multiple_of(8);
                let ended = loaded
                    .and_then(|()| if is_trained { train(&setting, 1).map(drop) } else { Ok(()) });
                if let Err(fault) = ended {
                    assert!(!fault.0.contains("panicked"), "{fault}");
                }
            }
        });
    }
}

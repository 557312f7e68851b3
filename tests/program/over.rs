//! Games that are over at their start: every command ends.

use crate::harness::place::Place;

const OVER: &str = "--game 'faulty(at: over)'";

#[test]
fn games_that_are_over_at_their_start_end_every_command() {
    let place = Place::with_library("test_faulty");
    let played = [
        format!("eval {OVER} --agent random --games 100"),
        format!("eval {OVER} --agent random --games 100 --records a.rec"),
        format!("{OVER} --agent random --games 100"),
        format!("compare {OVER} --a random --b greedy --games 800"),
        format!("tournament {OVER} --agent random --agent greedy --games 50 --out first"),
        format!(
            "tune {OVER} --agent 'faulty-agent(at: nowhere)' --parameter once_in=32:1..64 \
             --generations 2 --games 5 --out best.ron"
        ),
        format!("train {OVER} --agent 'td-ntuple(network: \"0123\")' --episodes 100"),
    ];
    for line in played {
        let document = place.json(&line);
        assert!(document.is_object(), "{line}: {document}");
    }
    let listed = place.done("replay verify a.rec").out;
    assert!(listed.contains("100 games"), "{listed}");
    // No move is ever made, so this budget is never spent.
    let train = format!("train {OVER} --agent 'tc-ntuple(network: \"0123\")' --moves 1M --force");
    let failed = place.sh(train);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.error().contains("were over at their start"), "{failed:?}");
}

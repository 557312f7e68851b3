//! One configuration file of each kind of the experiments runs.

use super::Reader;

#[test]
fn one_configuration_of_each_kind_runs() {
    let reader = Reader::new();
    // The second training continues the first one.
    for (command, file) in [
        ("runner train --config", "small-boards/3x3-large-1.train.ron"),
        ("runner train --config", "small-boards/3x3-large-2.train.ron"),
        ("runner eval --config", "sampling/pure-monte-carlo-10000.eval.ron"),
        ("runner tournament", "sampling/playouts-1ms.tournament.ron"),
    ] {
        reader.shell(file, &format!("{command} agents/experiments/{file}"));
    }
    let file = "learning/annealing.experiment.ron";
    let cut = "--only 'TC, constant' --scale 0.0000002 --max-games 1 --seeds 1 --delete-models";
    reader.shell(file, &format!("\"$GUIDE_RUNNER\" experiment agents/experiments/{file} {cut}"));
}

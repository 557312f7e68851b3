//! Runs the command lines of each file of `transcripts`, and compares their outputs with those in
//! the file. To add a line, write it into the file and run its test with `INSTA_UPDATE=always`,
//! which inserts the output.
//!
//! - `$ runner ...` runs the program, and `$` with other words a line of shell.
//! - `% ...` does the same, must end with a result, and its output is left out.
//! - `#! library NAME` loads the plugins of a crate from then on, `#! no libraries` ends that, and
//!   `#! without times` replaces what differs between runs.

use crate::harness::Ran;
use crate::harness::place::Place;
use crate::harness::transcript::timeless;
use std::collections::BTreeSet;
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/transcripts");

#[track_caller]
fn run(place: &Place, line: &str) -> Ran {
    line.strip_prefix("runner ").map_or_else(|| place.shell(line), |line| place.sh(line))
}

/// Runs the lines of a transcript again, and compares what they print.
fn repeat(name: &str) {
    let file = std::fs::read_to_string(Path::new(FOLDER).join(format!("{name}.snap"))).unwrap();
    let (_, text) = file.split_once("\n---\n").expect("a snapshot has a header");
    let (mut place, mut told, mut with_times) = (Place::new(), String::new(), true);
    for line in text.lines() {
        let printed = match line.split_once(' ') {
            Some(("$", line)) => place.printed(&run(&place, line)),
            Some(("%", line)) => {
                let ran = run(&place, line);
                assert!(matches!(ran.code, Some(0 | 3)), "{ran:?}");
                String::new()
            }
            Some(("#!", directive)) => {
                match directive {
                    "without times" => with_times = false,
                    "no libraries" => place.without_libraries(),
                    _ => place.with_link_to_library(
                        directive.strip_prefix("library ").expect("a directive of the first lines"),
                    ),
                }
                String::new()
            }
            _ => continue,
        };
        // Such a line would be run the next time.
        let is_run = |line: &str| matches!(line.split_once(' '), Some(("$" | "%" | "#!", _)));
        assert!(!printed.lines().any(is_run), "a line is like one of the transcript: {printed}");
        told += &format!("{line}\n{}", if with_times { printed } else { timeless(&printed) });
    }
    insta::with_settings!(
        { omit_expression => true, snapshot_path => "transcripts", prepend_module_to_snapshot => false },
        { insta::assert_snapshot!(name, told) }
    );
}

/// One test for each transcript.
macro_rules! transcripts {
    ($($name:ident,)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                repeat(stringify!($name));
            }
        )*
    };
}

transcripts! {
    a_file_that_is_no_model_is_refused_by_every_command,
    an_input_is_not_overwritten,
    bad_libraries_do_not_hide_each_other,
    candidates_that_are_refused_rank_last_unless_all_are,
    changed_lines_of_a_tournament_are_not_drawn,
    command_lines_are_refused_with_what_is_allowed,
    comparisons_are_refused_with_the_allowed_margins,
    configuration_files_are_refused_with_the_line,
    defects_of_games_and_learners_are_found,
    defects_of_players_are_found,
    experiments_are_refused_before_the_first_training,
    failed_experiments_state_what_helps,
    faults_of_builders_are_reported_with_the_file,
    files_are_overwritten_by_force_alone,
    folders_of_other_experiments_are_refused,
    folders_of_other_tournaments_are_refused,
    games_that_are_over_at_their_start_end_every_command,
    limits_of_a_resumed_training_count_from_its_start,
    mistakes_are_answered_by_what_works,
    models_are_converted_to_other_formats_and_back,
    models_are_described_and_verified_without_their_plugin,
    models_of_a_training_are_overwritten_only_with_force,
    models_of_policies_are_refused_when_damaged_or_of_another_board,
    names_that_two_libraries_export_are_refused_with_both_files,
    new_plugins_overwrite_nothing,
    plots_of_wrong_files_are_refused,
    plugins_are_shown_with_their_parameters,
    positions_and_games_are_refused_by_analyses,
    records_and_tables_are_refused_before_the_first_game,
    searches_are_refused_with_what_fits_the_board,
    solves_are_printed_and_wrong_ones_refused,
    specs_are_refused_with_the_place_and_the_allowed_names,
    starts_that_are_no_positions_are_refused,
    tables_of_solved_games_play_their_game_alone,
    tournaments_are_refused_before_the_first_game,
    trainings_are_refused_before_the_first_move,
    tunings_are_refused_with_the_numbers_of_the_agent,
    untrained_learners_are_refused_with_the_command_that_trains_them,
    variants_of_2048_are_refused_by_name,
    wrong_requests_are_answered_by_errors_and_the_game_continues,
    wrong_rules_of_a_foreign_plugin_are_noted_when_a_game_is_built,
}

#[test]
fn every_transcript_has_a_test() {
    let files = std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().file_name());
    // A failed test leaves a file `.snap.new`.
    let files = files.map(|name| name.into_string().unwrap());
    let files: BTreeSet<_> = files.filter(|name| name.ends_with(".snap")).collect();
    let tests: BTreeSet<_> = NAMES.iter().map(|name| format!("{name}.snap")).collect();
    assert_eq!(files, tests);
}

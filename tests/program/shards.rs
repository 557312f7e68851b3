//! Tests of `runner shards`: shards together equal a tournament on one machine.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;
use std::fs;
use std::time::Duration;

const TOURNAMENT: &str = r#"(
    game: [2048(rows: 3, cols: 3), (label: "t", game: threes(rows: 3, cols: 3))],
    agent: [random, greedy, (label: "best", agent: rows)],
    games: 50,
)"#;

const MERGE: &str = "shards merge t.json --out merged";

impl Place {
    /// Returns a folder with the plan `t.json` of a tournament.
    fn of_shards(count: u32) -> Self {
        let place = Self::new();
        fs::write(place.path("t.ron"), TOURNAMENT).unwrap();
        place.done(format!("shards plan t.ron --shards {count}"));
        place
    }

    /// Runs shards of the plan.
    #[track_caller]
    fn run_shards(&self, shards: impl IntoIterator<Item = u32>) {
        for shard in shards {
            self.done(format!("shards run t.json --shard {shard}"));
        }
    }
}

#[test]
fn seven_shards_equal_one_machine() {
    let place = Place::of_shards(7);
    place.done("tournament t.ron --out whole");
    place.run_shards([3, 1, 7, 2, 5, 6]);
    assert_snapshot!(place.transcript(MERGE));
    assert!(!place.path("merged").exists());
    place.run_shards([4]);
    // A shard is played once, however often it is run.
    let before = place.text("t.shards/shard-4.jsonl");
    place.run_shards([4]);
    assert_eq!(place.text("t.shards/shard-4.jsonl"), before);
    // A shard that was killed while it wrote a line.
    let text = place.text("t.shards/shard-2.jsonl");
    fs::write(place.path("t.shards/shard-2.jsonl"), &text[..text.len() - 200]).unwrap();
    place.run_shards([2]);

    place.done(MERGE);
    assert_eq!(place.results("merged"), place.results("whole"));
    // One machine writes the same report about these results, to the byte.
    let reports =
        || ["json", "md", "html"].map(|form| place.text(&format!("merged/report.{form}")));
    let merged = reports();
    place.done("tournament --out merged --resume");
    assert_eq!(reports(), merged);
}

#[test]
fn tournament_of_flags_is_planned_as_its_file() {
    let place = Place::of_shards(3);
    let flags = "shards plan --shards 3 --game '2048(rows: 3, cols: 3)' 't=threes(rows: 3, cols: 3)' \
                 --agent random greedy best=rows --games 50";
    place.done(format!("{flags} --out flags.json"));
    assert_eq!(place.text("flags.json"), place.text("t.json"));
    assert_snapshot!(place.transcript(flags));
}

#[test]
fn edited_scripts_are_not_overwritten() {
    let place = Place::of_shards(3);
    place.done("shards submit t.json");
    // The same scripts are written again.
    place.done("shards submit t.json");
    let edited = place.text("t.sbatch").replace("--requeue", "--account=me");
    fs::write(place.path("t.sbatch"), &edited).unwrap();
    let script = place.text("t.hq.sh");
    let told = place.transcript("shards submit t.json --threads 2\nshards submit t.json");
    assert_eq!((place.text("t.sbatch"), place.text("t.hq.sh")), (edited, script));
    place.done("shards submit t.json --force");
    assert!(place.text("t.sbatch").contains("--requeue"));
    // A plan is not replaced by its own script.
    let plan = place.text("t.json");
    fs::write(place.path("y.sbatch"), &plan).unwrap();
    assert_snapshot!(told + &place.transcript("shards submit y.sbatch --force"));
    assert_eq!(place.text("y.sbatch"), plan);
    assert!(!place.path("y.hq.sh").exists());
}

#[test]
fn evaluation_in_shards_equals_one_machine() {
    let place = Place::new();
    let games = "--game '2048(rows: 3, cols: 3)' --agent rows --games 250 --seed 7";
    let whole = place.done(format!("eval --json --threads 1 {games}"));
    place.done(format!("shards plan --shards 4 --out e.json {games}"));
    for shard in 1..=4 {
        let ran = place.done(format!("shards run e.json --shard {shard}"));
        assert!(ran.err.contains(" games"), "{ran:?}");
    }
    let merged = place.done("shards merge e.json --out merged --json");
    assert_eq!(without_speed(&merged.out), without_speed(&whole.out));
    assert_eq!(place.text("merged/report.json"), merged.out);
    assert_eq!(place.text("merged/results.jsonl").lines().count(), 250);
}

/// Returns the document of an evaluation to the byte, except for the values of its times.
fn without_speed(document: &str) -> String {
    let report: Value = serde_json::from_str(document).unwrap();
    let mut text = document.to_owned();
    for field in ["seconds", "moves_per_second"] {
        let value = format!("\"{field}\":{},", report[field]);
        assert!(text.contains(&value), "{value}: {text}");
        text = text.replacen(&value, "", 1);
    }
    text
}

#[test]
fn faults_of_an_evaluation_in_shards_are_those_of_one_machine() {
    let place = Place::with_library("test_faulty");
    let agent = "faulty-agent(at: act, once_in: 40)";
    let games = format!("--game '2048(rows: 2, cols: 3)' --agent '{agent}' --games 60");
    let whole = place.sh(format!("eval --json --threads 1 {games}"));
    place.done(format!("shards plan --shards 3 --out e.json --records {games}"));
    for shard in 1..=3 {
        place.done(format!("shards run e.json --shard {shard}"));
    }
    let merged = place.sh("shards merge e.json --out merged --json");
    assert_eq!(without_speed(&merged.out), without_speed(&whole.out));
    assert_eq!((merged.code, merged.error()), (Some(1), whole.error()));
    let games = whole.json()["games"].as_u64().unwrap();
    assert_eq!(place.recorded("merged/records").len() as u64, games);
    // A merge does not continue without a damaged record.
    let record = place.names_in("e.shards/shard-2.records").remove(0);
    fs::write(place.path("e.shards/shard-2.records").join(record), "damaged").unwrap();
    let refused = place.sh("shards merge e.json --out other");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let remedy = "remove it and the results of its shard, and play the shard again";
    assert!(refused.error().contains(remedy), "{refused:?}");
    assert!(!place.path("other").exists());
}

#[test]
fn flags_of_a_plan_are_those_of_a_tournament() {
    let place = Place::of_shards(2);
    place.run_shards([1]);
    let plan = "shards plan t.ron --shards 3";
    place.done(format!("{plan} --force --records --games 6 --move-limit 900"));
    // The results of the plan before are not taken for those of this one.
    let of_another = place.sh("shards run t.json --shard 1");
    assert!(of_another.error().contains("results of another plan"), "{of_another:?}");
    fs::remove_dir_all(place.path("t.shards")).unwrap();
    place.run_shards(1..=3);
    place.done(MERGE);
    assert_eq!(place.recorded("merged/records").len(), 36);
    assert!(place.text("merged/config.ron").contains("move_limit: 900"));
}

#[test]
fn changed_plans_and_results_of_others_are_refused() {
    let place = Place::of_shards(3);
    place.run_shards([1]);
    let plan = place.text("t.json");
    let edits = [("games: 50", "games: 51"), ("100", "101"), ("random", "greedy")];
    let edited = edits.map(|(old, new)| plan.replacen(old, new, 1));
    for text in edited.iter().map(String::as_str).chain(["{}"]) {
        assert_ne!(text, plan);
        fs::write(place.path("t.json"), text).unwrap();
        let refused = place.sh("shards run t.json --shard 1");
        assert!(refused.error().contains("write the plan again with"), "{refused:?}");
    }
    fs::write(place.path("t.json"), &plan).unwrap();
    fs::write(place.path("t.shards/plan.json"), "{}").unwrap();
    let mut told = place.transcript("shards run t.json --shard 1");
    fs::remove_file(place.path("t.shards/plan.json")).unwrap();
    place.run_shards([1]);
    assert_eq!(place.text("t.shards/plan.json"), plan);
    fs::copy(place.path("t.shards/shard-1.jsonl"), place.path("t.shards/shard-2.jsonl")).unwrap();
    told += &place.transcript(
        "shards run t.json --shard 4
        shards plan t.ron --shards 3
        shards plan t.ron --shards 301 --out many.json
        shards run t.json --shard 2",
    );
    assert_snapshot!(told);
}

#[test]
fn edited_score_of_a_shard_is_named_with_its_line() {
    let place = Place::of_shards(2);
    place.run_shards(1..=2);
    let file = place.path("t.shards/shard-2.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let line = text.lines().nth(4).unwrap();
    let edited = line.replacen("\"score\":", "\"score\":1", 1);
    assert!(serde_json::from_str::<Value>(&edited).is_ok());
    fs::write(&file, text.replacen(line, &edited, 1)).unwrap();
    for line in [MERGE, "shards run t.json --shard 2"] {
        let refused = place.sh(line);
        let message = "t.shards/shard-2.jsonl: line 5 is damaged: checksum mismatch";
        assert!(refused.code == Some(1) && refused.error().contains(message), "{refused:?}");
    }
    assert!(!place.path("merged").exists());
    // Without the line, its game is played again.
    fs::write(&file, text.replacen(&format!("{line}\n"), "", 1)).unwrap();
    place.run_shards([2]);
    place.done(MERGE);
}

#[test]
fn merge_that_is_killed_is_run_again() {
    let place = Place::of_shards(3);
    place.run_shards(1..=3);
    place.done("shards merge t.json --out whole");
    let files = |folder: &str| {
        ["results.jsonl", "report.json"].map(|name| place.text(&format!("{folder}/{name}")))
    };
    let mut random = runner_core::Random::from_word(5);
    for _ in 0..20 {
        let mut child = place.start_silent(MERGE);
        std::thread::sleep(Duration::from_millis(random.below(60).into()));
        child.kill().unwrap();
        child.wait().unwrap();
        // The folder is complete, or is not there.
        if place.path("merged").exists() {
            assert!(files("merged") == files("whole"));
            fs::remove_dir_all(place.path("merged")).unwrap();
        }
    }
    place.done(MERGE);
    assert!(files("merged") == files("whole"));
    assert_eq!(place.names(), ["merged", "t.json", "t.ron", "t.shards", "whole"]);
    assert_snapshot!(place.transcript(&format!("{MERGE}\nshards merge t.json --out t.ron")));
}

#[cfg(unix)]
#[test]
fn tasks_for_slurm_are_as_many_as_it_allows_and_play_several_shards() {
    let place = Place::new();
    let player = "--game '2048(rows: 2, cols: 2)' --agent random";
    place.done(format!("shards plan --shards 2500 --games 2500 --out e.json {player}"));
    assert_snapshot!(place.transcript("shards submit e.json"));
    assert!(place.text("e.sbatch").contains("#SBATCH --array=1-1000\n"));
    // A shard that fails does not keep the task from the next ones.
    fs::create_dir(place.path("e.shards")).unwrap();
    fs::write(place.path("e.shards/shard-1500.jsonl"), "what\n").unwrap();
    let task = "SLURM_ARRAY_TASK_ID=500 bash e.sbatch";
    let failed = place.shell(task);
    assert!(failed.code == Some(1) && failed.err.contains("line 1 is damaged"), "{failed:?}");
    assert!(place.path("e.shards/shard-2500.jsonl").exists());
    fs::remove_file(place.path("e.shards/shard-1500.jsonl")).unwrap();
    place.shell(task).success();
    assert_ne!(place.shell("unset SLURM_ARRAY_TASK_ID; bash e.sbatch").code, Some(0));
    let shards = ["shard-1500.jsonl", "shard-2500.jsonl", "shard-500.jsonl"];
    assert_eq!(place.names_in("e.shards"), [&["plan.json"], &shards[..]].concat());
}

/// Runs the script for Slurm as a cluster does: each task of the array in its own shell. The tasks
/// of HyperQueue run in another test.
#[cfg(unix)]
#[test]
fn script_for_slurm_plays_every_shard() {
    let place = Place::of_shards(5);
    place.done("tournament t.ron --out whole");
    place.done("shards submit t.json --threads 2");
    let sbatch = r#"
        script=$1
        range=$(sed -n 's/^#SBATCH --array=//p' "$script")
        [ "$(sed -n 's/^#SBATCH --cpus-per-task=//p' "$script")" = 2 ]
        for SLURM_ARRAY_TASK_ID in $(seq "${range%-*}" "${range#*-}"); do
            export SLURM_ARRAY_TASK_ID
            bash "$script"
        done
    "#;
    let mut shell = std::process::Command::new("bash");
    crate::harness::prepare(&mut shell).args(["-euc", sbatch, "sbatch", "t.sbatch"]);
    crate::harness::ran(shell.current_dir(place.folder())).success();
    place.done(MERGE);
    assert_eq!(place.results("merged"), place.results("whole"));
}

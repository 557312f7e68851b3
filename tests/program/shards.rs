//! Tests of `runner shards`: shards together equal a tournament on one machine.

use crate::harness::place::Place;
use crate::harness::{Ran, expect_usage_error};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

const TOURNAMENT: &str = r#"(
    game: [2048(rows: 3, cols: 3), (label: "t", game: threes(rows: 3, cols: 3))],
    agent: [random, greedy, (label: "best", agent: rows)],
    games: 50,
)"#;

impl Place {
    fn of_shards(count: &str) -> Self {
        let place = Self::new();
        fs::write(place.path("t.ron"), TOURNAMENT).unwrap();
        place.run(&["shards", "plan", "t.ron", "--shards", count]).success();
        place
    }

    fn shard(&self, shard: &str) -> Ran {
        self.run(&["shards", "run", "t.json", "--shard", shard])
    }

    fn merge(&self) -> Ran {
        self.run(&["shards", "merge", "t.json", "--out", "merged"])
    }
}

#[test]
fn seven_shards_equal_one_machine() {
    let place = Place::of_shards("7");
    assert_eq!(place.run(&["tournament", "t.ron", "--out", "whole"]).code, Some(0));
    for shard in ["3", "1", "7", "2", "5", "6"] {
        assert_eq!(place.shard(shard).code, Some(0));
    }
    let missing = place.merge();
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.error().contains("missing in shard 4 (0 of 4"), "{missing:?}");
    assert!(!place.path("merged").exists());
    assert_eq!(place.shard("4").code, Some(0));
    // A shard is played once, however often it is run.
    let before = place.text("t.shards/shard-4.jsonl");
    assert_eq!(place.shard("4").code, Some(0));
    assert_eq!(place.text("t.shards/shard-4.jsonl"), before);
    // A shard that was killed while it wrote a line.
    let file = place.path("t.shards/shard-2.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 200]).unwrap();
    assert_eq!(place.shard("2").code, Some(0));

    assert_eq!(place.merge().code, Some(0));
    assert_eq!(place.results("merged"), place.results("whole"));
    // One machine writes the same report about these results, to the byte.
    let report = |name: &str| place.text(&format!("merged/report.{name}"));
    let forms = ["json", "md", "html"];
    let merged = forms.map(report);
    assert_eq!(place.run(&["tournament", "--out", "merged", "--resume"]).code, Some(0));
    assert_eq!(forms.map(report), merged);
}

#[test]
fn tournament_of_flags_is_planned_as_its_file() {
    let place = Place::of_shards("3");
    let plan = |words: &[&str]| place.run(&[&["shards", "plan", "--shards", "3"], words].concat());
    let games = ["--game", "2048(rows: 3, cols: 3)", "t=threes(rows: 3, cols: 3)"];
    let agents = ["--agent", "random", "greedy", "best=rows", "--games", "50"];
    let flags = [&games[..], &agents].concat();
    expect_usage_error(&plan(&flags), &["--out"]);
    plan(&[&flags[..], &["--out", "flags.json"]].concat()).success();
    assert_eq!(place.text("flags.json"), place.text("t.json"));
    expect_usage_error(&plan(&["--game", "2048", "--agent", "gredy"]), &["`greedy`"]);
    let evaluation = ["--game", "threes", "--agent", "random", "--out", "e.json", "--games"];
    expect_usage_error(&plan(&[&evaluation[..], &["many"]].concat()), &["--games", "many"]);
    assert!(!place.path("e.json").exists());
}

#[test]
fn edited_scripts_are_not_overwritten() {
    let place = Place::of_shards("3");
    let submit = |more: &[&str]| place.run(&[&["shards", "submit", "t.json"], more].concat());
    assert_eq!(submit(&[]).code, Some(0));
    assert_eq!(submit(&[]).code, Some(0), "the same scripts are written again");
    let edited = place.text("t.sbatch").replace("--requeue", "--account=me");
    fs::write(place.path("t.sbatch"), &edited).unwrap();
    let script = place.text("t.hq.sh");
    expect_usage_error(&submit(&["--threads", "2"]), &["t.hq.sh exists", "--force"]);
    expect_usage_error(&submit(&[]), &["t.sbatch exists", "--force"]);
    assert_eq!((place.text("t.sbatch"), place.text("t.hq.sh")), (edited, script));
    assert_eq!(submit(&["--force"]).code, Some(0));
    assert!(place.text("t.sbatch").contains("--requeue"));
    // A plan is not replaced by its own script.
    let plan = place.text("t.json");
    fs::write(place.path("y.sbatch"), &plan).unwrap();
    let refused = place.run(&["shards", "submit", "y.sbatch", "--force"]);
    expect_usage_error(&refused, &["y.sbatch is the plan", "another extension"]);
    assert_eq!(place.text("y.sbatch"), plan);
    assert!(!place.path("y.hq.sh").exists());
}

#[test]
fn evaluation_in_shards_equals_one_machine() {
    let place = Place::new();
    let player = ["--game", "2048(rows: 3, cols: 3)", "--agent", "rows"];
    let games = ["--games", "250", "--seed", "7"];
    let whole = place.run(&[&["eval", "--json", "--threads", "1"], &player[..], &games].concat());
    let plan = ["shards", "plan", "--shards", "4", "--out", "e.json"];
    assert_eq!(place.run(&[&plan[..], &player, &games].concat()).code, Some(0));
    for shard in ["1", "2", "3", "4"] {
        let ran = place.run(&["shards", "run", "e.json", "--shard", shard]);
        assert!(ran.code == Some(0) && ran.err.contains(" games"), "{ran:?}");
    }
    let merged = place.run(&["shards", "merge", "e.json", "--out", "merged", "--json"]);
    assert_eq!(without_speed(&merged.out), without_speed(&whole.out));
    assert_eq!(place.text("merged/report.json"), merged.out);
    assert_eq!(place.text("merged/results.jsonl").lines().count(), 250);
    let again = place.run(&["shards", "merge", "e.json", "--out", "merged"]);
    expect_usage_error(&again, &["merged holds files already"]);
    expect_usage_error(&place.run(&plan[..4]), &["--game is missing"]);
    let nowhere = [&plan[..4], &player].concat();
    expect_usage_error(&place.run(&nowhere), &["--out is missing"]);
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
    let player = ["--game", "2048(rows: 2, cols: 3)", "--agent"];
    let player = [&player[..], &["faulty-agent(at: act, once_in: 40)", "--games", "60"]].concat();
    let whole = place.run(&[&["eval", "--json", "--threads", "1"], &player[..]].concat());
    let plan = ["shards", "plan", "--shards", "3", "--out", "e.json", "--records"];
    assert_eq!(place.run(&[&plan[..], &player].concat()).code, Some(0));
    for shard in ["1", "2", "3"] {
        assert_eq!(place.run(&["shards", "run", "e.json", "--shard", shard]).code, Some(0));
    }
    let merged = place.run(&["shards", "merge", "e.json", "--out", "merged", "--json"]);
    assert_eq!(without_speed(&merged.out), without_speed(&whole.out));
    assert_eq!((merged.code, merged.error()), (Some(1), whole.error()));
    let games = whole.json()["games"].as_u64().unwrap();
    assert_eq!(place.recorded("merged/records").len() as u64, games);
    // A merge does not continue without a damaged record.
    let mut records = fs::read_dir(place.path("e.shards/shard-2.records")).unwrap();
    fs::write(records.next().unwrap().unwrap().path(), "damaged").unwrap();
    let refused = place.run(&["shards", "merge", "e.json", "--out", "other"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let remedy = "remove it and the results of its shard, and play the shard again";
    assert!(refused.error().contains(remedy), "{refused:?}");
    assert!(!place.path("other").exists());
}

#[test]
fn flags_of_a_plan_are_those_of_a_tournament() {
    let place = Place::of_shards("2");
    let plan = |words: &[&str]| {
        place.run(&[&["shards", "plan", "t.ron", "--shards", "3"], words].concat())
    };
    assert_eq!(place.shard("1").code, Some(0));
    expect_usage_error(&plan(&[]), &["t.json exists already", "--force"]);
    let more = ["--force", "--records", "--games", "6", "--preset", "bot-contest"];
    assert_eq!(plan(&more).code, Some(0));
    // The results of the plan before are not taken for those of this one.
    let other = place.shard("1");
    expect_usage_error(&other, &["t.shards holds the results of another plan"]);
    fs::remove_dir_all(place.path("t.shards")).unwrap();
    for shard in ["1", "2", "3"] {
        assert_eq!(place.shard(shard).code, Some(0));
    }
    assert_eq!(place.merge().code, Some(0));
    assert_eq!(place.recorded("merged/records").len(), 36);
    assert!(place.text("merged/config.ron").contains("preset: r#bot-contest"));
}

#[test]
fn changed_plans_and_results_of_others_are_refused() {
    let place = Place::of_shards("3");
    assert_eq!(place.shard("1").code, Some(0));
    let plan = place.text("t.json");
    for (old, new) in [("games: 50", "games: 51"), ("100", "101"), ("random", "greedy")] {
        assert!(plan.contains(old));
        fs::write(place.path("t.json"), plan.replacen(old, new, 1)).unwrap();
        let refused = place.shard("1");
        assert!(refused.code == Some(1) && refused.error().contains("checksum"), "{refused:?}");
    }
    fs::write(place.path("t.json"), "{}").unwrap();
    assert!(place.shard("1").error().contains("t.json: no plan"));
    fs::write(place.path("t.json"), &plan).unwrap();
    let copy = place.path("t.shards/plan.json");
    fs::write(&copy, "{}").unwrap();
    for damaged in [place.shard("1"), place.merge()] {
        assert_eq!(damaged.code, Some(1), "{damaged:?}");
        let parts = ["t.shards/plan.json: no plan", "remove this copy"];
        assert!(parts.iter().all(|part| damaged.error().contains(part)), "{damaged:?}");
    }
    fs::remove_file(&copy).unwrap();
    assert_eq!(place.shard("1").code, Some(0));
    assert_eq!(fs::read_to_string(&copy).unwrap(), plan);
    expect_usage_error(&place.shard("4"), &["the plan has the shards 1 to 3"]);
    expect_usage_error(
        &place.run(&["shards", "plan", "t.ron", "--shards", "3"]),
        &["t.json exists already"],
    );
    let many = ["shards", "plan", "t.ron", "--shards", "301", "--out", "many.json"];
    expect_usage_error(&place.run(&many), &["there are 300 games"]);
    fs::copy(place.path("t.shards/shard-1.jsonl"), place.path("t.shards/shard-2.jsonl")).unwrap();
    let other = place.shard("2");
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.error().contains("not part of this shard"), "{other:?}");
}

#[test]
fn edited_score_of_a_shard_is_named_with_its_line() {
    let place = Place::of_shards("2");
    for shard in ["1", "2"] {
        assert_eq!(place.shard(shard).code, Some(0));
    }
    let file = place.path("t.shards/shard-2.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let line = text.lines().nth(4).unwrap();
    let edited = line.replacen("\"score\":", "\"score\":1", 1);
    assert!(serde_json::from_str::<Value>(&edited).is_ok());
    fs::write(&file, text.replacen(line, &edited, 1)).unwrap();
    for refused in [place.merge(), place.shard("2")] {
        assert_eq!(refused.code, Some(1), "{refused:?}");
        for part in ["shard-2.jsonl: line 5 is damaged", "checksum mismatch", "remove the line"] {
            assert!(refused.error().contains(part), "{part}: {refused:?}");
        }
    }
    assert!(!place.path("merged").exists());
    // Without the line, its game is played again.
    fs::write(&file, text.replacen(&format!("{line}\n"), "", 1)).unwrap();
    assert_eq!(place.shard("2").code, Some(0));
    assert_eq!(place.merge().code, Some(0));
}

#[test]
fn merge_that_is_killed_is_run_again() {
    let place = Place::of_shards("3");
    for shard in ["1", "2", "3"] {
        assert_eq!(place.shard(shard).code, Some(0));
    }
    let merge = |out| ["shards", "merge", "t.json", "--out", out];
    assert_eq!(place.run(&merge("whole")).code, Some(0));
    let whole = ["results.jsonl", "report.json"].map(|name| place.text(&format!("whole/{name}")));
    let is_whole = || {
        let merged = ["results.jsonl", "report.json"].map(|name| format!("merged/{name}"));
        merged.map(|name| place.text(&name)) == whole
    };
    let mut random = runner_core::Random::from_word(5);
    for _ in 0..20 {
        let mut child = place.command(&merge("merged"));
        child.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.below(60).into()));
        child.kill().unwrap();
        child.wait().unwrap();
        // The folder is complete, or is not there.
        if place.path("merged").exists() {
            assert!(is_whole());
            fs::remove_dir_all(place.path("merged")).unwrap();
        }
    }
    assert_eq!(place.merge().code, Some(0));
    assert!(is_whole());
    assert_eq!(place.names(), ["merged", "t.json", "t.ron", "t.shards", "whole"]);
    expect_usage_error(&place.merge(), &["merged holds files already", "another folder"]);
    let on_file = place.run(&["shards", "merge", "t.json", "--out", "t.ron"]);
    expect_usage_error(&on_file, &["t.ron is not a folder", "name one"]);
}

#[cfg(unix)]
#[test]
fn tasks_for_slurm_are_as_many_as_it_allows_and_play_several_shards() {
    let place = Place::new();
    let plan = ["shards", "plan", "--shards", "2500", "--games", "2500", "--out", "e.json"];
    let player = ["--game", "2048(rows: 2, cols: 2)", "--agent", "random"];
    assert_eq!(place.run(&[&plan[..], &player].concat()).code, Some(0));
    let submitted = place.run(&["shards", "submit", "e.json"]);
    assert!(submitted.err.contains("e.hq.sh: 2,500 shards in 2,500 tasks"), "{submitted:?}");
    assert!(submitted.err.contains("e.sbatch: 2,500 shards in 1,000 tasks"), "{submitted:?}");
    assert!(place.text("e.sbatch").contains("#SBATCH --array=1-1000\n"));
    let task = |number: Option<&str>| {
        let mut task = std::process::Command::new("bash");
        crate::harness::prepare(&mut task).arg("e.sbatch").env_remove("SLURM_ARRAY_TASK_ID");
        task.envs(number.map(|number| ("SLURM_ARRAY_TASK_ID", number)));
        crate::harness::ran(task.current_dir(place.folder()))
    };
    // A shard that fails does not keep the task from the next ones.
    fs::create_dir(place.path("e.shards")).unwrap();
    fs::write(place.path("e.shards/shard-1500.jsonl"), "what\n").unwrap();
    let failed = task(Some("500"));
    assert!(failed.code == Some(1) && failed.err.contains("line 1 is damaged"), "{failed:?}");
    assert!(place.path("e.shards/shard-2500.jsonl").exists());
    fs::remove_file(place.path("e.shards/shard-1500.jsonl")).unwrap();
    task(Some("500")).success();
    assert_ne!(task(None).code, Some(0));
    let entries = fs::read_dir(place.path("e.shards")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    let shards = ["shard-1500.jsonl", "shard-2500.jsonl", "shard-500.jsonl"];
    assert_eq!(files, [&["plan.json"], &shards[..]].concat());
}

/// Runs the script for Slurm as a cluster does: each task of the array in its own shell. The tasks
/// of HyperQueue run in another test.
#[cfg(unix)]
#[test]
fn script_for_slurm_plays_every_shard() {
    let place = Place::of_shards("5");
    assert_eq!(place.run(&["tournament", "t.ron", "--out", "whole"]).code, Some(0));
    assert_eq!(place.run(&["shards", "submit", "t.json", "--threads", "2"]).code, Some(0));
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
    assert_eq!(place.merge().code, Some(0));
    assert_eq!(place.results("merged"), place.results("whole"));
}

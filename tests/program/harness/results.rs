//! Results and reports of tournaments, without times.

use super::place::Place;
use serde_json::Value;

impl Place {
    /// Returns the results without times, sorted.
    pub fn results(&self, folder: &str) -> Vec<String> {
        let text = self.text(&format!("{folder}/results.jsonl"));
        assert!(text.is_empty() || text.ends_with('\n'));
        let mut lines: Vec<_> = text.lines().map(without_time).collect();
        lines.sort();
        lines
    }

    /// Returns the report without times, and without the run that wrote it.
    pub fn report(&self, folder: &str) -> Value {
        let mut report: Value =
            serde_json::from_str(&self.text(&format!("{folder}/report.json"))).unwrap();
        report["run"] = Value::Null;
        for row in report["rows"].as_array_mut().unwrap() {
            row["moves_per_second"] = Value::Null;
            row["seconds_per_move"] = Value::Null;
        }
        report
    }
}

fn without_time(line: &str) -> String {
    let mut game: Value = serde_json::from_str(line).unwrap();
    let fields = game.as_object_mut().unwrap();
    fields.retain(|name, _| !["seconds", "move_times"].contains(&name.as_str()));
    game.to_string()
}

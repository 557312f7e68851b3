//! Groups of fields.

use crate::{Spec, read_document};
use serde::Deserialize;

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Inner {
    game: Option<Spec>,
    seed: u64,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Other {
    agents: Vec<Spec>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Outer {
    #[serde(rename = "..inner")]
    inner: Inner,
    games: u64,
    #[serde(rename = "..other")]
    other: Other,
}

#[test]
fn groups_take_their_fields_from_the_outer_struct() {
    let read = |text| read_document::<Outer>(text);
    let game: Spec = "2048(rows: 3)".parse().unwrap();
    let outer = read("(games: 7, game: 2048(rows: 3), agents: [a, b(c: 1)], seed: 5)").unwrap();
    assert_eq!(outer.inner, Inner { game: Some(game), seed: 5 });
    assert_eq!((outer.games, outer.other.agents.len()), (7, 2));
    assert_eq!(read("()"), Ok(Outer::default()));
}

#[test]
fn errors_in_groups_have_their_place_and_all_known_names() {
    let error = |text| read_document::<Outer>(text).unwrap_err();
    let unknown = error("(\n  games: 7,\n  sed: 5,\n)");
    assert_eq!(unknown.allowed, ["game", "seed", "agents", "games"]);
    assert!(unknown.to_string().contains("line 3, character 3"), "{unknown}");
    assert!(unknown.to_string().contains("did you mean `seed`?"), "{unknown}");
    let wrong = error("(seed: 5, game: [])");
    assert_eq!(&wrong.text[wrong.span.clone()], "[]");
    assert!(wrong.message.contains("`game`"), "{wrong}");
    // A group cannot be set as a field.
    assert!(read_document::<Outer>("(inner: (seed: 5))").is_err());
    assert!(read_document::<Outer>("(r#..inner: (seed: 5))").is_err());
}

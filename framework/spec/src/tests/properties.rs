//! Properties of all specs and texts.

use super::{Entry, Search, Seed, spec};
use crate::{Spec, read_document};
use proptest::prelude::*;

fn any_spec() -> impl Strategy<Value = Spec> {
    let name = "[a-z0-9][a-z0-9_-]{0,8}";
    let word = prop_oneof![
        name.prop_map(String::from),
        any::<f64>().prop_map(|x| format!("{x:?}")),
        any::<i64>().prop_map(|x| x.to_string()),
        any::<String>().prop_map(|x| ron::to_string(&x).unwrap()),
    ];
    let value = word.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("[{}]", all.join(","))),
            (name, inner.clone()).prop_map(|(name, value)| format!("{name}( x:{value} , )")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{{ {a}: ( {b}, {a} ) }}")),
        ]
    });
    (name, prop::option::of(value)).prop_map(|(name, value)| match value {
        Some(value) => spec(&format!("{name}(a-1: {value})")),
        None => spec(&name),
    })
}

proptest! {
    #[test]
    fn resolved_configuration_reads_back_equal(
        depth: i32, rate: f64, value in prop::option::of(any_spec()),
        others in prop::collection::vec(any_spec(), 0..3), file: String,
        limits: Option<(u8, u8)>, seed: u64, exact: bool,
        entry in prop_oneof![
            Just(Entry::MovedLines), Just(Entry::FarEdge), Just(Entry::FirstCell)
        ],
    ) {
        let seed = Seed(seed);
        let config = Search { depth, rate, value, others, entry, file, limits, seed, exact };
        let resolved = Spec::resolved("any-name", &config).unwrap();
        prop_assert!(!resolved.to_string().contains('\n'));
        prop_assert_eq!(resolved.read::<Search>().unwrap(), config);
        let again: Spec = resolved.to_string().parse().unwrap();
        prop_assert_eq!(&again, &resolved);
        // Setting a parameter to its own value changes nothing.
        for number in resolved.numbers() {
            let value = resolved.get(&number.path).unwrap().clone();
            prop_assert_eq!(&resolved.with(&number.path, value).unwrap(), &resolved);
        }
        let ron = ron::to_string(&resolved).unwrap();
        prop_assert_eq!(read_document::<Spec>(&ron).unwrap(), resolved);
    }

    #[test]
    fn any_text_is_parsed_or_rejected_at_a_place_in_it(
        text in prop_oneof![
            any::<String>(),
            "[a-z0-9(){}\\[\\]:,\"'\\\\r#/* .\n木-]{0,24}",
            "(r#|true|false|Some|None|x|3|inf|\\(|\\)|, |: ){0,10}",
        ],
    ) {
        match text.parse::<Spec>() {
            Ok(spec) => prop_assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec),
            Err(error) => {
                prop_assert!(text.get(error.span.clone()).is_some());
                prop_assert!(!error.to_string().contains(char::is_control));
                error.caret();
            }
        }
    }
}

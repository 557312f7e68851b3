//! Descriptions of games as text. Each thread remembers the last one: builders, and agents and
//! values that play borrowed games, ask for the same again and again.

use crate::abi::cross::{Answer, to_text};
use crate::abi::data::List;
use runner_core::{Description, Fault, MAX_ACTIONS};
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static WRITTEN: RefCell<Option<(Description, String)>> = const { RefCell::new(None) };
    static READ: RefCell<Option<(String, Arc<Description>)>> = const { RefCell::new(None) };
}

impl Answer for &Description {
    type Abi = List<u8>;

    fn send(self) -> List<u8> {
        text(self).into()
    }

    unsafe fn receive(_: List<u8>) -> Self {
        unreachable!("proxies keep the description")
    }
}

fn text(description: &Description) -> String {
    WRITTEN.with_borrow_mut(|last| match last {
        Some((known, text)) if known == description => text.clone(),
        _ => {
            let text = to_text(description);
            *last = Some((description.clone(), text.clone()));
            text
        }
    })
}

/// Reads a description that crossed as text. `label` names the game in faults.
pub fn read(text: String, label: impl FnOnce() -> String) -> Result<Arc<Description>, Fault> {
    READ.with_borrow_mut(|last| match last {
        Some((known, description)) if *known == text => Ok(description.clone()),
        _ => {
            let description = Arc::new(parse(&text, label)?);
            *last = Some((text, description.clone()));
            Ok(description)
        }
    })
}

fn parse(text: &str, label: impl FnOnce() -> String) -> Result<Description, Fault> {
    let wrong = match ron::from_str::<Description>(text) {
        Ok(description) if (1..=MAX_ACTIONS).contains(&description.actions.len()) => {
            return Ok(description);
        }
        Ok(description) => format!(
            "declares {} actions; 1 to {MAX_ACTIONS} are possible",
            description.actions.len()
        ),
        Err(error) => format!("the description cannot be read: {error}"),
    };
    Err(Fault::new(format!("{}: {wrong}", label())))
}

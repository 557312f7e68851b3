//! Keys and the commands that they give.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use runner_session::command::{Arrow, Command};

/// The keys, for the last lines of the screen.
pub const HELP: &[(&str, &str)] = &[
    ("space", "pause"),
    ("n b", "step, back"),
    ("+ -", "speed"),
    ("t", "take over"),
    ("arrows", "move"),
    ("g", "go to move"),
    ("r", "new game"),
    ("s", "save"),
    ("q", "quit"),
];

/// The keys of a person who plays.
pub const OF_PERSON: &[(&str, &str)] = &[
    ("arrows", "move"),
    ("h", "hint"),
    ("b", "back"),
    ("t", "let the player move"),
    ("r", "new game"),
    ("s", "save"),
    ("q", "quit"),
];

pub fn command(key: &KeyEvent) -> Option<Command> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Command::Quit);
    }
    Some(match key.code {
        KeyCode::Char(' ') => Command::Pause,
        KeyCode::Char('n' | '.') => Command::Forward,
        KeyCode::Char('b' | ',') | KeyCode::Backspace => Command::Back,
        KeyCode::Home => Command::First,
        KeyCode::End => Command::Last,
        KeyCode::Char('+' | '=') => Command::Faster,
        KeyCode::Char('-') => Command::Slower,
        KeyCode::Char('t') => Command::TakeOver,
        KeyCode::Char('g') => Command::GoTo,
        KeyCode::Char('h') => Command::Hint,
        KeyCode::Char('r') => Command::New,
        KeyCode::Char('s') => Command::Save,
        KeyCode::Char('q') => Command::Quit,
        KeyCode::Char(digit @ '0'..='9') => Command::Digit(digit as u8 - b'0'),
        KeyCode::Up => Command::Arrow(Arrow::Up),
        KeyCode::Down => Command::Arrow(Arrow::Down),
        KeyCode::Left => Command::Arrow(Arrow::Left),
        KeyCode::Right => Command::Arrow(Arrow::Right),
        KeyCode::Enter => Command::Enter,
        KeyCode::Esc => Command::Cancel,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupt_quits_and_released_keys_do_nothing() {
        let key = |code, modifiers| KeyEvent::new(code, modifiers);
        let ctrl_c = key(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(command(&ctrl_c), Some(Command::Quit));
        assert_eq!(command(&key(KeyCode::Char('c'), KeyModifiers::NONE)), None);
        assert_eq!(command(&key(KeyCode::Char('n'), KeyModifiers::CONTROL)), None);
        let mut space = key(KeyCode::Char(' '), KeyModifiers::NONE);
        assert_eq!(command(&space), Some(Command::Pause));
        space.kind = KeyEventKind::Release;
        assert_eq!(command(&space), None);
    }
}

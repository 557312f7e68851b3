//! The screen: board, score, what the player thinks, and the keys.

use super::board;
use super::colors::Look;
use super::keys::{HELP, OF_PERSON};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use runner_console::output::wrapped;
use runner_core::Game;
use runner_play::analysis::fact_text;
use runner_play::brief;
use runner_play::luck::signed;
use runner_play::registry::Registry;
use runner_play::watched::WatchedGame;
use runner_session::session::{Mover, Session};
use runner_spec::printable;
use runner_spec::quantity::{grouped, number, rate, time};
use std::time::Duration;

/// The smallest screen, in columns and lines.
pub const SMALLEST: (u16, u16) = (60, 16);

/// Columns of the names beside the board.
const NAME: usize = 11;

/// Least and largest number of columns of the bar of a value. Shorter bars look equal.
const BAR: [usize; 2] = [4, 10];

/// Least number of columns of a value: the bars stay where they are while most values change.
const VALUE: usize = 8;

pub fn draw(frame: &mut Frame<'_>, session: &Session, look: Look, registry: &Registry) {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let (columns, lines) = SMALLEST;
        let text = format!("the terminal is too small: {columns} x {lines} are needed");
        let centered = Paragraph::new(text).alignment(Alignment::Center).wrap(Wrap { trim: true });
        return frame.render_widget(centered, area);
    }
    let keys = if session.hides_opinion() { OF_PERSON } else { HELP };
    let help = help_lines(keys, area.width, look);
    let message_lines = limited(&session.message(), area.width, usize::from(area.height / 3));
    let message: Vec<_> = message_lines.into_iter().map(Line::from).collect();
    let around = 1 + message.len() as u16 + help.len() as u16;
    let board = board::size(session.game(), area.height.saturating_sub(1 + around));
    let [title, body, below, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(message.len() as u16),
        Constraint::Length(help.len() as u16),
    ])
    .areas(area);
    let [left, right] =
        Layout::horizontal([Constraint::Length(board.width + 2), Constraint::Min(1)]).areas(body);
    frame.render_widget(Paragraph::new(title_line(session, look, registry, title.width)), title);
    let room = Rect { x: left.x + 1, width: board.width.min(left.width), ..left };
    board::draw(frame.buffer_mut(), room, session, look, board);
    frame.render_widget(Paragraph::new(panel(session, look, right.width)), right);
    frame.render_widget(Paragraph::new(message).style(look.emphasis()), below);
    frame.render_widget(Paragraph::new(help), keys);
}

/// Wraps a text in at least one line and at most this many. What does not fit is left out.
fn limited(text: &str, columns: u16, most: usize) -> Vec<String> {
    let columns = usize::from(columns);
    let mut lines = wrapped(text, columns);
    if lines.len() > most {
        lines = wrapped(text, columns - 4);
        lines.truncate(most);
        lines[most - 1] += " ...";
    }
    lines.resize(lines.len().max(1), String::new());
    lines
}

fn title_line(session: &Session, look: Look, registry: &Registry, columns: u16) -> Line<'static> {
    let game = brief::game(&session.game().spec, registry);
    let player = session.player().map(|player| brief::player(&player.spec, registry));
    let text = match (session.recorded_agent(), player) {
        (Some(agent), Some(judge)) => {
            format!("{game} by {}, judged by {judge}", brief::player_text(agent, registry))
        }
        (Some(agent), None) => format!("{game} by {}", brief::player_text(agent, registry)),
        (None, Some(player)) => format!("{game} by {player}"),
        (None, None) => game.to_string(),
    };
    Line::styled(format!(" {}", limited(&text, columns - 1, 1)[0]), look.emphasis())
}

/// Returns the lines beside the board, in this many columns.
fn panel(session: &Session, look: Look, columns: u16) -> Vec<Line<'static>> {
    let timeline = session.timeline();
    let columns = usize::from(columns);
    let line = |name: &str, values: &[String]| pair(name, values, columns, look);
    let mut lines = Vec::new();
    lines.extend(line("score", &[number(timeline.score())]));
    if let Some(tile) = WatchedGame::of(session.game()).max_tile(timeline.state()) {
        lines.extend(line("max tile", &[grouped(tile)]));
    }
    if let Some(luck) = session.luck() {
        lines.extend(line("luck", &[luck.to_string(), signed(luck.total)]));
    }
    lines.extend(line("move", &[session.place(), grouped(timeline.at() as u64)]));
    lines.extend(line("now", &state_texts(session)));
    if session.player().is_some() {
        let speed = session.measured().map_or("not measured".into(), rate);
        lines.extend(line("player", &[speed]));
    }
    lines.push(Line::default());
    lines.extend(values(session, look, columns));
    if let Some(opinion) = session.shown_opinion() {
        for (name, fact) in &opinion.analysis.facts {
            lines.extend(line(&printable(name), &[printable(&fact_text(fact))]));
        }
        lines.extend(line("time", &[thinking_time(opinion.elapsed)]));
    }
    lines
}

/// Returns the line of a name with the first of its values that fits in this many columns, if
/// possible beside the other values; `None` if none fits.
fn pair(name: &str, values: &[String], columns: usize, look: Look) -> Option<Line<'static>> {
    for name in [format!("{name:<NAME$} "), format!("{name} ")] {
        for value in values {
            let spans = [Span::styled(name.clone(), look.faint()), Span::raw(value.clone())];
            let line = Line::from_iter(spans);
            if line.width() <= columns {
                return Some(line);
            }
        }
    }
    None
}

/// Returns a time that may be far below a millisecond.
fn thinking_time(elapsed: Duration) -> String {
    match elapsed.as_micros() {
        micros @ 0..1000 => format!("{micros} us"),
        _ => time(elapsed),
    }
}

/// Returns what happens now, in texts from long to short.
fn state_texts(session: &Session) -> Vec<String> {
    if let Some(thinking) = session.thinking() {
        return vec![format!("thinks for {}", time(thinking)), "thinks".into()];
    }
    let speed = match session.speed() {
        speed if speed.is_infinite() => "full speed".to_owned(),
        speed => format!("{speed} a second"),
    };
    match (session.is_over(), session.is_paused(), session.mover()) {
        (true, ..) => vec!["game over".into()],
        (_, true, Mover::Player) => vec![format!("paused ({speed})"), "paused".into()],
        (_, _, Mover::Person) => vec!["you move".into()],
        (_, false, Mover::Player) => vec![speed],
    }
}

/// Returns a line for each action that has a value, in this many columns. The bar takes what the
/// name, the value and the mark of the choice leave.
fn values(session: &Session, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(opinion) = session.shown_opinion() else { return Vec::new() };
    let values = &opinion.analysis.action_values;
    let choice = opinion.analysis.choice;
    let description = session.game().rules.description();
    let finite = || values.iter().map(|v| v.1).filter(|v| v.is_finite());
    let (low, high) = (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::MIN, f32::max));
    let name = |action| printable(&description.action_name(action));
    let (mut names, mut numbers) = (0, VALUE);
    for &(action, value) in values {
        names = names.max(name(action).chars().count());
        numbers = numbers.max(number(f64::from(value)).chars().count());
    }
    let free = columns.saturating_sub(names + numbers + 4);
    let room = if free < BAR[0] { 0 } else { free.min(BAR[1]) };
    let mut lines = Vec::new();
    for &(action, value) in values {
        // The worst of the actions has a bar too.
        let share = if high > low { (value - low) / (high - low) } else { 1.0 };
        let full = 1 + (share.clamp(0.0, 1.0) * room.saturating_sub(1) as f32).round() as usize;
        let bar = look.bar().repeat(full.min(room));
        let (mark, style) = match choice {
            Some(choice) if choice == action => ("<", look.emphasis()),
            _ => (" ", Style::default()),
        };
        let (name, text) = (name(action), number(f64::from(value)));
        lines.push(Line::styled(format!("{name:<names$} {text:>numbers$} {mark} {bar}"), style));
    }
    if values.is_empty()
        && let Some(choice) = choice
    {
        lines.push(Line::raw(format!("{:<NAME$} {}", "choice", name(choice))));
    }
    lines.push(Line::default());
    lines
}

fn help_lines(keys: &[(&'static str, &str)], columns: u16, look: Look) -> Vec<Line<'static>> {
    let (mut lines, mut spans, mut used) = (Vec::new(), Vec::new(), 0);
    for (key, meaning) in keys {
        let width = key.len() + meaning.len() + 3;
        if used + width > usize::from(columns) {
            lines.push(Line::from(std::mem::take(&mut spans)));
            used = 0;
        }
        used += width;
        spans.push(Span::styled(*key, Style::default().add_modifier(Modifier::BOLD)));
        spans.push(Span::styled(format!(" {meaning}  "), look.faint()));
    }
    lines.push(Line::from(spans));
    lines
}

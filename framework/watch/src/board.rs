//! The board of the screen, or the text of a position that is not on a board.

use super::colors::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use runner_core::{Description, Game, State};
use runner_play::registry::LoadedGame;
use runner_play::watched::WatchedGame;
use runner_session::session::Session;
use runner_spec::printable;

/// The size of a board on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u16,
    /// Lines, that of the position's text included.
    pub height: u16,
    /// Lines of a cell.
    cell: u16,
}

/// Columns of a cell.
const WIDTH: u16 = 8;

/// Columns of the text of a position that is not on a board.
const TEXT: u16 = 30;

/// Returns the size of the board of a game if there are this many lines.
pub fn size(game: &LoadedGame, lines: u16) -> Size {
    let Some(board) = &game.rules.description().geometry else {
        return Size { width: TEXT, height: 4, cell: 1 };
    };
    let (rows, cols) = (board.rows as u16, board.cols as u16);
    let extra = u16::from(!board.extra_fields.is_empty());
    let cell = if 3 * rows + extra <= lines { 3 } else { 1 };
    Size { width: cols * WIDTH, height: rows * cell + extra, cell }
}

/// Returns a board as a line of text for each row; none of a game without a board. An empty cell is
/// a point and a stone `#`.
pub fn small(description: &Description, state: State) -> Vec<String> {
    let Some(board) = &description.geometry else { return Vec::new() };
    let row = |cells: &[String]| cells.iter().map(|cell| format!("  {cell:>4}")).collect();
    board.texts(state.bits()).chunks(board.cols).map(row).collect()
}

/// Draws the position at the cursor.
pub fn draw(buffer: &mut Buffer, area: Rect, session: &Session, look: Look, size: Size) {
    let (game, state) = (session.game(), session.timeline().state());
    let mut y = area.y;
    if let Some(board) = &game.rules.description().geometry {
        for cell in 0..board.cells() {
            let (row, col) = ((cell / board.cols) as u16, (cell % board.cols) as u16);
            let place = Rect {
                x: area.x + col * WIDTH,
                y: area.y + row * size.cell,
                width: WIDTH - 1,
                height: size.cell,
            };
            let place = place.intersection(area);
            let rank = board.rank(state.bits(), cell);
            if board.is_stone(rank) {
                let line = look.stone().repeat(usize::from(place.width));
                for y in place.top()..place.bottom() {
                    buffer.set_string(place.x, y, &line, look.faint());
                }
                continue;
            }
            let text = match board.values.get(usize::from(rank)) {
                Some(0) => String::new(),
                Some(value) => value.to_string(),
                None => "?".into(),
            };
            draw_cell(buffer, place, &text, Some(rank), look);
        }
        y += board.rows as u16 * size.cell;
        let shown = board.shown_fields(state.bits());
        let mut x = area.x;
        for (name, text, rank) in &shown {
            let name = format!("{} ", printable(name));
            buffer.set_string(x, y, &name, look.faint());
            x += name.chars().count() as u16;
            let place = Rect { x, y, width: WIDTH - 1, height: 1 };
            draw_cell(buffer, place.intersection(area), &printable(text), *rank, look);
            x += WIDTH;
        }
        if !shown.is_empty() || board.extra_fields.is_empty() {
            return;
        }
    }
    // The text shows what is not on the board.
    let text = printable(&WatchedGame::of(game).write(state));
    let shown = match (&game.rules.description().geometry, text.split_once(' ')) {
        (Some(_), Some((_, beside_the_board))) => beside_the_board,
        _ => text.as_str(),
    };
    let columns = usize::from(area.width.max(1));
    let characters: Vec<char> = shown.chars().collect();
    for line in characters.chunks(columns).take(usize::from(area.bottom().saturating_sub(y))) {
        buffer.set_string(area.x, y, line.iter().collect::<String>(), Style::default());
        y += 1;
    }
}

/// Draws a tile, or an empty cell if the text is empty.
fn draw_cell(buffer: &mut Buffer, area: Rect, text: &str, rank: Option<u8>, look: Look) {
    if area.is_empty() {
        return;
    }
    let columns = usize::from(area.width);
    let centered = format!("{text:^columns$}");
    let middle = area.y + area.height / 2;
    let colors = match rank {
        _ if text.is_empty() => look.empty().map(|c| (c, c)),
        Some(rank) => look.tile(rank),
        None => None,
    };
    match colors {
        Some((back, fore)) => {
            let style = Style::default().bg(back).fg(fore).add_modifier(Modifier::BOLD);
            if area.height > 1 && look.unicode {
                let edge = Style::default().fg(back);
                buffer.set_string(area.x, area.y, "▄".repeat(columns), edge);
                buffer.set_string(area.x, area.bottom() - 1, "▀".repeat(columns), edge);
            } else if area.height > 1 {
                buffer.set_string(area.x, area.y, " ".repeat(columns), style);
            }
            buffer.set_string(area.x, middle, centered, style);
        }
        None => {
            if area.height > 1 {
                let edge = format!("+{}+", "-".repeat(columns - 2));
                buffer.set_string(area.x, area.y, &edge, Style::default());
                buffer.set_string(area.x, area.bottom() - 1, &edge, Style::default());
            }
            let text = if text.is_empty() { "." } else { text };
            buffer.set_string(area.x, middle, format!("{text:^columns$}"), Style::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_1024::{Config, Game1024};

    #[test]
    fn small_boards_tell_empty_cells_from_stones() {
        let config = Config { rows: 2, cols: 3, blocked: vec![1], ..Config::default() };
        let game = Game1024::new(config).unwrap();
        let state = game.parse("1,#,0/2,1024,0").unwrap();
        let rows = small(game.description(), state);
        assert_eq!(rows, ["     1     #     .", "     2  1024     ."]);
        assert!(small(&Description::default(), state).is_empty());
    }
}

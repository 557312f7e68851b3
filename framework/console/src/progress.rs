//! The progress of a command on standard error. On a terminal, a [`ProgressLine`] is redrawn in
//! place, with further lines below it. Elsewhere, plain lines are printed at intervals.

use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use std::fmt;
use std::io::{self, IsTerminal, Write, stderr};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Interval at which the line changes on a terminal.
const INTERVAL: Duration = Duration::from_millis(250);
/// A task shorter than this shows no progress.
const QUIET: Duration = Duration::from_millis(500);
/// Interval of the plain lines where there is no terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);
/// Largest number of draws per second on a terminal.
const MAX_DRAWS: u8 = 8;
/// Width of plain lines, and of terminals whose width is unknown.
const COLUMNS: usize = 80;

/// All progress lines of the program, so that notes can be printed above them.
static TERMINAL: LazyLock<MultiProgress> = LazyLock::new(|| {
    MultiProgress::with_draw_target(if stderr().is_terminal() {
        let terminal = Box::new(LineStart(Term::buffered_stderr()));
        ProgressDrawTarget::term_like_with_hz(terminal, MAX_DRAWS)
    } else {
        ProgressDrawTarget::hidden()
    })
});

/// A terminal whose cursor returns to the start of the line after a draw. On Ctrl-C, the terminal
/// prints `^C` at the cursor. At the end of a line of full width, that would begin another line,
/// and the progress line would not be cleared.
#[derive(Debug)]
struct LineStart<T>(T);

impl<T: TermLike> TermLike for LineStart<T> {
    fn width(&self) -> u16 {
        self.0.width()
    }

    fn height(&self) -> u16 {
        self.0.height()
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.0.write_line(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.write_str("\r")?;
        self.0.flush()
    }
}

/// Runs a task that writes to standard error while no progress line is drawn.
pub fn suspended<T>(task: impl FnOnce() -> T) -> T {
    TERMINAL.suspend(task)
}

/// A line that shows how far a command is, and others below it. Dropping it clears the terminal.
#[derive(Debug)]
pub struct ProgressLine {
    output: Output,
    /// When the line was last shown.
    shown: Option<Instant>,
}

#[derive(Debug)]
enum Output {
    /// Lines that are redrawn in place. The first is the progress line, and is always there.
    Terminal(Vec<ProgressBar>),
    /// Plain lines at intervals, of which the first begins at this time.
    Plain(Instant),
    Nothing,
}

impl ProgressLine {
    /// Shows nothing yet. If standard error is not a terminal, `plain` chooses plain lines or none.
    pub fn new(plain: bool) -> Self {
        let output = if stderr().is_terminal() {
            Output::Terminal(vec![TERMINAL.add(bar())])
        } else if plain {
            Output::Plain(Instant::now())
        } else {
            Output::Nothing
        };
        Self { output, shown: None }
    }

    pub fn hidden() -> Self {
        Self { output: Output::Nothing, shown: None }
    }

    /// Returns a plain line that is due, for tests.
    pub fn due() -> Self {
        let long_ago = Instant::now().checked_sub(PLAIN_INTERVAL).expect("the clock began earlier");
        Self { output: Output::Plain(long_ago), shown: None }
    }

    pub fn is_due(&self) -> bool {
        match &self.output {
            Output::Terminal(_) => self.shown.is_none_or(|shown| shown.elapsed() >= INTERVAL),
            Output::Plain(start) => self.shown.unwrap_or(*start).elapsed() >= PLAIN_INTERVAL,
            Output::Nothing => false,
        }
    }

    /// Shows the progress of a task that has run for this long, if it is time for another line. A
    /// task shorter than half a second shows none.
    pub fn show_after(&mut self, elapsed: Duration, progress: impl fmt::Display) {
        self.show_with(elapsed, progress, Vec::new);
    }

    /// Does the same, and shows the lines of `more` below if the terminal is high enough.
    pub fn show_with(
        &mut self,
        elapsed: Duration,
        progress: impl fmt::Display,
        more: impl FnOnce() -> Vec<String>,
    ) {
        if elapsed < QUIET || !self.is_due() {
            return;
        }
        self.show(&progress.to_string());
        if let Output::Terminal(bars) = &mut self.output {
            let mut more = more();
            // The progress line is one more, and a further one stays free for the cursor.
            if more.len() + 2 > usize::from(Term::stderr().size().0) {
                more.clear();
            }
            show_below(bars, &more, &TERMINAL);
        }
    }

    /// Shows a line in place of the last one.
    pub fn show(&mut self, text: &str) {
        self.shown = Some(Instant::now());
        match &self.output {
            Output::Terminal(bars) => bars[0].set_message(text.to_owned()),
            // Progress that cannot be printed does not fail the command.
            Output::Plain(_) => drop(writeln!(stderr(), "{text}")),
            Output::Nothing => {}
        }
    }

    /// Returns the number of characters that fit into a line.
    pub fn columns(&self) -> usize {
        match &self.output {
            Output::Terminal(_) => COLUMNS.min(Term::stderr().size().1.into()),
            Output::Plain(_) | Output::Nothing => COLUMNS,
        }
    }
}

/// Template of a line that is cut at the width of the terminal.
const LINE: &str = "{wide_msg}";

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template(LINE).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::hidden().with_style(style)
}

/// Replaces the lines below the first by `more`.
fn show_below(bars: &mut Vec<ProgressBar>, more: &[String], terminal: &MultiProgress) {
    while bars.len() < more.len() + 1 {
        bars.push(terminal.add(bar()));
    }
    for surplus in bars.drain(more.len() + 1..) {
        surplus.finish_and_clear();
        terminal.remove(&surplus);
    }
    for (bar, text) in bars[1..].iter().zip(more) {
        bar.set_message(text.clone());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Output::Terminal(bars) = &mut self.output {
            // From the last to the first, so that none is drawn at another place meanwhile.
            for bar in bars.drain(..).rev() {
                bar.finish_and_clear();
                TERMINAL.remove(&bar);
            }
        }
    }
}

/// Returns a bar such as `[###.......]`, of which this share, in [0, 1], is filled.
pub fn filled_bar(share: f64) -> String {
    const WIDTH: usize = 30;
    let filled = ((share * WIDTH as f64) as usize).min(WIDTH);
    format!("[{}{}]", "#".repeat(filled), ".".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::InMemoryTerm;

    /// Draws on a terminal without a limit per second.
    fn draw_target(terminal: &InMemoryTerm) -> ProgressDrawTarget {
        ProgressDrawTarget::term_like(Box::new(LineStart(terminal.clone())))
    }

    #[test]
    fn a_long_line_stays_one_line_on_a_narrow_terminal() {
        let terminal = InMemoryTerm::new(10, 30);
        let line = bar();
        line.set_draw_target(draw_target(&terminal));
        for step in 0..20 {
            line.set_message(format!("{step} of 20 games, {}", "mean 12,345, ".repeat(8)));
            line.tick();
        }
        let shown = terminal.contents();
        assert_eq!(shown.lines().count(), 1, "{shown}");
        assert!(shown.starts_with("19 of 20 games"), "{shown}");
        line.finish_and_clear();
        assert_eq!(terminal.contents(), "");
    }

    #[test]
    fn lines_below_the_first_change_their_number_and_are_cleared() {
        let terminal = InMemoryTerm::new(10, 30);
        let lines = MultiProgress::with_draw_target(draw_target(&terminal));
        let mut bars = vec![lines.add(bar())];
        bars[0].set_message("3 of 20 games");
        let board = ["  2  4", "  .  8"].map(String::from);
        show_below(&mut bars, &board, &lines);
        assert_eq!(terminal.contents(), "3 of 20 games\n  2  4\n  .  8");
        show_below(&mut bars, &board[1..], &lines);
        assert_eq!(terminal.contents(), "3 of 20 games\n  .  8");
        show_below(&mut bars, &[], &lines);
        assert_eq!(terminal.contents(), "3 of 20 games");
    }

    #[test]
    fn a_line_is_cleared_after_the_terminal_has_printed_an_interrupt() {
        let terminal = InMemoryTerm::new(10, 30);
        let lines = MultiProgress::with_draw_target(draw_target(&terminal));
        let line = lines.add(bar());
        line.set_message("3 of 20 games, mean 12,345, and more");
        line.tick();
        assert_eq!(terminal.contents().lines().count(), 1);
        terminal.write_str("^C").unwrap();
        line.finish_and_clear();
        lines.remove(&line);
        assert_eq!(terminal.contents(), "");
    }
}

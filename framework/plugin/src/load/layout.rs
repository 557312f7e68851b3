//! Extracts the first difference from a layout report of abi_stable, which has a thousand
//! lines in sections such as
//!
//! ```text
//! 1 error(s)inside:
//!     <other>
//!
//!     field_name:0
//!     type:Root
//!
//!     field_name:loaded_from
//!     type:AFunctionPointer
//!
//! Layout of expected type:
//!     ...
//!
//! Error:mismatched type
//! Expected:
//!     RStr<'a>
//! Found:
//!     u64
//! ```

/// The maximum length of a phrase, in characters.
const LONGEST: usize = 150;

/// Returns the place and kind of the first difference, as far as the report has them.
pub(super) fn first_difference(report: &str) -> String {
    let phrase = phrase(report).unwrap_or_else(|| "the types of the boundary differ".into());
    match phrase.char_indices().nth(LONGEST - 1) {
        Some((at, last)) if phrase.len() > at + last.len_utf8() => format!("{}…", &phrase[..at]),
        _ => phrase,
    }
}

fn phrase(report: &str) -> Option<String> {
    let (before, error) = report.split_once("\nError:")?;
    let mut lines = error.lines().map(str::trim);
    let what = lines.next()?;
    let mut below = |title: &str| {
        let mut lines = lines.by_ref().skip_while(|line| *line != title);
        // The report writes arguments without a name as `,:`.
        lines.nth(1).map(|line| line.replace("(,: ", "(").replace(", ,: ", ", "))
    };
    let place = place(before).map_or(String::new(), |place| format!("`{place}`: "));
    Some(match (below("Expected:"), below("Found:")) {
        (Some(expected), Some(found)) => {
            format!("{place}{what}, expected `{expected}`, found `{found}`")
        }
        _ => format!("{place}{what}"),
    })
}

/// Returns the type and the fields that lead to the difference, such as
/// `Root.loaded_from`.
fn place(before: &str) -> Option<String> {
    let (_, section) = before.rsplit_once("error(s)inside:")?;
    let (stack, _) = section.split_once("\nLayout of expected type:").unwrap_or((section, ""));
    let (_, stack) = stack.split_once("type:")?;
    let root = stack.lines().next()?.trim();
    let fields = stack.lines().filter_map(|line| line.trim().strip_prefix("field_name:"));
    Some(
        fields
            .filter(|name| is_written(name))
            .fold(root.to_owned(), |path, name| format!("{path}.{name}")),
    )
}

/// Returns true for the name of a field in the sources. Tuples, arguments and results have
/// generated names.
fn is_written(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.strip_prefix("field_").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_of_several_differences_is_returned_with_its_place() {
        let report = "Compared <this>:\n    --- Type Layout ---\n\n0 error(s).\n\n\
            3 error(s)inside:\n    <other>\n\n    field_name:0\n    type:Root\n\n\
            \x20   field_name:contents\n    type:AFunctionPointer\n\n    unsafe fn()->RResult\n\n\
            \x20   field_name:__returns\n    type:RResult\n\n    field_name:field_0\n    type:Contents\n\n\
            Layout of expected type:\n    type:Contents\n    field_name:games\n\n\
            Error:too many fields\nExpected:\n    3\nFound:\n    1\n\n\
            Error:unexpected field\nExpected:\n    field_name:games\nFound:\n    field_name:names\n";
        assert_eq!(
            first_difference(report),
            "`Root.contents`: too many fields, expected `3`, found `1`"
        );
    }

    #[test]
    fn a_report_of_another_shape_gives_what_it_has() {
        assert_eq!(first_difference(""), "the types of the boundary differ");
        assert_eq!(first_difference("\nError:mismatched tag\n"), "mismatched tag");
        assert_eq!(first_difference("\nError:mismatched tag\nExpected:\n    a"), "mismatched tag");
    }

    #[test]
    fn a_phrase_is_one_line_of_at_most_150_characters() {
        let long = "é".repeat(400);
        let phrase = first_difference(&format!("\nError:{long}\n"));
        assert_eq!(phrase.chars().count(), 150);
        assert!(phrase.ends_with("é…") && !phrase.contains('\n'));
        let just = "é".repeat(150);
        assert_eq!(first_difference(&format!("\nError:{just}\n")), just);
    }
}

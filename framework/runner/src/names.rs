//! Names as parts of file names.

/// Returns a name with a hyphen for everything that is not allowed in a file name everywhere.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let hyphens: String = name.chars().map(plain).collect();
    let words: Vec<_> = hyphens.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

//! Types know the package that they are from. For an earlier `runner-plugin` to be
//! mistaken for this one, this crate must pass for that package.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=CARGO_PKG_NAME=runner-plugin");
}

//! Makes the message types from the .proto files, in Rust alone: no protoc is needed.

use std::error::Error;
use std::path::Path;

/// Seen from this folder: beside the bot's own Cargo.toml, or at the root of the Tortuga repository.
const PROTO_FOLDERS: [&str; 2] = ["../proto", "../../../proto"];

fn main() -> Result<(), Box<dyn Error>> {
    let is_there = |folder: &&str| Path::new(folder).join("tortuga/v1/referee.proto").is_file();
    let folder = PROTO_FOLDERS
        .into_iter()
        .find(is_there)
        .ok_or_else(|| format!("tortuga/v1/referee.proto is in none of {PROTO_FOLDERS:?}"))?;
    println!("cargo::rerun-if-changed={folder}/tortuga/v1");

    let messages = protox::compile(["tortuga/v1/referee.proto"], [folder])?;
    tonic_prost_build::configure()
        .build_transport(false)
        .server_mod_attribute(".", "#[cfg(test)]") // only the tests play the referee
        .compile_fds(messages)?;
    Ok(())
}

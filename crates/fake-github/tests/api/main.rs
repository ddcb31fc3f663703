//! What clients see.

#[cfg(test)]
mod client;
#[cfg(test)]
mod comments;
#[cfg(test)]
mod commits;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod pulls;
#[cfg(test)]
mod trouble;

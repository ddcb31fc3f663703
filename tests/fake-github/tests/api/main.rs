//! The API as clients see it.

#[cfg(test)]
mod client;
#[cfg(test)]
mod comments;
#[cfg(test)]
mod commits;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod pulls;

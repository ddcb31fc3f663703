//! Reports, pages and terminals, as text.

mod deltas;
mod fit;
mod markdown;
mod number;
mod page;
mod schema;
mod terminal;
mod trust;
mod up_to_date;

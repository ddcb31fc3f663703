//! The static pages, as written and in a browser.

mod browser;
mod written;

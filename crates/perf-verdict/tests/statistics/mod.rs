//! Statistics: properties, published numbers, and change points.

mod breaks;
mod properties;
mod vectors;

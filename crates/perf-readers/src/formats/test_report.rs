//! XML test reports from any framework. The rows are lines of text that tests printed.

use crate::formats::common::prelude::*;
use crate::formats::unity::Tests;

pub(crate) const FORMAT: Format = Format::named("xml")
    .about("rows in an XML test report's text")
    .looks_like(|head| xml::looks_like(head).into())
    // Unity's results are also lines of text, and may come long after the head.
    .document(|input, sink| xml::read(input, sink, &mut Tests::default()));

//! Metrics that are computed from others: `allocatedBytesDelta / (emitsPerSecond * wallClockMs / 1000)`.

use crate::row::Name;

/// An arithmetic expression over metrics: `+ - * /`, parentheses, numbers, names.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula(Term);

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Number(f64),
    Metric(Name),
    Negative(Box<Term>),
    Binary(Box<Term>, Operator, Box<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Formula {
    /// Reads an expression.
    ///
    /// # Errors
    /// The mistake, with its byte in `source`.
    pub fn parse(source: &str) -> Result<Self, (usize, String)> {
        let mut parser = Parser { source, at: 0, depth: 0 };
        let term = parser.sum()?;
        match parser.peek() {
            None => Ok(Self(term)),
            Some(c) => Err((parser.at, format!("`{c}` is not expected here"))),
        }
    }

    /// The value, when every metric in it has one and nothing is divided by zero.
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        self.0.evaluate(value_of).filter(|value| value.is_finite())
    }

    /// Replaces each metric by what `name_of` says that it is.
    ///
    /// # Errors
    /// The first error of `name_of`.
    pub fn resolve<E>(&mut self, name_of: &mut dyn FnMut(&Name) -> Result<Name, E>) -> Result<(), E> {
        self.0.resolve(name_of)
    }
}

impl Term {
    fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Self::Number(number) => *number,
            Self::Metric(name) => value_of(name)?,
            Self::Negative(term) => -term.evaluate(value_of)?,
            Self::Binary(left, operator, right) => {
                let (left, right) = (left.evaluate(value_of)?, right.evaluate(value_of)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                }
            }
        })
    }

    fn resolve<E>(&mut self, name_of: &mut dyn FnMut(&Name) -> Result<Name, E>) -> Result<(), E> {
        match self {
            Self::Number(_) => {}
            Self::Metric(name) => *name = name_of(name)?,
            Self::Negative(term) => term.resolve(name_of)?,
            Self::Binary(left, _, right) => {
                left.resolve(name_of)?;
                right.resolve(name_of)?;
            }
        }
        Ok(())
    }
}

/// The deepest nesting of parentheses: a recursive parser must not be led off the stack.
const MAX_DEPTH: usize = 64;

struct Parser<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
}

type Parsed = Result<Term, (usize, String)>;

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.source[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.source[self.at..].chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn sum(&mut self) -> Parsed {
        self.chain(Self::product, &[('+', Operator::Add), ('-', Operator::Subtract)])
    }

    fn product(&mut self) -> Parsed {
        self.chain(Self::factor, &[('*', Operator::Multiply), ('/', Operator::Divide)])
    }

    fn chain(&mut self, operand: fn(&mut Self) -> Parsed, operators: &[(char, Operator)]) -> Parsed {
        let mut left = operand(self)?;
        // A long chain nests to the left, so it counts towards the depth as parentheses do.
        for _ in 0..MAX_DEPTH {
            let Some((_, operator)) = operators.iter().find(|(sign, _)| self.take(*sign)) else {
                return Ok(left);
            };
            left = Term::Binary(Box::new(left), *operator, Box::new(operand(self)?));
        }
        Err((self.at, "the formula is too long".to_owned()))
    }

    fn factor(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((self.at, "the formula is nested too deeply".to_owned()));
        }
        let term = if self.take('-') {
            Ok(Term::Negative(Box::new(self.factor()?)))
        } else if self.take('(') {
            let inner = self.sum()?;
            if self.take(')') { Ok(inner) } else { Err((self.at, "`)` is missing".to_owned())) }
        } else {
            self.atom()
        };
        self.depth -= 1;
        term
    }

    fn atom(&mut self) -> Parsed {
        let Some(first) = self.peek() else { return Err((self.at, "the formula ends too early".to_owned())) };
        let rest = &self.source[self.at..];
        let part_of = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let length = rest.find(|c| !part_of(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err((self.at, format!("`{first}` is not expected here")));
        }
        let word = &rest[..length];
        let term = match word.parse::<f64>() {
            Ok(number) if first.is_ascii_digit() || first == '.' => Term::Number(number),
            _ if first.is_ascii_digit() => return Err((self.at, format!("`{word}` is not a number"))),
            _ => Term::Metric(word.into()),
        };
        self.at += length;
        Ok(term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(source: &str) -> Option<f64> {
        let values = |name: &str| match name {
            "bytes" => Some(1024.0),
            "zero" => Some(0.0),
            _ => None,
        };
        Formula::parse(source).unwrap().evaluate(&values)
    }

    #[test]
    fn arithmetic_has_the_usual_precedence() {
        assert_eq!(evaluate("1 + 2 * 3 - 4 / 2"), Some(5.0));
        assert_eq!(evaluate("-(bytes - 24) / 10"), Some(-100.0));
        assert_eq!(evaluate("1e3/ 10"), Some(100.0));
    }

    #[test]
    fn what_is_not_measured_or_not_finite_has_no_value() {
        assert_eq!(evaluate("bytes / missing"), None);
        assert_eq!(evaluate("bytes / zero"), None);
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        for (source, at, message) in [
            ("", 0, "the formula ends too early"),
            ("a +", 3, "the formula ends too early"),
            ("(a", 2, "`)` is missing"),
            ("a $ b", 2, "`$` is not expected here"),
            ("2x", 0, "`2x` is not a number"),
            ("a b", 2, "`b` is not expected here"),
        ] {
            assert_eq!(Formula::parse(source), Err((at, message.to_owned())), "{source}");
        }
        assert!(Formula::parse(&"(".repeat(100_000)).is_err());
        assert!(Formula::parse(&"-".repeat(100_000)).is_err());
        assert!(Formula::parse(&"1+".repeat(100_000)).is_err());
    }
}

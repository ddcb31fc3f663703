//! Formulas of computed metrics: `allocatedBytesDelta / (emitsPerSecond * wallClockMs / 1000)`.

use crate::row::Name;

/// An arithmetic expression over metrics (`+ - * /`, parentheses, numbers, names), stored in postfix notation.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula(Vec<FormulaStep>);

#[derive(Clone, Debug, PartialEq)]
enum FormulaStep {
    Number(f64),
    Metric(Name),
    /// One of `+ - * /`.
    Operator(char),
}

impl Formula {
    /// Parses an expression.
    ///
    /// # Errors
    /// Fails if the expression is invalid. The error is the byte offset in `source` and a message.
    pub fn parse(source: &str) -> Result<Self, (usize, String)> {
        let mut parser = Parser {
            source,
            at: 0,
            depth: 0,
            steps: Vec::new(),
        };
        parser.sum()?;
        match parser.peek() {
            None => Ok(Self(parser.steps)),
            Some(c) => Err((parser.at, format!("`{c}` is not expected here"))),
        }
    }

    /// Computes the value. Returns `None` if a metric has no value, or if the result is not finite, for example after a
    /// division by zero.
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let mut values: Vec<f64> = Vec::new();
        for step in &self.0 {
            let value = match step {
                FormulaStep::Number(number) => *number,
                FormulaStep::Metric(name) => value_of(name)?,
                FormulaStep::Operator(operator) => {
                    let (right, left) = (values.pop()?, values.pop()?);
                    match operator {
                        '+' => left + right,
                        '-' => left - right,
                        '*' => left * right,
                        _ => left / right,
                    }
                }
            };
            values.push(value);
        }
        values.pop().filter(|value| value.is_finite())
    }

    /// Replaces each metric name with `name_of(name)`.
    pub fn resolve<E>(
        &mut self,
        mut name_of: impl FnMut(&Name) -> Result<Name, E>,
    ) -> Result<(), E> {
        for step in &mut self.0 {
            if let FormulaStep::Metric(name) = step {
                *name = name_of(name)?;
            }
        }
        Ok(())
    }
}

/// The maximum nesting depth of parentheses. It keeps the recursive parser from overflowing the stack.
const MAX_DEPTH: usize = 64;

struct Parser<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
    steps: Vec<FormulaStep>,
}

type Parsed = Result<(), (usize, String)>;

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.source[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.source[self.at..].chars().next()
    }

    fn consume(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.at += c.len_utf8();
        }
        is_next
    }

    fn sum(&mut self) -> Parsed {
        self.chain(['+', '-'], &|parser| {
            parser.chain(['*', '/'], &Self::factor)
        })
    }

    fn chain(&mut self, operators: [char; 2], operand: &dyn Fn(&mut Self) -> Parsed) -> Parsed {
        operand(self)?;
        while let Some(operator) = operators.into_iter().find(|sign| self.consume(*sign)) {
            operand(self)?;
            self.steps.push(FormulaStep::Operator(operator));
        }
        Ok(())
    }

    fn factor(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((self.at, "the formula is nested too deeply".to_owned()));
        }
        if self.consume('-') {
            self.steps.push(FormulaStep::Number(-1.0));
            self.factor()?;
            self.steps.push(FormulaStep::Operator('*'));
        } else if self.consume('(') {
            self.sum()?;
            if !self.consume(')') {
                return Err((self.at, "`)` is missing".to_owned()));
            }
        } else {
            self.atom()?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Parsed {
        let Some(first) = self.peek() else {
            return Err((self.at, "the formula ends too early".to_owned()));
        };
        let rest = &self.source[self.at..];
        let part_of = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let length = rest.find(|c| !part_of(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err((self.at, format!("`{first}` is not expected here")));
        }
        let word = &rest[..length];
        self.steps.push(match word.parse::<f64>() {
            Ok(number) if first.is_ascii_digit() || first == '.' => FormulaStep::Number(number),
            _ if first.is_ascii_digit() => {
                return Err((self.at, format!("`{word}` is not a number")));
            }
            _ => FormulaStep::Metric(word.into()),
        });
        self.at += length;
        Ok(())
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
    fn missing_operand_or_infinite_result_has_no_value() {
        assert_eq!(evaluate("bytes / missing"), None);
        assert_eq!(evaluate("bytes / zero"), None);
    }

    #[test]
    fn errors_are_reported_with_their_position() {
        for (source, at, message) in [
            ("", 0, "the formula ends too early"),
            ("a +", 3, "the formula ends too early"),
            ("(a", 2, "`)` is missing"),
            ("a $ b", 2, "`$` is not expected here"),
            ("2x", 0, "`2x` is not a number"),
            ("a b", 2, "`b` is not expected here"),
        ] {
            assert_eq!(
                Formula::parse(source),
                Err((at, message.to_owned())),
                "{source}"
            );
        }
        assert!(Formula::parse(&"(".repeat(100_000)).is_err());
        assert!(Formula::parse(&"-".repeat(100_000)).is_err());
        assert!(Formula::parse(&"1+".repeat(100_000)).is_err());
    }
}

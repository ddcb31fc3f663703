//! Expressions in `action.yml` and workflows: dotted names, quoted strings, `==`, `!=`, `&&`, `||`, `contains`,
//! `fromJSON` and `toJSON`. Anything else, including an unknown name, fails the test.

use serde_json::Value;

/// The values of names: an object with `inputs`, `github` and `steps`.
pub struct Context(pub Value);

impl Context {
    /// Evaluates every `${{ … }}` in `text`.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${{") {
            let (expression, behind) = after
                .split_once("}}")
                .unwrap_or_else(|| panic!("`{text}` has no end"));
            filled.push_str(before);
            filled.push_str(&shown(&self.value(expression)));
            rest = behind;
        }
        filled + rest
    }

    /// Evaluates a condition. Status functions such as `always()` are left to the runner.
    pub fn holds(&self, condition: &str) -> bool {
        is_true(&self.value(condition))
    }

    /// Evaluates an expression.
    pub fn value(&self, expression: &str) -> Value {
        if let Some(value) = self.of_either(expression, "||", false) {
            return value;
        }
        if let Some(value) = self.of_either(expression, "&&", true) {
            return value;
        }
        for (operator, wanted) in [("==", true), ("!=", false)] {
            if let Some((left, right)) = expression.split_once(operator) {
                let same = shown(&self.value(left)).to_lowercase()
                    == shown(&self.value(right)).to_lowercase();
                return Value::Bool(same == wanted);
            }
        }
        self.term(expression.trim())
    }

    /// Evaluates the left operand; if its truth equals `on`, returns the right one.
    fn of_either(&self, expression: &str, operator: &str, on: bool) -> Option<Value> {
        let (left, right) = expression.split_once(operator)?;
        let left = self.value(left);
        Some(if is_true(&left) == on {
            self.value(right)
        } else {
            left
        })
    }

    /// Whether this is a workflow: unlike `action.yml`, it may refer to a step that does not exist.
    fn is_workflow(&self) -> bool {
        self.0.get("secrets").is_some()
    }

    fn call(&self, function: &str, arguments: &str) -> Value {
        match function {
            "fromJSON" => {
                let text = shown(&self.value(arguments));
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("`{text}`: {error}"))
            }
            "toJSON" => self.value(arguments).to_string().into(),
            "startsWith" => {
                let at = arguments
                    .rfind(',')
                    .expect("`startsWith` has two arguments");
                let [text, start] =
                    [&arguments[..at], &arguments[at + 1..]].map(|term| shown(&self.value(term)));
                Value::Bool(text.to_lowercase().starts_with(&start.to_lowercase()))
            }
            "contains" => {
                let at = arguments.rfind(',').expect("`contains` has two arguments");
                let (all, one) = (
                    self.value(&arguments[..at]),
                    self.value(&arguments[at + 1..]),
                );
                let found = match &all {
                    Value::Array(items) => items.contains(&one),
                    text => shown(text)
                        .to_lowercase()
                        .contains(&shown(&one).to_lowercase()),
                };
                Value::Bool(found)
            }
            _ => panic!("the expression `{function}({arguments})` is not known"),
        }
    }

    fn term(&self, term: &str) -> Value {
        if let Some(text) = term
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
        {
            return text.into();
        }
        if let Some((function, arguments)) = call(term) {
            return self.call(function, arguments);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        assert!(
            !term.is_empty() && term.chars().all(is_name),
            "the expression `{term}` is not known"
        );
        let path: Vec<&str> = term.split('.').collect();
        let mut value = &self.0;
        for (depth, name) in path.iter().enumerate() {
            value = match (value.get(name), path[..depth.min(3)].as_ref()) {
                (Some(value), _) => value,
                // A missing value of an event or a step is empty; every other name must exist.
                (None, ["github", "event", ..] | ["steps" | "needs", _, "outputs"]) => {
                    return Value::Null;
                }
                // A later step has not run yet.
                (None, ["steps"]) if self.is_workflow() => return Value::Null,
                (None, _) => panic!("no `{name}` in `{term}`"),
            };
        }
        value.clone()
    }
}

/// Splits a call into the function's name and its arguments.
fn call(term: &str) -> Option<(&str, &str)> {
    let (function, rest) = term.split_once('(')?;
    let is_name = !function.is_empty() && function.chars().all(|c| c.is_ascii_alphabetic());
    Some((function, rest.strip_suffix(')')?)).filter(|_| is_name)
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::String(text) => !text.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Null => false,
        Value::Array(_) | Value::Object(_) => true,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn context() -> Context {
        Context(json!({
            "inputs": { "a-b": "", "c": "${{ inputs.d }} 'x'" },
            "github": { "event": { "pull_request": { "number": 7 } } },
            "steps": { "plan": { "outputs": { "mode": "report" } } },
        }))
    }

    #[test]
    fn values_are_filled_in_only_once() {
        assert_eq!(context().fill("<${{ inputs.c }}>"), "<${{ inputs.d }} 'x'>");
        assert_eq!(
            context().fill("${{ inputs.a-b || github.event.pull_request.number }}"),
            "7"
        );
        assert_eq!(
            context().fill("${{ github.event.no.such || steps.plan.outputs.none }}"),
            ""
        );
    }

    #[test]
    fn conditions_are_combined() {
        assert!(context().holds("steps.plan.outputs.mode == 'Report'"));
        assert!(!context().holds("steps.plan.outputs.mode == 'report' && inputs.a-b != ''"));
    }

    #[test]
    fn contains_searches_lists() {
        let among = |role: &str| {
            format!("contains(fromJSON('[\"OWNER\", \"MEMBER\"]'), '{role}') && '/x' == '/x'")
        };
        assert!(context().holds(&among("MEMBER")) && !context().holds(&among("NONE")));
    }

    #[test]
    #[should_panic(expected = "no `nope`")]
    fn misspelt_input_fails() {
        context().fill("${{ inputs.nope }}");
    }

    #[test]
    #[should_panic(expected = "is not known")]
    fn unknown_function_fails() {
        context().holds("always()");
    }
}

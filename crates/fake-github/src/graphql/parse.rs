//! Documents of one operation, without fragments and directives.

use serde_json::{Map, Value};

/// What a document asks for.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) is_mutation: bool,
    pub(super) fields: Vec<Field>,
}

/// A field, with its variables filled in.
#[derive(Debug)]
pub(super) struct Field {
    /// What it is called in the answer.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) fields: Vec<Field>,
}

/// Reads a document.
///
/// # Errors
/// A message about what was not expected.
pub(super) fn parse(document: &str, variables: &Value) -> Result<Document, String> {
    let mut parser =
        Parser { words: words(document)?.into_iter().rev().collect(), variables, defined: Vec::new() };
    let is_mutation = parser.peek() == "mutation";
    if matches!(parser.peek(), "query" | "mutation") {
        parser.next();
    }
    if !matches!(parser.peek(), "{" | "(") {
        parser.next();
    }
    if parser.peek() == "(" {
        parser.definitions()?;
    }
    let fields = parser.fields()?;
    parser.end()?;
    Ok(Document { is_mutation, fields })
}

struct Parser<'v> {
    /// From the last to the first.
    words: Vec<String>,
    variables: &'v Value,
    defined: Vec<String>,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.words.pop().unwrap_or_default()
    }

    fn take(&mut self, word: &str) -> bool {
        let is = self.peek() == word;
        if is {
            self.next();
        }
        is
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.take(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> String {
        match self.peek() {
            "" => "Unexpected end of document".into(),
            word => format!("Expected something else than `{word}`"),
        }
    }

    fn end(&self) -> Result<(), String> {
        if self.words.is_empty() { Ok(()) } else { Err(self.unexpected()) }
    }

    fn name(&mut self) -> Result<String, String> {
        let is_name = self.peek().starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if is_name { Ok(self.next()) } else { Err(self.unexpected()) }
    }

    /// `($name: Type!, …)`: what is asked for must be given.
    fn definitions(&mut self) -> Result<(), String> {
        self.expect("(")?;
        while !self.take(")") {
            self.expect("$")?;
            let name = self.name()?;
            self.expect(":")?;
            while self.take("[") {}
            let kind = self.name()?;
            let mut required = false;
            while matches!(self.peek(), "!" | "]") {
                required = self.next() == "!";
            }
            if required && self.variables.get(&name).is_none_or(Value::is_null) {
                return Err(format!("Variable ${name} of type {kind}! was provided invalid value"));
            }
            self.defined.push(name);
        }
        Ok(())
    }

    fn fields(&mut self) -> Result<Vec<Field>, String> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.take("}") {
            let key = self.name()?;
            let name = if self.take(":") { self.name()? } else { key.clone() };
            let arguments = if self.take("(") { self.pairs(")")? } else { Map::new() };
            let inner = if self.peek() == "{" { self.fields()? } else { Vec::new() };
            fields.push(Field { key, name, arguments, fields: inner });
        }
        Ok(fields)
    }

    /// `name: value`, up to `end`.
    fn pairs(&mut self, end: &str) -> Result<Map<String, Value>, String> {
        let mut pairs = Map::new();
        while !self.take(end) {
            let name = self.name()?;
            self.expect(":")?;
            pairs.insert(name, self.value()?);
        }
        Ok(pairs)
    }

    fn value(&mut self) -> Result<Value, String> {
        if self.take("$") {
            let name = self.name()?;
            if !self.defined.contains(&name) {
                return Err(format!("Variable ${name} is used but not declared"));
            }
            return Ok(self.variables.get(&name).cloned().unwrap_or_default());
        }
        if self.take("{") {
            return self.pairs("}").map(Value::Object);
        }
        if self.take("[") {
            let mut values = Vec::new();
            while !self.take("]") {
                values.push(self.value()?);
            }
            return Ok(values.into());
        }
        let word = self.next();
        // What is neither a text nor a number is the name of a value.
        Ok(serde_json::from_str(&word).unwrap_or(Value::String(word)))
    }
}

/// Names, numbers, texts and marks.
fn words(document: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = document.trim_start_matches(is_blank);
    while let Some(first) = rest.chars().next() {
        let is_word = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
        let length = match first {
            '{' | '}' | '(' | ')' | '[' | ']' | ':' | '!' | '$' => 1,
            '"' => text_end(rest).ok_or("Unterminated string")?,
            first if is_word(first) => rest.find(|char| !is_word(char)).unwrap_or(rest.len()),
            other => return Err(format!("Unexpected character `{other}`")),
        };
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start_matches(is_blank);
    }
    Ok(words)
}

/// Commas are blanks to GraphQL.
fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == ','
}

fn text_end(rest: &str) -> Option<usize> {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, char)| {
        let ends = *char == '"' && !escaped;
        escaped = *char == '\\' && !escaped;
        ends
    });
    end.map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_are_filled_in() {
        let document = "query Q($owner: String!, $n: Int) { r: repository(owner: $owner, name: \"a\\\"b\", n: $n) { id } }";
        let document = parse(document, &json!({ "owner": "octo", "n": 3 })).unwrap();
        let field = &document.fields[0];
        assert_eq!(
            (field.key.as_str(), field.name.as_str(), field.fields[0].name.as_str()),
            ("r", "repository", "id")
        );
        assert_eq!(Value::from(field.arguments.clone()), json!({ "owner": "octo", "name": "a\"b", "n": 3 }));
    }

    #[test]
    fn what_is_no_document_is_refused() {
        let error = |document| parse(document, &json!({})).unwrap_err();
        assert_eq!(error("query { viewer { login }"), "Unexpected end of document");
        assert_eq!(error("query { viewer }}"), "Expected something else than `}`");
        assert_eq!(error("query { a(x: $y) }"), "Variable $y is used but not declared");
        assert_eq!(
            error("query($y: ID!) { a(x: $y) }"),
            "Variable $y of type ID! was provided invalid value"
        );
        assert_eq!(error("{ ...Fragment @x }"), "Unexpected character `@`");
    }
}

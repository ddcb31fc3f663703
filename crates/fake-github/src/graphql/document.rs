//! Documents with one operation, without fragments and directives.

use apollo_parser::Parser;
use apollo_parser::cst::{self, CstNode, Definition, Selection, SelectionSet, Type};
use serde_json::{Map, Value};

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) is_mutation: bool,
    pub(super) fields: Vec<Field>,
}

/// A field, with the values of its variables.
#[derive(Debug)]
pub(super) struct Field {
    /// The key in the response: the alias or else the name.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) fields: Vec<Field>,
}

/// Parses a document.
///
/// # Errors
/// The first reason to reject it.
pub(super) fn parse(document: &str, variables: &Value) -> Result<Operation, String> {
    let tree = Parser::new(document).parse();
    if let Some(error) = tree.errors().next() {
        return Err(error.message().to_owned());
    }
    let mut definitions = tree.document().definitions();
    let (Some(Definition::OperationDefinition(operation)), None) = (definitions.next(), definitions.next())
    else {
        return Err("expected one operation".into());
    };
    let is_mutation = operation.operation_type().is_some_and(|kind| kind.mutation_token().is_some());
    let variables = declared(&operation, variables)?;
    Ok(Operation { is_mutation, fields: fields(operation.selection_set(), &variables)? })
}

/// The values of the declared variables, `Null` for an absent optional one.
fn declared(operation: &cst::OperationDefinition, given: &Value) -> Result<Map<String, Value>, String> {
    let mut variables = Map::new();
    for definition in
        operation.variable_definitions().into_iter().flat_map(|list| list.variable_definitions())
    {
        let name = text(definition.variable().and_then(|variable| variable.name()));
        let default = definition.default_value().and_then(|default| default.value());
        let default = default.map(|default| value(&default, &Map::new())).transpose()?;
        let given = given.get(&name).cloned().or(default).unwrap_or_default();
        if let Some(Type::NonNullType(kind)) = definition.ty()
            && given.is_null()
        {
            let kind = kind.source_string();
            return Err(format!("Variable ${name} of type {} was provided invalid value", kind.trim()));
        }
        variables.insert(name, given);
    }
    Ok(variables)
}

fn fields(selected: Option<SelectionSet>, variables: &Map<String, Value>) -> Result<Vec<Field>, String> {
    let selections = selected.into_iter().flat_map(|set| set.selections());
    selections.map(|selection| field(&selection, variables)).collect()
}

fn field(selection: &Selection, variables: &Map<String, Value>) -> Result<Field, String> {
    let Selection::Field(field) = selection else { return Err("fragments are not supported".into()) };
    if field.directives().is_some() {
        return Err("directives are not supported".into());
    }
    let name = text(field.name());
    let arguments = field.arguments().into_iter().flat_map(|list| list.arguments());
    let arguments = arguments.map(|argument| pair(argument.name(), argument.value(), variables));
    Ok(Field {
        key: field.alias().map_or_else(|| name.clone(), |alias| text(alias.name())),
        name,
        arguments: arguments.collect::<Result<_, _>>()?,
        fields: fields(field.selection_set(), variables)?,
    })
}

fn pair(
    name: Option<cst::Name>,
    given: Option<cst::Value>,
    variables: &Map<String, Value>,
) -> Result<(String, Value), String> {
    Ok((text(name), given.map(|given| value(&given, variables)).transpose()?.unwrap_or_default()))
}

fn value(given: &cst::Value, variables: &Map<String, Value>) -> Result<Value, String> {
    match given {
        cst::Value::Variable(variable) => {
            let name = text(variable.name());
            let known = variables.get(&name).cloned();
            known.ok_or_else(|| format!("Variable ${name} is used but not declared"))
        }
        cst::Value::StringValue(text) => Ok(String::from(text).into()),
        cst::Value::ListValue(list) => list.values().map(|item| value(&item, variables)).collect(),
        cst::Value::ObjectValue(object) => {
            let pairs = object.object_fields().map(|field| pair(field.name(), field.value(), variables));
            pairs.collect::<Result<_, _>>().map(Value::Object)
        }
        other => {
            let token = other.syntax().first_token();
            let text = token.as_ref().map_or("", |token| token.text());
            // Numbers, booleans and null are JSON; the rest are enum values.
            Ok(serde_json::from_str(text).unwrap_or_else(|_| text.into()))
        }
    }
}

fn text(name: Option<cst::Name>) -> String {
    name.map(|name| name.text().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_have_the_values_of_variables() {
        let document = r#"query Q($owner: String!, $n: Int = 3, $none: ID) {
            r: repository(owner: $owner, name: "a\"b", n: $n, none: $none, list: [1 # one
                ENUM, {x: true}]) { id }
        }"#;
        let operation = parse(document, &json!({ "owner": "octo" })).unwrap();
        let field = &operation.fields[0];
        assert_eq!(
            (field.key.as_str(), field.name.as_str(), field.fields[0].name.as_str()),
            ("r", "repository", "id")
        );
        let expected = json!({
            "owner": "octo", "name": "a\"b", "n": 3, "none": null, "list": [1, "ENUM", { "x": true }],
        });
        assert_eq!(Value::from(field.arguments.clone()), expected);
    }

    #[test]
    fn malformed_documents_are_rejected() {
        let error = |document| parse(document, &json!({})).unwrap_err();
        let documents = [
            "",
            "query { viewer { login }",
            "query { viewer }}",
            "{ viewer } { viewer }",
            "query { a(x: $y) }",
            "query($y: [ID!]!) { a(x: $y) }",
            "{ a @x }",
            "{ ...Fragment }",
        ];
        insta::assert_snapshot!(documents.map(error).join("\n"), @"
        Unexpected <EOF>.
        expected R_CURLY, got EOF
        expected a StringValue, Name or OperationDefinition
        expected one operation
        Variable $y is used but not declared
        Variable $y of type [ID!]! was provided invalid value
        directives are not supported
        fragments are not supported
        ");
    }
}

// Validates every GraphQL document in a list of requests, with its variables, against GitHub's schema, and counts all
// calls.
//
//   node documents.mjs REQUESTS.jsonl SCHEMA.graphql
import { readFileSync } from "node:fs";
import { buildSchema, getOperationAST, parse, validate } from "graphql";
import { getVariableValues } from "graphql/execution/values.js";

const [requests, schemaPath] = process.argv.slice(2);
const entries = readFileSync(requests, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const schema = buildSchema(readFileSync(schemaPath, "utf8"), { assumeValidSDL: true });

const wrong = [];
const documents = new Set();
for (const { operation, body } of entries.filter((entry) => entry.operation.startsWith("GRAPHQL "))) {
  documents.add(body.query);
  for (const message of problems(body)) wrong.push(`${operation}: ${message}`);
}

const rest = entries.length - entries.filter((entry) => entry.operation.startsWith("GRAPHQL ")).length;
console.log(`rest-calls=${rest}`);
console.log(`graphql-calls=${entries.length - rest}`);
console.log(`graphql-documents=${documents.size}`);
console.log(`graphql-violations=${wrong.length}`);
for (const line of wrong) console.error(`error: ${line}`);
process.exit(wrong.length > 0 ? 1 : 0);

function problems({ query, variables }) {
  const document = parse(query);
  const invalid = validate(schema, document);
  if (invalid.length > 0) return invalid.map((error) => error.message);
  const { variableDefinitions } = getOperationAST(document);
  const { errors } = getVariableValues(schema, variableDefinitions ?? [], variables);
  return (errors ?? []).map((error) => error.message);
}

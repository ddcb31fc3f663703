// Reduces GitHub's description of its REST API to the operations that the client calls, and everything that they
// refer to: Prism takes four times as long to load the whole.
//
//   node slice.mjs WHOLE.json SLICE.json
import { readFileSync, writeFileSync } from "node:fs";

const repository = "/repos/{owner}/{repo}";
const operations = {
  [`${repository}/issues/{issue_number}/comments`]: ["get", "post"],
  [`${repository}/issues/comments/{comment_id}`]: ["get", "patch", "delete"],
  [`${repository}/issues/comments/{comment_id}/reactions`]: ["post"],
  [`${repository}/collaborators/{username}/permission`]: ["get"],
  [`${repository}/statuses/{sha}`]: ["post"],
  [`${repository}/pulls`]: ["get", "post"],
  [`${repository}/pulls/{pull_number}`]: ["get", "patch"],
  [`${repository}/git/ref/{ref}`]: ["get"],
  [`${repository}/git/trees`]: ["post"],
  [`${repository}/git/commits`]: ["post"],
  [`${repository}/git/refs`]: ["post"],
  [`${repository}/git/refs/{ref}`]: ["patch", "delete"],
  [`${repository}/compare/{basehead}`]: ["get"],
  [`${repository}/contents/{path}`]: ["get"],
  [`${repository}/commits`]: ["get"],
  [`${repository}/check-runs`]: ["post"],
  [`${repository}/commits/{ref}/check-runs`]: ["get"],
  [`${repository}/actions/runs/{run_id}/attempts/{attempt_number}/jobs`]: ["get"],
};

const [whole, slice] = process.argv.slice(2);
const api = JSON.parse(readFileSync(whole, "utf8"));
const kept = { openapi: api.openapi, info: api.info, servers: api.servers, paths: {}, components: {} };

for (const [path, methods] of Object.entries(operations)) {
  const item = api.paths[path];
  if (!item) throw new Error(`GitHub's description no longer contains ${path}`);
  kept.paths[path] = item.parameters ? { parameters: item.parameters } : {};
  for (const method of methods) {
    if (!item[method]) throw new Error(`GitHub's description no longer contains ${method} ${path}`);
    kept.paths[path][method] = strict(item[method]);
  }
}

// The GraphQL API. Its documents are validated against its own schema afterwards.
const member = { type: "object" };
kept.paths["/graphql"] = {
  post: {
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["query", "variables"],
            properties: { query: { type: "string" }, variables: member },
            additionalProperties: false,
          },
        },
      },
    },
    responses: {
      200: {
        description: "data, errors, or both",
        content: {
          "application/json": {
            schema: {
              type: "object",
              minProperties: 1,
              properties: {
                data: { type: "object", nullable: true },
                errors: { type: "array", items: { type: "object", required: ["message"] } },
              },
              additionalProperties: false,
            },
          },
        },
      },
    },
  },
};

collect(kept.paths);
writeFileSync(slice, JSON.stringify(kept));

// GitHub ignores unknown fields, but a field without effect is a mistake.
function strict(operation) {
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  if (schema?.type === "object") schema.additionalProperties = false;
  // The description leaves out the media type for a file's bytes, so Prism would use another one.
  if (operation.operationId === "repos/get-content") {
    operation.responses["200"].content = { "application/vnd.github.raw+json": { schema: {} } };
  }
  return operation;
}

function collect(node) {
  if (Array.isArray(node)) return node.forEach(collect);
  if (node === null || typeof node !== "object") return;
  if (typeof node.$ref === "string") {
    const [kind, name] = node.$ref.split("/").slice(2);
    kept.components[kind] ??= {};
    if (!(name in kept.components[kind])) {
      kept.components[kind][name] = api.components[kind][name];
      collect(api.components[kind][name]);
    }
  }
  Object.values(node).forEach(collect);
}

// Generates the agent tools from the contract: one per operation of the agent API, except consent.
import { readFile, writeFile } from 'node:fs/promises';

const contract = JSON.parse(await readFile(new URL('../../spec/generated/openapi.json', import.meta.url), 'utf8'));
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Schema keywords that language models need. */
const KEPT = [
  ...['type', 'enum', 'const', 'format', 'description', 'items', 'properties', 'required', 'additionalProperties'],
  ...[
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'uniqueItems',
    'minProperties',
    'oneOf',
    'anyOf',
  ],
];

function resolve(node) {
  if (!node?.$ref) return node;
  const found = node.$ref.slice(2).split('/');
  return resolve({ ...found.reduce((parent, key) => parent[key], contract), ...omit(node, '$ref') });
}

function omit({ ...fields }, name) {
  delete fields[name];
  return fields;
}

/** Resolves references, and removes keywords that only our validator reads. */
function plain(node) {
  const schema = resolve(node);
  return Object.fromEntries(
    KEPT.filter((name) => schema[name] !== undefined).map((name) => [name, plainPart(name, schema[name])]),
  );
}

function plainPart(name, part) {
  if (name === 'items') return plain(part);
  if (name === 'properties') return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, plain(one)]));
  if (name === 'oneOf' || name === 'anyOf') return part.map(plain);
  return typeof part === 'string' ? part.replaceAll(/\s+/g, ' ').trim() : part;
}

function toolOf(path, method, operation, parameters) {
  const named = parameters.map(resolve).filter((one) => one.in === 'path' || one.in === 'query');
  const body = resolve(resolve(operation.requestBody)?.content['application/json'].schema) ?? {};
  const properties = {};
  for (const { name, schema, description } of named) properties[name] = plain({ ...resolve(schema), description });
  for (const [name, schema] of Object.entries(body.properties ?? {})) {
    if (properties[name]) throw new Error(`${operation.operationId} has two fields named ${name}.`);
    properties[name] = plain(schema);
  }
  const required = [...named.filter((one) => one.required).map(({ name }) => name), ...(body.required ?? [])];
  return {
    name: operation.operationId.replace('agent.', '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    operation: operation.operationId,
    description: `${operation.summary}. ${operation.description.replaceAll(/\s+/g, ' ').trim()}`,
    scope: operation['x-scope'],
    method: method.toUpperCase(),
    path,
    inPath: named.filter((one) => one.in === 'path').map(({ name }) => name),
    inQuery: named.filter((one) => one.in === 'query').map(({ name }) => name),
    hasBody: operation.requestBody !== undefined,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
  };
}

const tools = Object.entries(contract.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => path.startsWith('/api/agent/') && item[method]?.['x-scope']).map((method) =>
    toolOf(path, method, item[method], [...(item.parameters ?? []), ...(item[method].parameters ?? [])]),
  ),
);
const lines = tools.map((tool) => `  ${JSON.stringify(tool)},\n`).join('');
await writeFile(
  new URL('../src/generated/agent-tools.ts', import.meta.url),
  `// Written by scripts/write-agent-tools.mjs from the contract.\nimport type { AgentTool } from '../tool-forms.ts';\n\nexport const AGENT_TOOLS: readonly AgentTool[] = [\n${lines}];\n`,
);

// Generates the part of the contract that the mocks need: request schemas, example responses and error messages.
import { readFile, writeFile } from 'node:fs/promises';

const contract = JSON.parse(await readFile(new URL('../../spec/generated/openapi.json', import.meta.url), 'utf8'));
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Keywords without an effect on validation, which are removed. */
const WORDS = new Set(['description', 'title', 'example', 'examples', 'deprecated', 'writeOnly', 'readOnly']);

function at(ref) {
  return ref
    .slice(2)
    .split('/')
    .reduce((parent, key) => parent[key], contract);
}

const followed = (node) => (node?.$ref ? at(node.$ref) : node);
const used = new Map();

/** Removes descriptions from a schema. Keeps referenced components under their names. */
function plain(node, isNamed = false) {
  if (Array.isArray(node)) return node.map((one) => plain(one));
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string') return { $ref: `contract:${keep(node.$ref)}` };
  const isKept = (name) => name === 'x-pattern-message' || !(WORDS.has(name) || name.startsWith('x-'));
  const fields = Object.entries(node).filter(([name]) => isNamed || isKept(name));
  return Object.fromEntries(fields.map(([name, part]) => [name, plain(part, name === 'properties')]));
}

function keep(ref) {
  const name = ref.split('/').at(-1);
  if (!used.has(name)) {
    used.set(name, undefined);
    used.set(name, plain(at(ref)));
  }
  return name;
}

function answerOf(responses) {
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith('2'));
  const json = followed(response).content?.['application/json'];
  const example = json?.example ?? followed(Object.values(json?.examples ?? {})[0])?.value;
  if (json && example === undefined) throw new Error('A response has no example.');
  return { status: Number(status), ...(json && { answer: example }) };
}

function operationOf(path, method, operation, shared) {
  const parameters = [...shared, ...(operation.parameters ?? [])].map(followed);
  const body = followed(operation.requestBody);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    ...answerOf(operation.responses),
    security: operation.security.map((schemes) => Object.keys(schemes)),
    ...(operation['x-scope'] && { scope: operation['x-scope'] }),
    ...(operation['x-human-only'] && { humanOnly: true }),
    ...(operation['x-key-waived'] && { keyWaived: true }),
    parameters: parameters.map(({ name, in: place, required = false, schema }) => ({
      ...{ name, in: place, required },
      schema: plain(place === 'query' ? { ...followed(schema), ...(schema.$ref ? {} : schema) } : schema),
    })),
    ...(body && {
      body: { required: body.required ?? false, schema: plain(body.content['application/json'].schema) },
    }),
  };
}

const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) =>
    operationOf(path, method, item[method], item.parameters ?? []),
  ),
);
const errors = Object.entries(contract.components.schemas.ErrorCode['x-error-catalogue']).map(
  ([code, { status, retryable, remedy, advice }]) => {
    const { next = remedy, operation } = advice ?? {};
    return [code, { status, retryable, ...(next && { next }), ...(operation && { next_operation: operation }) }];
  },
);
const json = JSON.stringify({ operations, schemas: Object.fromEntries(used), errors: Object.fromEntries(errors) });
const literal = `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
await writeFile(
  new URL('../src/generated/mock-contract.ts', import.meta.url),
  `// Written by scripts/write-mock-contract.mjs from the contract.\nimport type { MockContract } from '../mocks/contract-types.ts';\n\nexport const MOCK_CONTRACT: MockContract = JSON.parse(\n  ${literal},\n);\n`,
);

// Bundles the SDK and the contract, because users install this package without the other packages of this repository.
// Dependencies from the npm registry are not bundled.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

const CONTRACT = '/generated/openapi.json';

/**
 * All commands need the errors' remedies and the dashboard's request schemas, which are a tenth of the contract.
 * Commands that need more import the contract dynamically; that import becomes a separate file without examples.
 */
const contractInParts = {
  name: 'contract-in-parts',
  async resolveId(id, importer, { kind }) {
    if (kind !== 'dynamic-import' || !id.endsWith('/openapi.json')) return null;
    const found = await this.resolve(id, importer);
    return found && { id: `${found.id}?whole` };
  },
  async load(id) {
    const [path, whole] = id.split('?');
    if (!path.endsWith(CONTRACT)) return null;
    const contract = JSON.parse(await readFile(path, 'utf8'));
    if (whole) {
      const { examples, ...components } = contract.components;
      return { code: JSON.stringify({ ...contract, components }), moduleType: 'json' };
    }
    return { code: JSON.stringify(partOf(contract)), moduleType: 'json' };
  },
};

/**
 * Remedies of errors, request schemas of dashboard operations with the schemas that they reference, and event types.
 */
function partOf(contract) {
  const paths = Object.entries(contract.paths)
    .filter(([path]) => path.startsWith('/api/dashboard/'))
    .map(([path, item]) => [path, { parameters: item.parameters, ...requestsIn(item) }]);
  const webhooks = Object.entries(contract.webhooks).map(([type, { post }]) => [
    type,
    { post: { summary: post.summary } },
  ]);
  const part = { paths: Object.fromEntries(paths), webhooks: Object.fromEntries(webhooks), components: {} };
  addReferences(part, part.paths, contract);
  const { ErrorCode } = contract.components.schemas;
  part.components.schemas.ErrorCode = { 'x-error-catalogue': ErrorCode['x-error-catalogue'] };
  return part;
}

function requestsIn(item) {
  const operations = Object.entries(item).filter(([, { operationId }]) => operationId !== undefined);
  return Object.fromEntries(
    operations.map(([method, { operationId, parameters, requestBody }]) => {
      const { schema } = requestBody?.content?.['application/json'] ?? {};
      const body = schema && { required: requestBody.required, content: { 'application/json': { schema } } };
      return [method, { operationId, parameters, requestBody: body, responses: {} }];
    }),
  );
}

function addReferences({ components }, value, contract) {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== '$ref' || typeof inner !== 'string') {
      addReferences({ components }, inner, contract);
      continue;
    }
    const [, , kind, name] = inner.split('/');
    components[kind] ??= {};
    if (components[kind][name] !== undefined) continue;
    components[kind][name] = contract.components[kind][name];
    addReferences({ components }, components[kind][name], contract);
  }
}

/** Whether an import is from a package in the npm registry. */
function isDependency(id) {
  return Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));
}

const bundle = await rolldown({
  cwd: root,
  input: 'src/main.ts',
  platform: 'node',
  external: (id) => id.startsWith('node:') || isDependency(id),
  plugins: [contractInParts],
});
const names = '[name].js';
const { output } = await bundle.write({ dir: 'dist', format: 'esm', entryFileNames: names, chunkFileNames: names });
await bundle.close();

const chunks = new Set(output.map(({ fileName }) => fileName));
const missing = output
  .flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports])
  .filter((name) => !name.startsWith('node:') && !isDependency(name) && !chunks.has(name));
if (missing.length > 0) {
  throw new Error(`${missing.join(', ')} cannot be resolved. Build the SDK first (npm run build in the repository).`);
}

// The package is installed on its own: the SDK, which is another package of this repository, becomes a part of it. So does
// the contract's list of error codes, without the rest of the contract. Dependencies from the registry stay what they are.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

/** Only the remedies of the errors are read from the contract, which is a hundred times as long. */
const remediesOnly = {
  name: 'remedies-only',
  async load(id) {
    if (!id.endsWith('/generated/openapi.json')) return null;
    const contract = JSON.parse(await readFile(id, 'utf8'));
    const { ErrorCode } = contract.components.schemas;
    return JSON.stringify({
      components: { schemas: { ErrorCode: { 'x-error-catalogue': ErrorCode['x-error-catalogue'] } } },
    });
  },
};

const bundle = await rolldown({
  cwd: root,
  input: 'src/main.ts',
  platform: 'node',
  external: [/^node:/, ...Object.keys(dependencies)],
  plugins: [remediesOnly],
});
const names = '[name].js';
const { output } = await bundle.write({ dir: 'dist', format: 'esm', entryFileNames: names, chunkFileNames: names });
await bundle.close();

const chunks = new Set(output.map(({ fileName }) => fileName));
const missing = output
  .flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports])
  .filter((name) => !name.startsWith('node:') && !(name in dependencies) && !chunks.has(name));
if (missing.length > 0) {
  throw new Error(`${missing.join(', ')} cannot be resolved. Build the SDK first (npm run build in the repository).`);
}

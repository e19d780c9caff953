import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Documents outside of docs/, and the names of their pages. */
const ELSEWHERE: Record<string, string> = {
  'sdk/README.md': 'packages/sdk.md',
  'cli/README.md': 'packages/cli.md',
  'server/README.md': 'packages/server.md',
  'examples/README.md': 'examples.md',
  'bench/README.md': 'bench.md',
  'proofs/README.md': 'proofs.md',
  'CONTRIBUTING.md': 'contributing.md',
};

/** Maps the path of each document in the repository to the path of its page. */
export function pages(): Map<string, string> {
  const guides = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .map((name): [string, string] => [`docs/${name}`, name]);
  return new Map([...guides, ...Object.entries(ELSEWHERE)]);
}

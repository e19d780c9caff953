/**
 * Whether the published figures are of this contract. Fails with a line for each row of proofs/README.md and each section of
 * bench/README.md that was measured when fewer operations were served than now. `npm run check:figures` runs it.
 */
import { readFileSync } from 'node:fs';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

function servedIn(contract: string): number {
  const { paths } = JSON.parse(contract) as { paths: Record<string, object> };
  return Object.values(paths).flatMap((item) => Object.keys(item).filter((key) => METHODS.includes(key))).length;
}

/** The rows of the proofs that count too few operations, or do not say how many. */
export function staleProofs(readme: string, served: number): string[] {
  const rows = [...readme.matchAll(/^\| ([A-Z]\d+) \|.*$/gm)];
  if (rows.length === 0) throw new Error('proofs/README.md has no figures.');
  return rows.flatMap(([row, id = '']) => {
    const operations = /\| (?:full|short) \| (\d+) \| [0-9a-f]{7}\+? \| \d{4}-\d\d-\d\d \|$/.exec(row)?.[1];
    return Number(operations) >= served ? [] : [id];
  });
}

/** The sections of the bench that were measured with too few operations, or do not say with how many. */
export function staleBenches(readme: string, served: number): string[] {
  const sections = [...readme.matchAll(/<!-- (\w+): written by npm run bench -->([\s\S]*?)<!-- end of \1 -->/g)];
  if (sections.length === 0) throw new Error('bench/README.md has no figures.');
  return sections.flatMap(([, name = '', text = '']) => {
    const operations = /^Measured at [0-9a-f]{7}\+? on [\d-]{10}, with (\d+) operations served\.$/m.exec(text)?.[1];
    return Number(operations) >= served ? [] : [name];
  });
}

if (import.meta.main) {
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const served = servedIn(read('spec/generated/openapi.json'));
  const proofs = staleProofs(read('proofs/README.md'), served);
  const benches = staleBenches(read('bench/README.md'), served);
  const said = [
    ...(proofs.length > 0
      ? [
          `proofs/README.md: measured before ${served} operations were served: run npm run prove -- --short ${proofs.join(' ')}`,
        ]
      : []),
    ...(benches.length > 0
      ? [`bench/README.md: measured before ${served} operations were served: run npm run bench -- ${benches.join(' ')}`]
      : []),
  ];
  for (const line of said) process.stderr.write(`${line}\n`);
  process.exitCode = said.length > 0 ? 1 : 0;
}

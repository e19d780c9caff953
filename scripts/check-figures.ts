/**
 * Checks the published figures. No row of proofs/README.md may report violations. No row there may have been recorded
 * with fewer operations than the contract has now, and no section of bench/README.md whose figures depend on the number
 * of operations may have been measured with fewer. `npm run check:figures` runs this.
 */
import { readFileSync } from 'node:fs';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

function servedIn(contract: string): number {
  const { paths } = JSON.parse(contract) as { paths: Record<string, object> };
  return Object.values(paths).flatMap((item) => Object.keys(item).filter((key) => METHODS.includes(key))).length;
}

/**
 * Benchmarks whose figures may depend on the number of operations. Others measure single operations, and are dated
 * instead.
 */
const OF_ALL_OPERATIONS = ['validation', 'process'];

/**
 * Returns the rows of proofs/README.md that were last recorded with fewer operations than `served`, or without a number
 * of operations.
 */
export function staleProofs(readme: string, served: number): string[] {
  const rows = [...readme.matchAll(/^\| ([A-Z]\d+) \|.*$/gm)];
  if (rows.length === 0) throw new Error('proofs/README.md has no figures.');
  return rows.flatMap(([row, id = '']) => {
    const [, own, since = 0] =
      /\| (?:full|tenth|short) \| (\d+) \| [0-9a-f]{7}\+? \| \d{4}-\d\d-\d\d \| (?:(\d+), [0-9a-f]{7}\+?, \d{4}-\d\d-\d\d(?:, a tenth)?)? ?\|$/.exec(
        row,
      ) ?? [];
    return Math.max(Number(own), Number(since)) >= served ? [] : [id];
  });
}

/** Returns rows of proofs/README.md that report violations, or no number of violations. */
export function brokenProofs(readme: string): string[] {
  const rows = [...readme.matchAll(/^\| ([A-Z]\d+) \|.*?\|([^|]*)\|/gm)];
  return rows.flatMap(([, id = '', violations = '']) => (violations.trim() === '0' ? [] : [id]));
}

/**
 * Returns sections of bench/README.md that depend on the number of operations and were measured with fewer, or do not
 * state the number.
 */
export function staleBenches(readme: string, served: number): string[] {
  const sections = [...readme.matchAll(/<!-- (\w+): written by npm run bench -->([\s\S]*?)<!-- end of \1 -->/g)];
  if (sections.length === 0) throw new Error('bench/README.md has no figures.');
  // A section without measurements cannot be outdated.
  return sections.flatMap(([, name = '', text = '']) => {
    if (text.trim() === '') return [];
    const operations = /^Measured at [0-9a-f]{7}\+? on [\d-]{10}, with (\d+) operations served\.$/m.exec(text)?.[1];
    const enough = OF_ALL_OPERATIONS.includes(name) ? served : 1;
    return Number(operations) >= enough ? [] : [name];
  });
}

if (import.meta.main) {
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const served = servedIn(read('spec/generated/openapi.json'));
  const proofs = staleProofs(read('proofs/README.md'), served);
  const broken = brokenProofs(read('proofs/README.md'));
  const benches = staleBenches(read('bench/README.md'), served);
  const said = [
    ...(proofs.length > 0
      ? [
          `proofs/README.md: measured before ${served} operations were served: run npm run prove -- --short --record (${proofs.join(' ')})`,
        ]
      : []),
    ...broken.map(
      (id) => `proofs/README.md: ${id} counts violations: mend what broke it, and run npm run prove -- ${id}`,
    ),
    ...(benches.length > 0
      ? [`bench/README.md: measured before ${served} operations were served: run npm run bench -- ${benches.join(' ')}`]
      : []),
  ];
  for (const line of said) process.stderr.write(`${line}\n`);
  process.exitCode = said.length > 0 ? 1 : 0;
}

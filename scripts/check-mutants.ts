/**
 * `npm run check` runs this. Fails with a line for each planted bug in proofs/mutants/ that no longer applies to the
 * code, and for each proof without a planted bug.
 */

import { readFileSync } from 'node:fs';
import { allMutants, planted } from '../proofs/mutants.ts';

const proofs = readFileSync(new URL('../proofs/all.ts', import.meta.url), 'utf8');
const mutants = allMutants();
for (const mutant of mutants) {
  try {
    planted(mutant);
    const unknown = mutant.proofs.filter((id) => !proofs.includes(`import { ${id} }`));
    if (unknown.length > 0)
      throw new Error(`proofs/mutants/${mutant.id}.json: there is no proof ${unknown.join(', ')}.`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
for (const [, id = ''] of proofs.matchAll(/import \{ ([A-Z]\d+) \}/g)) {
  if (mutants.some((mutant) => mutant.proofs.includes(id))) continue;
  console.error(`${id} has no planted bug: describe one in proofs/mutants/.`);
  process.exitCode = 1;
}

/**
 * `npm run check` runs this. Fails with a line for each planted bug in proofs/mutants/ that no longer applies to the
 * code.
 */

import { readFileSync } from 'node:fs';
import { allMutants, planted } from '../proofs/mutants.ts';

const proofs = readFileSync(new URL('../proofs/all.ts', import.meta.url), 'utf8');
for (const mutant of allMutants()) {
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

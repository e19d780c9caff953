/**
 * The command `npm run prove`; README.md lists its options. Progress goes to stderr. Exits with 1 if a promise is
 * broken or a mutant survives.
 */

import './temporary-folder.ts';

import { parseArgs } from 'node:util';
import { startVitest, type Vitest } from 'vitest/node';
import { migratedDatabases } from '../server/test/database.ts';
import { PROOFS } from './all.ts';
import { folders, promises, proofsIn } from './list.ts';
import { proveMutants } from './mutants.ts';
import { stampOfNow } from './stamp.ts';
import { machineLine, noteShortForms, type Row, writeTable } from './table.ts';
import { FailedProof, type Figures, type Proof, type Trial } from './testing/proof.ts';
import { closeWorld } from './testing/three-tenants.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
    tenth: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
  },
});

if (values.list) {
  process.stdout.write(`${promises().join('\n')}\n`);
  process.exit(0);
}
if (values.mutants) process.exit(await proveMutants(positionals, values.seed));
const known = [...folders(), ...PROOFS.map(({ id }) => id)];
const unknown = positionals.filter((word) => !known.includes(word));
if (unknown.length > 0) {
  process.stderr.write(`There is no proof ${unknown.join(', ')}. Known: ${known.join(' ')}\n`);
  process.exit(2);
}
if (values.short && positionals.every((word) => folders().includes(word))) await proveShort(positionals);

const ids = positionals.flatMap((word) => (folders().includes(word) ? proofsIn(word) : [word]));
const chosen = ids.length > 0 ? PROOFS.filter(({ id }) => ids.includes(id)) : PROOFS;

const begun = values.short && !values.record ? undefined : stampOfNow();
const database = await migratedDatabases(1);
const [databaseUrl = ''] = database.superuserUrls;
const rows: Row[] = [];
try {
  for (const proof of chosen) rows.push(await prove(proof));
} finally {
  await closeWorld();
  await database.stop();
}
if (begun) writeTable(rows, machineLine(), begun);
const broken = rows.filter(({ figures }) => figures.violations.length > 0);
process.stderr.write(
  broken.length === 0 ? 'Every promise held.\n' : `Broken: ${broken.map(({ id }) => id).join(' ')}\n`,
);
process.stdout.write(`${rows.length - broken.length} passed, ${broken.length} failed\n`);
process.exit(broken.length === 0 ? 0 : 1);

async function prove({ id, promise, run }: Proof): Promise<Row> {
  const seed = Number(values.seed);
  const started = Date.now();
  process.stderr.write(`${id}: ${promise}\n`);
  const trial: Trial = {
    size: values.short ? 'short' : values.tenth ? 'tenth' : 'full',
    seed,
    databaseUrl,
    progress: (text) => process.stderr.write(`  ${id} ${text}\n`),
  };
  const figures = await run(trial).catch((error: Error): Figures => {
    const found = error instanceof FailedProof ? error.found : [];
    const violations = [...found, `The proof itself failed: ${error.stack ?? error.message}`];
    return { tried: 0, unit: 'attempts', violations };
  });
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  const { tried, unit, violations, note } = figures;
  process.stderr.write(
    `${id}: ${violations.length} violations in ${tried} ${unit}, ${seconds} s${note ? `, ${note}` : ''}\n`,
  );
  for (const violation of violations.slice(0, 20)) process.stderr.write(`  - ${violation}\n`);
  return { id, promise, form: trial.size, seed, seconds, figures };
}

/**
 * Returns the ids of the proofs whose short form succeeded. The names of their tests begin with the id (short-form.ts).
 */
function heldIn(vitest: Vitest): string[] {
  const tests = vitest.state.getTestModules().flatMap(({ children }) => [...children.allTests('passed')]);
  return tests.flatMap(({ name }) => /^([A-Z]\d+): /.exec(name)?.[1] ?? []);
}

/**
 * Runs the short forms of the proofs in these folders, by default in all, with proofs/vitest.config.ts. Prints how many
 * succeeded.
 */
async function proveShort(chosenFolders: string[]): Promise<never> {
  process.env.PROOF_SEED = values.seed;
  const now = stampOfNow();
  const vitest = await startVitest(
    'test',
    chosenFolders.map((folder) => `proofs/${folder}/`),
    { config: `${import.meta.dirname}/vitest.config.ts`, watch: false },
  );
  if (values.record) noteShortForms(heldIn(vitest), now);
  await vitest.close();
  process.exit(process.exitCode ?? 0);
}

import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A bug to plant, from proofs/mutants/<id>.json. The short form of each of its proofs must report violations. */
export interface Mutant {
  id: string;
  /** The ids of the proofs that must detect the bug. */
  proofs: string[];
  /** The bug in one sentence. */
  bug: string;
  /** The path of the file, relative to the root of the repository. */
  file: string;
  /** The text to replace. It must occur once in the file. */
  find: string;
  replace: string;
}

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(import.meta.dirname, 'mutants');
/** Time limit for the short form of one proof. */
const MOST_MINUTES = 10;

export function allMutants(): Mutant[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return files.sort().map((name) => ({
    id: basename(name, '.json'),
    ...(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Omit<Mutant, 'id'>),
  }));
}

/** Returns the source with the bug. Throws if the text to replace does not occur exactly once. */
export function planted({ id, file, find, replace }: Mutant, root = ROOT): string {
  const parts = readFileSync(join(root, file), 'utf8').split(find);
  if (parts.length !== 2) {
    throw new Error(`proofs/mutants/${id}.json: the text to replace occurs ${parts.length - 1} times in ${file}.`);
  }
  return parts.join(replace);
}

/**
 * Runs the short form of each mutant's proofs in a copy of the checkout that has its bug. `chosen` contains ids of
 * mutants or proofs; if it is empty, all mutants run. Returns the exit code: 1 if a mutant survived.
 */
export async function proveMutants(chosen: string[], seed: string): Promise<number> {
  const wanted = (id: string) => chosen.length === 0 || chosen.includes(id);
  const runs = allMutants().flatMap((mutant) =>
    mutant.proofs.filter((proof) => wanted(proof) || wanted(mutant.id)).map((proof) => ({ mutant, proof })),
  );
  if (runs.length === 0) throw new Error(`No mutant matches ${chosen.join(' ')}.`);
  const copy = copyOfCheckout();
  const survivors: string[] = [];
  try {
    for (const { mutant, proof } of runs) {
      const file = join(copy, mutant.file);
      const source = readFileSync(file, 'utf8');
      writeFileSync(file, planted(mutant, copy));
      const { caught, reported } = await shortFormIn(copy, proof, seed);
      writeFileSync(file, source);
      if (!caught) survivors.push(`${mutant.id} (${proof})`);
      process.stdout.write(`${caught ? 'caught  ' : 'SURVIVED'}  ${proof}  ${mutant.id}: ${mutant.bug}\n`);
      process.stderr.write(`          ${reported}\n`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  process.stdout.write(`${runs.length - survivors.length} caught, ${survivors.length} survived\n`);
  return survivors.length > 0 ? 1 : 0;
}

/** Copies all files that a proof reads. Packages are linked instead, because nothing writes to them. */
function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  // C17 runs the copy's deploy/ha as the user postgres.
  chmodSync(copy, 0o711);
  const left = ['node_modules', '.git', '.data', '.turbo', 'docs-site'];
  const options = { recursive: true, verbatimSymlinks: true };
  cpSync(ROOT, copy, { ...options, filter: (path) => !left.includes(basename(path)) });
  for (const folder of ['', 'cli', 'server', 'spec', 'sdk', 'panel', 'examples']) linkPackages(folder, copy);
  return copy;
}

function linkPackages(folder: string, copy: string): void {
  const [from, to] = [join(ROOT, folder, 'node_modules'), join(copy, folder, 'node_modules')];
  mkdirSync(to);
  for (const name of packagesIn(from)) {
    // The workspaces are relative links, so the copied links lead to the copies.
    if (name === '@commerce-backend')
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, name), join(to, name));
  }
}

function packagesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Runs the short form of a proof in the copy. A proof that crashes or does not end has not detected the bug. */
async function shortFormIn(cwd: string, proof: string, seed: string): Promise<{ caught: boolean; reported: string }> {
  const args = ['proofs/run.ts', proof, '--short', '--seed', seed];
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: MOST_MINUTES * 60_000,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((end) => child.once('close', end));
  const count = new RegExp(`^${proof}: (\\d+) violations`, 'm').exec(output)?.[1];
  const first = /^ {2}- (.*)$/m.exec(output)?.[1] ?? output.trim().split('\n').at(-1) ?? '';
  const caught = code === 1 && Number(count) > 0 && !first.startsWith('The proof itself failed');
  return { caught, reported: `${count ?? 'no'} violations: ${first.slice(0, 300)}` };
}

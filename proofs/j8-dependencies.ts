import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Figures, type Proof, Violations } from './frame.ts';
import { LICENSES, type Lock, type LockedPackage, nameAt, spoiledLocks } from './spoiled-locks.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Checks the packages that `npm ci` would install from package-lock.json, without the network; and lock files with one fault each, to
 * test the check.
 */
export const J8: Proof = {
  id: 'J8',
  promise:
    'Installed packages match the lock file: from the registry, at a safe version, freely licensed, without unlisted scripts.',
  async run() {
    const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as Lock;
    const { allowScripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Manifest;
    const violations = new Violations();
    for (const fault of [...faultsOf(lock, allowScripts), ...problemsOfNpm()]) violations.add(fault);
    const spoiled = spoiledLocks(lock);
    for (const { what, faulty, named } of spoiled) {
      const seen = faultsOf(faulty, allowScripts).some((fault) => fault.startsWith(named));
      if (!seen) violations.add(`nothing is said of ${what}`);
    }
    const note = `${spoiled.length} locks with a fault, all noticed`;
    return {
      tried: Object.keys(lock.packages).length,
      unit: 'locked packages',
      violations: violations.list,
      ...(violations.list.length === 0 && { note }),
    } satisfies Figures;
  },
};

interface Manifest {
  allowScripts: Record<string, boolean>;
}

/** Versions below these have known vulnerabilities (CVE-2026-4926, CVE-2026-4867, CVE-2024-45296, CVE-2026-3304, CVE-2026-8159). */
const FLOORS: Record<string, (version: string) => boolean> = {
  // The old release line of Express 4 was fixed after 0.1.12.
  'path-to-regexp': (version) =>
    version.startsWith('0.1.') ? isAtLeast(version, '0.1.13') : isAtLeast(version, '8.4.0'),
  multer: (version) => isAtLeast(version, '2.1.0'),
  multiparty: (version) => isAtLeast(version, '4.3.0'),
};

function isAtLeast(version: string, floor: string): boolean {
  // A pre-release such as 8.4.0-beta.1 comes before its release.
  const [release = '', early] = version.split('-');
  const order = release.localeCompare(floor, 'en', { numeric: true });
  return order > 0 || (order === 0 && early === undefined);
}

function faultsOf(lock: Lock, allowScripts: Manifest['allowScripts']): string[] {
  const places = Object.entries(lock.packages);
  const ours = new Set(places.flatMap(([, { link, resolved }]) => (link && resolved ? [resolved] : [])));
  const faults = places
    .filter(([place]) => place !== '' && !ours.has(place))
    .flatMap(([place, locked]) => faultsOfPackage(place, locked, allowScripts).map((fault) => `${place}: ${fault}`));
  for (const [name, allowed] of Object.entries(allowScripts)) {
    const runs = places.some(([place, { hasInstallScript }]) => nameAt(place) === name && hasInstallScript);
    if (allowed && !runs) faults.push(`${name}: may run a script, and has none`);
  }
  return [...faults, ...missingOptionals(lock)];
}

function faultsOfPackage(place: string, locked: LockedPackage, allowScripts: Manifest['allowScripts']): string[] {
  const { link, resolved = '', integrity = '', version = '', hasInstallScript } = locked;
  // A workspace of ours; a link must not lead to a foreign package.
  if (link) return place.startsWith('node_modules/@commerce-backend/') ? [] : ['is a link'];
  const name = nameAt(place);
  const faults: string[] = [];
  // Without an address it is from npm's configured registry, and must have the same contents.
  if (!/^(?:https:\/\/registry\.npmjs\.org\/|$)/.test(resolved)) faults.push(`comes from ${resolved}`);
  if (!/^sha512-[\w+/]{86}==$/.test(integrity)) faults.push(`has no SHA-512 of its contents, but "${integrity}"`);
  if (FLOORS[name]?.(version) === false) faults.push(`has known holes in ${version}`);
  if (hasInstallScript && !(name in allowScripts)) {
    faults.push('runs a script when it is installed: decide on it in allowScripts of package.json');
  }
  const license = locked.license ?? LICENSES.untold[name];
  if (!license || !isFree(license, Boolean(locked.dev ?? locked.devOptional))) {
    faults.push(`has the license ${license ?? 'of nobody knows what'}: decide on it in proofs/spoiled-locks.ts`);
  }
  return faults;
}

/** Whether an SPDX expression grants the required rights: one of its alternatives, with every license that this names. */
function isFree(license: string, development: boolean): boolean {
  // Alternatives within conjunctions do not occur, and would be evaluated wrongly.
  if (license.includes(' AND ') && license.includes(' OR ')) return false;
  const free = (one: string) =>
    LICENSES.everywhere.includes(one) || (development && LICENSES.development.includes(one));
  const [, inner = license] = /^\((.*)\)$/.exec(license) ?? [];
  return inner.split(' OR ').some((alternative) => alternative.split(' AND ').every(free));
}

/** If the lock lacks an optional package for another system, `npm ci` fails there, and `npm ls` here does not report it. */
function missingOptionals({ packages }: Lock): string[] {
  return Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !reached(packages, place, name))
      .map((name) => `${place}: the optional ${name} is not locked`),
  );
}

/** Whether a package resolves another as Node does: next to itself, or in a parent folder. */
function reached(packages: Lock['packages'], from: string, name: string): boolean {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    if (`${place && `${place}/`}node_modules/${name}` in packages) return true;
    if (place === '') return false;
  }
}

/** npm's own complaints about locked packages and the ranges that ask for them. */
function problemsOfNpm(): string[] {
  try {
    const args = ['ls', '--all', '--package-lock-only', '--offline', '--json'];
    execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20, stdio: 'pipe' });
    return [];
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    if (!stdout.startsWith('{')) throw error;
    return (JSON.parse(stdout) as { problems?: string[] }).problems ?? ['npm ls: a problem that it does not name'];
  }
}

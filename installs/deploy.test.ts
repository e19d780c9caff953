import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../server/src/config-variables.ts';
import { freePort } from '../server/src/db/free-port.ts';
import { PGBOUNCER } from '../server/test/pgbouncer.ts';
import { findTool } from '../server/test/tools.ts';
import { databaseUrl } from '../server/test/worker-database.ts';
import { done, emptyFolder, install, ownEnvironment, REPOSITORY, ran } from './outside.ts';

/** Tests parts of deploy/ without a Docker daemon. A test is skipped if its tools are not installed. */

const DOCKER = join(REPOSITORY, 'deploy/docker');
const SETTINGS = { BASE_URL: 'https://api.example', SECRET_KEY: 'k'.repeat(48), DATABASE_PASSWORD: 'p4ss' };

const compose = findTool({ names: ['docker-compose'], debianPackage: 'docker-compose' });
if (!compose) console.warn('docker-compose is not here: compose.yaml is not judged.');

interface Composed {
  services: Record<string, { environment?: Record<string, string>; build?: { target: string; dockerfile: string } }>;
}

test.skipIf(!compose)('compose.yaml is valid, and sets only variables of the server', async () => {
  const shown = await done(DOCKER, [compose ?? '', '-f', 'compose.yaml', 'config'], SETTINGS);
  const { services } = parse(shown) as Composed;
  expect(Object.keys(services).sort()).toEqual(['migrate', 'pgbouncer', 'postgres', 'redis', 'server', 'worker']);
  const roles = ['server', 'worker'].map((name) => services[name]?.environment?.ROLE);
  expect(roles).toEqual(['api', 'worker']);
  for (const name of ['migrate', 'server', 'worker']) {
    const unknown = Object.keys(services[name]?.environment ?? {}).filter((variable) => !(variable in VARIABLES));
    expect(unknown, name).toEqual([]);
  }
  const dockerfile = readFileSync(join(DOCKER, 'Dockerfile'), 'utf8');
  for (const { build } of Object.values(services)) {
    if (build) expect(dockerfile).toMatch(new RegExp(`^FROM .+ AS ${build.target}$`, 'm'));
  }
});

test.skipIf(!compose)('compose.yaml names a required setting that is missing', async () => {
  const { code, err } = await ran(DOCKER, [compose ?? '', '-f', 'compose.yaml', 'config']);
  expect(code).not.toBe(0);
  expect(err).toMatch(/BASE_URL|SECRET_KEY|DATABASE_PASSWORD/);
});

test('the Dockerfile is valid, and copies only existing files', async () => {
  const { folder, remove } = await emptyFolder();
  onTestFinished(remove);
  await install(folder, 'dockerfile-utils@0.16.3');
  const judge = `
    import { validate } from 'dockerfile-utils'; import { readFileSync } from 'node:fs';
    const text = readFileSync(process.argv[2], 'utf8');
    console.log(JSON.stringify(validate(text).map(({ message, range }) => message + ' ' + range.start.line)));`;
  await writeFile(join(folder, 'judge.mjs'), judge);
  const dockerfile = join(DOCKER, 'Dockerfile');
  expect(JSON.parse(await done(folder, [process.execPath, 'judge.mjs', dockerfile]))).toEqual([]);
  await writeFile(join(folder, 'wrong'), 'FROM node:24\nEXPSE 8080\n');
  expect(JSON.parse(await done(folder, [process.execPath, 'judge.mjs', 'wrong']))).toHaveLength(1);
  const copied = [...readFileSync(dockerfile, 'utf8').matchAll(/^COPY (?!--from)(\S+)/gm)].map(
    ([, path]) => path ?? '',
  );
  expect(copied.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
});

test('prometheus.yml scrapes the ports of the API and of the worker in deploy/docker and deploy/systemd', async () => {
  const { scrape_configs } = parse(readFileSync(join(REPOSITORY, 'deploy/prometheus/prometheus.yml'), 'utf8')) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[];
  };
  const targets = scrape_configs.flatMap(({ static_configs }) => static_configs.flatMap((one) => one.targets));
  const { services } = parse(readFileSync(join(DOCKER, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { ports?: string[] }>;
  };
  const published = ['server', 'worker'].flatMap((name) => services[name]?.ports ?? []);
  const units = ['api', 'worker'].map((name) =>
    readFileSync(join(REPOSITORY, `deploy/systemd/commerce-${name}.service`), 'utf8'),
  );
  const ports = targets.map((target) => target.split(':')[1]);
  expect(ports).toEqual(['9100', '9101']);
  for (const [i, port] of ports.entries()) {
    expect(published).toContain(`127.0.0.1:${port}:9100`);
    expect(units[i]).toContain(`METRICS_PORT=${port}`);
  }
});

const systemd = findTool({ names: ['systemd-analyze'], debianPackage: 'systemd' });
if (!systemd) console.warn('systemd-analyze is not here: the units are not judged.');

test.skipIf(!systemd)('systemd accepts the units of deploy/', async () => {
  const units = ['api', 'worker'].map((name) => join(REPOSITORY, `deploy/systemd/commerce-${name}.service`));
  const { code, err } = await ran(REPOSITORY, [systemd ?? '', 'verify', ...units]);
  // systemd-analyze reports programs that do not exist. The unit's programs are not installed here.
  const complaints = err.split('\n').filter((line) => line && !line.includes('is not executable'));
  expect({ code: err.includes('is not executable') ? 0 : code, complaints }).toEqual({ code: 0, complaints: [] });
});

const pgbouncer = findTool(PGBOUNCER);
if (!pgbouncer) console.warn('PgBouncer is not here: pgbouncer.sh is not run.');

test.skipIf(!pgbouncer)("pgbouncer.sh accepts only the shop's database login, with its password", async () => {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl());
  expect(username).toBe('commerce');
  const { folder, remove } = await emptyFolder();
  await chmod(folder, 0o777);
  const own = String(await freePort());
  const where = { DATABASE_HOST: hostname, DATABASE_PORT: port, DATABASE_PASSWORD: decodeURIComponent(password) };
  const listening = { LISTEN_ADDRESS: '127.0.0.1', LISTEN_PORT: own, TMPDIR: folder };
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const running = spawn('/bin/sh', [join(DOCKER, 'pgbouncer.sh')], {
    ...account,
    env: { ...ownEnvironment(), PATH: `${process.env.PATH}:/usr/sbin`, ...where, ...listening },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(running, 'exit');
    if (running.exitCode === null && running.kill()) await ended;
    await remove();
  });
  const asked = async (user: string, secret: string) => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(own),
      user,
      password: secret,
      database: pathname.slice(1),
    });
    try {
      await client.connect();
      const { rows } = await client.query('select current_user as name');
      return rows[0].name as string;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  for (let tries = 0; tries < 100 && (await asked('commerce', where.DATABASE_PASSWORD)) !== 'commerce'; tries += 1) {
    await sleep(50);
  }
  expect(await asked('commerce', where.DATABASE_PASSWORD)).toBe('commerce');
  expect(await asked('commerce', 'wrong')).toMatch(/password|SASL|authentication/i);
  expect(await asked('postgres', where.DATABASE_PASSWORD)).toMatch(/password|SASL|authentication|no such user/i);
});

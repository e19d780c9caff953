import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const SERVER = fileURLToPath(new URL('../test/draining.ts', import.meta.url));

let child: ChildProcess;
let output = '';
const agent = new Agent({ keepAlive: true });

afterEach(() => {
  agent.destroy();
  child.kill('SIGKILL');
});

async function start(drainSeconds: number): Promise<string> {
  output = '';
  child = spawn(process.execPath, [SERVER, String(drainSeconds)], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return `http://127.0.0.1:${output.trim()}`;
}

function request(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent }, (res) => {
      res.resume();
      resolve(res);
    });
    sent.once('error', reject);
  });
}

/** Waits until the server has received a request for this path. */
const received = (path: string) => expect.poll(() => output.split('\n')).toContain(path);

/** Waits until the process has exited and all its output has arrived. */
const exited = async () => (await once(child, 'close'))[0] as number | null;

test('answers a running request with Connection: close before the process exits with 0', async () => {
  const url = await start(0);
  const answer = request(`${url}/slow`);
  await received('/slow');

  child.kill('SIGTERM');

  const exit = exited();
  const { statusCode, headers } = await answer;
  expect(statusCode).toBe(200);
  expect(headers.connection).toBe('close');
  expect(await exit).toBe(0);
});

test('during the drain time, /readyz answers 503 and other requests are still served', async () => {
  const url = await start(1);

  child.kill('SIGTERM');

  await expect.poll(async () => (await request(`${url}/readyz`)).statusCode).toBe(503);
  const { statusCode, headers } = await request(`${url}/`);
  expect(statusCode).toBe(200);
  expect(headers.connection).toBe('close');
  expect(await exited()).toBe(0);
});

test('stops jobs, Redis and the database in order, even if one of them fails, without waiting for idle connections', async () => {
  const url = await start(0);
  await request(`${url}/`);

  child.kill('SIGINT');

  // An open connection would end only after a minute, and before that the process would exit with 1.
  expect(await exited()).toBe(0);
  expect(output.match(/^(jobs|redis|database)$/gm)).toEqual(['jobs', 'redis', 'database']);
  expect(output).toContain('redis does not stop');
});

test('a second signal ends the process immediately', async () => {
  const url = await start(0);
  const lost = request(`${url}/never`).catch((error: Error) => error);
  await received('/never');

  child.kill('SIGTERM');
  await sleep(1_000);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');

  expect(await exited()).toBe(1);
  expect(await lost).toBeInstanceOf(Error);
});

test('a SIGINT that npm sends twice within milliseconds does not cut off running requests', async () => {
  const url = await start(0);
  const answer = request(`${url}/slow`);
  await received('/slow');

  child.kill('SIGINT');
  await sleep(20);
  child.kill('SIGINT');

  const exit = exited();
  expect((await answer).statusCode).toBe(200);
  expect(await exit).toBe(0);
});

test('logs an uncaught error, stops the database and exits with 1', async () => {
  const url = await start(5);
  const lost = request(`${url}/throw`).catch((error: Error) => error);

  expect(await exited()).toBe(1);
  expect(await lost).toBeInstanceOf(Error);
  expect(output).toContain('nobody catches this');
  expect(output).toMatch(/^database$/m);
});

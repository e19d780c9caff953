import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from './listen.ts';

/** The response to raw bytes sent to the server. */
async function answerTo(
  bytes: string,
  options: { headersSeconds?: number } = {},
): Promise<{ head: string; body: unknown }> {
  const app = express().get('/', (_req, res) => void res.json({}));
  app.post('/waits', () => {});
  const server = await listen(app, { host: '127.0.0.1', port: 0, keepAliveSeconds: 1, ...options });
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { head, body: JSON.parse(body) };
}

test('rejects headers above 16 KB with a JSON error (431 headers_too_large)', async () => {
  const { head, body } = await answerTo(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`);

  expect(head).toMatch(/^HTTP\/1\.1 431 /);
  expect(body).toMatchObject({ error: 'headers_too_large', retryable: false, request_id: expect.any(String) });
});

test('returns a JSON error for input that is not HTTP (400 invalid_request)', async () => {
  const { head, body } = await answerTo('BONJOUR\r\n\r\n');

  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(body).toMatchObject({ error: 'invalid_request' });
});

test('rejects a request with both Content-Length and Transfer-Encoding (400)', async () => {
  const { head } = await answerTo(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  );

  expect(head).toMatch(/^HTTP\/1\.1 400 /);
});

test('rejects a URL with non-ASCII bytes (400)', async () => {
  const { head } = await answerTo('GET /?q=caf\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n');

  expect(head).toMatch(/^HTTP\/1\.1 400 /);
});

test('rejects an impossible Content-Length (413 payload_too_large)', async () => {
  const { head, body } = await answerTo(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n`);

  expect(head).toMatch(/^HTTP\/1\.1 413 /);
  expect(body).toMatchObject({ error: 'payload_too_large' });
});

test.each(['xchunked', 'chunked'])(
  'rejects a body with invalid chunks or an unsupported transfer coding (400 invalid_request): %s',
  async (coding) => {
    const { head, body } = await answerTo(
      `POST /waits HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\nno chunk\r\n`,
    );

    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(body).toMatchObject({ error: 'invalid_request' });
  },
);

test('disconnects a client that sends its headers too slowly, after returning an error (408 request_timeout)', async () => {
  const { head, body } = await answerTo('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', { headersSeconds: 1 });

  expect(head).toMatch(/^HTTP\/1\.1 408 /);
  expect(body).toMatchObject({ error: 'request_timeout', retryable: true });
});

describe('at the limit of connections', () => {
  /** A server with at most three connections, and functions that call it. */
  async function crowdedServer() {
    const app = express().get('/', (_req, res) => void res.json({}));
    const held: express.Response[] = [];
    app.all('/waits', (_req, res) => void held.push(res));
    const server = await listen(app, { host: '127.0.0.1', port: 0, keepAliveSeconds: 60, maxConnections: 3 });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const call = async (bytes: string) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const one = { socket, answer: '', closed: false };
      socket.on('data', (chunk) => {
        one.answer += chunk;
      });
      socket.on('error', () => {});
      socket.once('close', () => {
        one.closed = true;
      });
      const accepted = once(server, 'connection');
      socket.write(bytes);
      await accepted;
      return one;
    };
    return { call, held };
  }
  const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const WAIT = 'GET /waits HTTP/1.1\r\nHost: x\r\n\r\n';
  const SLOW_BODY = 'POST /waits HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{';

  test('at the maximum number of connections, accepts a new request and closes the longest silent connection', async () => {
    const { call } = await crowdedServer();
    const silent = [await call(''), await call('GET / HTTP/1.1\r\nX-Slow: '), await call('')];

    const shopper = await call(GET);

    await expect.poll(() => shopper.answer).toMatch(/^HTTP\/1\.1 200 /);
    await expect.poll(() => silent.map(({ closed }) => closed)).toEqual([true, false, false]);
  });

  test('at the maximum number of connections, a new connection replaces an idle one first, then one that still sends its body', async () => {
    const { call, held } = await crowdedServer();
    const idle = await call(GET);
    await expect.poll(() => idle.answer).toMatch(/^HTTP\/1\.1 200 /);
    const [slow, asking] = [await call(SLOW_BODY), await call(WAIT)];
    await expect.poll(() => held).toHaveLength(2);

    await call(WAIT);
    await expect.poll(() => [idle.closed, slow.closed, held.length]).toEqual([true, false, 3]);
    await call(WAIT);

    await expect.poll(() => [slow.closed, held.length]).toEqual([true, 4]);
    expect(asking.closed).toBe(false);
  });

  test('rejects a new connection while all others await responses, and still answers the others', async () => {
    const { call, held } = await crowdedServer();
    const asking = [await call(WAIT), await call(WAIT), await call(WAIT)];
    await expect.poll(() => held).toHaveLength(3);

    const newcomer = await call(WAIT);

    await expect.poll(() => newcomer.closed).toBe(true);
    for (const response of held) response.json({});
    await expect.poll(() => asking.every(({ answer }) => answer.startsWith('HTTP/1.1 200 '))).toBe(true);
  });
});

test('refuses to start on a port in use', async () => {
  const first = await listen(express(), { host: '127.0.0.1', port: 0, keepAliveSeconds: 1 });
  onTestFinished(() => void first.close());
  const { port } = first.address() as AddressInfo;

  await expect(listen(express(), { host: '127.0.0.1', port, keepAliveSeconds: 1 })).rejects.toThrow('EADDRINUSE');
});

import { type Operation, operationTable } from '../server/src/http/contract/contract.ts';
import { raw, targetOf } from './client.ts';
import type { Figures, Proof } from './frame.ts';
import { validCall } from './requests.ts';
import { watchStatements } from './statements.ts';
import { inWorld } from './world.ts';

/** Second spellings of every address, by hand and without a credential. */
export const A9: Proof = {
  id: 'A9',
  promise: 'No spelling of an address, method or header reaches a handler without a credential.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      let tried = 0;
      let statements = 0;
      const stop = watchStatements(() => {
        statements += 1;
      });
      try {
        for (const operation of operationTable.filter(({ security }) => security.length > 0)) {
          const call = await validCall(world, world.tenants[0], operation);
          const body = call.body === undefined ? '' : JSON.stringify(call.body);
          for (const [what, request] of Object.entries(spellings(operation, targetOf(call), body))) {
            statements = 0;
            tried += 1;
            const answer = await raw(world.baseUrl, request);
            const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
            const preflight = request.startsWith('OPTIONS ') && status === 204;
            world.look({ status, headers: {}, text: answer }, undefined, operation.id);
            if (statements > 0) world.violations.add(`${operation.id}: ${what}: ${statements} statements were sent`);
            if (status < 400 && status !== 0 && !preflight) world.violations.add(`${operation.id}: ${what}: ${status}`);
            if (status >= 500 && status !== 501) world.violations.add(`${operation.id}: ${what}: ${status}`);
          }
        }
      } finally {
        stop();
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

function spellings({ method: declared }: Operation, target: string, body: string): Record<string, string> {
  const method = declared.toUpperCase();
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const key = `Idempotency-Key: ${crypto.randomUUID()}\r\n`;
  const write = (verb: string, path: string, more = '', version = 'HTTP/1.1') =>
    `${verb} ${path} ${version}\r\nHost: localhost\r\nConnection: close\r\n${key}${more}${type}\r\n${body}`;
  const middle = Math.floor(target.length / 2);
  return {
    plain: write(method, target),
    'in capitals': write(method, target.toUpperCase()),
    'mixed case': write(method, target.replace('/api/', '/Api/')),
    'two slashes': write(method, target.replace('/api/', '/api//')),
    'two slashes in front': write(method, `/${target}`),
    '%2f for a slash': write(method, target.replace('/api/', '/api%2f')),
    'an encoded letter': write(method, target.replace('/api/', '/%61pi/')),
    'an encoded dot segment': write(method, target.replace('/api/', '/api/%2e%2e/api/')),
    'dot segments': write(method, target.replace('/api/', '/docs/../api/')),
    'a slash behind': write(method, `${target.split('?')[0]}/`),
    'a matrix parameter': write(method, `${target.split('?')[0]};a=b`),
    'absolute-form': write(method, `http://localhost${target}`),
    'absolute-form of another host': write(method, `https://evil.example${target}`),
    'a fragment': write(method, `${target}#x`),
    'a backslash': write(method, target.replace('/api/', '\\api\\')),
    'a NUL in the path': write(method, `${target.slice(0, middle)}%00${target.slice(middle)}`),
    HEAD: write('HEAD', target),
    OPTIONS: write('OPTIONS', target),
    'OPTIONS from a page': write(
      'OPTIONS',
      target,
      'Origin: https://evil.example\r\nAccess-Control-Request-Method: PUT\r\n',
    ),
    TRACE: write('TRACE', target),
    'a lower-case method': write(declared, target),
    'another method overridden': write(
      'GET',
      target,
      `X-HTTP-Method-Override: ${method}\r\nX-Method-Override: ${method}\r\n`,
    ),
    'a rewritten URL': write('GET', '/healthz-not', `X-Original-URL: ${target}\r\nX-Rewrite-URL: ${target}\r\n`),
    'an inside address': write(method, target, 'X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n'),
    'HTTP/1.0': write(method, target, '', 'HTTP/1.0'),
  };
}

import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { operatorOperations } from '../../server/src/http/contract/operator-contract.ts';
import { withNewKey } from '../testing/idempotent-requests.ts';
import { type OperatorListener, operatorCall, settle, withListener } from '../testing/operators.ts';
import { changes, holdingsOf } from '../testing/owner-queries.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, raw, send, targetOf } from '../testing/raw-requests.ts';
import { watchStatements } from '../testing/statements.ts';
import { SCHEMES, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/** Sends other spellings of every operation's URL as raw requests without a credential. */
export const A9: Proof = {
  id: 'A9',
  promise: 'No spelling of a URL, method or header reaches a handler without a credential.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      // Every request is rejected, so that one call of each operation serves for all of them.
      const calls: Call[] = [];
      for (const operation of operationTable) calls.push(await validCall(world, world.tenants[0], operation));
      let tried = 0;
      for (const call of calls.filter(({ operation }) => operation.security.length > 0)) {
        tried += await spell(world, call, world.baseUrl, trial, chance);
      }
      tried += await confuseListener(world, calls, trial, chance);
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

/**
 * Sends all spellings of a call without its credential, in the short form a sample of them. None may reach a handler.
 * Returns their number.
 */
async function spell(world: World, call: Call, baseUrl: string, { size }: Trial, chance: Chance): Promise<number> {
  const { operation } = call;
  const body = call.body === undefined ? '' : JSON.stringify(call.body);
  let statements = 0;
  let tried = 0;
  const stop = watchStatements(() => {
    statements += 1;
  });
  try {
    const all = Object.entries(spellings(operation, targetOf(call), body));
    for (const [what, request] of chance.some(all, pick(size, 5, all.length))) {
      statements = 0;
      tried += 1;
      const answer = await raw(baseUrl, request);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
      const preflight = request.startsWith('OPTIONS ') && status === 204;
      world.look({ status, headers: {}, text: answer }, undefined, operation.id);
      if (statements > 0)
        world.violations.add(`${operation.id}: ${what}: expected no SQL, but ${statements} statements ran`);
      if (status < 400 && status !== 0 && !preflight)
        world.violations.add(`${operation.id}: ${what}: expected a rejection, got ${status}`);
      if (status >= 500 && status !== 501)
        world.violations.add(`${operation.id}: ${what}: expected no 5xx except 501, got ${status}`);
    }
  } finally {
    stop();
  }
  return tried;
}

/**
 * The operators' listener must reject every spelling without a key, every other credential and every call from a web
 * page, and must serve no operation of shops. The shops' server must reject operator keys and serve no operation of the
 * listener. Returns the number of requests.
 */
function confuseListener(world: World, calls: Call[], trial: Trial, chance: Chance): Promise<number> {
  return withListener(world, trial, async (listener) => {
    const [tenant] = world.tenants;
    let tried = 0;
    /** A rejected request must not change anything. */
    const unchanged = async (id: string, work: () => Promise<void>) => {
      const before = await holdingsOf(world.owner, tenant.site_id);
      await work();
      const changed = Object.keys(changes(before, await holdingsOf(world.owner, tenant.site_id)));
      if (changed.length > 0) world.violations.add(`${id}: rejected calls changed ${changed.join(', ')}`);
    };
    const refuse = async (what: string, baseUrl: string, call: Call, statuses: number[]) => {
      tried += 1;
      const { status } = await send(baseUrl, call);
      if (!statuses.includes(status))
        world.violations.add(`${call.operation.id}: ${what}: expected ${statuses.join(' or ')}, got ${status}`);
    };
    for (const operation of operatorOperations) {
      const call = {
        ...(await operatorCall(listener, tenant, operation)),
        path: { site_id: tenant.site_id, host: 'shop.example' },
      };
      await unchanged(operation.id, async () => {
        tried += await spell(world, call, listener.world.baseUrl, trial, chance);
        for (const { what, headers } of listener.wrong) {
          await refuse(what, listener.world.baseUrl, withNewKey({ ...call, headers }), [401]);
        }
        const fromPage = { ...call, headers: { ...call.headers, Origin: listener.world.baseUrl } };
        await refuse('from a page', listener.world.baseUrl, fromPage, [403]);
        await refuse('on the port of the shops', world.baseUrl, call, [404]);
      });
      await settle(listener, tenant);
    }
    await unchanged('operations of shops', async () => {
      for (const call of chance.some(calls, pick(trial.size, 80, calls.length))) {
        await refuse('on the listener', listener.world.baseUrl, call, [404]);
        const disguises = call.operation.security.length === 0 ? [] : keyAsOthers(listener, tenant.site_id);
        for (const headers of chance.some(disguises, pick(trial.size, 2, disguises.length))) {
          await refuse("with an operator's key", world.baseUrl, withNewKey({ ...call, headers }), [401]);
        }
      }
    });
    return tried;
  });
}

/** Headers that carry an operator key in place of each credential of a shop, and in place of all of them. */
function keyAsOthers({ key }: OperatorListener, site_id: string): Record<string, string>[] {
  const names = [...new Set(Object.values(SCHEMES).map(({ header }) => header))];
  const as = (header: string) => ({ [header]: header === 'Authorization' ? `Bearer ${key}` : key });
  const site = { 'X-Site-ID': site_id };
  return [...names.map((header) => ({ ...site, ...as(header) })), Object.assign({ ...site }, ...names.map(as))];
}

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

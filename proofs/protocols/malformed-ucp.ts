/**
 * Sends malformed requests of the Universal Commerce Protocol over both transports, and checks the responses with the
 * published schemas.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FunctionName } from '../../server/src/ucp/functions.ts';
import { FUNCTION_NAMES, faultsInAnswer, publishProfile } from '../../server/test/ucp.ts';
import { newCustomer, openAgent } from '../testing/agents.ts';
import { sendInside } from '../testing/internal-addresses.ts';
import { partsOf } from '../testing/mcp.ts';
import type { Trial } from '../testing/proof.ts';
import type { Chance } from '../testing/random.ts';
import { type Call, exchange, type Reply } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import {
  type Asked,
  answerIn,
  askOverMcp,
  askOverRest,
  overRest,
  type Speaker,
  validAsks,
  WAYS,
  type Wire,
} from '../testing/ucp.ts';
import { garbled, ODD, replaceOne } from './malformed-json.ts';

/**
 * Sends valid requests of agents and guests with one part replaced, removed or garbled, or with an unusual agent
 * profile. Returns the number of requests.
 */
export async function attackUcp(world: World, chance: Chance, messages: number): Promise<number> {
  const [tenant] = world.tenants;
  const { id: customer_id } = await newCustomer(world, tenant);
  const { secret } = await openAgent(world, tenant, customer_id);
  const own = await publishProfile();
  const odd = await publishOddProfiles();
  try {
    const speakers = [secret, undefined].map((token) => speakerOf(world, tenant, own.url, token));
    const asks: [Speaker, Asked][] = [];
    for (const speaker of speakers) {
      const valid = await validAsks(world, tenant, { speaker, customer_id, isAlive: true });
      asks.push(...valid.map((asked): [Speaker, Asked] => [speaker, asked]));
    }
    for (let sent = 0; sent < messages; sent += 1) {
      const [speaker, asked] = chance.of(asks);
      const way = chance.of(Object.values(WAYS));
      const profile = chance.next() < 0.1 ? chance.of(odd.urls) : speaker.profile;
      const spoilt = spoil(chance, way(speaker, { ...asked, profile }));
      const { method, path, headers, text } = spoilt;
      const reply = await exchange(world.baseUrl, method, path, headers, text);
      const what = `UCP ${method} ${path} ${JSON.stringify(headers).slice(0, 400)} ${text?.slice(0, 400)}`;
      world.look(reply, tenant, what);
      const fault = way === overRest ? faultOverRest(reply, asked.name) : faultOverMcp(reply, text);
      if (fault) world.violations.add(`${what}: ${fault}`);
    }
    return messages;
  } finally {
    await own.close();
    await odd.close();
  }
}

function speakerOf({ baseUrl }: World, { site_id }: Tenant, profile: string, secret: string | undefined): Speaker {
  return { baseUrl, site_id, profile, ...(secret !== undefined && { secret }) };
}

/** Values of the UCP-Agent header, most of them invalid. */
const ODD_AGENTS = (profile: string) => [
  ...['', 'profile', 'profile=""', "profile='x'", 'profile=?1', `profile=${profile}`, `profile="${profile}`],
  ...[`profile=("${profile}")`, `a=1;b="c, d", profile="${profile}"`, `profile="${profile}"; v=1`, '=,=,"'],
  ...['profile="//example.com/"', 'profile="javascript:alert(1)"', 'profile="https://user@example.com/"'],
  ...[`profile="${profile}", profile="x"`, `profile="${'https://a.example/'.padEnd(6_000, 'x')}"`, '"'.repeat(4_000)],
  ...['profile="https://\u00e4.example/"', `profile="${profile}#part"`, `profile="${'\\"'.repeat(500)}"`],
];

const ODD_IDS = ['x', '..', '%00', '%2e%2e%2f', 'a%20b', '%f0%28', '%', 'undefined', 'x'.repeat(5_000), '%ED%A0%80'];

interface Spoilt {
  method: string;
  path: string;
  headers: Call['headers'];
  text: string | undefined;
}

/** Damages one part of the request: a value in the message, its text, a header, an id in the path, or the method. */
function spoil(chance: Chance, given: Wire): Spoilt {
  const headers = { ...given.headers };
  const copy = structuredClone(given.message);
  const [method, path] = [given.method, given.path];
  const kind = chance.next();
  const hasFields = typeof copy === 'object' && copy !== null && Object.keys(copy).length > 0;
  if (kind < 0.55 && hasFields) replaceOne(chance, copy as Record<string, unknown>);
  const text = copy === undefined ? undefined : JSON.stringify(copy);
  if (kind < 0.55) return { method, path, headers, text };
  if (kind < 0.7) return { method, path, headers, text: garbled(chance, text ?? '{}') };
  if (kind < 0.75) return { method, path, headers, text: JSON.stringify(chance.of([[copy], [], [1], ...ODD])) };
  if (kind < 0.8) return { method: chance.of(['GET', 'PUT', 'POST', 'DELETE', 'PATCH']), path, headers, text };
  if (kind < 0.87)
    return { method, path: path.replace(/[0-9a-f-]{36}(?!.*[0-9a-f-]{36})/, chance.of(ODD_IDS)), headers, text };
  const profile = /"(http[^"]*)"/.exec(JSON.stringify(headers))?.[1] ?? '';
  const name = chance.of([
    'UCP-Agent',
    'Idempotency-Key',
    'Authorization',
    'Content-Type',
    'Accept',
    'Signature-Input',
  ]);
  const values = name === 'UCP-Agent' ? ODD_AGENTS(profile) : ODD_HEADERS;
  if (chance.next() < 0.2) delete headers[name];
  else headers[name] = chance.of(values);
  return { method, path, headers, text };
}

const ODD_HEADERS = [
  ...['', 'x', 'Bearer', 'Bearer x', 'Basic YTpi', 'application/json; charset=utf-16', 'text/plain', '*/*;q=x'],
  ...[randomUUID().toUpperCase(), randomUUID().slice(1), 'x'.repeat(6_000), 'sig1=("@method");created=1;keyid="x"'],
];

/**
 * Describes what is wrong with a response. Undefined if the response matches the published schema, or is an error with
 * a code.
 */
function faultOverRest({ status, text }: Reply, name: FunctionName): string | undefined {
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  const body = JSON.parse(text) as { code?: unknown; content?: unknown };
  if (status < 300) return faultsInAnswer(name, body)[0];
  return isFailure(body) || isUnreadableAddress(body) ? undefined : `${status} in no known form: ${text.slice(0, 300)}`;
}

function isFailure({ code, content }: { code?: unknown; content?: unknown }): boolean {
  return typeof code === 'string' && /^[a-z_]+$/.test(code) && typeof content === 'string' && content !== '';
}

/** Whether the body is the error for an undecodable URL, which the server rejects before it determines the protocol. */
function isUnreadableAddress(body: object): boolean {
  return 'message' in body && body.message === 'The address cannot be read.';
}

interface RpcAnswer {
  jsonrpc?: string;
  result?: { structuredContent?: unknown };
  error?: { code: unknown; message: unknown; data?: { code?: unknown } };
}

function faultOverMcp(reply: Reply, sent: string | undefined): string | undefined {
  const { status, text } = reply;
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  if (text === '') return [202, 405].includes(status) ? undefined : `${status} without a body`;
  // Errors about the shop or the URL are not JSON-RPC.
  if (status === 404 || status === 400) {
    const body = JSON.parse(text) as object;
    if (isUnreadableAddress(body) || (status === 404 && isFailure(body))) return undefined;
  }
  const name = nameIn(sent);
  for (const part of partsOf(reply)) {
    for (const { jsonrpc, result, error } of [JSON.parse(part) as RpcAnswer].flat()) {
      const received = `${status}: ${part.slice(0, 300)}`;
      if (jsonrpc !== '2.0' || (result === undefined) === (error === undefined))
        return `no message of JSON-RPC: ${received}`;
      if (error && !(Number.isInteger(error.code) && typeof error.message === 'string')) return `no error: ${received}`;
      if (error?.data?.code !== undefined && !isFailure(error.data)) return `no failure of UCP: ${received}`;
      const faults = result?.structuredContent && name ? faultsInAnswer(name, result.structuredContent) : [];
      if (faults[0]) return `${faults[0]}: ${received}`;
    }
  }
  return undefined;
}

/** Returns the name of the function that a message calls, if it can still be read. */
function nameIn(sent: string | undefined): FunctionName | undefined {
  try {
    const { params } = JSON.parse(sent ?? '') as { params?: { name?: FunctionName } };
    return FUNCTION_NAMES.find((name) => name === params?.name);
  } catch {
    return undefined;
  }
}

/** Publishes invalid profiles and profiles of another version, and starts a server with faulty responses. */
async function publishOddProfiles() {
  const entry = (version: unknown) => [{ version }];
  const documents = [
    ...['', 'null', '[]', '7', '<h1>No</h1>', '\u0000', 'x'.repeat(200_000), '['.repeat(30_000)],
    ...['{"ucp":null}', '{"ucp":{}}', '{"ucp":{"version":"2026-08-25"}}'],
    `{"ucp":${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}}`,
  ];
  const changes = [
    ...['2026-01-11', '2027-01-01', '2026-8-25', '', 7, null].map((version) => ({ version })),
    ...[null, [], 'x', { x: 'y' }, { 'dev.ucp.shopping.cart': {} }].map((capabilities) => ({ capabilities })),
    { capabilities: {} },
    { capabilities: { 'dev.ucp.shopping.cart': entry('2026-01-11'), 'dev.ucp.shopping.order': entry(null) } },
    { capabilities: { 'a\u0000b': entry('2026-08-25'), [`x${'y'.repeat(5_000)}`]: [] } },
    { capabilities: { 'dev.ucp.shopping.checkout': entry('2026-08-25') } },
    { services: 7, payment_handlers: [] },
  ];
  const published = await Promise.all([...documents, ...changes].map((one) => publishProfile(one)));
  const server = createServer(({ url }, res) => {
    if (url === '/redirect') res.writeHead(302, { Location: published[0]?.url }).end();
    else if (url === '/failure') res.writeHead(500).end('{}');
    else res.writeHead(200, { 'Content-Length': '1000' }).end('{"ucp":');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: [...published.map(({ url }) => url), `${at}/redirect`, `${at}/failure`, `${at}/cut`, 'http://127.0.0.1:9/'],
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await Promise.all(published.map((one) => one.close()));
    },
  };
}

/** Sends profile URLs with internal addresses, from which the server must fetch nothing. Returns their number. */
export async function profilesInside(trial: Trial, world: World, count: number): Promise<number> {
  const [tenant] = world.tenants;
  let sent = 0;
  return sendInside(trial, world, count, async (baseUrl, url) => {
    const speaker: Speaker = { ...speakerOf(world, tenant, url, undefined), baseUrl };
    const way = Object.values(WAYS)[sent % 2] ?? overRest;
    sent += 1;
    const { method, path, headers, message } = way(speaker, { name: 'search_catalog', body: {} });
    // Characters that a header cannot contain are sent as the Latin-1 form of their UTF-8 bytes.
    const sendable = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, Buffer.from(String(value)).toString('latin1')]),
    );
    const { status, text } = await exchange(baseUrl, method, path, sendable, JSON.stringify(message));
    if (!/invalid_profile_url|profile_unreachable/.test(text))
      world.violations.add(
        `the profile ${url}: expected invalid_profile_url or profile_unreachable, got ${status} ${text}`,
      );
  });
}

/**
 * Calls every function that takes an id with objects of another shop and with unknown ids. The responses must be the
 * same (A7). Returns the number of requests.
 */
export async function compareUcpIds(world: World): Promise<number> {
  const [tenant, other] = world.tenants;
  const own = await publishProfile();
  let tried = 0;
  try {
    const { id: customer_id } = await newCustomer(world, tenant);
    const { secret } = await openAgent(world, tenant, customer_id);
    const { id: their_customer } = await newCustomer(world, other);
    const their_agent = await openAgent(world, other, their_customer);
    const theirs = await validAsks(world, other, {
      speaker: speakerOf(world, other, own.url, their_agent.secret),
      customer_id: their_customer,
      isAlive: true,
    });
    const withIds = theirs.filter(({ id, body }) => id !== undefined || JSON.stringify(body).includes('"id"'));
    for (const ask of [askOverRest, askOverMcp]) {
      for (const token of [secret, undefined]) {
        const speaker = speakerOf(world, tenant, own.url, token);
        for (const asked of withIds) {
          const answers: string[] = [];
          for (const spoken of [asked, withoutIds(asked)]) {
            const reply = await ask(speaker, spoken);
            world.look(reply, tenant, `${asked.name} over UCP`);
            answers.push(JSON.stringify([reply.status, comparable(reply)]));
            tried += 1;
          }
          if (answers[0] !== answers[1])
            world.violations.add(
              `${asked.name} over UCP: an id of another shop got ${answers[0]}, an unknown id ${answers[1]}`,
            );
        }
      }
    }
    return tried;
  } finally {
    await own.close();
  }
}

/** Returns the request with every UUID replaced by an unknown one. */
function withoutIds(asked: Asked): Asked {
  const text = JSON.stringify(asked);
  return JSON.parse(
    text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '0192f3a0-4444-7000-8000-00000000dead'),
  ) as Asked;
}

/** Returns the content of a response without ids and expiry times, which differ between any two responses. */
function comparable(reply: Reply): unknown {
  const answer = answerIn(reply) ?? (JSON.parse(reply.text) as Record<string, unknown>);
  return JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
    name === 'id' || name === 'expires_at' ? undefined : value,
  );
}

/**
 * A UCP platform: a server that publishes a profile with its key, receives order events, and verifies and makes
 * signatures by RFC 9421. It shares no code with the server, so a mistake in the server is not repeated here.
 */

import { createHash, randomUUID, webcrypto } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from './receiver.ts';

const { subtle } = webcrypto;
const ES256 = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' };

/** An order event that the platform has received. `faults` lists the violations of the specification. */
export interface OrderEvent {
  headers: Record<string, string | undefined>;
  order: {
    id: string;
    checkout_id: string;
    line_items: { status: string }[];
    fulfillment: { events: { type: string; tracking_number?: string; tracking_url?: string }[] };
    adjustments?: { type: string; totals?: { amount: number }[] }[];
    ucp: { version: string };
  };
  text: string;
  faults: string[];
}

interface PlatformOptions {
  /** Fields of `ucp` that replace the usual ones. */
  ucp?: object;
  version?: string;
  /** The host of `webhook_url`, if it differs from the host of the profile. */
  webhookHost?: string;
  /** The statuses of the first responses, in order; later responses have 200. */
  answers?: number[];
  capabilities: string[];
}

export async function openPlatform({
  ucp = {},
  version = '2026-08-25',
  webhookHost,
  answers = [],
  capabilities,
}: PlatformOptions) {
  const pair = await subtle.generateKey(ES256, true, ['sign', 'verify']);
  const kid = `platform-${randomUUID()}`;
  const keys: object[] = [{ ...(await subtle.exportKey('jwk', pair.publicKey)), kid, use: 'sig', alg: 'ES256' }];
  const events: OrderEvent[] = [];
  let fetched = 0;
  const server = createServer(async (req, res) => {
    const { port } = server.address() as AddressInfo;
    if (req.method === 'GET') {
      fetched += 1;
      const entry = { version, spec: 'https://ucp.dev/', schema: 'https://ucp.dev/' };
      const webhook_url = `http://${webhookHost ?? '127.0.0.1'}:${port}/events/orders?from=shop`;
      const all = Object.fromEntries(capabilities.map((name) => [name, [entry]]));
      const order = { 'dev.ucp.shopping.order': [{ ...entry, config: { webhook_url } }] };
      const document = {
        ucp: { version, services: {}, payment_handlers: {}, capabilities: { ...all, ...order }, ...ucp },
      };
      const published = version === '2026-04-08' ? { ...document, signing_keys: keys } : { ...document, keys };
      res.setHeader('Cache-Control', 'public, max-age=600').end(JSON.stringify(published));
      return;
    }
    const text = await textOf(req);
    const faults = await faultsIn(req, text);
    const headers = req.headers as Record<string, string | undefined>;
    events.push({ headers, order: JSON.parse(text), text, faults });
    res.writeHead(answers.shift() ?? 200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ ucp: { version } }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/.well-known/ucp`,
    kid,
    events,
    fetched: () => fetched,
    /** Replaces the key in the profile, as a platform does if it has lost its key. */
    publishKeys: (others: object[]) => keys.splice(0, keys.length, ...others),
    keys: () => [...keys],
    async until(count: number) {
      await waitFor(() => events.length >= count);
      return events;
    },
    sign: (request: Unsigned, by: Signing = {}) => signed(pair.privateKey, kid, request, by),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Verifies a request of a shop as the specification requires, with the keys in the shop's profile. */
async function faultsIn(req: IncomingMessage, text: string): Promise<string[]> {
  const header = (name: string) => String(req.headers[name] ?? '');
  const digest = `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
  const faults = header('content-digest') === digest ? [] : ['The digest differs.'];
  const [, list = '', rest = ''] = /^sig1=\(([^)]*)\)(.*)$/.exec(header('signature-input')) ?? [];
  const names = list.split(' ').map((name) => name.slice(1, -1));
  const needed = ['@method', '@authority', '@path', '@query', 'ucp-agent', 'content-digest', 'content-type'];
  for (const name of needed) if (!names.includes(name)) faults.push(`${name} is not signed.`);
  for (const name of ['webhook-id', 'webhook-timestamp']) if (!header(name)) faults.push(`${name} is missing.`);
  const created = Number(/created=(\d+)/.exec(rest)?.[1]);
  if (!(Math.abs(Date.now() / 1_000 - created) < 300)) faults.push('created is not the present.');
  const target = new URL(req.url ?? '', `http://${header('host')}`);
  const values: Record<string, string> = { '@method': req.method ?? '', '@authority': header('host') };
  Object.assign(values, { '@path': target.pathname, '@query': target.search });
  const lines = names.map((name) => `"${name}": ${values[name] ?? header(name)}`);
  const base = [...lines, `"@signature-params": (${list})${rest}`].join('\n');
  const [, signature = ''] = /^sig1=:(.*):$/.exec(header('signature')) ?? [];
  const [, profile = ''] = /^profile="(.*)"$/.exec(header('ucp-agent')) ?? [];
  const { keys } = (await (await fetch(profile)).json()) as { keys: (webcrypto.JsonWebKey & { kid: string })[] };
  const jwk = keys.find(({ kid }) => rest.includes(`keyid="${kid}"`));
  if (!jwk) return [...faults, 'The key is not in the profile.'];
  const key = await subtle.importKey('jwk', jwk, ES256, true, ['verify']);
  const bytes = Buffer.from(signature, 'base64');
  if (!(await subtle.verify(ES256, key, bytes, Buffer.from(base)))) faults.push('The signature is wrong.');
  return faults;
}

export interface Unsigned {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** The differences between a signed request and a correct one. */
export interface Signing {
  /** Components that the signature does not cover. */
  without?: string[];
  /** Additional signature parameters, such as `;created=1`. */
  params?: string;
  kid?: string;
  /** A digest header that replaces the digest of the body. */
  digest?: string;
  /** The only member of the digest header that the signature covers. */
  part?: string;
}

/** Adds the digest and the signature to a request. */
async function signed(
  privateKey: webcrypto.CryptoKey,
  keyid: string,
  { method, url, headers, body }: Unsigned,
  { without = [], params = '', kid = keyid, digest, part }: Signing,
): Promise<Record<string, string>> {
  const target = new URL(url);
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const own = `sha-256=:${createHash('sha256')
    .update(body ?? '')
    .digest('base64')}:`;
  const all: Record<string, string> = {
    '@method': method,
    '@authority': target.host,
    '@path': target.pathname,
    ...(target.search && { '@query': target.search }),
    ...(body !== undefined && { 'content-digest': digest ?? own, 'content-type': named['content-type'] ?? '' }),
    ...(named['idempotency-key'] && { 'idempotency-key': named['idempotency-key'] }),
    ...(named['ucp-agent'] && { 'ucp-agent': named['ucp-agent'] }),
  };
  const names = Object.keys(all).filter((name) => !without.includes(name));
  const lines = names.map((name): [string, string | undefined] =>
    name === 'content-digest' && part !== undefined
      ? [`"content-digest";key="${part}"`, new RegExp(`${part}=(:[^:]*:)`).exec(all[name] ?? '')?.[1]]
      : [`"${name}"`, all[name]],
  );
  const input = `(${lines.map(([name]) => name).join(' ')});keyid="${kid}"${params}`;
  const base = [...lines.map(([name, value]) => `${name}: ${value}`), `"@signature-params": ${input}`].join('\n');
  const signature = Buffer.from(await subtle.sign(ES256, privateKey, Buffer.from(base))).toString('base64');
  return {
    ...headers,
    ...(all['content-digest'] && { 'Content-Digest': all['content-digest'] }),
    ...{ 'Signature-Input': `sig1=${input}`, Signature: `sig1=:${signature}:` },
  };
}

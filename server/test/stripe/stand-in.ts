import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { answer } from './api.ts';
import { Faults } from './faults.ts';
import { readForm } from './form.ts';
import { createRefund } from './intents.ts';
import { type Answer, Keys } from './keys.ts';
import { type Card, Ledger } from './ledger.ts';
import { type Dispute, type Refund, Refusal } from './objects.ts';
import { servePage } from './pages.ts';
import { type Endpoint, sendEvent } from './webhooks.ts';

/**
 * A stand-in for Stripe. It has the endpoints that the server uses, and keeps state as Stripe does. Only Stripe's
 * official client calls it. The key `sk_test_alder` belongs to the account `acct_alder`.
 */
export class StripeStandIn {
  readonly ledger = new Ledger();
  readonly keys = new Keys();
  readonly faults = new Faults();
  /** The endpoints to which events are sent; empty while a test sends them itself. */
  endpoints: Endpoint[] = [];
  /** The requests in order, such as `POST /v1/refunds`. */
  readonly calls: string[] = [];
  #server = createServer((req, res) => void this.#serve(req, res));
  #port = 0;
  #sending: Promise<unknown>[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((listening) => this.#server.listen(port, '127.0.0.1', listening));
    this.#port = (this.#server.address() as AddressInfo).port;
    this.ledger.onEvent = (event) => {
      for (const endpoint of this.endpoints.filter(({ account }) => account === event.owner)) {
        this.#sending.push(sendEvent(event, endpoint));
      }
    };
    return this;
  }

  /** Rejects connections until `up` is called. */
  async down(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async up(): Promise<void> {
    this.#server = createServer((req, res) => void this.#serve(req, res));
    await this.listen(this.#port);
  }

  /** Waits until all sent events have a response. */
  async sent(): Promise<void> {
    while (this.#sending.length > 0) await Promise.all(this.#sending.splice(0));
  }

  /** Creates a confirmation token, as Stripe.js does for a card. Each can be used once. */
  confirmationToken(card: Card = 'success'): string {
    const token = this.ledger.id('ctoken');
    this.ledger.tokens.set(token, card);
    return token;
  }

  /** Makes a refund as the merchant does in Stripe's dashboard. */
  refund(intent_id: string, amount: number, reason: Refund['reason'] = null): Refund {
    const intent = this.ledger.intent(intent_id);
    const { id } = createRefund(this.ledger, intent.account, { payment_intent: intent.id, amount: String(amount) });
    return Object.assign(this.ledger.refund(id), { reason });
  }

  /** Disputes a payment as its customer does at the bank, by default all of it. */
  dispute(intent_id: string, amount?: number, status: Dispute['status'] = 'needs_response'): Dispute {
    const intent = this.ledger.intent(intent_id);
    return this.ledger.openDispute(intent, amount ?? intent.amount_received, status);
  }

  /** Presses a button of a Stripe page. Returns the URL of the redirect. */
  async press(url: string, action: string): Promise<string | null> {
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.headers.get('Location');
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    try {
      if (req.url?.startsWith('/v1/')) await this.#serveCall(req, res, body);
      else servePage(this.ledger, this.url, req, res, body);
    } catch (error) {
      send(res, refusalOf(error));
    }
  }

  async #serveCall(req: IncomingMessage, res: ServerResponse, body: string): Promise<void> {
    const { method = 'GET', headers } = req;
    const { pathname, search } = new URL(req.url ?? '/', this.url);
    const call = `${method} ${pathname}`;
    this.calls.push(call);
    const account = accountOf(headers.authorization, headers['stripe-account']);
    const { kind: fault, also = () => undefined } = this.faults.take(call, account) ?? {};
    if (fault?.endsWith('_before')) also();
    if (fault === 'cut_before') return void req.socket.destroy();
    if (fault === 'silent_before') return;
    await this.faults.wait(call);
    const params = readForm(method === 'GET' ? search : body);
    const key = headers['idempotency-key'];
    const keyed = method === 'POST' && typeof key === 'string' ? `${account}:${key}` : undefined;
    const made = await this.keys
      .once(keyed, `${call}?${body}`, async () => {
        // Each call takes some time, during which its idempotency key is in use.
        await pause(1);
        if (fault === 'error_500')
          return { status: 500, body: { error: { type: 'api_error', message: 'An error occurred.' } } };
        if (fault === 'error_429')
          throw new Refusal(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many.' });
        const path = pathname.slice('/v1/'.length);
        return { status: 200, body: answer(this.ledger, this.url, { method, path, params, account }) };
      })
      .catch(refusalOf);
    if (fault?.endsWith('_after')) also();
    if (fault === 'cut_after') return void req.socket.destroy();
    if (fault === 'silent_after') return;
    send(res, made);
  }
}

function accountOf(authorization = '', connected?: string | string[]): string {
  const [, name] = /^Bearer [sr]k_test_(\w+)$/.exec(authorization) ?? [];
  if (!name || name === 'wrong') {
    throw new Refusal(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });
  }
  return typeof connected === 'string' ? connected : `acct_${name}`;
}

function refusalOf(error: unknown): Answer {
  if (error instanceof Refusal) return { status: error.status, body: error.body };
  return { status: 500, body: { error: { type: 'api_error', message: String(error) } } };
}

function send(res: ServerResponse, { status, body, replayed }: Answer): void {
  const headers = { 'Content-Type': 'application/json', ...(replayed && { 'Idempotent-Replayed': 'true' }) };
  res.writeHead(status, headers).end(JSON.stringify(body));
}

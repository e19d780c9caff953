import { randomBytes } from 'node:crypto';
import { leadsTo } from '../../server/test/oauth.ts';
import { formWith, PaperBrowser } from '../../server/test/paper-browser.ts';
import { flood } from '../testing/oauth-endpoints.ts';
import {
  allow,
  authorize,
  begin,
  browserOf,
  exchangeOf,
  type Fields,
  type Flow,
  fieldsOf,
  opens,
  opensMcp,
  REDIRECT_URI,
  redeem,
  registerClient,
} from '../testing/oauth-flows.ts';
import { type Proof, pick } from '../testing/proof.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

/**
 * Makes attacks of RFC 9700 on the authorization code flow. In each round a customer allows a client, and attackers
 * send their requests before, during and after that. The legitimate exchange must succeed, because otherwise the round
 * proves nothing.
 */
export const M1: Proof = {
  id: 'M1',
  promise:
    'A token goes only to the client that the customer allowed, and only once, whatever others do with its codes, redirects and forms.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [first, second] = world.tenants;
      const clients = new Map<Tenant, string>();
      for (const tenant of world.tenants) clients.set(tenant, await registerClient(world, tenant));
      const goal = pick(trial.size, 250, 20_000);
      let tried = await flood(trial, world);
      let tokens = 0;
      for (let round = 0; tried < goal; round += 1) {
        const [tenant, other] = round % 2 === 0 ? [first, second] : [second, first];
        const attack = new Attack(world, tenant, other, clients);
        await attack.round();
        tried += attack.tried;
        tokens += attack.honest;
      }
      const note = `${tokens} honest exchanges in between, all of whose tokens a second use ended`;
      return { tried, unit: 'attempts', note, violations: world.violations.list };
    }),
};

/** Redirect URIs that are not registered. Most look like the registered one to a careless parser. */
const REDIRECTS = [
  '',
  `${REDIRECT_URI}/`,
  `${REDIRECT_URI}?next=1`,
  `${REDIRECT_URI}#part`,
  `${REDIRECT_URI}%00`,
  `${REDIRECT_URI}/../evil`,
  `${REDIRECT_URI}%2f..%2fevil`,
  REDIRECT_URI.toUpperCase(),
  REDIRECT_URI.replace('https', 'http'),
  REDIRECT_URI.replace('.example', '.example:8443'),
  REDIRECT_URI.replace('assistant', 'evil'),
  'https://assistant.example.evil.example/callback',
  'https://assistant.example@evil.example/callback',
  'https://evil.example/https://assistant.example/callback',
  'https://evil.example\\@assistant.example/callback',
  'https:assistant.example/callback',
  '//assistant.example/callback',
  '/account',
  'http://127.0.0.1/callback',
  'http://localhost:8080/callback',
  'javascript:alert(1)//assistant.example/callback',
  'data:text/html,callback',
  'com.evil.app:/callback',
];

class Attack {
  tried = 0;
  honest = 0;
  readonly #world: World;
  readonly #tenant: Tenant;
  readonly #other: Tenant;
  readonly #clients: Map<Tenant, string>;

  constructor(world: World, tenant: Tenant, other: Tenant, clients: Map<Tenant, string>) {
    this.#world = world;
    this.#tenant = tenant;
    this.#other = other;
    this.#clients = clients;
  }

  async round(): Promise<void> {
    const client_id = this.#clients.get(this.#tenant) ?? '';
    const flow = await begin(this.#world, this.#tenant, client_id);
    await this.#onRequests(flow);
    await this.#onForm(flow);
    const answer = await allow(flow);
    const code = answer.get('code') ?? '';
    this.#expect(answer.get('iss') === `http://localhost/sites/${this.#tenant.site_id}`, 'the answer names its issuer');
    this.#expect(answer.get('state') === flow.state, 'the answer repeats the state');
    await this.#onWayBack(flow, code);
    await this.#onCode(flow, code);
    await this.#again(flow, code);
    const raced = await begin(this.#world, this.#tenant, client_id);
    await this.#atOnce(raced, (await allow(raced)).get('code') ?? '');
  }

  #expect(holds: boolean, what: string): void {
    this.tried += 1;
    if (!holds) this.#world.violations.add(`expected, but not so: ${what}`);
  }

  /**
   * Sends authorization requests with weaker challenges, other redirect URIs, and repeated parameters. No consent page
   * may appear, and no redirect to a foreign URI.
   */
  async #onRequests(flow: Flow): Promise<void> {
    const honest = fieldsOf(flow);
    const without = (name: string) => Object.fromEntries(Object.entries(honest).filter(([key]) => key !== name));
    const evil = 'https://evil.example/callback';
    const asked: (Fields | [string, string][])[] = [
      ...REDIRECTS.map((redirect_uri) => ({ ...honest, redirect_uri })),
      ...['code_challenge', 'code_challenge_method', 'redirect_uri', 'client_id', 'response_type'].map(without),
      { ...honest, code_challenge_method: 'plain' },
      { ...honest, code_challenge_method: 's256' },
      { ...honest, code_challenge: flow.challenge.slice(1) },
      { ...honest, response_type: 'token' },
      { ...honest, response_type: 'code token' },
      { ...honest, response_mode: 'fragment' },
      { ...honest, client_id: this.#clients.get(this.#other) ?? '' },
      { ...honest, client_id: flow.client_id.toUpperCase() },
      { ...honest, resource: `http://localhost/sites/${this.#other.site_id}/mcp` },
      { ...honest, state: 'line\r\nSet-Cookie: a=b' },
      [...Object.entries(honest), ['redirect_uri', evil]],
      [['redirect_uri', evil], ...Object.entries(honest)],
      [...Object.entries(honest), ['code_challenge_method', 'plain']],
      [...Object.entries(honest), ['client_id', flow.client_id]],
    ];
    for (const fields of asked) {
      const { status, headers, text } = await authorize(this.#world, this.#tenant, fields);
      const stays = status === 400 && headers.location === undefined && !/href="[^"]*evil/i.test(text);
      this.#expect(stays, `nothing comes of ${new URLSearchParams(fields)}: ${status} ${headers.location}`);
    }
  }

  /** Sends the form of the consent page from elsewhere or in another browser. This must not decide the request. */
  async #onForm({ browser, page }: Flow): Promise<void> {
    const { html } = await browser.open(page);
    const fields = formWith(html, 'approve');
    fields.set('budget', '20.00');
    fields.set('action', 'approve');
    const stranger = await browserOf(this.#world, this.#tenant);
    const theirs = formWith((await stranger.open(page)).html, 'approve').get('csrf') ?? '';
    const changed = (csrf: string) => {
      const form = new URLSearchParams(fields);
      form.set('csrf', csrf);
      return form;
    };
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    const sent = [
      () => browser.send(page, changed('')),
      () => browser.send(page, changed(theirs)),
      () => browser.send(page, fields, foreign),
      () => browser.send(page, fields, { Origin: 'null', 'Sec-Fetch-Site': 'same-site' }),
      () => stranger.send(page, fields),
      () => browser.open(`${page}&action=approve&budget=20.00`),
      () => browser.open(page.replace('request=aut_', 'user_code=aut_')),
    ];
    for (const [n, send] of sent.entries()) {
      const answer = await send();
      const isDecided = answer.response.status === 303 || leadsTo(answer) !== undefined;
      this.#expect(!isDecided, `form ${n} decides nothing`);
    }
    const elsewhere = await browserOf(this.#world, this.#other);
    const moved = page.replace(this.#tenant.site_id, this.#other.site_id);
    this.#expect((await elsewhere.open(moved)).response.status === 404, 'another shop does not know the request');
  }

  /**
   * The page that redirects to the client contains the code. It must open only for the customer who allowed the client,
   * not for others who have its URL.
   */
  async #onWayBack({ browser, page }: Flow, code: string): Promise<void> {
    const leave = page.replace('/agent-consent?', '/agent-consent/leave?');
    this.#expect((await browser.open(leave)).html.includes(code), 'the customer is led back with the code');
    const others = [await browserOf(this.#world, this.#tenant), await browserOf(this.#world, this.#other)];
    const guest = new PaperBrowser(this.#world.baseUrl);
    for (const [n, one] of [...others, guest].entries()) {
      const { html, response } = await one.open(leave);
      const headers = JSON.stringify([...response.headers]);
      this.#expect(!html.includes(code) && !headers.includes(code), `the way back shows browser ${n} no code`);
    }
  }

  /** Attackers use a stolen code before the client does. */
  async #onCode(flow: Flow, code: string): Promise<void> {
    const honest = exchangeOf(flow, code);
    const without = (name: string) => Object.fromEntries(Object.entries(honest).filter(([key]) => key !== name));
    const theirs = this.#clients.get(this.#other) ?? '';
    const tries: [Tenant, Fields | [string, string][]][] = [
      ...Object.keys(honest).map((name): [Tenant, Fields] => [this.#tenant, without(name)]),
      ...REDIRECTS.map((redirect_uri): [Tenant, Fields] => [this.#tenant, { ...honest, redirect_uri }]),
      ...[
        flow.challenge,
        `${flow.verifier}A`,
        flow.verifier.slice(1),
        ' '.repeat(43),
        randomBytes(32).toString('base64url'),
      ].map((code_verifier): [Tenant, Fields] => [this.#tenant, { ...honest, code_verifier }]),
      ...[theirs, flow.client_id.toUpperCase(), `${flow.client_id} `, 'https://assistant.example/client.json'].map(
        (client_id): [Tenant, Fields] => [this.#tenant, { ...honest, client_id }],
      ),
      ...[`${code} `, code.toUpperCase(), code.slice(0, -1), `${code}\0`, code.replace('cod_', 'dvc_')].map(
        (one): [Tenant, Fields] => [this.#tenant, { ...honest, code: one }],
      ),
      ...[
        `/sites/${this.#other.site_id}`,
        `/sites/${this.#tenant.site_id}/mcp`,
        `/sites/${this.#tenant.site_id}/ucp/mcp`,
      ].map((path): [Tenant, Fields] => [this.#tenant, { ...honest, resource: `http://localhost${path}` }]),
      [this.#tenant, { ...honest, grant_type: 'refresh_token', refresh_token: code }],
      [this.#tenant, { ...honest, grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code }],
      [this.#tenant, [...Object.entries(honest), ['code_verifier', flow.verifier]]],
      [this.#other, honest],
      [this.#other, { ...honest, client_id: theirs }],
    ];
    for (const [at, fields] of tries) {
      const { status, text } = await redeem(this.#world, at, fields);
      this.#expect(
        [400, 401].includes(status) && !text.includes('agt_'),
        `no token for ${new URLSearchParams(fields)}`,
      );
    }
  }

  /** The client exchanges the code. A second exchange must fail and revoke the token. */
  async #again(flow: Flow, code: string): Promise<void> {
    const honest = exchangeOf(flow, code);
    const { status, text } = await redeem(this.#world, this.#tenant, honest);
    const { access_token = '' } = JSON.parse(text) as { access_token?: string };
    if (status !== 200 || !(await opens(this.#world, access_token))) {
      this.#expect(false, `the client gets its token: ${status} ${text}`);
      return;
    }
    this.honest += 1;
    const elsewhere = await opensMcp(this.#world, this.#tenant, access_token);
    this.#expect(!elsewhere, 'a token for the API does not work at the MCP endpoint');
    const at = await redeem(this.#world, this.#other, honest);
    this.#expect(at.status === 400 && (await opens(this.#world, access_token)), 'another shop cannot end the token');
    const replays = [honest, { ...honest, client_id: 'another' }, { ...honest, code_verifier: 'x'.repeat(43) }];
    for (const fields of replays) {
      const again = await redeem(this.#world, this.#tenant, fields);
      this.#expect(again.status === 400 && !again.text.includes('agt_'), 'a code counts once');
      this.#expect(!(await opens(this.#world, access_token)), 'a second use ends the token');
    }
  }

  /** The code is used several times concurrently. Exactly one use returns a token, which must then be revoked. */
  async #atOnce(flow: Flow, code: string): Promise<void> {
    const fields = exchangeOf(flow, code);
    const replies = await Promise.all(Array.from({ length: 6 }, () => redeem(this.#world, this.#tenant, fields)));
    const issued = replies.filter(({ status }) => status === 200);
    this.tried += replies.length - 1;
    this.#expect(issued.length === 1, `one of ${replies.length} gets a token, not ${issued.length}`);
    for (const { text } of issued) {
      const { access_token } = JSON.parse(text) as { access_token: string };
      this.#expect(!(await opens(this.#world, access_token)), 'a code that was used twice at once leaves no token');
    }
  }
}

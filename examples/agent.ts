import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  type AgentClient,
  CommerceError,
  createAgentClient,
  createStorefrontClient,
  requestConsent,
  unwrap,
} from '@commerce-backend/sdk';

/**
 * An AI agent in a terminal, without the AI: it asks a customer for consent, finds, prepares a purchase, waits while a human
 * confirms it, runs into its budget, and is revoked. `npm run example:agent`, beside a running demo shop. With
 * `--auto-approve` it plays the customer as well, over the storefront, so that nobody has to click.
 */
const { values: options } = parseArgs({
  options: {
    demo: { type: 'string', default: '.data/demo.json' },
    budget: { type: 'string', default: '6000' },
    'auto-approve': { type: 'boolean', default: false },
  },
});

interface Demo {
  base_url: string;
  site_id: string;
  storefront_token: string;
  customers: { email: string; password: string }[];
}

const PATIENCE_MS = 10 * 60_000;

const demo = JSON.parse(readFileSync(options.demo, 'utf8')) as Demo;
const connection = { baseUrl: demo.base_url };

function say(text: string): void {
  console.log(text);
}

/** Whether the server refused with one of these codes. */
function isRefusal(error: unknown, ...codes: string[]): error is CommerceError {
  return error instanceof CommerceError && codes.includes(error.code);
}

/** The customer, for `--auto-approve`: what a person does in the browser otherwise. */
async function openCustomer() {
  const shop = createStorefrontClient({
    ...connection,
    siteId: demo.site_id,
    storefrontToken: demo.storefront_token,
  });
  const [login] = demo.customers;
  if (!login) throw new Error('The demo shop has no customer with a password.');
  const { access_token } = await unwrap(shop.POST('/api/storefront/customer/login', { body: { ...login } }));
  return shop.withCustomer(access_token);
}

/** Undefined when the customer refuses, or does not answer. */
async function ask(): Promise<AgentClient | undefined> {
  say('1. The agent asks for consent: to find, to prepare purchases, with a budget, for an hour.');
  const pending = await requestConsent(
    { ...connection, siteId: demo.site_id },
    {
      agent_name: 'Example agent',
      scopes: ['catalog:read', 'cart:write', 'checkout:create', 'customer:self', 'orders:read'],
      budget_cents: Number(options.budget),
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  );
  say(`   Open ${pending.verification_uri_complete}`);
  say(`   and compare the code: ${pending.user_code}. (Log in as ${demo.customers[0]?.email}; see ${options.demo}.)`);
  if (options['auto-approve']) {
    const customer = await openCustomer();
    const path = { user_code: pending.user_code };
    await unwrap(
      customer.POST('/api/storefront/customer/me/agent-consent/{user_code}/approve', { params: { path }, body: {} }),
    );
  }
  say('   Waiting for the customer …');
  try {
    const { access_token } = await pending.token();
    say('   The customer approved.\n');
    return createAgentClient({ ...connection, agentToken: access_token });
  } catch (error) {
    if (!isRefusal(error, 'access_denied', 'expired_token')) throw error;
    say(`   ${error.code}: ${error.message}`);
    return undefined;
  }
}

async function findBest(agent: AgentClient): Promise<string> {
  const query = 'a stoneware mug under 30 euros';
  say(`2. The agent looks for "${query}".`);
  const found = await unwrap(agent.POST('/api/agent/intent/find', { body: { query } }));
  for (const { price, availability, content, match_reasons } of found.candidates) {
    say(`   ${content.name}, ${content.variant_name ?? 'one kind'}: ${price} ${found.currency}, ${availability}`);
    say(`     because: ${match_reasons.join('; ')}`);
  }
  const [best] = found.candidates;
  if (!best) throw new Error('The shop has nothing of the kind.');
  return best.variant_id;
}

/** The id of the checkout; undefined when the budget is too small for it. */
async function prepare(agent: AgentClient, variant_id: string): Promise<string | undefined> {
  say('\n3. It prepares the purchase. It cannot pay; the customer confirms.');
  try {
    const bought = await unwrap(agent.POST('/api/agent/intent/find-and-buy', { body: { variant_id, quantity: 1 } }));
    say(`   ${bought.status}: ${bought.totals?.total} ${bought.currency} in all.`);
    say(`   Open ${bought.checkout_url}`);
    if (!bought.checkout) throw new Error('There is no checkout.');
    return bought.checkout.id;
  } catch (error) {
    if (!isRefusal(error, 'budget_exceeded')) throw error;
    say(`   Refused, ${error.status} ${error.code}: ${error.message}\n`);
    return undefined;
  }
}

async function confirmAsCustomer(checkout_id: string): Promise<void> {
  const customer = await openCustomer();
  const params = { path: { checkout_id } };
  const address = {
    first_name: 'Ada',
    last_name: 'Meyer',
    address1: 'Lindenallee 7',
    city: 'Berlin',
    postal_code: '10115',
    country: 'DE',
  };
  const { cart_id } = await unwrap(
    customer.PATCH('/api/storefront/checkout/{checkout_id}', {
      params,
      body: { shipping_address: address, payment_method: 'bank_transfer' },
    }),
  );
  const { shipping_options } = await unwrap(
    customer.GET('/api/storefront/cart/{cart_id}/shipping-options', {
      params: { path: { cart_id }, query: { country: 'DE' } },
    }),
  );
  const shipping_option_id = shipping_options.find(({ kind }) => kind === 'delivery')?.id ?? null;
  await unwrap(customer.PATCH('/api/storefront/checkout/{checkout_id}', { params, body: { shipping_option_id } }));
  await unwrap(customer.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }));
}

async function waitForOrder(agent: AgentClient, checkout_id: string): Promise<void> {
  say('   Waiting for the customer to confirm …');
  if (options['auto-approve']) await confirmAsCustomer(checkout_id);
  // The page may refuse a dearer delivery for want of budget, and the customer leave it at that: no agent waits for ever.
  for (const patience = Date.now() + PATIENCE_MS; Date.now() < patience; ) {
    const status = await statusOf(agent, checkout_id);
    if (status !== 'requires_escalation') {
      say(`   ${status}\n`);
      return;
    }
    await new Promise((done) => setTimeout(done, 2_000));
  }
  say('   It waits no longer. The page stays open for the customer.\n');
}

async function statusOf(agent: AgentClient, checkout_id: string): Promise<string> {
  try {
    const params = { path: { checkout_id } };
    const { status, order_number } = await unwrap(agent.GET('/api/agent/checkouts/{checkout_id}', { params }));
    return status === 'completed' ? `Confirmed: order ${order_number}.` : status;
  } catch (error) {
    if (!isRefusal(error, 'checkout_expired')) throw error;
    return `${error.status} ${error.code}: ${error.message}`;
  }
}

async function hitBudget(agent: AgentClient, variant_id: string): Promise<void> {
  say('4. It tries to buy more than its budget allows.');
  try {
    await unwrap(agent.POST('/api/agent/intent/find-and-buy', { body: { variant_id, quantity: 20, dry_run: true } }));
    throw new Error('It was allowed, and should not have been.');
  } catch (error) {
    if (!isRefusal(error, 'budget_exceeded')) throw error;
    say(`   Refused, ${error.status} ${error.code}: ${error.message}\n`);
  }
}

async function beRevoked(agent: AgentClient): Promise<void> {
  say('5. The customer revokes it.');
  const { agent_token } = await unwrap(agent.GET('/api/agent/customer/me'));
  if (options['auto-approve']) {
    const customer = await openCustomer();
    const path = { agent_token_id: agent_token.id };
    await unwrap(customer.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } }));
  } else {
    say(`   Open ${demo.base_url}/account?site_id=${demo.site_id} and revoke "Example agent". Waiting …`);
  }
  for (;;) {
    try {
      await unwrap(agent.GET('/api/agent/customer/me'));
    } catch (error) {
      if (!isRefusal(error, 'invalid_token')) throw error;
      say(`   The next call is refused: ${error.status} ${error.code}.`);
      return;
    }
    await new Promise((done) => setTimeout(done, 2_000));
  }
}

async function shop(agent: AgentClient): Promise<void> {
  const variant_id = await findBest(agent);
  const checkout_id = await prepare(agent, variant_id);
  if (checkout_id) await waitForOrder(agent, checkout_id);
  await hitBudget(agent, variant_id);
  await beRevoked(agent);
}

const agent = await ask();
if (agent) {
  await shop(agent).catch((error: unknown) => {
    if (!isRefusal(error, 'invalid_token')) throw error;
    say(`   The customer has revoked it already: ${error.status} ${error.code}.`);
  });
  say('\nThat is the whole story. Every call of it is on record: npx commerce agents list');
}

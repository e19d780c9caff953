import { parseArgs } from 'node:util';
import { type AgentClient, CommerceError, createAgentClient, requestConsent, unwrap } from '@commerce-backend/sdk';
import {
  ADDRESS,
  accountOf,
  approveAsCustomer,
  confirmAsCustomer,
  lampIn,
  logInAsCustomer,
  readDemo,
  SEARCH,
  say,
  sayAudit,
  sayFound,
  TERMS,
  until,
} from './demo-shop.ts';

/**
 * An agent in a terminal, without a language model: it requests consent, finds a product, prepares a purchase, waits
 * until the customer confirms it, tries to exceed its budget and to leave its categories, reads its audit, and is
 * revoked. Run `npm run example:agent` while the demo shop is running. With `--auto-approve` it acts as the customer as
 * well, through the storefront API.
 */
const { values: options } = parseArgs({
  options: {
    demo: { type: 'string', default: '.data/demo.json' },
    budget: { type: 'string', default: String(TERMS.budget_cents) },
    'auto-approve': { type: 'boolean', default: false },
  },
});

const demo = readDemo(options.demo);
const connection = { baseUrl: demo.base_url };

/** Whether an error has one of these codes. */
function isRefusal(error: unknown, ...codes: string[]): error is CommerceError {
  return error instanceof CommerceError && codes.includes(error.code);
}

/** Requests consent. Returns undefined if the customer denies it or does not decide in time. */
async function requestAccess(): Promise<AgentClient | undefined> {
  say('1. The agent requests consent to find tableware and prepare purchases, with a budget, for an hour.');
  const pending = await requestConsent(
    { ...connection, siteId: demo.site_id },
    {
      agent_name: 'Example agent',
      scopes: [...TERMS.scopes],
      budget_cents: Number(options.budget),
      categories: TERMS.categories,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  );
  say(`   Open ${pending.verification_uri_complete}`);
  say(`   and compare the code: ${pending.user_code}. (Log in as ${demo.customers[0]?.email}; see ${options.demo}.)`);
  if (options['auto-approve']) await approveAsCustomer(demo, pending.user_code);
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
  say(`2. The agent searches with ${JSON.stringify(SEARCH)}.`);
  const found = await unwrap(agent.POST('/api/agent/intent/find', { body: SEARCH }));
  sayFound(found.candidates, found.currency);
  const [best] = found.candidates;
  if (!best) throw new Error('The shop has no such product.');
  return best.variant_id;
}

/** Prepares a purchase. Returns the checkout's id, or undefined if the budget is too small. */
async function prepare(agent: AgentClient, variant_id: string): Promise<string | undefined> {
  say('\n3. It prepares the purchase. It cannot pay; the customer confirms.');
  try {
    const body = { variant_id, quantity: 1, shipping_address: ADDRESS };
    const bought = await unwrap(agent.POST('/api/agent/intent/find-and-buy', { body }));
    say(`   ${bought.status}: ${bought.totals?.total} ${bought.currency} in total.`);
    say(`   Open ${bought.checkout_url}`);
    if (!bought.checkout) throw new Error('There is no checkout.');
    return bought.checkout.id;
  } catch (error) {
    if (!isRefusal(error, 'budget_exceeded')) throw error;
    say(`   Refused, ${error.status} ${error.code}: ${error.message}\n`);
    return undefined;
  }
}

async function waitForOrder(agent: AgentClient, checkout_id: string): Promise<void> {
  say('   Waiting for the customer to confirm …');
  if (options['auto-approve']) await confirmAsCustomer(demo, checkout_id);
  // Stops waiting after a while, because the customer may never confirm, for example if the budget does not cover the
  // shipping cost.
  const over = await until(async () => {
    const status = await statusOf(agent, checkout_id);
    return status === 'requires_escalation' ? undefined : status;
  });
  say(over ? `   ${over}\n` : '   The agent stops waiting. The customer can still confirm.\n');
}

async function statusOf(agent: AgentClient, checkout_id: string): Promise<string> {
  try {
    const params = { path: { checkout_id } };
    const { status, order_id } = await unwrap(agent.GET('/api/agent/checkouts/{checkout_id}', { params }));
    if (status !== 'completed' || !order_id) return status;
    const path = { order_id };
    const order = await unwrap(agent.GET('/api/agent/orders/{order_id}', { params: { path } }));
    return `Confirmed: order ${order.order_number}, ${order.totals.total} ${order.currency}, ${order.payment_status}.`;
  } catch (error) {
    if (!isRefusal(error, 'checkout_expired')) throw error;
    return `${error.status} ${error.code}: ${error.message}`;
  }
}

/** Sends a call that the shop must reject with this error code, and prints the error and its advice. */
async function tryBeyond(agent: AgentClient, variant_id: string, quantity: number, code: string): Promise<void> {
  try {
    await unwrap(agent.POST('/api/agent/intent/find-and-buy', { body: { variant_id, quantity, dry_run: true } }));
    throw new Error('It was allowed, but should have been refused.');
  } catch (error) {
    if (!isRefusal(error, code)) throw error;
    say(`   Refused, ${error.status} ${error.code}: ${error.message}`);
    say(`   What to do: ${(error.body as { next?: string }).next}\n`);
  }
}

async function waitForRevocation(agent: AgentClient): Promise<void> {
  say('\n7. The customer revokes its access.');
  const { agent_token } = await unwrap(agent.GET('/api/agent/customer/me'));
  if (options['auto-approve']) {
    const customer = await logInAsCustomer(demo);
    const path = { agent_token_id: agent_token.id };
    await unwrap(customer.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params: { path } }));
  } else {
    say(`   Open ${accountOf(demo)} and revoke "Example agent". Waiting …`);
  }
  const refused = await until(async () => {
    try {
      await unwrap(agent.GET('/api/agent/customer/me'));
      return undefined;
    } catch (error) {
      if (!isRefusal(error, 'invalid_token')) throw error;
      return `${error.status} ${error.code}`;
    }
  });
  say(refused ? `   The next call is refused: ${refused}.` : '   The agent stops waiting.');
}

async function shop(agent: AgentClient): Promise<void> {
  const variant_id = await findBest(agent);
  const checkout_id = await prepare(agent, variant_id);
  if (checkout_id) await waitForOrder(agent, checkout_id);
  say('4. It tries to buy more than its budget allows.');
  await tryBeyond(agent, variant_id, 20, 'budget_exceeded');
  say('5. It tries to buy a lamp, which is no tableware.');
  await tryBeyond(agent, await lampIn(demo), 1, 'category_not_allowed');
  say('6. It reads what the audit has of it.');
  const params = { query: { limit: 100 } };
  sayAudit((await unwrap(agent.GET('/api/agent/audit/me', { params }))).audit_events);
  await waitForRevocation(agent);
}

const agent = await requestAccess();
if (agent) {
  await shop(agent).catch((error: unknown) => {
    if (!isRefusal(error, 'invalid_token')) throw error;
    say(`   The customer has already revoked it: ${error.status} ${error.code}.`);
  });
  say('\nDone. Its calls are in the audit: npx commerce agents audit ID (commerce agents list has the ID)');
}

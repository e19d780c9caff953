// An agent that shops for a customer: run `npm run agent` or `npm run agent -- "a lamp under 80 euros"` while `npm run
// dev` is running. It cannot pay: a person approves it first and confirms each purchase. --auto-approve simulates the
// approval.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  ConnectionError,
  createAgentClient,
  createStorefrontClient,
  isError,
  requestConsent,
  unwrap,
} from '@commerce-backend/sdk';

const { DEMO_FILE = '.data/demo.json' } = process.env;

process.once('uncaughtException', (error) => {
  const isDown = error instanceof ConnectionError || error.path === DEMO_FILE;
  console.error(isDown ? `${error.message}\nIs the shop running? Start it in another terminal: npm run dev` : error);
  process.exit(1);
});

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'auto-approve': { type: 'boolean' } } });
const [query = 'a sage stoneware mug under 30 euros'] = positionals;
const demo = JSON.parse(readFileSync(DEMO_FILE, 'utf8'));
const { base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken } = demo;
const [customer] = demo.customers;

// --- The customer's consent ----------------------------------------------------------------------------------------------

const consent = await requestConsent(
  { baseUrl, siteId },
  { agent_name: 'My agent', scopes: ['catalog:read', 'cart:write', 'checkout:create'], budget_cents: 10_000 },
);
if (values['auto-approve']) await allow(consent.user_code);
else {
  console.log(`Open ${consent.verification_uri_complete}`);
  console.log(`and log in as ${customer.email} with ${customer.password}. Waiting …`);
}
const { access_token: agentToken } = await consent.token();

// --- Finding and preparing -----------------------------------------------------------------------------------------------

// For a language model, the same operations are tools: `createAgentTools` of '@commerce-backend/sdk/tools'.
const agent = createAgentClient({ baseUrl, agentToken });
try {
  const bought = await unwrap(agent.POST('/api/agent/intent/find-and-buy', { body: { query } }));
  // Several products or variants match: ask the customer, and call again with the variant_id of one.
  if (bought.question) console.log(bought.question);
  for (const { content, price } of bought.candidates) console.log(`  ${content.name}, ${price} ${bought.currency}`);
  if (bought.checkout_url) {
    console.log(
      `Together with delivery ${bought.totals.total} ${bought.currency}. Confirm it at ${bought.checkout_url}`,
    );
  }
} catch (error) {
  if (!isError(error, 'budget_exceeded')) throw error;
  console.log(`Too expensive: ${error.message}`);
}

/** Approves the request as the demo shop's customer. */
async function allow(user_code) {
  const shop = createStorefrontClient({ baseUrl, siteId, storefrontToken });
  const { access_token } = await unwrap(shop.POST('/api/storefront/customer/login', { body: customer }));
  const path = '/api/storefront/customer/me/agent-consent/{user_code}/approve';
  await unwrap(shop.withCustomer(access_token).POST(path, { params: { path: { user_code } }, body: {} }));
}

/** Callers who try to change a checkout while a person reads its review, over every protocol. */

import { randomUUID } from 'node:crypto';
import { CAPABILITIES, UCP_VERSION } from '../../server/src/ucp/protocol.ts';
import type { Page, PaperBrowser } from '../../server/test/paper-browser.ts';
import { callTool } from '../testing/mcp.ts';
import type { Address } from '../testing/products-and-checkouts.ts';
import { operationOf } from '../testing/tenant.ts';
import type { OpenShop } from '../testing/test-server.ts';
import { type Asked, askOverMcp, askOverRest, type Speaker } from '../testing/ucp.ts';

export type Maker = 'storefront' | 'guest agent' | 'agent';

/** A checkout that is ready for the person to review. */
export interface Target {
  shop: OpenShop;
  checkout_id: string;
  cart_id: string;
  line_item_id: string;
  variant_id: string;
  url: string;
  /** The credentials of the callers. */
  agent_token: string;
  stranger_token: string;
  other_browser: PaperBrowser;
  other_option: string;
}

/** The wanted changes. Each protocol makes the changes that it supports. */
export interface Wish {
  email?: string;
  phone?: string;
  note?: string;
  shipping_address?: Address;
  shipping_option_id?: string;
  quantity?: number;
}

/** Makes changes. The server may reject them. */
export type Swap = (target: Target, wish: Wish) => Promise<unknown>;

export const PROFILES = {
  own: 'https://assistant.example/.well-known/ucp',
  other: 'https://another.example/.well-known/ucp',
};

/** Inserts the profiles of agents, as if the server had fetched them. */
export async function keepProfiles({ premises, site_id }: OpenShop): Promise<void> {
  const capabilities = Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, [UCP_VERSION]]));
  for (const url of Object.values(PROFILES)) {
    await premises.owner.query(
      `insert into commerce.agent_profiles (site_id, id, url, host, version, capabilities, keys, expires_at)
       values ($1, $2, $3, $4, $5, $6, '[]', now() + interval '1 day')`,
      [site_id, randomUUID(), url, new URL(url).hostname, UCP_VERSION, JSON.stringify(capabilities)],
    );
  }
}

export function speakerOf({ premises, site_id }: OpenShop, profile: string, secret?: string): Speaker {
  return { baseUrl: premises.baseUrl, site_id, profile, ...(secret && { secret }) };
}

/** Changes the checkout over the storefront API, with a customer's token if given. */
function overStorefront(tokenOf: (target: Target) => { customer_token?: string }): Swap {
  return async (target, { quantity, ...body }) => {
    const { shop, checkout_id, cart_id, line_item_id } = target;
    const more = tokenOf(target);
    if (Object.keys(body).length > 0)
      await shop.ask('storefront.updateCheckout', { path: { checkout_id }, body, ...more });
    if (quantity !== undefined)
      await shop.ask('storefront.updateCartItem', { path: { cart_id, line_item_id }, body: { quantity }, ...more });
  };
}

/** Builds the body for the agents' API, which accepts an address, a shipping option and a note. */
function agentBody({ cart_id }: Target, { shipping_address, shipping_option_id, note }: Wish) {
  return {
    cart_id,
    ...(shipping_address && { shipping_address }),
    ...(shipping_option_id && { shipping_option_id }),
    ...(note && { note }),
  };
}

const overAgentSurface: Swap = (target, wish) =>
  target.shop.ask('agent.createCheckout', { agent_token: target.agent_token, body: agentBody(target, wish) });

const overAgentMcp: Swap = (target, wish) => {
  const { shop, agent_token } = target;
  const call = {
    ...{ operation: operationOf('agent.createCheckout'), path: {}, query: {}, body: agentBody(target, wish) },
    headers: { 'Idempotency-Key': randomUUID() },
  };
  return callTool({ baseUrl: shop.premises.baseUrl }, shop, agent_token, call);
};

/** Builds the body for UCP, which replaces the whole checkout. */
export function ucpCheckout(
  variant_id: string,
  { email, phone, shipping_address, shipping_option_id, quantity = 1 }: Wish,
) {
  const { first_name, last_name, address1, city, postal_code, country } = shipping_address ?? {};
  const destination = {
    ...{ first_name, last_name, street_address: address1, address_locality: city, postal_code },
    address_country: country,
  };
  const method = {
    type: 'shipping',
    ...(shipping_address && { destinations: [destination] }),
    ...(shipping_option_id && { groups: [{ id: 'all', selected_option_id: shipping_option_id }] }),
  };
  return {
    line_items: [{ item: { id: variant_id }, quantity }],
    buyer: { ...(email && { email }), ...(phone && { phone_number: phone }) },
    fulfillment: { methods: [method] },
  };
}

function overUcp(ask: typeof askOverRest, profile: string, secretOf: (target: Target) => string | undefined): Swap {
  return (target, wish) => {
    const { shop, checkout_id, variant_id } = target;
    const asked: Asked = { name: 'update_checkout', id: checkout_id, body: ucpCheckout(variant_id, wish) };
    return ask(speakerOf(shop, profile, secretOf(target)), asked);
  };
}

/** A person who has the link opens it in another browser and enters other data. */
const byOtherBrowser: Swap = async ({ url, other_browser }, { email, phone, note, shipping_address }) => {
  const form: Page = await other_browser.open(`${url}?change=1`);
  if (!form.html.includes('value="save"')) return;
  const { last_name, address1, city, postal_code, country } = shipping_address ?? {};
  const entries = {
    ...{ email, phone, note, shipping_last_name: last_name, shipping_address1: address1, shipping_city: city },
    ...{ shipping_postal_code: postal_code, shipping_country: country, payment_method: 'bank_transfer' },
  };
  const given = Object.entries(entries).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== null,
  );
  await other_browser.press(form, 'save', Object.fromEntries(given));
};

const guest = () => undefined;

/** The seven kinds of callers, each with its protocols and the checkouts that it can identify. */
export const SWAPS: { who: string; makers: Maker[]; ways: Record<string, Swap> }[] = [
  {
    who: 'the agent that made it',
    makers: ['agent'],
    ways: {
      'beside the storefront token': overStorefront(({ agent_token }) => ({ customer_token: agent_token })),
      'its own surface': overAgentSurface,
      'UCP REST': overUcp(askOverRest, PROFILES.own, ({ agent_token }) => agent_token),
      'UCP MCP': overUcp(askOverMcp, PROFILES.own, ({ agent_token }) => agent_token),
    },
  },
  { who: 'the agent that made it, as a tool', makers: ['agent'], ways: { MCP: overAgentMcp } },
  {
    who: 'the UCP agent that made it',
    makers: ['guest agent'],
    ways: { REST: overUcp(askOverRest, PROFILES.own, guest), MCP: overUcp(askOverMcp, PROFILES.own, guest) },
  },
  {
    who: 'another UCP agent',
    makers: ['guest agent', 'storefront', 'agent'],
    ways: { REST: overUcp(askOverRest, PROFILES.other, guest), MCP: overUcp(askOverMcp, PROFILES.other, guest) },
  },
  {
    who: 'anyone with the public token',
    makers: ['storefront', 'guest agent', 'agent'],
    ways: { REST: overStorefront(() => ({})) },
  },
  { who: 'another browser with the link', makers: ['storefront', 'guest agent'], ways: { 'the page': byOtherBrowser } },
  {
    who: 'another customer',
    makers: ['storefront', 'guest agent', 'agent'],
    ways: { REST: overStorefront(({ stranger_token }) => ({ customer_token: stranger_token })) },
  },
];

/** The account pages of a logged-in customer. */

import { openAgent } from '../testing/agents.ts';
import { openCustomerSession } from '../testing/customers.ts';
import { type FormAction, type Furnished, fillIn, openAccount, type PageKind, putGoneInCart } from './page-shops.ts';

interface Reader {
  id: string;
  /** The session that sets up the page; each browser gets its own. */
  token: string;
}

/** The customer for whom a page was last prepared. */
const readers = new WeakMap<Furnished, Reader>();

export async function openReader(furnished: Furnished): Promise<Reader> {
  const { premises, site_id } = furnished.shop;
  const { rows } = await premises.owner.query<{ id: string }>(
    `update commerce.customers set first_name = $3, last_name = $4 where site_id = $1 and email = $2 returning id`,
    [site_id, await openAccount(furnished), furnished.texts.first_name, furnished.texts.last_name],
  );
  const id = rows[0]?.id ?? '';
  const reader = { id, token: await openCustomerSession(premises, { site_id }, id) };
  readers.set(furnished, reader);
  return reader;
}

function login(furnished: Furnished): Promise<string> {
  const { premises, site_id } = furnished.shop;
  return openCustomerSession(premises, { site_id }, readers.get(furnished)?.id ?? '');
}

const overview = ({ shop }: Furnished) => `/account?site_id=${shop.site_id}`;

/** Places an order of the customer. With `gone`, one of its products is then taken off sale. */
async function orderOf(furnished: Furnished, { token: customer_token }: Reader, gone = false): Promise<string> {
  const { shop } = furnished;
  const { id: checkout_id } = await fillIn(furnished, customer_token);
  const path = { checkout_id };
  const withdraw = gone ? await putGoneInCart(furnished, checkout_id, customer_token) : undefined;
  // Updates the checkout, because the response returns the new total: an order is accepted only with a total that the
  // customer has seen.
  if (gone)
    await shop.must('storefront.updateCheckout', { customer_token, path, body: { note: furnished.texts.note } });
  const { order } = await shop.must('storefront.completeCheckout', { customer_token, path, body: {} });
  await withdraw?.();
  return order.id;
}

/** Creates an agent of the customer with a purchase that awaits confirmation. */
async function agentOf({ shop, texts, variant_id }: Furnished, { id }: Reader): Promise<string> {
  const { premises, site_id } = shop;
  const named = { site_id, canary: texts.agent_name };
  const agent = await openAgent(premises, named, id);
  const body = { variant_id, quantity: 1 };
  await shop.must('agent.findAndBuy', { agent_token: agent.secret, body });
  await premises.owner.query('update commerce.tokens set categories = $3 where site_id = $1 and id = $2', [
    site_id,
    agent.id,
    [texts.agent_category],
  ]);
  return agent.id;
}

/** Saves two addresses of the customer, and returns the id of the one that is not the default. */
async function addressesOf({ shop, texts }: Furnished, customer_token: string): Promise<string> {
  const { first_name, last_name } = texts;
  const body = {
    first_name,
    last_name,
    address1: 'Lindenallee 7',
    postal_code: '10115',
    city: 'Berlin',
    country: 'DE',
  };
  await shop.must('storefront.createAddress', { customer_token, body });
  const { id } = await shop.must('storefront.createAddress', { customer_token, body });
  return id;
}

export const press = (action: string, rest: Partial<FormAction> = {}): FormAction => ({
  action,
  entries: () => ({}),
  ...rest,
});

/** Visitors without a login get the login form at the same URL. */
export const ofCustomer = { isPublic: true, login } as const;

export const ACCOUNT_PAGES: PageKind[] = [
  {
    name: 'the account',
    async arrange(furnished) {
      const reader = await openReader(furnished);
      await orderOf(furnished, reader);
      await agentOf(furnished, reader);
      return overview(furnished);
    },
    operations: [press('log_out', { renews: true })],
    ...ofCustomer,
  },
  {
    name: 'the profile',
    async arrange(furnished) {
      await openReader(furnished);
      return `${overview(furnished)}&view=profile`;
    },
    operations: [
      press('log_out_everywhere', { renews: true }),
      press('marketing_on', { entries: () => ({ marketing: 'yes' }) }),
      press('save_profile', { entries: ({ texts }) => ({ first_name: texts.first_name }) }),
    ],
    ...ofCustomer,
  },
  {
    name: 'the address book',
    async arrange(furnished) {
      const { token: customer_token } = await openReader(furnished);
      await addressesOf(furnished, customer_token);
      return `${overview(furnished)}&view=addresses`;
    },
    operations: [press('default_address')],
    ...ofCustomer,
  },
  {
    name: 'an address of the address book',
    async arrange(furnished) {
      const { token: customer_token } = await openReader(furnished);
      const id = await addressesOf(furnished, customer_token);
      return `${overview(furnished)}&view=address&address=${id}`;
    },
    operations: [press('save_address'), press('delete_address')],
    ...ofCustomer,
  },
  {
    name: 'the deletion of the account',
    async arrange(furnished) {
      const reader = await openReader(furnished);
      await orderOf(furnished, reader);
      await agentOf(furnished, reader);
      return `${overview(furnished)}&view=delete`;
    },
    operations: [],
    ...ofCustomer,
  },
  {
    name: 'the agents of a customer',
    async arrange(furnished) {
      await agentOf(furnished, await openReader(furnished));
      return `${overview(furnished)}&view=assistants`;
    },
    operations: [press('revoke')],
    ...ofCustomer,
  },
  {
    name: 'the account of somebody who agreed to offers',
    async arrange(furnished) {
      const { token: customer_token } = await openReader(furnished);
      const body = { marketing_opt_in: true, marketing_wording: 'Yes, send me offers.' };
      await furnished.shop.must('storefront.updateCustomer', { customer_token, body });
      return `${overview(furnished)}&view=profile`;
    },
    operations: [press('marketing_off')],
    ...ofCustomer,
  },
  {
    name: 'an order in the account',
    arrange: async (furnished) =>
      `${overview(furnished)}&order=${await orderOf(furnished, await openReader(furnished))}`,
    operations: [press('reorder')],
    ...ofCustomer,
  },
  {
    name: 'an order that can be ordered again in part',
    arrange: async (furnished) =>
      `${overview(furnished)}&order=${await orderOf(furnished, await openReader(furnished), true)}&again=1`,
    operations: [press('reorder')],
    ...ofCustomer,
  },
  {
    name: 'what an agent did',
    arrange: async (furnished) =>
      `${overview(furnished)}&agent=${await agentOf(furnished, await openReader(furnished))}`,
    operations: [],
    ...ofCustomer,
  },
];

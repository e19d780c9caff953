import { PaperBrowser } from '../../server/test/paper-browser.ts';
import { openAgent } from '../testing/agents.ts';
import { CUSTOMER_PASSWORD, openAccount, openCustomerSession } from '../testing/customers.ts';
import { onlyVariantOf, putInCarts, putOnSale, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';
import { answerIn, askOverRest } from '../testing/ucp.ts';
import { differencesOf, orderedAs, reviewOn } from './review.ts';
import {
  keepProfiles,
  type Maker,
  PROFILES,
  SWAPS,
  type Swap,
  speakerOf,
  type Target,
  ucpCheckout,
  type Wish,
} from './review-changes.ts';

/**
 * A person reads the review and presses the button, and presses it again if the review is shown again. Meanwhile
 * somebody else changes the checkout, over any protocol and at any moment.
 */
export const F13: Proof = {
  id: 'F13',
  promise:
    'The order matches the review on which the person pressed the button, whoever changes the checkout over any protocol.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const plans = plansFor(chanceOf(trial.seed), pick(trial.size, 63, 1_000));
      const tried = plans.length;
      const lane = async () => {
        const stage = await openStage(await openShop());
        for (let plan = plans.pop(); plan; plan = plans.pop()) {
          for (const fault of await live(stage, plan)) violations.add(`${nameOf(plan)}: ${fault}`);
        }
      };
      await Promise.all([lane(), lane(), lane()]);
      return { tried, unit: 'interleavings', violations: violations.list } satisfies Figures;
    }),
};

const MOMENTS = ['while reading', 'while pressing', 'before pressing again', 'while pressing again'] as const;

interface Plan {
  who: string;
  way: string;
  swap: Swap;
  maker: Maker;
  moment: (typeof MOMENTS)[number];
  /** Whether the person has already submitted the form once. */
  isBound: boolean;
  wish: Wish;
  /** Whether somebody else adds a unit before the first press, so that the person has to press again. */
  isRefusedFirst: boolean;
}

function nameOf({ who, way, maker, moment, isBound, wish }: Plan): string {
  const changed = Object.keys(wish).join(', ');
  return `${who} by ${way} changes ${changed} of a checkout by the ${maker} ${moment}${isBound ? ', after a post' : ''}`;
}

/**
 * Makes plans that use all kinds of callers equally often. The first plans change a single field while the person
 * reads, the others several fields at any moment.
 */
function plansFor(chance: Chance, count: number): Plan[] {
  return Array.from({ length: count }, (_, i) => {
    const { who, makers, ways } = SWAPS[i % SWAPS.length] as (typeof SWAPS)[number];
    const [way, swap] = chance.of(Object.entries(ways));
    const alone = FIELDS[Math.floor(i / SWAPS.length)];
    const moment = alone ? 'while reading' : chance.of(MOMENTS);
    const isRefusedFirst = moment.endsWith('again');
    const [maker, isBound] = [chance.of(makers), !alone && chance.next() < 0.5];
    const fields = alone ? [alone] : chance.some(FIELDS, 2 + Math.floor(chance.next() * 3));
    return { ...{ who, way, swap, maker, moment, isBound, isRefusedFirst }, wish: Object.fromEntries(fields) };
  });
}

const HOME = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };
const ELSEWHERE = { last_name: 'Grün', address1: 'Hafenstr. 1', city: 'Hamburg', postal_code: '20095', country: 'DE' };

/** `live` replaces the empty shipping option by another option of the shop. */
const FIELDS: [keyof Wish, unknown][] = [
  ['shipping_address', ELSEWHERE],
  ['email', 'mallory@example.com'],
  ['phone', '+49 40 1234567'],
  ['note', 'Leave it at the corner'],
  ['shipping_option_id', ''],
  ['quantity', 3],
];

interface Stage {
  shop: OpenShop;
  variant_id: string;
  options: [string, string];
  customer: { email: string; token: string };
  agent_token: string;
  stranger_token: string;
  /** The customer's browser, which stays logged in after the first purchase. */
  own_browser: PaperBrowser;
}

async function openStage(shop: OpenShop): Promise<Stage> {
  await takeTransfers(shop);
  await shop.must('dashboard.updateSettings', { body: { default_tax_rate: '0.19' } });
  await keepProfiles(shop);
  const product = await putOnSale(shop, { price: '10.00', track_inventory: false, requires_shipping: true });
  const [one, two] = await Promise.all(
    ['4.90', '9.90'].map((price) =>
      shop.must('dashboard.createShippingOption', { body: { name: `For ${price}`, price } }),
    ),
  );
  const tenant = { site_id: shop.site_id, canary: 'proof' };
  const [account, other] = [await openAccount(shop.premises, tenant), await openAccount(shop.premises, tenant)];
  return {
    ...{ shop, variant_id: onlyVariantOf(product), options: [one?.id ?? '', two?.id ?? ''] },
    customer: { email: account.email, token: await openCustomerSession(shop.premises, tenant, account.id) },
    agent_token: (await openAgent(shop.premises, tenant, account.id)).secret,
    stranger_token: await openCustomerSession(shop.premises, tenant, other.id),
    own_browser: new PaperBrowser(shop.premises.baseUrl),
  };
}

/** Creates a checkout with complete data. */
async function prepare(stage: Stage, maker: Maker): Promise<Target> {
  const { shop, variant_id, options, customer, agent_token, stranger_token } = stage;
  const begun = await beginAs(stage, maker);
  const body = {
    email: 'june@example.com',
    phone: null,
    payment_method: 'bank_transfer',
    shipping_address: HOME,
  } as const;
  const ready = await shop.must('storefront.updateCheckout', {
    ...(maker === 'agent' && { customer_token: customer.token }),
    path: { checkout_id: begun },
    body: { ...body, shipping_option_id: options[0] },
  });
  return {
    ...{ shop, variant_id, agent_token, stranger_token, checkout_id: ready.id, cart_id: ready.cart_id },
    ...{ line_item_id: ready.items[0]?.id ?? '', url: ready.checkout_url ?? '', other_option: options[1] },
    other_browser: new PaperBrowser(shop.premises.baseUrl),
  };
}

async function beginAs({ shop, variant_id, agent_token, options }: Stage, maker: Maker): Promise<string> {
  if (maker === 'agent') {
    const { checkout } = await shop.must('agent.findAndBuy', { agent_token, body: { variant_id, quantity: 1 } });
    return checkout?.id ?? '';
  }
  if (maker === 'storefront') {
    const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: 1 }]]);
    return (await shop.must('storefront.createCheckout', { body: { cart_id } })).id;
  }
  const body = ucpCheckout(variant_id, { shipping_address: HOME, shipping_option_id: options[0] });
  const made = answerIn(await askOverRest(speakerOf(shop, PROFILES.own), { name: 'create_checkout', body }));
  return String(made?.id);
}

const MOST_PRESSES = 5;

/** Lets the person order while somebody else changes the checkout. Returns the faults. */
async function live(stage: Stage, plan: Plan): Promise<string[]> {
  const target = await prepare(stage, plan.maker);
  const { shop, checkout_id, cart_id, line_item_id } = target;
  const faults: string[] = [];
  const at = async (moment: Plan['moment']) => {
    if (moment !== plan.moment) return;
    const { shipping_option_id } = plan.wish;
    const wish = { ...plan.wish, ...(shipping_option_id !== undefined && { shipping_option_id: target.other_option }) };
    const before = await buyerOf(target);
    await plan.swap(target, wish);
    // A change on the page comes from another browser, in which all data must be entered again, and the new data
    // replaces the person's data.
    const isLocked = plan.isBound && plan.way !== 'the page';
    if (isLocked && (await buyerOf(target)) !== before)
      faults.push('the checkout no longer has the data that the person entered');
  };
  const [browser, opened] = await openReview(stage, target, plan);
  let page = opened;
  let seen = reviewOn(page.html);
  if (!seen) return [`no review: ${page.response.status} ${page.html.slice(0, 300)}`];
  if (plan.isRefusedFirst) {
    await shop.must('storefront.updateCartItem', {
      ...(plan.maker === 'agent' && { customer_token: stage.customer.token }),
      path: { cart_id, line_item_id },
      body: { quantity: 2 },
    });
  }
  await at('while reading');
  for (let press = 1; press <= MOST_PRESSES && seen; press += 1) {
    if (press === 2) await at('before pressing again');
    const moment = press === 1 ? 'while pressing' : 'while pressing again';
    const before = seen;
    [page] = await Promise.all([browser.press(page, 'place_order'), press <= 2 && at(moment)]);
    if (page.html.includes('Order number')) {
      const ordered = await orderedAs(shop, checkout_id);
      return [...faults, ...(ordered ? differencesOf(before, ordered) : ['there is no order'])];
    }
    seen = reviewOn(page.html);
  }
  const unexpected = await orderedAs(shop, checkout_id);
  return unexpected ? [...faults, `was shown no order: ${JSON.stringify(unexpected)}`] : faults;
}

/** Returns the buyer's data in a checkout, as JSON. */
async function buyerOf({ shop, checkout_id }: Target): Promise<string | undefined> {
  const { rows } = await shop.premises.owner.query<{ buyer: string }>(
    `select json_build_array(email, phone, shipping_address, billing_address, note)::text as buyer
     from commerce.checkouts where site_id = $1 and id = $2`,
    [shop.site_id, checkout_id],
  );
  return rows[0]?.buyer;
}

/** Opens the review in the person's browser. */
async function openReview(stage: Stage, { shop, url }: Target, { maker, isBound }: Plan) {
  const isCustomers = maker === 'agent';
  const browser = isCustomers ? stage.own_browser : new PaperBrowser(shop.premises.baseUrl);
  let page = await browser.open(url);
  if (page.html.includes('value="log_in"')) {
    page = await browser.press(page, 'log_in', { email: stage.customer.email, password: CUSTOMER_PASSWORD });
  }
  if (isBound) page = await browser.press(await browser.open(`${url}?change=1`), 'save', { email: 'june@example.com' });
  return [browser, page] as const;
}

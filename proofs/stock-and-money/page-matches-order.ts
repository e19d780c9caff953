import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { withoutHidden } from '../../server/src/shop/hidden-characters.ts';
import { decimal } from '../../server/src/shop/money.ts';
import { summaryOf } from '../../server/test/page-summary.ts';
import { PaperBrowser } from '../../server/test/paper-browser.ts';
import { putInCarts, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';
import { amountsOn, differencesOf, orderedAs, reviewOn } from './review.ts';

/** Orders random carts on the hosted page. The pages before and after ordering must match the order. */
export const F11: Proof = {
  id: 'F11',
  promise:
    'The names, quantities, prices, totals, addresses, contact, delivery, payment and note on the page match the order.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const tried = pick(trial.size, 12, 10_000);
      const lane = async ([currency, included]: [string, boolean], number: number) => {
        const shop = await openShop({ currency });
        const chance = chanceOf(trial.seed * 1_000 + number);
        const market = await openMarket(shop, chance, { included, seed: trial.seed + number });
        for (let i = number; i < tried; i += LANES.length) {
          for (const fault of await order(shop, chance, market)) violations.add(`${currency}, cart ${i}: ${fault}`);
        }
      };
      await Promise.all(LANES.map(lane));
      const note = 'EUR, JPY and KWD, tax added and included, odd names';
      return { tried, unit: 'random carts', violations: violations.list, note } satisfies Figures;
    }),
};

const LANES: [string, boolean][] = [
  ['EUR', true],
  ['EUR', false],
  ['JPY', true],
  ['KWD', false],
];

interface Market {
  /** Generated product names. The server rejects some of them. */
  texts: string[];
  variants: string[];
  codes: string[];
  shipping_options: string[];
}

/** Names as merchants may write them, including names in other languages and hostile ones. */
const names = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    '<b>Mug</b>',
    '&lt;Mug&gt; &amp;amp;',
    '"Mug" \'n\' more',
    '1 × €0.01',
    'Total €1.00',
    '</p><script>1</script>',
  ),
  fc.constantFrom(
    'كوب شاي',
    'ספל 5 × ₪1',
    'マグカップ',
    'İstanbul ﬁne',
    'a  b\tc\u00a0d',
    '{{7*7}} %s',
    '-->',
    '0',
    'null',
  ),
);

async function openMarket(
  shop: OpenShop,
  chance: Chance,
  { included, seed }: { included: boolean; seed: number },
): Promise<Market> {
  await takeTransfers(shop);
  await shop.must('dashboard.updateSettings', {
    body: {
      prices_include_tax: included,
      default_tax_rate: chance.of(['0', '0.07', '0.19', '0.2']),
      tax_rates: [{ country: 'DE', class: 'reduced', rate: chance.of(['0', '0.07']) }],
    },
  });
  const digits = shop.tenant.currency_digits;
  const amount = (most: number) => decimal(Math.floor(chance.next() * most), digits);
  const written = fc
    .sample(names, { seed, numRuns: 80 })
    .map((name) => withoutHidden(name, { lines: false }))
    .filter((name) => name.isWellFormed() && name.trim() !== '' && !name.includes('\0'));
  const variants: string[] = [];
  for (const name of written) {
    const dear = chance.of([1_000, 100_000, 99_999_999]);
    const values = [...new Set([chance.of(written).trim(), 'plain'])].slice(0, 2);
    const sized = {
      options: [{ name: 'Kind', values }],
      variants: values.map((option1) => ({ option1, price: amount(dear) })),
    };
    const product = await shop.ask('dashboard.createProduct', {
      body: {
        name,
        status: 'active',
        tax_class: chance.of(['standard', 'reduced', 'zero']),
        ...(chance.next() < 0.5 ? { price: amount(dear) } : sized),
        track_inventory: false,
      },
    });
    // The shop may reject some of the names. The page must show the accepted ones.
    variants.push(...(product.data?.variants ?? []).map(({ id }) => id));
  }
  if (variants.length < 20) throw new Error('Hardly any name was taken.');
  const codes = [
    { kind: 'percentage', value: '12.5' },
    { kind: 'fixed_amount', value: amount(5_000).replace(/^0(?:\.0+)?$/, '5') },
    { kind: 'free_shipping' },
  ] as const;
  const made = codes.map((body, at) =>
    shop.must('dashboard.createDiscount', { body: { code: `<CODE&${at}> ${randomUUID().slice(0, 4)}`, ...body } }),
  );
  const options = ['0', amount(1_000)].map((price, at) =>
    shop.must('dashboard.createShippingOption', { body: { name: `Parcel <${at}>`, price } }),
  );
  return {
    texts: written,
    variants,
    codes: (await Promise.all(made)).map(({ code }) => code),
    shipping_options: (await Promise.all(options)).map(({ id }) => id),
  };
}

const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

/** Orders a random cart. Returns the differences between the order and the pages before and after ordering. */
async function order(shop: OpenShop, chance: Chance, market: Market): Promise<string[]> {
  const chosen = chance.some(market.variants, 1 + Math.floor(chance.next() * 6));
  const pieces = chosen.map((variant_id) => ({ variant_id, quantity: 1 + Math.floor(chance.next() ** 3 * 400) }));
  const [cart_id = ''] = await putInCarts(shop, [pieces]);
  const code = chance.of(market.codes);
  if (chance.next() < 0.5) await shop.must('storefront.applyDiscount', { path: { cart_id }, body: { code } });
  const { id: checkout_id, checkout_url } = await shop.must('storefront.createCheckout', { body: { cart_id } });
  await fillIn(shop, chance, market, checkout_id);
  const browser = new PaperBrowser(shop.premises.baseUrl);
  const review = await browser.open(checkout_url ?? '');
  const confirmation = await browser.press(review, 'place_order', { card_token: 'tok_success' });
  const ordered = await orderedAs(shop, checkout_id);
  if (!ordered) return [`not ordered: ${confirmation.response.status} ${confirmation.html.slice(0, 500)}`];
  const [read, confirmed] = [reviewOn(review.html), amountsOn(confirmation.html)];
  if (!read || !confirmed) return ['a page without a summary'];
  const button = summaryOf(review.html)?.button;
  const isOther = Number(ordered.total) > 0 && button !== ordered.total;
  return [
    ...differencesOf(read, ordered).map((one) => `review: ${one}`),
    ...differencesOf(confirmed, ordered, Object.keys(confirmed)).map((one) => `confirmation: ${one}`),
    ...(isOther ? [`the button shows ${button}, but the order has ${ordered.total}`] : []),
  ];
}

/** Fills in the checkout: with unusual texts if the shop accepts them, otherwise with plain ones. */
async function fillIn(shop: OpenShop, chance: Chance, { texts, shipping_options }: Market, checkout_id: string) {
  const path = { checkout_id };
  const odd = () => ({
    ...ADDRESS,
    last_name: chance.of(texts),
    address1: chance.of(texts),
    company: chance.of(texts),
  });
  const body = {
    email: chance.of(['june@example.com', "o'okafor+shop@example.com"]),
    phone: chance.of([null, '+49 30 1234567']),
    payment_method: chance.of(['bank_transfer', 'card'] as const),
    shipping_address: ADDRESS,
    shipping_option_id: chance.of(shipping_options),
  };
  await shop.must('storefront.updateCheckout', { path, body });
  // The shop may reject any of these texts; the page must show the accepted ones.
  await shop.ask('storefront.updateCheckout', { path, body: { shipping_address: odd() } });
  if (chance.next() < 0.5) await shop.ask('storefront.updateCheckout', { path, body: { billing_address: odd() } });
  if (chance.next() < 0.5) await shop.ask('storefront.updateCheckout', { path, body: { note: chance.of(texts) } });
}

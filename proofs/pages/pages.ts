import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { takeMails } from '../mails.ts';
import type { OpenShop } from '../shop.ts';

/**
 * The pages that the proofs attack, each in a shop with texts of its own. A page that is added to the server is added to
 * `PAGES`, with the buttons of its forms, and every proof takes it along.
 */
export interface PageKind {
  name: string;
  /** Arranges what the page is about, anew; answers its path. */
  arrange(shop: Furnished): Promise<string>;
  /** What its forms do. Each is tried on a page of its own, for most can be done once. */
  operations: Deed[];
  /** It names no shop: its account may be of a member of staff, who works for several. */
  ofNoShop?: true;
  /** Its address is no secret: anybody may open it, and gets a login. */
  isPublic?: true;
}

export interface Deed {
  /** The value of the button. */
  action: string;
  /** What is entered before it is pressed. */
  entries: (shop: Furnished) => Record<string, string>;
  /** Whether the browser's session is another one afterwards. */
  renews?: true;
}

/** Every text of a shop that a page may show. */
export type Texts = Record<TextName, string>;

export const TEXT_NAMES = [
  'shop',
  'product',
  'option_value',
  'variant_image',
  'discount_code',
  'shipping_option',
  'shipping_description',
  'bank_account_holder',
  'bank_name',
  'bank_instructions',
  'email',
  'first_name',
  'last_name',
  'company',
  'address1',
  'address2',
  'city',
  'state',
  'postal_code',
  'phone',
  'note',
  'carrier',
] as const;

export type TextName = (typeof TEXT_NAMES)[number];

/** A shop with something to buy, and what its pages show. */
export interface Furnished {
  shop: OpenShop;
  texts: Texts;
  variant_id: string;
  shipping_option_id: string;
}

/** Fills a shop whose every text is the given one; a text that is absent holds the marker. */
export async function furnish(shop: OpenShop, marker: string, given: Partial<Texts> = {}): Promise<Furnished> {
  const marked = Object.fromEntries(TEXT_NAMES.map((name) => [name, `${marker} ${name}`])) as Texts;
  const email = `${marker}@example.com`;
  const variant_image = `https://img.example/${marker}.jpg`;
  const own = { email, variant_image, discount_code: `${marker}-code`, postal_code: '10115', phone: '+49 30 1234567' };
  const texts: Texts = { ...marked, ...own, ...given };
  await shop.must('dashboard.updateSettings', {
    body: {
      name: texts.shop,
      bank_details: {
        account_holder: texts.bank_account_holder,
        iban: 'DE89370400440532013000',
        bank_name: texts.bank_name,
        instructions: texts.bank_instructions,
      },
    },
  });
  const option = await shop.must('dashboard.createShippingOption', {
    body: { name: texts.shipping_option, description: texts.shipping_description, price: '4.90' },
  });
  await shop.must('dashboard.createDiscount', {
    body: { code: texts.discount_code, kind: 'percentage', value: '10' },
  });
  const product = await shop.must('dashboard.createProduct', {
    body: {
      name: texts.product,
      slug: `p-${randomUUID()}`,
      status: 'active',
      options: [{ name: 'Kind', values: [texts.option_value] }],
      variants: [{ option1: texts.option_value, price: '14.00', inventory_quantity: 1_000 }],
      images: [{ url: texts.variant_image }],
    },
  });
  return { shop, texts, variant_id: product.variants[0]?.id ?? '', shipping_option_id: option.id };
}

async function begin({ shop, variant_id }: Furnished, code?: string) {
  const cart = await shop.must('storefront.createCart');
  const path = { cart_id: cart.id };
  await shop.must('storefront.addCartItem', { path, body: { variant_id, quantity: 2 } });
  if (code) await shop.must('storefront.applyDiscount', { path, body: { code } });
  const checkout = await shop.must('storefront.createCheckout', { body: { cart_id: cart.id } });
  return { id: checkout.id, path: new URL(checkout.checkout_url ?? '').pathname };
}

/** Takes a piece along that is not for sale any more when the page is opened. */
async function withGone({ shop, texts }: Furnished, checkout_id: string): Promise<void> {
  const { cart_id } = await shop.must('storefront.getCheckout', { path: { checkout_id } });
  const product = await shop.must('dashboard.createProduct', {
    body: { name: texts.product, slug: `p-${randomUUID()}`, status: 'active', price: '3.00', inventory_quantity: 5 },
  });
  const body = { variant_id: product.variants[0]?.id ?? '', quantity: 1 };
  await shop.must('storefront.addCartItem', { path: { cart_id }, body });
  await shop.must('dashboard.updateProduct', { path: { product_id: product.id }, body: { status: 'archived' } });
}

async function fillIn(furnished: Furnished) {
  const { shop, texts, shipping_option_id } = furnished;
  const checkout = await begin(furnished, texts.discount_code);
  const { first_name, last_name, company, address1, address2, city, state, postal_code } = texts;
  const address = { first_name, last_name, company, address1, address2, city, state, postal_code, country: 'HK' };
  await shop.must('storefront.updateCheckout', {
    path: { checkout_id: checkout.id },
    body: {
      email: texts.email,
      phone: texts.phone,
      note: texts.note,
      shipping_address: address,
      billing_address: address,
      shipping_option_id,
      payment_method: 'bank_transfer',
    },
  });
  return checkout;
}

const PASSWORD = 'a password of the proofs';
let passwordHash: Promise<string> | undefined;

/** A customer with an account, at an address that is new each time. */
export async function openAccount({ shop, texts }: Furnished): Promise<string> {
  passwordHash ??= hashPassword(PASSWORD);
  const email = texts.email.replace('@', `+${randomUUID().slice(0, 8)}@`);
  await shop.premises.owner.query(
    `insert into commerce.customers (site_id, id, email, password_hash, email_verified_at)
     values ($1, gen_random_uuid(), $2, $3, now())`,
    [shop.site_id, email, await passwordHash],
  );
  return email;
}

/** The account that a page was arranged for last. */
const arranged = new WeakMap<Furnished, string>();

/** A page for those who are not logged in, with an account that could be. */
async function arrangeAccess(furnished: Furnished, view = ''): Promise<string> {
  arranged.set(furnished, await openAccount(furnished));
  return `/account?site_id=${furnished.shop.site_id}${view && `&login=${view}`}`;
}

const email = (furnished: Furnished) => arranged.get(furnished) ?? '';

/** One more value in the query of a path. */
export function withQuery(path: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${value}`;
}

/** The path of the link in the newest mail of a shop. */
async function mailedPath({ shop }: Furnished): Promise<string> {
  const mails = await takeMails(shop.premises, shop.site_id);
  const [link = ''] = /http:\/\/localhost\/(?:account|unlock|sites)\/\S+/.exec(mails.at(-1)?.text ?? '') ?? [];
  return new URL(link).pathname;
}

const details = ({ texts }: Furnished) => ({
  email: texts.email,
  phone: texts.phone,
  note: texts.note,
  shipping_country: 'HK',
  shipping_last_name: texts.last_name,
  shipping_address1: texts.address1,
  shipping_city: texts.city,
  billing: 'same',
  payment_method: 'bank_transfer',
});

export const PAGES: PageKind[] = [
  {
    name: 'the form of a checkout',
    arrange: async (shop) => (await begin(shop)).path,
    operations: [
      { action: 'save', entries: details },
      { action: 'apply_discount', entries: ({ texts }) => ({ discount_code: texts.discount_code }) },
    ],
  },
  {
    name: 'the form of a checkout with a code',
    arrange: async (shop) => (await begin(shop, shop.texts.discount_code)).path,
    operations: [{ action: 'remove_discount', entries: () => ({}) }],
  },
  {
    name: 'the review of a checkout',
    arrange: async (shop) => (await fillIn(shop)).path,
    operations: [{ action: 'place_order', entries: () => ({}) }],
  },
  {
    name: 'the form of a checkout with a line that is gone',
    async arrange(furnished) {
      const { id, path } = await begin(furnished);
      await withGone(furnished, id);
      return path;
    },
    operations: [{ action: 'remove_item', entries: () => ({}) }],
  },
  {
    name: 'the review of a checkout with a line that is gone',
    async arrange(furnished) {
      const { id, path } = await fillIn(furnished);
      await withGone(furnished, id);
      return path;
    },
    operations: [{ action: 'remove_item', entries: () => ({}) }],
  },
  {
    name: 'the confirmation of an order',
    async arrange(shop) {
      const { id, path } = await fillIn(shop);
      await shop.shop.must('storefront.completeCheckout', { path: { checkout_id: id }, body: {} });
      return path;
    },
    operations: [],
  },
  {
    name: 'the order that a mail leads to',
    async arrange(furnished) {
      const { shop } = furnished;
      const { id } = await fillIn(furnished);
      const { order } = await shop.must('storefront.completeCheckout', { path: { checkout_id: id }, body: {} });
      const path = { order_id: order.id };
      await shop.must('dashboard.markOrderPaid', { path });
      await shop.must('dashboard.createFulfillment', { path, body: { carrier: furnished.texts.carrier } });
      return mailedPath(furnished);
    },
    operations: [{ action: 'show_address', entries: ({ texts }) => ({ proof: texts.email }) }],
  },
  {
    name: 'the link that confirms an address',
    async arrange(furnished) {
      const email = furnished.texts.email.replace('@', `+${randomUUID().slice(0, 8)}@`);
      await furnished.shop.must('storefront.registerCustomer', { body: { email, password: PASSWORD } });
      return mailedPath(furnished);
    },
    operations: [{ action: 'verify_email', entries: () => ({}), renews: true }],
  },
  {
    name: 'the link that sets a new password',
    async arrange(furnished) {
      const email = await openAccount(furnished);
      await furnished.shop.must('storefront.requestPasswordReset', { body: { email } });
      return mailedPath(furnished);
    },
    operations: [
      {
        action: 'reset_password',
        entries: () => ({ new_password: 'another password', new_password_again: 'another password' }),
        renews: true,
      },
    ],
  },
  {
    name: 'the login of the account',
    arrange: (shop) => arrangeAccess(shop),
    operations: [{ action: 'log_in', entries: (shop) => ({ email: email(shop), password: PASSWORD }), renews: true }],
    isPublic: true,
  },
  {
    name: 'the request for a new password',
    arrange: (shop) => arrangeAccess(shop, 'forgot'),
    operations: [{ action: 'request_reset', entries: (shop) => ({ email: email(shop) }) }],
    isPublic: true,
  },
  {
    name: 'the request for an account',
    arrange: (shop) => arrangeAccess(shop, 'register'),
    operations: [
      {
        action: 'register',
        entries: ({ texts }) => ({
          email: texts.email,
          first_name: texts.first_name,
          last_name: texts.last_name,
          new_password: 'another password',
        }),
      },
    ],
    isPublic: true,
  },
  {
    name: 'the link past the delay of logins',
    async arrange(furnished) {
      const email = await openAccount(furnished);
      const body = { email, password: 'a wrong password' };
      for (let failure = 0; failure < 5; failure += 1) {
        await furnished.shop.ask('storefront.loginCustomer', { body });
      }
      return mailedPath(furnished);
    },
    operations: [{ action: 'unlock', entries: () => ({}), renews: true }],
    ofNoShop: true,
  },
];

/** Every button of every page. */
export const DEEDS = PAGES.flatMap((page) => page.operations.map((work) => ({ page, work })));

/** Addresses of pages that can only say that there is nothing to be done: made up, over, or of another shop. */
export async function deadEnds(furnished: Furnished, stranger: Furnished): Promise<string[]> {
  const { shop } = furnished;
  const paths: string[] = [];
  for (const page of PAGES) {
    const [over, foreign] = [await page.arrange(furnished), await page.arrange(stranger)];
    paths.push(over, over.slice(0, -1), foreign.replace(stranger.shop.site_id, shop.site_id));
  }
  await shop.premises.owner.query(
    `with codes as (
       update commerce.customer_codes set expires_at = now() - interval '1 second' where site_id = $1 returning 1
     )
     update commerce.checkouts set expires_at = now() - interval '1 second'
     where site_id = $1 and order_id is null`,
    [shop.site_id],
  );
  return [...paths, '/checkout/x', `/account/${shop.site_id}/reset/x`, `/account/${shop.site_id}/verify-email/x`];
}

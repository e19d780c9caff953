/** Shops that contain given texts everywhere, with the objects that their pages show. */

import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import type { BrowserContext } from '../../server/test/chromium.ts';
import { takeMails } from '../testing/mails.ts';
import type { OpenShop } from '../testing/test-server.ts';

/** A page that the proofs attack; see PAGES. */
export interface PageKind {
  name: string;
  /** Creates a new object for the page to show, and returns the page's path. */
  arrange(shop: Furnished): Promise<string>;
  /** The actions of the page's forms. Each is tried on a new page, because most actions can be done only once. */
  operations: FormAction[];
  /** Whether the page shows no shop, because customers and staff of several shops share it. */
  ofNoShop?: true;
  /** Whether the URL is not a secret: anybody may open it. Pages with a login then show the login form. */
  isPublic?: true;
  /**
   * For pages of logged-in customers: opens a session for the customer for whom the page was last prepared. Returns the
   * session's token.
   */
  login?: (shop: Furnished) => Promise<string>;
}

export interface FormAction {
  /** The value of the submit button. */
  action: string;
  /** The values that the reader enters before submitting. */
  entries: (shop: Furnished) => Record<string, string>;
  /** Whether submitting starts a new session. */
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
  'agent_name',
  'agent_category',
] as const;

export type TextName = (typeof TEXT_NAMES)[number];

/** A shop with a product and the objects that its pages show. */
export interface Furnished {
  shop: OpenShop;
  texts: Texts;
  variant_id: string;
  shipping_option_id: string;
}

/** Fills a shop with the given texts; most other texts contain the marker. */
export async function furnish(shop: OpenShop, marker: string, given: Partial<Texts> = {}): Promise<Furnished> {
  const marked = Object.fromEntries(TEXT_NAMES.map((name) => [name, `${marker} ${name}`])) as Texts;
  const email = `${marker}@example.com`;
  const variant_image = `https://img.example/${marker}.jpg`;
  const own = { email, variant_image, discount_code: `${marker}-code`, postal_code: '10115', phone: '+49 30 1234567' };
  const texts: Texts = { ...marked, ...own, ...given };
  await shop.must('dashboard.updateSettings', {
    body: {
      name: texts.shop,
      ask_for_marketing: true,
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

/** Creates a checkout with one line; with `customer_token`, it belongs to that customer. */
export async function begin({ shop, variant_id }: Furnished, code?: string, customer_token?: string) {
  const as = customer_token === undefined ? {} : { customer_token };
  const cart = await shop.must('storefront.createCart', as);
  const path = { cart_id: cart.id };
  await shop.must('storefront.addCartItem', { ...as, path, body: { variant_id, quantity: 2 } });
  if (code) await shop.must('storefront.applyDiscount', { ...as, path, body: { code } });
  const checkout = await shop.must('storefront.createCheckout', { ...as, body: { cart_id: cart.id } });
  return { id: checkout.id, path: new URL(checkout.checkout_url ?? '').pathname };
}

/** Adds one unit of a new product to the checkout's cart. The returned function takes that product off sale. */
export async function putGoneInCart({ shop, texts }: Furnished, checkout_id: string, customer_token?: string) {
  const as = customer_token === undefined ? {} : { customer_token };
  const { cart_id } = await shop.must('storefront.getCheckout', { ...as, path: { checkout_id } });
  const product = await shop.must('dashboard.createProduct', {
    body: { name: texts.product, slug: `p-${randomUUID()}`, status: 'active', price: '3.00', inventory_quantity: 5 },
  });
  const body = { variant_id: product.variants[0]?.id ?? '', quantity: 1 };
  await shop.must('storefront.addCartItem', { ...as, path: { cart_id }, body });
  const path = { product_id: product.id };
  return () => shop.must('dashboard.updateProduct', { path, body: { status: 'archived' } });
}

/** Creates a checkout that is ready to be ordered. */
export async function fillIn(furnished: Furnished, customer_token?: string) {
  const { shop, texts, shipping_option_id } = furnished;
  const checkout = await begin(furnished, texts.discount_code, customer_token);
  const as = customer_token === undefined ? {} : { customer_token };
  const { first_name, last_name, company, address1, address2, city, state, postal_code } = texts;
  const address = { first_name, last_name, company, address1, address2, city, state, postal_code, country: 'HK' };
  await shop.must('storefront.updateCheckout', {
    ...as,
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

export const PASSWORD = 'a password of the proofs';
let passwordHash: Promise<string> | undefined;

/** Creates a customer with an account and a new e-mail address. Returns the address. */
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

/** A browser that opens a page: the path and the login. */
export interface Reader {
  path: string;
  /** The login cookie; empty without a login. */
  login: string;
}

/** Prepares a page for a browser. The names of its cookies depend on the base URL. */
export async function arrangeFor(page: PageKind, furnished: Furnished, baseUrl = 'http://localhost'): Promise<Reader> {
  const path = await page.arrange(furnished);
  return { path, login: await loginTo(page, furnished, baseUrl) };
}

/** Opens another session for the customer for whom the page was last prepared. Returns the session's cookie. */
export async function loginTo(page: PageKind, furnished: Furnished, baseUrl = 'http://localhost'): Promise<string> {
  const token = await page.login?.(furnished);
  return token ? loginCookie(furnished, token, baseUrl) : '';
}

/** Returns the name and value of the login cookie in a shop. */
export function loginCookie({ shop }: Furnished, token: string, baseUrl = 'http://localhost'): string {
  const prefix = baseUrl.startsWith('https:') ? '__Host-' : '';
  return `${prefix}sid_${shop.site_id.replaceAll('-', '')}=${token}`;
}

/** Joins cookies as a browser sends them. */
export function cookies(...some: string[]): string {
  return some.filter(Boolean).join('; ');
}

/** Adds a parameter (`name=value`) to the query of a path. */
export function withQuery(path: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${value}`;
}

/** Returns the path in the link of a shop's newest mail. */
export async function mailedPath({ shop }: Furnished): Promise<string> {
  const mails = await takeMails(shop.premises, shop.site_id);
  const [link = ''] = /http:\/\/localhost\/(?:account|unlock|sites)\/\S+/.exec(mails.at(-1)?.text ?? '') ?? [];
  return new URL(link).pathname;
}

/** Sets the login cookie in a browser for the server under test. */
export async function logInTo(context: BrowserContext, login: string): Promise<void> {
  const [name = '', value = ''] = login.split('=');
  if (name === '') return;
  await context.setCookie({ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax' });
}

import { randomUUID } from 'node:crypto';
import { onlyVariantOf, putOnSale } from '../testing/products-and-checkouts.ts';
import { ACCOUNT_PAGES } from './account-pages.ts';
import { CONSENT_PAGES } from './consent-pages.ts';
import {
  begin,
  type Furnished,
  fillIn,
  furnish,
  mailedPath,
  openAccount,
  PASSWORD,
  type PageKind,
  putGoneInCart,
} from './page-shops.ts';

/** The e-mail address of the account for which a page was last prepared, by shop. */
const arranged = new WeakMap<Furnished, string>();

/** Creates an account that can log in, and returns the path of a page for visitors without a login. */
async function arrangeAccess(furnished: Furnished, view = ''): Promise<string> {
  arranged.set(furnished, await openAccount(furnished));
  return `/account?site_id=${furnished.shop.site_id}${view && `&login=${view}`}`;
}

const email = (furnished: Furnished) => arranged.get(furnished) ?? '';

const details = ({ texts }: Furnished) => ({
  email: texts.email,
  phone: texts.phone,
  note: texts.note,
  shipping_country: 'HK',
  shipping_last_name: texts.last_name,
  shipping_address1: texts.address1,
  shipping_city: texts.city,
  shipping_state: texts.state,
  billing: 'same',
  payment_method: 'bank_transfer',
});

/**
 * The pages that the proofs attack, each in a shop with its own texts. When the server gets a new page, add it here
 * with the buttons of its forms; then every proof covers it.
 */
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
    name: 'the page of a link to buy',
    isPublic: true,
    async arrange({ shop, texts }) {
      const variant_id = onlyVariantOf(await putOnSale(shop, { inventory_quantity: 1_000 }));
      const query = new URLSearchParams({ 'discounts/codes/0': texts.discount_code });
      return `/sites/${shop.site_id}/basket/${variant_id}:1?${query}`;
    },
    operations: [{ action: 'begin_checkout', entries: () => ({}) }],
  },
  {
    name: 'a checkout where the shop delivers nowhere yet',
    async arrange({ shop, texts }) {
      const bare = await furnish(await shop.premises.openShop(), 'bare', texts);
      const { path } = await begin(bare, texts.discount_code);
      const { shipping_option_id } = bare;
      await bare.shop.must('dashboard.deleteShippingOption', { path: { shipping_option_id } });
      return path;
    },
    operations: [],
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
      await (await putGoneInCart(furnished, id))();
      return path;
    },
    operations: [{ action: 'remove_item', entries: () => ({}) }],
  },
  {
    name: 'the review of a checkout with a line that is gone',
    async arrange(furnished) {
      const { id, path } = await fillIn(furnished);
      await (await putGoneInCart(furnished, id))();
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
    operations: [{ action: 'view_order', entries: () => ({}) }],
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
  ...ACCOUNT_PAGES,
  ...CONSENT_PAGES,
];

/** All buttons of all pages. */
export const FORM_ACTIONS = PAGES.flatMap((page) => page.operations.map((work) => ({ page, work })));

/**
 * Creates paths of these pages that have expired, that do not exist, or that belong to another shop. Most of them lead
 * to an error page.
 */
export async function deadEnds(furnished: Furnished, stranger: Furnished, pages = PAGES): Promise<string[]> {
  const { shop } = furnished;
  const paths: string[] = [];
  for (const page of pages) {
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

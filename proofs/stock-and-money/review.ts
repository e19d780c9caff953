import { answersOn, type PageSummary, shownAs, summaryOf } from '../../server/test/page-summary.ts';
import type { Address, Checkout } from '../testing/products-and-checkouts.ts';
import type { OpenShop } from '../testing/test-server.ts';

/** What a person reads on a hosted page: lines, amounts, and the paragraphs of each section by its heading. */
export type Shown = Record<string, unknown>;

/** Returns the review on a page; undefined if the page is not a review. Empty paragraphs are left out. */
export function reviewOn(html: string): Shown | undefined {
  const amounts = amountsOn(html);
  if (!amounts || !html.includes('value="place_order"')) return undefined;
  const answers = Object.entries(answersOn(html)).map(([heading, texts]) => [heading, texts.filter(Boolean)]);
  return { ...amounts, ...Object.fromEntries(answers) };
}

/** Returns the lines and amounts on a page; undefined if the page has none. */
export function amountsOn(html: string): Shown | undefined {
  const summary = summaryOf(html);
  if (!summary) return undefined;
  const { button: _, ...amounts } = summary;
  return amounts;
}

/** The fields that a checkout and its order have in common. */
interface Bought {
  email: string | null;
  phone: string | null;
  shipping_address: Address | null;
  billing_address: Address | null;
  shipping_method: string | null;
  payment_method: string | null;
  note: string | null;
  lines: PageSummary['lines'];
  subtotal: string;
  discount: string;
  discount_code: string | null;
  shipping_cost: string;
  tax: string;
  tax_included: boolean;
  total: string;
}

const PAYMENTS: Record<string, string> = { bank_transfer: 'Bank transfer', card: 'Card', free: 'Nothing to pay' };

/** Returns the order of a checkout, in the form of a review. */
export async function orderedAs({ premises, site_id }: OpenShop, checkout_id: string): Promise<Shown | undefined> {
  const { rows } = await premises.owner.query<Bought>(
    `select o.*, (
       select json_agg(json_build_object('name', l.name, 'variant_name', l.variant_name, 'quantity', l.quantity,
         'price', l.price::text, 'total', l.total::text) order by l.position)
       from commerce.order_lines l where l.site_id = o.site_id and l.order_id = o.id) as lines
     from commerce.orders o where o.site_id = $1 and o.checkout_id = $2`,
    [site_id, checkout_id],
  );
  return rows[0] && asReview(rows[0]);
}

/** Returns a checkout in the form of a review. */
export function reviewOf({ items, shipping_option, ...checkout }: Checkout): Shown {
  const lines = items
    .filter(({ available }) => available)
    .map(({ name, variant_name, quantity, price, total }) => ({ name, variant_name, quantity, price, total }));
  return asReview({ ...checkout, lines, shipping_method: shipping_option?.name ?? null });
}

function asReview(bought: Bought): Shown {
  const { lines, subtotal, total, tax, tax_included, shipping_method } = bought;
  const shown = (...texts: (string | null)[]) => texts.map((text) => shownAs(text ?? '')).filter(Boolean);
  const unlessZero = (amount: string) => (Number(amount) === 0 ? undefined : amount);
  const discount = unlessZero(bought.discount);
  return {
    ...{ subtotal, discount, discount_code: discount && shownAs(bought.discount_code ?? '') },
    delivery: unlessZero(bought.shipping_cost) ?? (shipping_method === null ? undefined : 'Free'),
    tax: tax_included ? undefined : tax,
    contained_tax: tax_included ? unlessZero(tax) : undefined,
    total,
    lines: lines.map((line) => ({
      ...line,
      name: shownAs(line.name),
      variant_name: line.variant_name === null ? null : shownAs(line.variant_name),
    })),
    Contact: shown(bought.email, bought.phone),
    ...(shipping_method !== null && {
      'Deliver to': shown(...linesOf(bought.shipping_address)),
      Delivery: shown(shipping_method),
    }),
    'Bill to': bought.billing_address ? shown(...linesOf(bought.billing_address)) : ['The same address'],
    Payment: [PAYMENTS[bought.payment_method ?? ''] ?? String(bought.payment_method)],
    ...(bought.note && { Note: shown(bought.note) }),
  };
}

const countries = new Intl.DisplayNames('en', { type: 'region' });

/** Returns the lines of an address, as on a parcel. */
function linesOf(address: Address | null): (string | null)[] {
  const { first_name, last_name, company, address1, address2, postal_code, city, state, country } = address ?? {};
  const together = (...words: (string | null | undefined)[]) => words.filter(Boolean).join(' ');
  return [
    together(first_name, last_name),
    ...[company, address1, address2].map((text) => text ?? null),
    together(postal_code, city),
    ...[state ?? null, country ? (countries.of(country) ?? country) : null],
  ];
}

/** Returns the fields in which an order differs from the page, by default all fields of both. */
export function differencesOf(
  seen: Shown,
  ordered: Shown,
  fields = [...new Set([...Object.keys(seen), ...Object.keys(ordered)])],
): string[] {
  return fields
    .filter((field) => JSON.stringify(seen[field]) !== JSON.stringify(ordered[field]))
    .map((field) => `${field} read ${JSON.stringify(seen[field])}, and is ${JSON.stringify(ordered[field])}`);
}

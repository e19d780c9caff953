import { answersOn, type PageSummary, shownAs, summaryOf } from '../../server/test/page-summary.ts';
import type { Address, Checkout } from '../testing/products-and-checkouts.ts';
import type { OpenShop } from '../testing/test-server.ts';

/** The review on the hosted page, or an order in the same form. */
export interface Reviewed {
  lines: PageSummary['lines'];
  total: string;
  /** The paragraphs of each section, by its heading. Empty ones are left out. */
  answers: Record<string, string[]>;
}

/** Returns the review on a page; undefined if the page is not a review. */
export function reviewOn(html: string): Reviewed | undefined {
  const summary = summaryOf(html);
  if (!summary || !html.includes('value="place_order"')) return undefined;
  const answers = Object.entries(answersOn(html)).map(([heading, texts]) => [heading, texts.filter(Boolean)]);
  return { lines: summary.lines, total: summary.total, answers: Object.fromEntries(answers) };
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
  lines: Reviewed['lines'];
  total: string;
}

const PAYMENTS: Record<string, string> = { bank_transfer: 'Bank transfer', card: 'Card', free: 'Nothing to pay' };

/** Returns the order of a checkout, in the form of a review. */
export async function orderedAs({ premises, site_id }: OpenShop, checkout_id: string): Promise<Reviewed | undefined> {
  const { rows } = await premises.owner.query<Bought>(
    `select o.email, o.phone, o.shipping_address, o.billing_address, o.shipping_method, o.payment_method, o.note, o.total, (
       select json_agg(json_build_object('name', l.name, 'variant_name', l.variant_name, 'quantity', l.quantity,
         'price', l.price::text, 'total', l.total::text) order by l.position)
       from commerce.order_lines l where l.site_id = o.site_id and l.order_id = o.id) as lines
     from commerce.orders o where o.site_id = $1 and o.checkout_id = $2`,
    [site_id, checkout_id],
  );
  return rows[0] && asReview(rows[0]);
}

/** Returns a checkout in the form of a review. */
export function reviewOf({ items, shipping_option, ...checkout }: Checkout): Reviewed {
  const lines = items
    .filter(({ available }) => available)
    .map(({ name, variant_name, quantity, price, total }) => ({ name, variant_name, quantity, price, total }));
  return asReview({ ...checkout, lines, shipping_method: shipping_option?.name ?? null });
}

function asReview(bought: Bought): Reviewed {
  const { email, phone, shipping_address, billing_address, shipping_method, payment_method, note, lines, total } =
    bought;
  const shown = (texts: (string | null)[]) => texts.map((text) => shownAs(text ?? '')).filter(Boolean);
  const answers = {
    Contact: shown([email, phone]),
    ...(shipping_method !== null && {
      'Deliver to': shown(linesOf(shipping_address)),
      Delivery: shown([shipping_method]),
    }),
    'Bill to': billing_address ? shown(linesOf(billing_address)) : ['The same address'],
    Payment: [PAYMENTS[payment_method ?? ''] ?? String(payment_method)],
    ...(note && { Note: shown([note]) }),
  };
  const named = lines.map((line) => ({
    ...line,
    name: shownAs(line.name),
    variant_name: line.variant_name === null ? null : shownAs(line.variant_name),
  }));
  return { lines: named, total, answers };
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

/** Returns the fields in which an order differs from the review. */
export function differencesOf(seen: Reviewed, ordered: Reviewed): string[] {
  const flat = ({ lines, total, answers }: Reviewed): Record<string, unknown> => ({ lines, total, ...answers });
  const [one, other] = [flat(seen), flat(ordered)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]))
    .map((field) => `${field} read ${JSON.stringify(one[field])}, and is ${JSON.stringify(other[field])}`);
}

import sql from 'sql-template-tag';
import { readCart } from '../carts/rows.ts';
import { checkoutLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { decimal } from '../money.ts';
import { hashToken, mintToken } from '../tokens.ts';
import { languageOf, type MailContext } from './context.ts';
import { amountsOf, itemOf } from './order-parts.ts';
import type { MailContent } from './rendering.ts';

interface Offer {
  cart_id: string;
  checkout_id: string;
  email: string | null;
  locale: string | null;
  note: string | null;
  expires_at: string;
  total: string;
}

/** The language of the draft or of its customer or, if neither is known, of the customer's last order. */
const locale = sql`coalesce(k.locale, (
  select c.locale from customers c where c.site_id = k.site_id and c.id = k.customer_id), (
  select o.locale from orders o where o.site_id = k.site_id and o.customer_id = k.customer_id and o.locale is not null
  order by o.created_at desc limit 1))`;

/** Offers a sent draft order to the customer; undefined if it has ended meanwhile. Creates a new link for each mail. */
export async function draftSent(
  context: MailContext,
  { draft_order_id, amounts }: Mails['draft_sent'],
): Promise<MailContent | undefined> {
  const { shop } = context;
  const offer = await shop.one<Offer>(
    sql`select d.cart_id, d.checkout_id, k.email, k.note, ${locale} as locale, k.expires_at, k.shown_total as total
      from draft_orders d join checkouts k on k.site_id = d.site_id and k.id = d.checkout_id
      where d.site_id = ${shop.siteId} and d.id = ${draft_order_id} and d.sent_at is not null
        and k.status in ('open', 'ready') and k.expires_at > now()`,
  );
  const cart = offer && (await readCart(shop, offer.cart_id));
  if (!offer?.email || !cart) return undefined;
  const { checkout_id } = offer;
  const token = mintToken('checkout');
  await shop.run(
    sql`insert into checkout_links (site_id, checkout_id, token_hash)
      values (${shop.siteId}, ${checkout_id}, ${hashToken(token)})`,
  );
  const language = languageOf(context, offer.locale);
  const { say } = language;
  const money = (amount: string) => language.amount(amount, shop.currency);
  return {
    to: offer.email,
    language,
    subject: say('mail.draft_subject', { shop: context.shop_name }),
    parts: [
      { paragraph: say('mail.draft', { day: language.day(offer.expires_at) }) },
      ...(offer.note ? [{ paragraph: say('mail.draft_note', { note: offer.note }) }] : []),
      { link: checkoutLink(context.baseUrl, token), label: say('mail.draft_link') },
      { heading: say('mail.items') },
      {
        items: cart.lines.map((line) =>
          itemOf(line, String(line.quantity), money(decimal(line.price * line.quantity, shop.currencyDigits))),
        ),
      },
      {
        amounts: amounts
          ? amountsOf({ language, order: { ...amounts, currency: shop.currency } })
          : [{ name: say('checkout.total'), amount: money(offer.total), kind: 'total' }],
      },
    ],
  };
}

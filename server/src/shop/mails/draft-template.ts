import sql from 'sql-template-tag';
import { readCart } from '../carts/rows.ts';
import { labelOf } from '../carts/view.ts';
import { checkoutLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { decimal } from '../money.ts';
import { hashToken, mintToken } from '../tokens.ts';
import { languageOf, type MailContext } from './context.ts';
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

/** Offers a sent draft order to the customer; undefined if it has ended meanwhile. Creates a new link for each mail. */
export async function draftSent(
  context: MailContext,
  { draft_order_id }: Mails['draft_sent'],
): Promise<MailContent | undefined> {
  const { shop } = context;
  const offer = await shop.one<Offer>(
    sql`select d.cart_id, d.checkout_id, k.email, k.locale, k.note, k.expires_at, k.shown_total as total
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
        items: cart.lines.map((line) => ({
          ...{ name: labelOf(line), detail: String(line.quantity), picture: null },
          amount: money(decimal(line.price * line.quantity, shop.currencyDigits)),
        })),
      },
      { amounts: [[say('checkout.total'), money(offer.total)]] },
    ],
  };
}

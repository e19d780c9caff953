import { foldEmail } from '../../shop/emails.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import { orderLink } from '../../shop/links.ts';
import { getShown, type ShownOrder } from '../../shop/orders/shown.ts';
import { addressLines } from '../parts/address-lines.ts';
import { noticePage, page } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField, mistakeSummary, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { noticeOf } from '../parts/notices.ts';
import { orderView } from '../parts/order-view.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { arrive, type OrderVisit } from './visit.ts';

/**
 * An order, for anyone with a link from one of its mails. Links may be passed on or found: streets and names are
 * shown only to readers who enter the e-mail or a postal code of the order, every time, and nothing can be changed.
 */
export const orderPage: PageRoute<OrderVisit> = {
  path: orderLink('', ':site_id', ':token'),
  where: 'order',
  arrive,
  formOf: ({ linked }) => `order ${linked.order_id}`,
  show,
  post,
  notices: { not_found: 'order.link_dead' },
};

async function show(visit: OrderVisit): Promise<PageAnswer> {
  await count(visit, 'storefront.getCustomerOrder');
  if (visit.linked.ended) return endedPage(visit);
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    return orderAs(visit, await getShown(shop, visit.linked.order_id), { status: 200 });
  });
}

/** The only form asks for the e-mail or postal code. Each attempt is counted before it is checked, so that parallel ones count. */
async function post(visit: OrderVisit, body: FormBody): Promise<PageAnswer> {
  const { limits, tenant, linked, path, language, res } = visit;
  await count(visit, 'storefront.getCustomerOrder');
  if (linked.ended) return endedPage(visit);
  if (body.get('action') !== 'show_address') return { redirect: path };
  const answer = body.get('proof') ?? '';
  const tried =
    answer === '' ? undefined : await limits.countGuess('order_link_answer', tenant.site_id, linked.order_id);
  if (tried) res.set(tried.headers);
  if (tried?.refusal) {
    res.set('Retry-After', String(tried.refusal.context.retry_after_seconds));
    return { status: 429, html: noticePage(noticeOf(language, 'order.answers_over'), about(visit)) };
  }
  const act = { operation_id: 'storefront.getCustomerOrder', action: 'show_address', body } as const;
  let isRight = false;
  const shown = await runAction(
    visit,
    act,
    async (shop) => {
      const order = await getShown(shop, linked.order_id);
      isRight = fits(order, answer);
      if (isRight) return orderAs(visit, order, { status: 200, isKnown: true });
      const mistake = language.say(answer === '' ? 'order.answer_empty' : 'order.answer_wrong');
      return orderAs(visit, order, { status: 422, answer, mistake });
    },
    (_shop, error) => Promise.reject(error),
  );
  if (isRight) await tried?.succeeded?.();
  return shown;
}

/** Whether an answer is the e-mail or a postal code of the order, in any spelling. */
function fits({ email, shipping_address, billing_address }: ShownOrder, answer: string): boolean {
  const code = foldCode(answer);
  const codes = [shipping_address, billing_address].map((address) => foldCode(address?.postal_code ?? ''));
  return (Boolean(email) && foldEmail(answer) === foldEmail(email ?? '')) || (code !== '' && codes.includes(code));
}

function foldCode(code: string): string {
  return code.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

interface As {
  status: number;
  /** Whether the reader answered correctly: then everything is shown. */
  isKnown?: boolean;
  answer?: string;
  mistake?: string;
}

function orderAs(visit: OrderVisit, order: ShownOrder, { status, isKnown = false, answer, mistake }: As): PageAnswer {
  const { language, front, checkoutDeps } = visit;
  const { say } = language;
  const title = say('account.order', { number: order.order_number });
  const mistakes = mistake ? [{ field: 'proof' as const, message: mistake }] : [];
  const addresses = isKnown ? undefined : hiddenAddresses(visit, order, { answer, mistakes });
  const alert = mistakeSummary(say('checkout.check_this'), mistakes);
  const main = orderView({ language, ownOrigin: checkoutDeps.baseUrl, order, alert, addresses });
  return { status, html: page({ language, title, mistaken: mistakes.length > 0, front, where: 'order', main }) };
}

/** Shows the destination of the order down to the city, and the form to see the rest. */
function hiddenAddresses(
  { language, guard, req, res, path, linked }: OrderVisit,
  { shipping_address, billing_address }: ShownOrder,
  { answer, mistakes }: { answer: string | undefined; mistakes: { field: 'proof'; message: string }[] },
): Html {
  const { say } = language;
  const address = shipping_address ?? billing_address;
  if (!address) return html``;
  const form = { language, entered: { proof: answer }, mistakes };
  const heading = say(shipping_address ? 'checkout.delivery_address' : 'checkout.billing_address');
  return html`
<section class="part">
<h2>${heading}</h2>
${addressLines(language, { city: address.city, country: address.country })}
<form class="reveal" method="post" action="${path}" novalidate>
${csrfField(guard.csrfFor(req, res, `order ${linked.order_id}`))}
${textField(form, { name: 'proof', label: say('order.answer'), maximum: 255, hint: say('order.answer_hint') })}
<button class="secondary" name="action" value="show_address">${say('order.answer_button')}</button>
</form>
</section>`;
}

function endedPage(visit: OrderVisit): PageAnswer {
  return { status: 410, html: noticePage(noticeOf(visit.language, 'order.link_over'), about(visit)) };
}

function about({ language, front }: OrderVisit) {
  return { language, front, where: 'order' } as const;
}

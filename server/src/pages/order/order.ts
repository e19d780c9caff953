import type { Document } from '@commerce-backend/spec';
import { askDue } from '../../shop/due-payments/pay.ts';
import { foldEmail } from '../../shop/emails.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import { documentsOfOrder } from '../../shop/invoices/documents.ts';
import { orderLink, withdrawLink } from '../../shop/links.ts';
import { getShown, type ShownOrder } from '../../shop/orders/shown.ts';
import { cancel } from '../../shop/returns/moves.ts';
import { type ReturnRequest, request } from '../../shop/returns/request.ts';
import type { Shop } from '../../shop/shop.ts';
import { addressLines } from '../parts/address-lines.ts';
import { noticePage, page } from '../parts/document.ts';
import { documentFile, documentsSection, downloadOf } from '../parts/documents-section.ts';
import { isPayable, leaveToPay, payButton } from '../parts/due-payment.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField, mistakeSummary, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { noticeOf } from '../parts/notices.ts';
import { orderView } from '../parts/order-view.ts';
import {
  incompleteReturn,
  isOutdated,
  type OrderReturns,
  type ReturnForm,
  returnsOf,
  returnsSection,
  wantedReturn,
} from '../parts/returns-section.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { passedWithdrawPath } from '../parts/withdraw-pass.ts';
import { withdrawalSection } from '../parts/withdrawal-section.ts';
import { arrive, type OrderVisit } from './visit.ts';

/**
 * The order page for anyone with a link from one of the order's mails. Such a link may be passed on or found. Therefore
 * readers must enter the order's e-mail or a postal code before they can see streets and names, download documents,
 * request or cancel a return, or pay an amount due online. Nothing else can be changed.
 */
export const orderPage: PageRoute<OrderVisit> = {
  path: orderLink('', ':site_id', ':token'),
  where: 'order',
  arrive,
  formOf: ({ linked }) => `order ${linked.order_id}`,
  show,
  post,
  notices: { not_found: 'order.link_dead', payment_failed: 'order.pay_failed' },
};

/**
 * Receives the customer who returns from the payment provider. The server asks the provider for the result, and then
 * leads to the page of the order.
 */
export const paidOrderPage: PageRoute<OrderVisit> = {
  ...orderPage,
  path: `${orderLink('', ':site_id', ':token')}/return`,
  show: comeBack,
  post: async ({ path }) => ({ redirect: path }),
};

async function comeBack(visit: OrderVisit): Promise<PageAnswer> {
  const { db, tenant, actor, checkoutDeps, linked, path } = visit;
  await count(visit, 'storefront.getCustomerOrder');
  await askDue(db, tenant, actor, { checkoutDeps, order_id: linked.order_id });
  return { redirect: path };
}

async function show(visit: OrderVisit): Promise<PageAnswer> {
  await count(visit, 'storefront.getCustomerOrder');
  if (visit.linked.ended) return endedPage(visit);
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    return orderAs(visit, await getShown(shop, visit.linked.order_id), { status: 200 });
  });
}

/**
 * Handles the forms. Each contains the e-mail address or postal code that the reader has entered, or asks for it.
 * Attempts are counted before they are checked, so that concurrent guesses count.
 */
async function post(visit: OrderVisit, body: FormBody): Promise<PageAnswer> {
  const { limits, tenant, linked, path, language, res } = visit;
  await count(visit, 'storefront.getCustomerOrder');
  if (linked.ended) return endedPage(visit);
  const action = ACTIONS.find((each) => each === body.get('action'));
  if (!action) return { redirect: path };
  const answer = body.get('proof') ?? '';
  const tried =
    answer === '' ? undefined : await limits.countGuess('order_link_answer', tenant.site_id, linked.order_id);
  if (tried) res.set(tried.headers);
  if (tried?.refusal) {
    res.set('Retry-After', String(tried.refusal.context.retry_after_seconds));
    return { status: 429, html: noticePage(noticeOf(language, 'order.answers_over'), about(visit)) };
  }
  const act = { operation_id: OPERATIONS[action], action, body } as const;
  let isRight = false;
  const shown = await runAction(
    visit,
    act,
    async (shop) => {
      const order = await getShown(shop, linked.order_id);
      isRight = fits(order, answer);
      if (isRight) return knownOrder(visit, shop, order, { action, answer, body });
      const mistake = language.say(answer === '' ? 'order.answer_empty' : 'order.answer_wrong');
      return orderAs(visit, order, { status: 422, answer, mistake });
    },
    (_shop, error) => Promise.reject(error),
  );
  if (isRight) await tried?.succeeded?.();
  if (isRight && action === 'pay_due') return leaveToPay(visit, { order_id: linked.order_id, path, where: 'order' });
  return shown;
}

const ACTIONS = ['show_address', 'request_return', 'cancel_return', 'download_document', 'pay_due'] as const;
type Action = (typeof ACTIONS)[number];

const OPERATIONS = {
  show_address: 'storefront.getCustomerOrder',
  request_return: 'storefront.requestReturn',
  cancel_return: 'storefront.cancelCustomerReturn',
  download_document: 'storefront.getCustomerOrder',
  pay_due: 'storefront.getCustomerOrder',
} as const;

/**
 * Runs the requested action for a reader who entered the order's e-mail or postal code. Returns the page of the order,
 * or the requested document.
 */
async function knownOrder(
  visit: OrderVisit,
  shop: Shop,
  order: ShownOrder,
  { action, answer, body }: { action: Action; answer: string; body: FormBody },
): Promise<PageAnswer> {
  if (action === 'download_document') return downloadOf(await documentFile(shop, order.id, body.get('document')));
  const documents = await documentsOfOrder(shop, order.id);
  const before = await returnsOf(shop, order.id);
  const wanted = wantedReturn(order.id, body);
  if (action === 'request_return' && !wanted) {
    const sent = incompleteReturn(visit.language, before, body);
    return orderAs(visit, order, { status: 422, isKnown: true, answer, documents, returns: before, sent });
  }
  try {
    await shop.savepoint(() => changeReturns(shop, before, { action, wanted, return_id: body.get('return') }));
  } catch (error) {
    if (!isOutdated(error)) throw error;
  }
  return orderAs(visit, order, {
    status: 200,
    isKnown: true,
    answer,
    documents,
    returns: await returnsOf(shop, order.id),
  });
}

async function changeReturns(
  shop: Shop,
  { made }: OrderReturns,
  { action, wanted, return_id }: { action: Action; wanted: ReturnRequest | undefined; return_id: string | undefined },
): Promise<void> {
  if (action === 'request_return' && wanted) await request(shop, wanted);
  // Accepts only returns of this order, because the link gives access to no other.
  const own = made.find(({ id }) => id === return_id);
  if (action === 'cancel_return' && own) await cancel(shop, own.id);
}

/** Whether an answer is the order's e-mail or one of its postal codes, in any spelling. */
function fits({ email, shipping_address, billing_address }: ShownOrder, answer: string): boolean {
  const code = foldCode(answer);
  const codes = [shipping_address, billing_address].map((address) => foldCode(address?.postal_code ?? ''));
  return isEmailOf({ email }, answer) || (code !== '' && codes.includes(code));
}

function isEmailOf({ email }: Pick<ShownOrder, 'email'>, answer: string): boolean {
  return Boolean(email) && foldEmail(answer) === foldEmail(email ?? '');
}

function foldCode(code: string): string {
  return code.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

interface As {
  status: number;
  /** Whether the reader entered the e-mail or a postal code correctly. Then all data is shown. */
  isKnown?: boolean;
  answer?: string;
  mistake?: string;
  returns?: OrderReturns;
  documents?: Document[];
  /** The request form as it was sent, with its mistakes. */
  sent?: ReturnForm;
}

function orderAs(visit: OrderVisit, order: ShownOrder, as: As): PageAnswer {
  const { status, isKnown = false, answer, mistake, returns, documents = [], sent } = as;
  const { language, front, checkoutDeps, path } = visit;
  const { say } = language;
  const title = say('account.order', { number: order.order_number });
  const mistakes = mistake ? [{ field: 'proof' as const, message: mistake }] : [];
  const pays = isPayable(order, checkoutDeps);
  const asked = { answer, mistakes, pays };
  const addresses = isKnown ? undefined : hiddenAddresses(visit, order, asked);
  const alert = mistakeSummary(say('checkout.check_this'), mistakes);
  const csrf = returns ? csrfOf(visit) : '';
  const known = html`
<form method="post" action="${path}">
${csrfField(csrf)}
<input type="hidden" name="proof" value="${answer ?? ''}">
${payButton(language, order)}
</form>`;
  const payForm = pays ? (isKnown ? known : proofForm(visit, order, asked)) : undefined;
  const section = returns && returnsSection(language, { path, csrf, proof: answer ?? '' }, returns, sent);
  const invoices = documentsSection(
    language,
    documents,
    ({ id }, label) => html`
<form method="post" action="${path}">
${csrfField(csrf)}
<input type="hidden" name="proof" value="${answer ?? ''}">
<input type="hidden" name="document" value="${id}">
<button name="action" value="download_document">${label}</button>
</form>`,
  );
  const withdraw =
    front.withdrawal_page && withdrawalSection(language, withdrawPathOf(visit, order, isKnown ? answer : undefined));
  const main = html`${orderView({ language, ownOrigin: checkoutDeps.baseUrl, order, alert, addresses, payForm })}${section}${invoices}${withdraw}`;
  return { status, html: page({ language, title, mistaken: status === 422, front, where: 'order', main }) };
}

/**
 * The path of the withdrawal form. For a reader who entered the order's e-mail or postal code, the form is prefilled.
 */
function withdrawPathOf(
  { checkoutDeps, tenant: { site_id } }: OrderVisit,
  order: ShownOrder,
  answer: string | undefined,
): string {
  if (answer === undefined) return withdrawLink('', site_id);
  const proof = isEmailOf(order, answer) ? 'email' : 'code';
  return passedWithdrawPath(checkoutDeps.secretKey, site_id, order.id, proof);
}

interface Asked {
  answer: string | undefined;
  mistakes: { field: 'proof'; message: string }[];
  /**
   * Whether the form that asks for the e-mail or postal code also pays the amount due. It is then shown above the
   * address.
   */
  pays: boolean;
}

/** Shows only the city and country of the address, and the form that reveals the rest, unless it is shown above. */
function hiddenAddresses(visit: OrderVisit, order: ShownOrder, asked: Asked): Html {
  const { language } = visit;
  const shipping_address = order.has_goods ? order.shipping_address : null;
  const address = shipping_address ?? order.billing_address;
  if (!address) return html``;
  return html`
<section class="part">
<h2>${language.say(shipping_address ? 'checkout.delivery_address' : 'checkout.billing_address')}</h2>
${addressLines(language, { city: address.city, country: address.country })}
${!asked.pays && proofForm(visit, order, asked)}
</section>`;
}

/** Asks for the order's e-mail or postal code. */
function proofForm(visit: OrderVisit, order: ShownOrder, { answer, mistakes, pays }: Asked): Html {
  const { language, path } = visit;
  const { say } = language;
  const hasShipped = order.has_goods && order.fulfillments.length > 0;
  const form = { language, entered: { proof: answer }, mistakes };
  const show = html`<button class="secondary" name="action" value="show_address">${say('order.answer_button')}</button>`;
  const hint = say(pays ? 'order.answer_to_pay' : hasShipped ? 'returns.answer_hint' : 'order.answer_hint');
  return html`
<form class="reveal" method="post" action="${path}" novalidate>
${csrfField(csrfOf(visit))}
${textField(form, { name: 'proof', label: say('order.answer'), maximum: 255, hint })}
${pays ? html`<div class="buttons">${payButton(language, order)}${show}</div>` : show}
</form>`;
}

/** Returns the form token for the order's forms. Call it once per page, because it sets the cookie of a new reader. */
function csrfOf({ guard, req, res, linked }: OrderVisit): string {
  return guard.csrfFor(req, res, `order ${linked.order_id}`);
}

function endedPage(visit: OrderVisit): PageAnswer {
  return { status: 410, html: noticePage(noticeOf(visit.language, 'order.link_over'), about(visit)) };
}

function about({ language, front }: OrderVisit) {
  return { language, front, where: 'order' } as const;
}

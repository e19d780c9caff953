/** The test provider's page, on which a developer approves or declines a payment. */

import { ShopError } from '../shop/errors.ts';
import { findTenant } from '../shop/in-shop.ts';
import { decimal } from '../shop/money.ts';
import { decide, read, TEST_PROVIDER, type TestPayment } from '../shop/payments/test-provider.ts';
import { SYSTEM, type Tenant } from '../shop/shop.ts';
import { page } from './parts/document.ts';
import type { FormBody } from './parts/form-body.ts';
import { csrfField } from './parts/form-parts.ts';
import { type Html, html } from './parts/html.ts';
import { COMMON_NOTICES } from './parts/notices.ts';
import type { PageAnswer, PageRequest, PageRoute } from './parts/route.ts';

interface TestPaymentVisit extends PageRequest {
  path: string;
  tenant: Tenant;
  payment_id: string;
  payment: TestPayment;
}

export const testPaymentPage: PageRoute<TestPaymentVisit> = {
  path: '/sites/:site_id/test-payment/:payment_id',
  where: 'checkout',
  arrive,
  formOf: ({ payment_id }) => `test payment ${payment_id}`,
  show: async (visit) => (visit.payment.status === 'requires_action' ? ask(visit) : goBack(visit)),
  post,
  notices: COMMON_NOTICES,
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function arrive(request: PageRequest): Promise<TestPaymentVisit> {
  const { deadline, db, req, checkoutDeps } = request;
  const [site_id, payment_id] = [String(req.params.site_id), String(req.params.payment_id)];
  const isKnown = checkoutDeps.card?.name === TEST_PROVIDER && UUID.test(site_id) && UUID.test(payment_id);
  const tenant = isKnown ? await findTenant(db, site_id) : undefined;
  const payment =
    tenant &&
    (await deadline.inShop(db, tenant, SYSTEM, (shop) => shop.one<TestPayment>(read({ site_id, id: payment_id }))));
  if (!tenant || !payment) throw new ShopError('not_found', 'There is no such payment.');
  return { ...request, path: `/sites/${site_id}/test-payment/${payment_id}`, tenant, payment_id, payment };
}

async function post({ deadline, db, tenant, payment_id, path }: TestPaymentVisit, body: FormBody): Promise<PageAnswer> {
  const id = { site_id: tenant.site_id, id: payment_id };
  await deadline.inShop(db, tenant, SYSTEM, (shop) => shop.run(decide(id, body.get('action') === 'approve')));
  return { redirect: path };
}

function ask({ guard, req, res, path, tenant, payment, payment_id, language }: TestPaymentVisit): PageAnswer {
  const { say } = language;
  const amount = language.amount(decimal(payment.amount, tenant.currency_digits), payment.currency);
  const back = payment.cancel_url;
  return notice(
    language,
    'payment.test',
    html`
<p>${say('payment.test_text')}</p>
<form method="post" action="${path}">
${csrfField(guard.csrfFor(req, res, `test payment ${payment_id}`))}
<div class="actions">
<button class="primary" name="action" value="approve">${say('payment.test_approve', { amount })}</button>
<button class="secondary" name="action" value="decline">${say('payment.test_decline')}</button>
</div>
</form>
${back && html`<p class="after-button"><a href="${back}">${say('payment.test_back')}</a></p>`}`,
  );
}

function goBack({ payment, language }: TestPaymentVisit): PageAnswer {
  const back = payment.return_url ?? undefined;
  const link =
    back &&
    html`<div class="actions"><a class="primary" href="${back}">${language.say('payment.test_decided_link')}</a></div>`;
  return { ...notice(language, 'payment.test_decided', html`${link}`), ...(back && { refresh: back }) };
}

function notice(
  language: TestPaymentVisit['language'],
  heading: 'payment.test' | 'payment.test_decided',
  words: Html,
): { status: number; html: string } {
  const title = language.say(heading);
  const main = html`<section class="notice"><h1>${title}</h1>${words}</section>`;
  return { status: 200, html: page({ language, title, front: undefined, where: 'checkout', main }) };
}

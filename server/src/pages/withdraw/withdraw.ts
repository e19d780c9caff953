import { v7 as uuidv7 } from 'uuid';
import { find, store } from '../../shop/withdrawals/statements.ts';
import { noticePage } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { withQuery } from '../parts/paths.ts';
import type { PageAnswer, PageRoute } from '../parts/route.ts';
import { count, inShopOfVisit } from '../parts/visit.ts';
import { declaredIn, mistakesIn } from './form.ts';
import { entryView, reviewView } from './views.ts';
import { arrive, type WithdrawVisit } from './visit.ts';

/**
 * The page on which consumers withdraw from contracts (Article 11a of Directive 2011/83/EU): without a login, in two
 * steps. The response is the same whether or not an order matches; a job looks for the order.
 */
export const withdrawPage: PageRoute<WithdrawVisit> = {
  path: ['/withdraw', '/sites/:site_id/withdraw'],
  where: 'withdraw',
  arrive,
  formOf,
  show,
  post,
  notices: {},
};

function formOf({ tenant }: WithdrawVisit): string {
  return `withdraw ${tenant.site_id}`;
}

async function show(visit: WithdrawVisit): Promise<PageAnswer> {
  const { req, front, language, session, known } = visit;
  await count(visit, 'storefront.getShop');
  if (req.query.sent !== undefined) {
    const { say } = language;
    const notice = { title: say('withdrawal.sent'), sentences: [say('withdrawal.sent_text')] };
    return { status: 200, html: noticePage(notice, { language, front, where: 'withdraw' }) };
  }
  const { name = session?.first_name ?? '', email = session?.email ?? '' } = known ?? {};
  return { status: 200, html: entryView(visit, csrfOf(visit), { name, email }, []) };
}

async function post(visit: WithdrawVisit, body: FormBody): Promise<PageAnswer> {
  const { language, known, req, checkoutDeps, path } = visit;
  await count(visit, 'storefront.getShop');
  const id = body.get('statement') ?? '';
  const isConfirmed = body.get('action') === 'confirm' && UUID.test(id);
  // If the statement was already sent, its pieces may no longer be selectable, so the form is not checked again.
  const isSent = isConfirmed && (await inShopOfVisit(visit, (shop) => find(shop, id)));
  if (isSent) return { redirect: withQuery(path, 'sent', 'yes') };
  const mistakes = mistakesIn(language, known, body);
  const entered = Object.fromEntries(body);
  if (body.get('action') === 'change') return { status: 200, html: entryView(visit, csrfOf(visit), entered, []) };
  if (mistakes.length > 0) return { status: 422, html: entryView(visit, csrfOf(visit), entered, mistakes) };
  const declared = declaredIn(known, body);
  if (!isConfirmed) {
    return { status: 200, html: reviewView(visit, csrfOf(visit), uuidv7(), declared, body) };
  }
  const statement = {
    ...declared,
    id,
    name: body.get('name') ?? '',
    email: body.get('email') ?? '',
    locale: language.locale,
    order_id: known?.id ?? null,
  };
  await inShopOfVisit(visit, (shop) => store(shop, statement, { ip: req.ip, secretKey: checkoutDeps.secretKey }));
  return { redirect: withQuery(path, 'sent', 'yes') };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the form token. Call it once per page, because it sets the cookie of a new reader. */
function csrfOf(visit: WithdrawVisit): string {
  const { guard, req, res } = visit;
  return guard.csrfFor(req, res, formOf(visit));
}

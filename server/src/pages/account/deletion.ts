/** The deletion of the account: its consequences, and the password. */

import { type DeletionEffects, deletionEffects } from '../../shop/account/overview.ts';
import * as erasure from '../../shop/customers/erasure.ts';
import { ShopError } from '../../shop/errors.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import { noticePage } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField, type Mistake, passwordField } from '../parts/form-parts.ts';
import { html } from '../parts/html.ts';
import { noticeOf } from '../parts/notices.ts';
import { clearSessionCookie } from '../parts/page-session.ts';
import { accountViewPath } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { rich } from '../parts/words.ts';
import { accountFrame, usernameField } from './frame.ts';
import { verifyPassword } from './profile-changes.ts';
import { type AccountVisit, accountForm, doneAt } from './visit.ts';

type FieldName = 'password_for_deletion';

export async function showDeletion(visit: AccountVisit, csrf: string): Promise<PageAnswer> {
  await count(visit, 'storefront.getCustomer');
  return deletionView(visit, csrf, await readEffects(visit));
}

function readEffects(visit: AccountVisit): Promise<DeletionEffects> {
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    return deletionEffects(shop);
  });
}

function deletionView(
  visit: AccountVisit,
  csrf: string,
  { open_orders, agents }: DeletionEffects,
  { mistakes = [], status = 200 }: { mistakes?: readonly Mistake<FieldName>[]; status?: number } = {},
): PageAnswer {
  const { path, language } = visit;
  const { say } = language;
  const state = { language, entered: {}, mistakes };
  const open = { count: open_orders.length, numbers: open_orders.join(', ') };
  const lost = { count: agents.length, names: html`<span dir="auto">${agents.join(', ')}</span>` };
  const main = html`
<ul class="bullets effects">
<li>${say('profile.delete_removed')}</li>
${open_orders.length > 0 && html`<li><strong>${say('profile.delete_open', open)}</strong></li>`}
<li>${say('profile.delete_orders')}</li>
${agents.length > 0 && html`<li>${rich(language, 'profile.delete_agents', lost)}</li>`}
</ul>
<form method="post" action="${accountViewPath(path, 'delete')}" novalidate>
${csrfField(csrf)}
${usernameField(visit)}
${passwordField<FieldName>(state, { name: 'password_for_deletion', label: say('profile.password_current'), autocomplete: 'current-password' })}
<div class="buttons">
<button class="primary danger" name="action" value="delete_account">${say('profile.delete_button')}</button>
<a href="${accountViewPath(path, 'profile')}">${say('profile.delete_back')}</a>
</div>
</form>`;
  return accountFrame(visit, csrf, { title: say('profile.delete'), section: 'profile', main, mistakes, status });
}

/** Deletes the account. Wrong passwords count as failed logins. */
export async function deleteAccount(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const { path, language, checkoutDeps, tenant, res, guard } = visit;
  const { say } = language;
  const password = body.get('password_for_deletion') ?? '';
  await count(visit, 'storefront.deleteCustomer');
  const again = (effects: DeletionEffects, mistake: Mistake<FieldName>, status: number) => {
    const csrf = guard.csrfFor(visit.req, res, accountForm(visit));
    return deletionView(visit, csrf, effects, { mistakes: [mistake], status });
  };
  const empty: Mistake<FieldName> = { field: 'password_for_deletion', message: say('profile.password_empty') };
  if (!password) return again(await readEffects(visit), empty, 422);
  const verified = await verifyPassword<FieldName>(visit, 'password_for_deletion', password);
  if ('mistake' in verified) return again(await readEffects(visit), verified.mistake, 401);
  const act = { operation_id: 'storefront.deleteCustomer', action: 'delete_account', body } as const;
  const answer = await runAction(
    visit,
    act,
    async (shop) => {
      await erasure.remove(shop, customer_id);
      return { redirect: doneAt(path, 'deleted') };
    },
    async (shop, error) => {
      if (!(error instanceof ShopError && error.code === 'payment_in_progress')) throw error;
      return again(await deletionEffects(shop), { message: say('profile.delete_paying') }, 409);
    },
  );
  if (!('redirect' in answer)) return answer;
  clearSessionCookie(res, checkoutDeps.baseUrl, tenant.site_id);
  guard.renew(res);
  return answer;
}

/** Confirms the deletion in a browser that is no longer logged in. */
export function deletedPage({ language, front }: AccountVisit): PageAnswer {
  const { storefront_url: href, name: shop } = front;
  const link = href ? { href, label: language.say('page.back_to_shop', { shop }) } : undefined;
  const notice = { ...noticeOf(language, 'profile.deleted'), link };
  return { status: 200, html: noticePage(notice, { language, front, where: 'account' }) };
}

import * as account from '../../shop/account/account.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { marketingBox, marketingWording } from '../parts/marketing.ts';
import { accountViewPath } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { count, runAction } from '../parts/visit.ts';
import { rich } from '../parts/words.ts';
import type { AccountVisit } from './visit.ts';

/**
 * Shows the consent to marketing mails in the profile. Customers can always withdraw their consent, but can give
 * it only if the shop asks for it.
 */
export function consentSection(visit: AccountVisit, csrf: string, optedIn: boolean): Html | false {
  const { front, path, language } = visit;
  const { say } = language;
  if (!optedIn && !front.ask_for_marketing) return false;
  const shop = html`<span dir="auto">${front.name}</span>`;
  const withdraw = html`
<p>${rich(language, 'account.marketing_given', { shop })}</p>
<div class="buttons"><button class="secondary" name="action" value="marketing_off">${say('account.marketing_withdraw')}</button></div>`;
  const give = html`
${marketingBox({ language, entered: {}, mistakes: [] }, language, front)}
<div class="buttons"><button class="secondary" name="action" value="marketing_on">${say('account.marketing_save')}</button></div>`;
  return html`
<section aria-labelledby="marketing-heading">
<h2 id="marketing-heading">${say('account.marketing')}</h2>
<form method="post" action="${accountViewPath(path, 'profile')}">${csrfField(csrf)}${optedIn ? withdraw : give}</form>
</section>`;
}

export async function changeConsent(
  visit: AccountVisit,
  body: FormBody,
  action: 'marketing_on' | 'marketing_off',
): Promise<PageAnswer> {
  const { front, language, path } = visit;
  const granted = action === 'marketing_on';
  // Submitting the form without ticking the box is not a decision.
  if (granted && (body.get('marketing') !== 'yes' || !front.ask_for_marketing))
    return { redirect: accountViewPath(path, 'profile') };
  await count(visit, 'storefront.updateCustomer');
  const said = granted
    ? { marketing_opt_in: true, marketing_wording: marketingWording(language, front) }
    : { marketing_opt_in: false };
  return runAction(
    visit,
    { operation_id: 'storefront.updateCustomer', action, body },
    async (shop) => {
      await account.update(shop, said);
      return { redirect: `${accountViewPath(path, 'profile')}#marketing-heading` };
    },
    async (_shop, error) => {
      throw error;
    },
  );
}

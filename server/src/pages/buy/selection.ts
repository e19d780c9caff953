import { randomUUID } from 'node:crypto';
import { decimal, minorUnits } from '../../shop/money.ts';
import { page } from '../parts/document.ts';
import { csrfField, mistakeSummary } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { type SummaryLine, summaryLines } from '../parts/order-summary.ts';
import { money } from '../parts/words.ts';
import type { BasketVisit } from './visit.ts';

/** The items of a buy link with pictures, quantities and their sum, and the button to the checkout. */
export function selection(visit: BasketVisit, csrf: string, mistake: string | undefined): string {
  const { language, front, link, variants, path, tenant, checkoutDeps } = visit;
  const { say } = language;
  const { currency, currency_digits: digits } = tenant;
  const title = say('buy.title');
  const priced = link.lines.flatMap(({ variant_id, quantity }) => {
    const variant = variants.find(({ id }) => id === variant_id);
    return variant ? [{ variant, quantity, sum: minorUnits(variant.price, digits) * quantity }] : [];
  });
  const lines: SummaryLine[] = priced.map(
    ({ variant: { id, name, variant_name, price, image_url }, quantity, sum }) => ({
      ...{ name, variant_name, price, image_url, quantity, total: decimal(sum, digits), warnings: [] },
      remedy: quantityField(say('buy.quantity'), say('buy.quantity_of', { name }), id, quantity),
    }),
  );
  const subtotal = decimal(
    priced.reduce((all, { sum }) => all + sum, 0),
    digits,
  );
  const missing = link.lines.length - lines.length;
  const mistakes = mistake ? [{ message: mistake }] : [];
  const main = html`
<section class="notice selection">
<h1>${title}</h1>
${mistakeSummary(say('checkout.check_this'), mistakes)}
<p>${say('buy.intro')}</p>
<form method="post" action="${path}">
${csrfField(csrf)}
<input type="hidden" name="once" value="${randomUUID()}">
${summaryLines({ language, currency, lines }, checkoutDeps.baseUrl)}
${missing > 0 && html`<p class="remark">${say('buy.missing', { count: missing })}</p>`}
${link.code && html`<p class="applied" dir="auto">${say('buy.code', { code: link.code })}</p>`}
<dl class="totals"><div class="total"><dt>${say('checkout.subtotal')}</dt><dd class="sum">${money(language, subtotal, currency)}</dd></div></dl>
<p class="contained">${say('buy.delivery_later')}</p>
<div class="actions"><button class="primary" name="action" value="begin_checkout">${say('buy.go')}</button>
<button class="secondary" name="action" value="update_quantities">${say('buy.update')}</button></div>
<p class="after-button">${say('buy.after')}</p>
</form>
</section>`;
  return page({ language, title, mistaken: mistakes.length > 0, front, where: 'checkout', main });
}

function quantityField(words: string, label: string, variant_id: string, quantity: number): Html {
  const name = `quantity_${variant_id}`;
  return html`<p class="amount"><label for="${name}"><span aria-hidden="true">${words}</span><span class="unseen">${label}</span></label>
<input id="${name}" name="${name}" type="text" inputmode="numeric" pattern="[0-9]{1,3}" maxlength="3" value="${quantity}"></p>`;
}

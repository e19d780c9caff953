import { page } from '../parts/document.ts';
import { html } from '../parts/html.ts';
import { summaryLines, summaryTotals } from '../parts/order-summary.ts';
import { agentNote, type CheckoutView, summaryOf } from './view.ts';

/** A requirement for selling that the shop does not meet. Filling in the form would be useless. */
export type Lack = 'delivery' | 'payment';

export function lackOf({ checkout, countries, paysOnReceipt }: CheckoutView): Lack | undefined {
  if (checkout.requires_shipping && countries.length === 0) return 'delivery';
  const payable = checkout.payment_methods.length > 0 || (checkout.requires_shipping && paysOnReceipt);
  return payable ? undefined : 'payment';
}

/** Shows the cart with a notice that it cannot be ordered, instead of the form. */
export function checkoutClosed(view: CheckoutView, lack: Lack): string {
  const { language, front, back } = view;
  const { say } = language;
  const title = say('checkout.your_order');
  const summary = summaryOf(view);
  // Without a form, items cannot be removed.
  const shown = { ...summary, lines: summary.lines.map((line) => ({ ...line, remedy: undefined })) };
  const main = html`
<h1>${title}</h1>
<div class="alert" role="alert">
<h2>${say('checkout.lacks')}</h2>
<p>${say(`checkout.lacks_${lack}`)} ${say('checkout.lacks_remedy')}</p>
</div>
${agentNote(view)}
<aside class="summary" id="summary" tabindex="-1" aria-labelledby="summary-heading">
<h2 id="summary-heading">${title}</h2>
${summaryLines(shown, view.ownOrigin)}
${summaryTotals(shown)}
</aside>`;
  return page({ language, title: say('checkout.lacks'), mistaken: false, front, back, where: 'checkout', main });
}

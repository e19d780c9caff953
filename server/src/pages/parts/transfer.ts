import type { PaymentInstructions } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { transferCode } from '../../shop/payments/transfer-code.ts';
import { type Html, html } from './html.ts';
import { qrCode } from './qr-code.ts';
import { inGroups, moment, money, rich } from './words.ts';

/** How to pay by bank transfer: as a table, as a code to scan, and as text to copy. */
export function transfer(language: Language, instructions: PaymentInstructions): Html {
  const { account_holder, iban, bic, bank_name, reference, amount, currency, due_at } = instructions;
  const { say } = language;
  const text = asText(language, instructions);
  const code = transferCode(instructions);
  const strong = (value: Html | string) => html`<strong>${value}</strong>`;
  return html`
<section class="part transfer">
<h2>${rich(language, 'checkout.please_transfer', { amount: money(language, amount, currency) })}</h2>
<p>${rich(language, 'checkout.transfer_by', { moment: strong(moment(language, due_at)) })}</p>
<dl class="bank">
${detail(say('checkout.amount'), language.amount(amount, currency))}
${detail(say('checkout.recipient'), account_holder)}
${detail(say('checkout.iban'), inGroups(iban))}
${bic && detail(say('checkout.bic'), bic)}
${bank_name && detail(say('checkout.bank'), bank_name)}
${detail(say('checkout.reference'), reference)}
</dl>
${
  code &&
  html`<figure class="scan">
${qrCode(code, say('checkout.scan_label'))}
<figcaption>${say('checkout.scan')}</figcaption>
</figure>`
}
<p>${rich(language, 'checkout.write_reference', { reference: strong(reference) })}</p>
${instructions.instructions && html`<p class="written" dir="auto">${instructions.instructions}</p>`}
<label for="copy">${say('checkout.as_text')}</label>
<textarea id="copy" class="copy" readonly rows="${text.split('\n').length + 2}">
${text}</textarea>
</section>`;
}

function detail(term: string, value: string): Html {
  return html`<div><dt>${term}</dt><dd class="copy" dir="auto">${value}</dd></div>`;
}

function asText({ say }: Language, instructions: PaymentInstructions): string {
  const { account_holder, iban, bic, reference, amount, currency } = instructions;
  const lines = [
    account_holder,
    `IBAN ${iban}`,
    bic && `BIC ${bic}`,
    `${currency} ${amount}`,
    `${say('checkout.reference')} ${reference}`,
  ];
  return lines.filter(Boolean).join('\n');
}

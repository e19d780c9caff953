import { page } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField, type Mistake, mistakeSummary, selectField, textArea, textField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { rich } from '../parts/words.ts';
import { type Declared, LONGEST, nameOf, type WithdrawField } from './form.ts';
import type { KnownOrder, WithdrawVisit } from './visit.ts';

/** The maximum quantity to select per line. Further pieces can be described in words. */
const MOST_PIECES = 50;

/** Step 1: the form. */
export function entryView(
  visit: WithdrawVisit,
  csrf: string,
  entered: Partial<Record<WithdrawField, string>>,
  mistakes: Mistake<WithdrawField>[],
): string {
  const { language, path, front, known } = visit;
  const { say } = language;
  const form = { language, entered, mistakes };
  const main = html`
<section class="notice">
<p class="step">${say('withdrawal.steps', { step: 1 })}</p>
<h1>${say('withdrawal.title')}</h1>
<p>${rich(language, 'withdrawal.intro', { shop: html`<span dir="auto">${front.name}</span>` })}</p>
${mistakeSummary(say('withdrawal.check_this'), mistakes)}
<form method="post" action="${path}" novalidate>
${csrfField(csrf)}
${textField<WithdrawField>(form, { name: 'name', label: say('withdrawal.name'), autocomplete: 'name', maximum: LONGEST.name })}
${textField<WithdrawField>(form, {
  name: 'email',
  label: say('withdrawal.email'),
  type: 'email',
  autocomplete: 'email',
  maximum: LONGEST.email,
  hint: say('withdrawal.email_hint'),
})}
${known ? choices(visit, known, entered, mistakes) : contractField(visit, entered, mistakes)}
${textArea<WithdrawField>(form, {
  name: 'note',
  label: say(known ? 'withdrawal.note' : 'withdrawal.items'),
  optional: true,
  maximum: LONGEST.note,
  ...(!known && { hint: say('withdrawal.items_hint') }),
})}
<button class="primary" name="action" value="review">${say('withdrawal.link')}</button>
</form>
</section>`;
  return page({
    language,
    title: say('withdrawal.title'),
    mistaken: mistakes.length > 0,
    front,
    where: 'withdraw',
    main,
  });
}

type Entered = Partial<Record<WithdrawField, string>>;

function contractField({ language }: WithdrawVisit, entered: Entered, mistakes: Mistake<WithdrawField>[]): Html {
  const { say } = language;
  return textField<WithdrawField>(
    { language, entered, mistakes },
    {
      name: 'contract',
      label: say('withdrawal.contract'),
      maximum: LONGEST.contract,
      hint: say('withdrawal.contract_hint'),
    },
  );
}

/** The items of a known order. */
function choices(
  { language }: WithdrawVisit,
  { number, lines }: KnownOrder,
  entered: Entered,
  mistakes: Mistake<WithdrawField>[],
): Html {
  const { say } = language;
  const form = { language, entered, mistakes };
  return html`
<h2>${say('withdrawal.choose', { number })}</h2>
<p class="hint">${say('withdrawal.choose_hint')}</p>
${lines.map((line) => {
  const most = Math.min(line.quantity, MOST_PIECES);
  const choices = Array.from({ length: most }, (_, i) => ({ value: String(i + 1), label: String(i + 1) }));
  const name = nameOf(line);
  const label = line.exempt ? say('withdrawal.exempt', { name }) : name;
  return selectField<WithdrawField>(form, {
    name: `quantity-${line.id}`,
    label,
    empty: say('withdrawal.none'),
    choices,
  });
})}`;
}

/** Step 2: the statement, and the button that sends it. */
export function reviewView(
  visit: WithdrawVisit,
  csrf: string,
  statement_id: string,
  { contract, items }: Declared,
  body: FormBody,
): string {
  const { language, path, front } = visit;
  const { say } = language;
  const kept = [...body].filter(([name]) => !['csrf', 'action', 'statement'].includes(name));
  const hidden = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const main = html`
<section class="notice">
<p class="step">${say('withdrawal.steps', { step: 2 })}</p>
<h1>${say('withdrawal.review')}</h1>
<p>${say('withdrawal.declare')}</p>
<dl class="facts">
<div><dt>${say('withdrawal.contract')}</dt><dd class="written" dir="auto">${contract}</dd></div>
<div><dt>${say('withdrawal.items')}</dt><dd class="written" dir="auto">${items ?? say('withdrawal.all')}</dd></div>
<div><dt>${say('withdrawal.name')}</dt><dd class="written" dir="auto">${body.get('name')}</dd></div>
<div><dt>${say('withdrawal.email')}</dt><dd class="written" dir="auto">${body.get('email')}</dd></div>
</dl>
<form method="post" action="${path}">
${csrfField(csrf)}
<input type="hidden" name="statement" value="${statement_id}">
${hidden}
<div class="buttons">
<button class="primary" name="action" value="confirm">${say('withdrawal.confirm')}</button>
<button class="secondary" name="action" value="change">${say('withdrawal.change')}</button>
</div>
</form>
</section>`;
  return page({ language, title: say('withdrawal.review'), front, where: 'withdraw', main });
}

import type { FieldName, FormState, Mistake } from './checkout-fields.ts';
import { type Html, html } from './html.ts';

/** The parts that forms are made of. A mistake stands at its field, tied to it for screen readers, and in the summary. */

interface TextField {
  name: FieldName;
  label: string;
  /** The id of its form, for a field that stands outside of it. */
  form?: string;
  type?: 'text' | 'email' | 'tel';
  autocomplete?: string | undefined;
  optional?: boolean | undefined;
  maximum: number;
  hint?: string;
}

export function textField(form: FormState, field: TextField): Html {
  const { name, label, type = 'text', autocomplete, optional, maximum, hint } = field;
  const owner = field.form && html`form="${field.form}"`;
  return labelled(
    form,
    { name, label, optional, hint },
    (described) => html`
<input id="${name}" name="${name}" type="${type}" value="${form.entered[name]}" maxlength="${maximum}"
  ${autocomplete && html`autocomplete="${autocomplete}"`} ${owner} ${described}>`,
  );
}

export function textArea(form: FormState, field: Omit<TextField, 'type' | 'autocomplete'>): Html {
  const { name, maximum } = field;
  return labelled(
    form,
    field,
    (described) => html`
<textarea id="${name}" name="${name}" rows="3" maxlength="${maximum}" ${described}>
${form.entered[name]}</textarea>`,
  );
}

interface SelectField {
  name: FieldName;
  label: string;
  autocomplete?: string | undefined;
  hint?: string;
  /** What stands there before anything is chosen. */
  empty: string;
  choices: readonly { value: string; label: string }[];
}

export function selectField(form: FormState, field: SelectField): Html {
  const { name, autocomplete, empty, choices } = field;
  const chosen = form.entered[name] ?? '';
  return labelled(
    form,
    field,
    (described) => html`
<select id="${name}" name="${name}" ${autocomplete && html`autocomplete="${autocomplete}"`} ${described}>
<option value="">${empty}</option>
${choices.map(({ value, label }) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}
</select>`,
  );
}

interface Radios {
  name: FieldName;
  legend: string;
  choices: readonly Choice[];
  hint?: string | undefined;
}

export interface Choice {
  value: string;
  label: string;
  detail?: Html | string | null;
  /** At the end of the line: a price. */
  aside?: Html | undefined;
}

/** A question with a few answers. The first choice carries the field's own id, so that a mistake can lead there. */
export function radios(form: FormState, { name, legend, choices, hint }: Radios): Html {
  const message = mistakeAt(form, name);
  const described = [hint && `${name}-hint`, message && `${name}-error`].filter(Boolean).join(' ');
  return html`
<fieldset class="choices${message && ' wrong'}" ${described && html`aria-describedby="${described}"`}>
<legend>${legend}</legend>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${errorLine(name, message)}
${choices.map((choice, index) => radio(form, name, choice, index))}
</fieldset>`;
}

function radio({ entered }: FormState, name: FieldName, { value, label, detail, aside }: Choice, index: number): Html {
  const id = index === 0 ? name : `${name}-${index + 1}`;
  return html`
<div class="choice">
<input type="radio" id="${id}" name="${name}" value="${value}"${entered[name] === value && html` checked`}
  ${detail && html`aria-describedby="${id}-detail"`}>
<label for="${id}"><span class="label" dir="auto">${label}</span>${aside && html` <span class="aside">${aside}</span>`}</label>
${detail && html`<p class="detail" id="${id}-detail" dir="auto">${detail}</p>`}
</div>`;
}

interface Labelled {
  name: FieldName;
  label: string;
  optional?: boolean | undefined;
  hint?: string | undefined;
}

function labelled(
  form: FormState,
  { name, label, optional, hint }: Labelled,
  control: (described: Html) => Html,
): Html {
  const message = mistakeAt(form, name);
  const ids = [hint && `${name}-hint`, message && `${name}-error`].filter(Boolean).join(' ');
  const described = html`${ids && html`aria-describedby="${ids}"`}${message && html` aria-invalid="true"`}`;
  return html`
<div class="field ${name}${message && ' wrong'}">
<label for="${name}">${label}${optional && html` <span class="optional">(optional)</span>`}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${errorLine(name, message)}
${control(described)}
</div>`;
}

function errorLine(name: FieldName, message: string): Html | string {
  return message && html`<p class="error" id="${name}-error"><span class="unseen">Mistake:</span> ${message}</p>`;
}

function mistakeAt({ mistakes }: FormState, name: FieldName): string {
  return mistakes.find(({ field }) => field === name)?.message ?? '';
}

/** All mistakes at the top of the page, each leading to its field. It takes the focus when the page opens. */
export function mistakeSummary(heading: string, mistakes: readonly Mistake[]): Html | undefined {
  if (mistakes.length === 0) return undefined;
  return html`
<div class="summary-of-mistakes" role="alert" tabindex="-1" autofocus aria-labelledby="mistakes">
<h2 id="mistakes">${heading}</h2>
<ul>
${mistakes.map(({ field, message }) => html`<li>${field ? html`<a href="#${field}">${message}</a>` : message}</li>`)}
</ul>
</div>`;
}

/** Components of forms. A mistake is shown at its field, linked to it for screen readers, and in the summary. */

import type { Language } from '../../language/language.ts';
import { type Html, html } from './html.ts';

/** Values by field name. Empty values are omitted. */
export type Entered<Name extends string> = Partial<Record<Name, string>>;

/** A message about a field, or about the whole form if there is no field. */
export interface Mistake<Name extends string> {
  field?: Name;
  message: string;
}

/** Values and mistakes of a form. */
export interface FormState<Name extends string> {
  language: Language;
  entered: Entered<Name>;
  mistakes: readonly Mistake<Name>[];
}

/** The form token, which proves that a form came from our page. */
export function csrfField(csrf: string): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}">`;
}

interface TextField<Name extends string> {
  name: Name;
  label: string;
  /** Id of the form, for a field outside of it. */
  form?: string;
  type?: 'text' | 'email' | 'tel';
  autocomplete?: string | undefined;
  optional?: boolean | undefined;
  maximum: number;
  hint?: string;
  /** Message of the page's script if the field is left empty. */
  ask?: string | undefined;
  /** Message of the page's script for text that is no e-mail address. */
  askForm?: string;
}

export function textField<Name extends string>(form: FormState<Name>, field: TextField<Name>): Html {
  const { name, label, type = 'text', autocomplete, optional, maximum, hint, ask, askForm } = field;
  const owner = field.form && html`form="${field.form}"`;
  return labelled(
    form,
    { name, label, optional, hint },
    (described) => html`
<input id="${name}" name="${name}" type="${type}" value="${form.entered[name]}" maxlength="${maximum}"
  ${autocomplete && html`autocomplete="${autocomplete}"`}${ask && html` data-ask="${ask}"`}${askForm && html` data-ask-form="${askForm}"`} ${owner} ${described}>`,
  );
}

interface PasswordField<Name extends string> {
  name: Name;
  label: string;
  /** Tells password managers whether the password is new. */
  autocomplete: 'new-password' | 'current-password';
  hint?: string;
}

/** The password is never sent back. It has no `maxlength`, because browsers would truncate it silently. */
export function passwordField<Name extends string>(form: FormState<Name>, field: PasswordField<Name>): Html {
  const { name, autocomplete } = field;
  return labelled(
    form,
    field,
    (described) => html`
<input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" ${described}>`,
  );
}

export function textArea<Name extends string>(
  form: FormState<Name>,
  field: Omit<TextField<Name>, 'type' | 'autocomplete'>,
): Html {
  const { name, maximum } = field;
  return labelled(
    form,
    field,
    (described) => html`
<textarea id="${name}" name="${name}" rows="3" maxlength="${maximum}" ${described}>
${form.entered[name]}</textarea>`,
  );
}

interface SelectField<Name extends string> {
  name: Name;
  label: string;
  autocomplete?: string | undefined;
  hint?: string;
  /** Label of the empty choice. */
  empty: string;
  /** Message of the page's script if nothing is chosen. */
  ask?: string;
  choices: readonly { value: string; label: string }[];
}

export function selectField<Name extends string>(form: FormState<Name>, field: SelectField<Name>): Html {
  const { name, autocomplete, empty, ask, choices } = field;
  const chosen = form.entered[name] ?? '';
  return labelled(
    form,
    field,
    (described) => html`
<select id="${name}" name="${name}" ${autocomplete && html`autocomplete="${autocomplete}"`}${ask && html` data-ask="${ask}"`} ${described}>
<option value="">${empty}</option>
${choices.map(({ value, label }) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}
</select>`,
  );
}

interface Radios<Name extends string> {
  name: Name;
  legend: string;
  choices: readonly Choice[];
  hint?: string | undefined;
}

export interface Choice {
  value: string;
  label: string;
  detail?: Html | string | null;
  /** Text at the end of the line, such as a price. */
  aside?: Html | undefined;
}

/** Radio buttons. The first one has the field's id, so that a mistake can link to it. */
export function radios<Name extends string>(form: FormState<Name>, field: Radios<Name>): Html {
  const { name, legend, choices, hint } = field;
  const message = mistakeAt(form, name);
  const described = [hint && `${name}-hint`, message && `${name}-error`].filter(Boolean).join(' ');
  return html`
<fieldset class="choices${message && ' wrong'}" ${described && html`aria-describedby="${described}"`}>
<legend>${legend}</legend>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${errorLine(form.language, name, message)}
${choices.map((choice, index) => radio(form, name, choice, index))}
</fieldset>`;
}

function radio<Name extends string>(form: FormState<Name>, name: Name, choice: Choice, index: number): Html {
  const { entered } = form;
  const { value, label, detail, aside } = choice;
  const id = index === 0 ? name : `${name}-${index + 1}`;
  return html`
<div class="choice">
<input type="radio" id="${id}" name="${name}" value="${value}"${entered[name] === value && html` checked`}${index === 0 && focusAt(form, name)}
  ${detail && html`aria-describedby="${id}-detail"`}>
<label for="${id}"><span class="label" dir="auto">${label}</span>${aside && html` <span class="aside">${aside}</span>`}</label>
${detail && html`<p class="detail" id="${id}-detail" dir="auto">${detail}</p>`}
</div>`;
}

interface CheckBox<Name extends string> {
  name: Name;
  value: string;
  label: Html | string;
}

export function checkBox<Name extends string>(form: FormState<Name>, { name, value, label }: CheckBox<Name>): Html {
  const message = mistakeAt(form, name);
  const checked = form.entered[name] === value && html` checked`;
  return html`
<div class="tick${message && ' wrong'}">
${errorLine(form.language, name, message)}
<div class="choice">
<input type="checkbox" id="${name}" name="${name}" value="${value}"${checked}${message && html` aria-invalid="true" aria-describedby="${name}-error"`}${focusAt(form, name)}>
<label for="${name}"><span class="label">${label}</span></label>
</div>
</div>`;
}

interface Labelled<Name extends string> {
  name: Name;
  label: string;
  optional?: boolean | undefined;
  hint?: string | undefined;
}

function labelled<Name extends string>(
  form: FormState<Name>,
  { name, label, optional, hint }: Labelled<Name>,
  control: (described: Html) => Html,
): Html {
  const message = mistakeAt(form, name);
  const ids = [hint && `${name}-hint`, message && `${name}-error`].filter(Boolean).join(' ');
  const described = html`${ids && html`aria-describedby="${ids}"`}${message && html` aria-invalid="true"`}${focusAt(form, name)}`;
  return html`
<div class="field ${name}${message && ' wrong'}">
<label for="${name}">${label}${optional && html` <span class="optional">${form.language.say('page.optional')}</span>`}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${errorLine(form.language, name, message)}
${control(described)}
</div>`;
}

export function errorLine(language: Language, name: string, message: string): Html | string {
  const mark = html`<span class="unseen">${language.say('page.mistake')}</span>`;
  return message && html`<p class="error" id="${name}-error">${mark} ${message}</p>`;
}

/** The attribute that focuses the first field with a mistake, so that the browser scrolls to it. */
export function focusAt<Name extends string>(
  { mistakes }: Pick<FormState<Name>, 'mistakes'>,
  name: Name,
): Html | false {
  return mistakes.find(({ field }) => field !== undefined)?.field === name && html` autofocus`;
}

function mistakeAt<Name extends string>({ mistakes }: FormState<Name>, name: Name): string {
  return mistakes.find(({ field }) => field === name)?.message ?? '';
}

/**
 * Renders a summary of all mistakes for the top of the page, with links to their fields. The summary gets the focus if
 * no mistake belongs to a field.
 */
export function mistakeSummary(heading: string, mistakes: readonly Mistake<string>[]): Html | undefined {
  if (mistakes.length === 0) return undefined;
  return html`
<div class="summary-of-mistakes" role="alert" tabindex="-1"${mistakes.every(({ field }) => !field) && html` autofocus`} aria-labelledby="mistakes">
<h2 id="mistakes">${heading}</h2>
<ul>
${mistakes.map(({ field, message }) => html`<li>${field ? html`<a href="#${field}">${message}</a>` : message}</li>`)}
</ul>
</div>`;
}

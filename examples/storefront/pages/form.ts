import { type Html, html } from '../html.ts';

interface Field {
  type?: string;
  value?: string | null | undefined;
  autocomplete: string;
  required?: boolean;
  /** Shows a value that cannot be changed, for example so that the browser stores a password for the right account. */
  readonly?: boolean;
  minlength?: number;
  /** Whether the shop rejected the value. */
  invalid?: boolean | undefined;
  hint?: string;
}

/** A labelled field. */
export function field(label: string, name: string, { type = 'text', value, hint, ...rest }: Field): Html {
  const { autocomplete, required, readonly, minlength, invalid } = rest;
  return html`<label${readonly && html` class="whole"`}>${label} <input name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" maxlength="${type === 'password' ? 1024 : 255}"${required && html` required`}${invalid && html` aria-invalid="true"`}${readonly && html` readonly`}${minlength !== undefined && html` minlength="${minlength}"`}>${hint && html`<small>${hint}</small>`}</label>`;
}

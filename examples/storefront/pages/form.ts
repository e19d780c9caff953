import { type Html, html } from '../html.ts';

interface Field {
  type?: string;
  value?: string | null | undefined;
  autocomplete: string;
  required?: boolean;
  /** Shows a value that cannot be changed, for instance so that a browser stores the password with the right account. */
  readonly?: boolean;
  minlength?: number;
  /** The value was rejected. */
  invalid?: boolean | undefined;
  hint?: string;
}

/** A labelled field. */
export function field(label: string, name: string, { type = 'text', value, hint, ...rest }: Field): Html {
  const { autocomplete, required, readonly, minlength, invalid } = rest;
  return html`<label${readonly && html` class="whole"`}>${label} <input name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" maxlength="${type === 'password' ? 1024 : 255}"${required && html` required`}${invalid && html` aria-invalid="true"`}${readonly && html` readonly`}${minlength !== undefined && html` minlength="${minlength}"`}>${hint && html`<small>${hint}</small>`}</label>`;
}

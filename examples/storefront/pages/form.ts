import { type Html, html } from '../html.ts';

interface Field {
  type?: string;
  value?: string | null | undefined;
  autocomplete: string;
  required?: boolean;
  minlength?: number;
  hint?: string;
}

/** A labelled field. */
export function field(label: string, name: string, { type = 'text', value, hint, ...rest }: Field): Html {
  const { autocomplete, required, minlength } = rest;
  return html`<label>${label} <input name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" maxlength="${type === 'password' ? 1024 : 255}"${required && html` required`}${minlength !== undefined && html` minlength="${minlength}"`}>${hint && html`<small>${hint}</small>`}</label>`;
}

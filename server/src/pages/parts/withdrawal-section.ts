import type { Language } from '../../language/language.ts';
import { type Html, html } from './html.ts';

/** The link to the form for a withdrawal, on the page of an order. */
export function withdrawalSection({ say }: Language, path: string): Html {
  return html`
<section class="part">
<p><a href="${path}">${say('withdrawal.link')}</a></p>
</section>`;
}

import { html } from '../html.ts';
import type { Visit } from '../visit.ts';
import type { Page } from './page.ts';

/** A page that says one thing, and leads on. */
export function messagePage({ t, to }: Visit, kind: 'not_found' | 'failed' | 'cart_empty'): Page {
  const main = html`<section class="empty">
  <h1>${t(kind)}</h1>
  <p>${t(`${kind}_text`)}</p>
  <a class="button" href="${to('/search')}">${t('keep_looking')}</a>
</section>`;
  return { title: t(kind), main, isPrivate: true };
}

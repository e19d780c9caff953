import { html } from '../html.ts';
import type { Visit } from '../visit.ts';
import { favourites } from './card.ts';
import type { Page } from './page.ts';

/** A page with a message and a link. */
export function messagePage({ t, to }: Visit, kind: 'not_found' | 'failed' | 'cart_empty'): Page {
  const main = html`<section class="empty">
  <h1>${t(kind)}</h1>
  <p>${t(`${kind}_text`)}</p>
  <a class="button" href="${to('/search')}">${t('keep_looking')}</a>
</section>`;
  return { title: t(kind), main, isPrivate: true };
}

export function notFoundPage(visit: Visit): Promise<Page> {
  return withFavourites(visit, messagePage(visit, 'not_found'));
}

/** Adds best-selling products to a page with little content. */
export async function withFavourites(visit: Visit, page: Page): Promise<Page> {
  return { ...page, main: html`${page.main}${await favourites(visit)}` };
}

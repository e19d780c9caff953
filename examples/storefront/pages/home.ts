import { unwrap } from '@commerce-backend/sdk';
import { type Html, html } from '../html.ts';
import { collectionsOf, type Visit } from '../visit.ts';
import { cards } from './card.ts';
import type { Page } from './page.ts';

export async function homePage(visit: Visit): Promise<Page> {
  const { t, to, shop } = visit;
  const list = (sort: 'newest' | 'best_selling') =>
    unwrap(shop.GET('/api/storefront/products', { params: { query: { sort, limit: 4, in_stock: true } } }));
  const [newest, favourites, collections] = await Promise.all([
    list('newest'),
    list('best_selling'),
    collectionsOf(visit),
  ]);
  const shown = favourites.products.flatMap(({ images }) => images.slice(0, 1)).slice(0, 3);
  const main = html`<section class="hero">
  <div>
    <h1>${t('hero_title')}</h1>
    <p>${t('hero_text')}</p>
    <a class="button" href="${to('/search')}">${t('hero_link')}</a>
  </div>
  <div class="hero-pictures">${shown.map(({ url }) => html`<img src="${url}" alt="" width="800" height="800">`)}</div>
</section>
<section class="row">
  <h2>${t('favourites')}</h2>
  ${cards(visit, favourites.products)}
</section>
<section class="row">
  <h2>${t('by_collection')}</h2>
  ${tiles(visit, collections)}
</section>
<section class="row">
  <h2>${t('newest')}</h2>
  ${cards(visit, newest.products)}
</section>`;
  return { title: '', main, description: t('hero_text'), image: shown[0]?.url };
}

export async function collectionsPage(visit: Visit): Promise<Page> {
  const title = visit.t('all_collections');
  const main = html`<header class="page-header"><h1>${title}</h1></header>${tiles(visit, await collectionsOf(visit, 100))}`;
  return { title, main, trail: [] };
}

function tiles({ to }: Visit, collections: Awaited<ReturnType<typeof collectionsOf>>): Html {
  return html`<ul class="tiles">${collections.map(
    ({ handle, title, description, image_url }) => html`<li><a href="${to(`/collections/${handle}`)}">
      ${image_url && html`<img src="${image_url}" alt="" width="800" height="800" loading="lazy">`}
      <h3>${title}</h3><p>${description}</p></a></li>`,
  )}</ul>`;
}

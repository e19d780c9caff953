import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { type Html, html } from '../html.ts';
import { textOf, type Visit } from '../visit.ts';
import { isKey, type Key } from '../words.ts';
import { cards, favourites } from './card.ts';
import type { Page } from './page.ts';

const SORTS = ['newest', 'price_asc', 'price_desc', 'best_selling'] as const;
const PER_PAGE = 12;
/** Maximum number of values per filter, the most frequent first. Selected values are shown in any case. */
const MOST_VALUES = 8;
const MOST_OPTIONS = 2;
/** URL parameters that filter a list. Others, such as those of a campaign, are ignored. */
const FILTERS = ['vendor', 'product_type', 'option', 'in_stock', 'price_min', 'price_max'];

export function searchPage(visit: Visit): Promise<Page> {
  const q = textOf(visit.req.query, 'q');
  return listing(visit, { title: q ? visit.t('results_for', { q }) : visit.t('all_products'), ...(q && { q }) });
}

export async function collectionPage(visit: Visit): Promise<Page> {
  const path = { id_or_handle: String(visit.req.params.handle) };
  const { title, description, handle } = await unwrap(
    visit.shop.GET('/api/storefront/collections/{id_or_handle}', { params: { path } }),
  );
  return listing(visit, { title, description: description ?? '', collection: handle });
}

/** Suggestions for a partly typed query, which public/suggest.js shows below the field. */
export async function suggestions({ shop, req, to, money }: Visit): Promise<Html> {
  const query = { q: textOf(req.query, 'q'), limit: 5 };
  if (!query.q) return html``;
  const { products, collections } = await unwrap(shop.GET('/api/storefront/suggest', { params: { query } }));
  return html`<ul>${collections.map(
    ({ handle, title }) => html`<li><a href="${to(`/collections/${handle}`)}">${title}</a></li>`,
  )}${products.map(
    ({ slug, name, image_url, price, currency }) =>
      html`<li><a href="${to(`/products/${slug}`)}">${image_url && html`<img src="${image_url}" alt="" width="40" height="40">`}<span>${name}</span> <span class="quiet">${money(price, currency)}</span></a></li>`,
  )}</ul>`;
}

interface Listed {
  title: string;
  description?: string;
  q?: string;
  collection?: string;
}

/** A product list with filters. All filters are in the URL, so that it can be shared and works without JavaScript. */
async function listing(visit: Visit, { title, description, q, collection }: Listed): Promise<Page> {
  const { t, shop, req } = visit;
  const chosen = new URLSearchParams(req.url.split('?')[1]);
  chosen.delete('notice');
  const sort = SORTS.find((one) => one === chosen.get('sort'));
  const { products, total, page, pages, facets } = await unwrap(
    shop.GET('/api/storefront/products', {
      params: {
        query: {
          ...{ facets: true, limit: PER_PAGE, page: Number(chosen.get('page')) || 1, sort, q, collection },
          ...{ vendor: chosen.getAll('vendor'), product_type: chosen.getAll('product_type') },
          ...{ option: chosen.getAll('option'), in_stock: chosen.has('in_stock') || undefined },
          ...{ price_min: chosen.get('price_min') || undefined, price_max: chosen.get('price_max') || undefined },
        },
      },
    }),
  );
  const instead = total === 0 && (await favourites(visit));
  const main = html`<header class="page-header"><h1>${title}</h1>${description && html`<p>${description}</p>`}</header>
${
  total === 0 && !isNarrowed(chosen)
    ? html`<section class="nothing"><h2>${t('results', { count: 0 })}</h2><p>${t('nothing_text')}</p></section>`
    : html`<div class="listing">
  <details class="filters"><summary>${t('filters')}</summary>${facets && filters(visit, chosen, facets)}</details>
  <section aria-label="${title}">
    <div class="toolbar"><h2>${t('results', { count: total })}</h2>${sorting(visit, chosen)}</div>
    ${isNarrowed(chosen) && chips(visit, chosen)}
    ${total === 0 ? html`<p class="empty">${t('nothing_with_filters')}</p>` : cards(visit, products)}
    ${pages > 1 && paging(visit, chosen, page, pages)}
  </section>
</div>`
}
${instead}`;
  const image = products[0]?.images[0]?.url;
  const trail = collection ? ([[t('all_collections'), '/collections']] as const) : [];
  const path = `${collection ? `/collections/${collection}` : '/search'}${page > 1 ? `?page=${page}` : ''}`;
  return { title, main, description, image, path, trail, isPrivate: q !== undefined || isNarrowed(chosen) };
}

function filters(visit: Visit, chosen: URLSearchParams, facets: Schemas['Facets']): Html {
  const { t } = visit;
  const options = [...facets.options]
    .sort((one, other) => other.values.length - one.values.length)
    .slice(0, MOST_OPTIONS)
    .map(({ name, values }) =>
      group(
        chosen,
        name,
        'option',
        values.map((one) => ({ ...one, sent: `${name}:${one.value}` })),
      ),
    );
  const kept = [...chosen].filter(([name]) => !['price_min', 'price_max', 'page'].includes(name));
  const price = (name: 'price_min' | 'price_max', key: Key, edge: string | undefined) => html`<label>${t(key)}
    <input name="${name}" inputmode="decimal" pattern="[0-9]+([.][0-9]{1,2})?" value="${chosen.get(name)}" placeholder="${edge}"></label>`;
  return html`
  ${group(chosen, t('filter_type'), 'product_type', facets.product_types)}
  ${group(chosen, t('filter_vendor'), 'vendor', facets.vendors)}
  ${options}
  <ul class="facet"><li>${toggle(chosen, 'in_stock', 'yes', t('in_stock'), facets.in_stock.true)}</li></ul>
  <form class="prices" aria-label="${t('filter_price')}">
    ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${price('price_min', 'price_from', facets.price?.min)}${price('price_max', 'price_to', facets.price?.max)}
    <button>${t('apply')}</button>
  </form>
`;
}

/**
 * The selected filters with links to remove them. Shown above the products, because small screens collapse the filters.
 */
function chips({ t }: Visit, chosen: URLSearchParams): Html {
  const links = [...chosen]
    .filter(([name, value]) => FILTERS.includes(name) && value)
    .map(([name, value]) => {
      const next = new URLSearchParams([...chosen].filter((one) => one[0] !== name || one[1] !== value));
      next.delete('page');
      const text = chipOf(t, name, value);
      return html`<li><a href="${addressOf(next)}" rel="nofollow" aria-label="${t('without_filter', { value: text })}">${text}</a></li>`;
    });
  const none = new URLSearchParams([...chosen].filter(([name]) => name === 'q' || name === 'sort'));
  return html`<ul class="chips" aria-label="${t('chosen')}">${links}<li class="clear"><a href="${addressOf(none)}">${t('clear')}</a></li></ul>`;
}

function chipOf(t: Visit['t'], name: string, value: string): string {
  if (name === 'in_stock') return t('in_stock');
  if (name === 'price_min') return `${t('price_from')} ${value}`;
  if (name === 'price_max') return `${t('price_to')} ${value}`;
  // Omits the option's name, which precedes its value.
  return value.slice(name === 'option' ? value.indexOf(':') + 1 : 0);
}

type Value = Schemas['FacetValue'] & { sent?: string };

/** A filter with its values. A filter with a single value is omitted unless it is selected. */
function group(chosen: URLSearchParams, title: string, name: string, values: Value[]): Html | false {
  const shown = values.filter(({ value, sent = value }, n) => n < MOST_VALUES || chosen.has(name, sent));
  return (
    (shown.length > 1 || chosen.has(name)) &&
    shown.length > 0 &&
    html`<h2>${title}</h2><ul class="facet">${shown.map(
      ({ value, sent = value, count }) => html`<li>${toggle(chosen, name, sent, value, count)}</li>`,
    )}</ul>`
  );
}

/** A link that adds the value to the filter or removes it. */
function toggle(chosen: URLSearchParams, name: string, value: string, text: string, count: number): Html {
  const next = new URLSearchParams(chosen);
  const isOn = chosen.has(name, value);
  if (isOn) next.delete(name, value);
  else next.append(name, value);
  next.delete('page');
  return html`<a href="${addressOf(next)}" rel="nofollow"${isOn && html` aria-current="true"`}>${text} <span class="quiet">${count}</span></a>`;
}

function sorting({ t }: Visit, chosen: URLSearchParams): Html {
  const kept = [...chosen].filter(([name]) => name !== 'sort' && name !== 'page');
  return html`<form class="sorting">
    ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <label>${t('sort')} <select name="sort"><option value="">${t('sort_default')}</option>${SORTS.map((sort) => {
      const key = `sort_${sort}`;
      return html`<option value="${sort}"${sort === chosen.get('sort') && html` selected`}>${isKey(key) && t(key)}</option>`;
    })}</select></label> <button>${t('apply')}</button>
  </form>`;
}

function paging({ t }: Visit, chosen: URLSearchParams, page: number, pages: number): Html {
  const link = (to: number, key: Key) => {
    const next = new URLSearchParams(chosen);
    next.set('page', String(to));
    return to >= 1 && to <= pages && html`<a href="${addressOf(next)}">${t(key)}</a>`;
  };
  return html`<nav class="paging" aria-label="${t('page_of', { page, pages })}">
    ${link(page - 1, 'previous')} <span>${t('page_of', { page, pages })}</span> ${link(page + 1, 'next')}
  </nav>`;
}

function isNarrowed(chosen: URLSearchParams): boolean {
  return FILTERS.some((name) => chosen.get(name));
}

/** The URL of this page with another query. */
function addressOf(query: URLSearchParams): string {
  return `?${query}`;
}

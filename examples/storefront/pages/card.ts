import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { type Html, html } from '../html.ts';
import type { Visit } from '../visit.ts';

type Product = Schemas['Product'];

export function cards(visit: Visit, products: readonly Product[]): Html {
  return html`<ul class="cards">${products.map((product) => card(visit, product))}</ul>`;
}

/** Best-selling products, for pages with little content. */
export async function favourites(visit: Visit): Promise<Html> {
  const query = { sort: 'best_selling', limit: 4, in_stock: true } as const;
  const { products } = await unwrap(visit.shop.GET('/api/storefront/products', { params: { query } }));
  return html`<section class="row"><h2>${visit.t('favourites')}</h2>${cards(visit, products)}</section>`;
}

function card(visit: Visit, product: Product): Html {
  const { t, to } = visit;
  const { name, slug, vendor, images, in_stock, variants } = product;
  const badge = in_stock ? product.compare_at_price && t('sale') : t('sold_out');
  return html`<li class="card">
  <a href="${to(`/products/${slug}`)}">
    <div class="picture">${picture(images[0])}${images[1] && picture(images[1], 'second')}${badge && html`<span class="badge">${badge}</span>`}</div>
    <h3>${name}</h3>
  </a>
  <p class="quiet">${vendor}${variants.length > 1 && ` · ${t('choices', { count: variants.length })}`}</p>
  <p class="price">${priceOf(visit, product)}</p>
</li>`;
}

/**
 * An image. Its size is reserved, so that nothing moves while it loads. The alt text is empty, because the name is next
 * to it.
 */
export function picture(image: Product['images'][number] | undefined, kind = ''): Html {
  if (!image) return html`<span class="no-picture"></span>`;
  const { url, width, height } = image;
  return html`<img class="${kind}" src="${url}"${widthsOf(image, '(max-width: 600px) 45vw, 20rem')} alt="" width="${width ?? 800}" height="${height ?? 800}" loading="lazy">`;
}

/** The `srcset` of an uploaded image, from which browsers choose the smallest sharp one. */
export function widthsOf({ sources = [] }: Product['images'][number], sizes: string): Html | false {
  const widths = sources.map(({ url, width }) => `${url} ${width}w`).join(', ');
  return sources.length > 0 && html` srcset="${widths}" sizes="${sizes}"`;
}

function priceOf({ t, money }: Visit, { price, compare_at_price, currency, variants }: Product): Html {
  const differ = new Set(variants.map((variant) => variant.price)).size > 1;
  const text = money(price, currency);
  return html`${differ ? t('from_price', { price: text }) : text}${compare_at_price && html` <s>${money(compare_at_price, currency)}</s>`}`;
}

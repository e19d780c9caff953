import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { type Html, html } from '../html.ts';
import { textOf, type Visit } from '../visit.ts';
import { cards, widthsOf } from './card.ts';
import type { Page } from './page.ts';

type Product = Schemas['Product'];
type Variant = Schemas['Variant'];

/** A product page. Variants are selected by links, so that each has a URL and the page works without JavaScript. */
export async function productPage(visit: Visit): Promise<Page> {
  const { shop, req, t, to } = visit;
  const path = { id_or_slug: String(req.params.slug) };
  const product = await unwrap(shop.GET('/api/storefront/products/{id_or_slug}', { params: { path } }));
  const wanted = textOf(req.query, 'variant');
  const variant =
    product.variants.find(({ id }) => id === wanted) ??
    product.variants.find(({ available }) => available) ??
    product.variants[0];
  const query = { tag: product.tags.slice(0, 3), sort: 'best_selling', limit: 5 } as const;
  const similar = await unwrap(shop.GET('/api/storefront/products', { params: { query } }));
  const others = similar.products.filter(({ id }) => id !== product.id).slice(0, 4);
  const main = html`<article class="product">
  ${gallery(product, variant)}
  <div class="buying">
    ${product.vendor && html`<p class="eyebrow"><a href="${to(`/search?vendor=${encodeURIComponent(product.vendor)}`)}">${product.vendor}</a></p>`}
    <h1>${product.name}</h1>
    ${variant && buying(visit, product, variant)}
    <p class="description">${product.description}</p>
    ${details(visit, product)}
  </div>
</article>
${others.length > 0 && html`<section class="row"><h2>${t('more_like_it')}</h2>${cards(visit, others)}</section>`}`;
  const { name, slug, seo_title, seo_description, description } = product;
  return {
    ...{ title: seo_title ?? name, description: seo_description ?? description, image: product.images[0]?.url, main },
    path: `/products/${slug}`,
    trail: product.product_type
      ? [[product.product_type, `/search?product_type=${encodeURIComponent(product.product_type)}`]]
      : [],
    data: structured(product),
  };
}

/** Structured data for search engines (https://schema.org/Product). */
function structured({ name, description, vendor, images, variants, currency }: Product): object {
  return {
    ...{ '@context': 'https://schema.org', '@type': 'Product', name, description },
    image: images.map(({ url }) => url),
    ...(vendor && { brand: { '@type': 'Brand', name: vendor } }),
    offers: variants.map(({ sku, price, available }) => ({
      ...{ '@type': 'Offer', ...(sku && { sku }), price, priceCurrency: currency },
      availability: `https://schema.org/${available ? 'InStock' : 'OutOfStock'}`,
    })),
  };
}

/**
 * The product's images. Those of the selected variant come first, and those of other variants are omitted. Without such
 * images, all are shown.
 */
function gallery({ images, name }: Product, variant: Variant | undefined): Html {
  const own = images.filter(({ variant_ids }) => variant !== undefined && variant_ids.includes(variant.id));
  const common = images.filter(({ variant_ids }) => variant_ids.length === 0);
  const shown = own.length + common.length > 0 ? [...own, ...common] : images;
  return html`<div class="gallery" role="group" aria-label="${name}" tabindex="0">${shown.map((image) => {
    const { url, alt, width, height } = image;
    return html`<img src="${url}"${widthsOf(image, '(max-width: 800px) 90vw, 50vw')} alt="${alt ?? name}" width="${width ?? 800}" height="${height ?? 800}">`;
  })}</div>`;
}

function buying(visit: Visit, product: Product, variant: Variant): Html {
  const { t, to, money } = visit;
  const { id, price, compare_at_price, available, is_low_stock, inventory_quantity } = variant;
  return html`<p class="price">${money(price, product.currency)}${compare_at_price && html` <s>${money(compare_at_price, product.currency)}</s>`}</p>
    ${product.options.map((option, index) => choice(visit, product, variant, option, index))}
    <form class="add" method="post" action="${to('/cart/add')}">
      <input type="hidden" name="variant_id" value="${id}">
      <label>${t('quantity')} <input type="number" name="quantity" value="1" min="1" max="99"></label>
      <button class="primary"${!available && html` disabled`}>${available ? t('add') : t('sold_out')}</button>
    </form>
    ${is_low_stock && available && html`<p class="few">${t('few_left', { count: inventory_quantity })}</p>`}`;
}

const FIELDS = ['option1', 'option2', 'option3'] as const;

/** The values of an option. Each links to the variant that has it and otherwise differs least from the selected one. */
function choice(
  { t }: Visit,
  product: Product,
  chosen: Variant,
  { name, values }: Product['options'][number],
  index: number,
): Html {
  const field = FIELDS[index] ?? 'option1';
  const likeness = (one: Variant) =>
    FIELDS.filter((other) => one[other] === chosen[other]).length + (one.available ? 0.5 : 0);
  const links = values.map((value) => {
    const [best] = product.variants
      .filter((one) => one[field] === value)
      .sort((one, other) => likeness(other) - likeness(one));
    if (!best) return html`<li><span class="value gone">${value}</span></li>`;
    const isChosen = chosen[field] === value;
    return html`<li><a class="value${best.available ? '' : ' gone'}" href="?variant=${best.id}"${isChosen && html` aria-current="true"`}>${value}${!best.available && html`<span class="unseen">, ${t('sold_out')}</span>`}</a></li>`;
  });
  return html`<nav class="choice" aria-label="${name}"><p>${name}: <strong>${chosen[field]}</strong></p><ul>${links}</ul></nav>`;
}

function details({ t }: Visit, { metadata }: Product): Html | false {
  const facts = Object.entries(metadata ?? {});
  return (
    facts.length > 0 &&
    html`<h2>${t('details')}</h2><dl class="facts">${facts.map(
      ([name, value]) => html`<div><dt>${name.replaceAll('_', ' ')}</dt><dd>${String(value)}</dd></div>`,
    )}</dl>`
  );
}

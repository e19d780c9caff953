// The storefront: a program that calls the shop with the SDK and returns HTML. Change it and save: `npm run dev`
// restarts it, and open pages reload. Every page is a function below; style.css has the styles.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createCartSession, createStorefrontClient, isError, unwrap } from '@commerce-backend/sdk';

// `npm run dev` sets these; in production, set them yourself. DEMO_FILE is a file with all of them, such as that of
// `commerce mock`.
const { DEMO_FILE, PORT = '3000', NODE_ENV } = process.env;
const demo = DEMO_FILE ? JSON.parse(readFileSync(DEMO_FILE, 'utf8')) : {};
const { COMMERCE_URL = demo.base_url, COMMERCE_SITE_ID = demo.site_id } = process.env;
const { COMMERCE_STOREFRONT_TOKEN = demo.storefront_token } = process.env;
const IS_LIVE = NODE_ENV === 'production';
const STYLE = new URL('style.css', import.meta.url);
const shop = createStorefrontClient({
  baseUrl: COMMERCE_URL,
  siteId: COMMERCE_SITE_ID,
  storefrontToken: COMMERCE_STOREFRONT_TOKEN,
});

// --- Pages ---------------------------------------------------------------------------------------------------------------

async function home({ query }) {
  const q = query.get('q') ?? undefined;
  const collection = query.get('collection') ?? undefined;
  const [{ products }, { collections }] = await Promise.all([
    unwrap(shop.GET('/api/storefront/products', { params: { query: { limit: 24, q, collection } } })),
    unwrap(shop.GET('/api/storefront/collections')),
  ]);
  const found =
    products.length > 0 ? html`<ul class="products">${products.map(card)}</ul>` : html`<p>Nothing fits.</p>`;
  return page(
    'Welcome',
    html`<h1>Things for your home</h1>
      <form><input type="search" name="q" value="${q ?? ''}" placeholder="Search" aria-label="Search" /></form>
      <nav>${collections.map(({ handle, title }) => html`<a href="/?collection=${handle}">${title}</a> `)}</nav>
      ${found}`,
  );
}

function card({ slug, name, price, currency, images, in_stock }) {
  return html`<li><a href="/products/${slug}">
    ${picture(images[0])}<strong>${name}</strong>
    <span>${in_stock ? money(price, currency) : 'Sold out'}</span>
  </a></li>`;
}

async function product({ params: [slug] }) {
  const { name, description, currency, images, variants } = await unwrap(
    shop.GET('/api/storefront/products/{id_or_slug}', { params: { path: { id_or_slug: slug } } }),
  );
  const choices = variants.map(({ id, option1, option2, option3, price, available }) => {
    const title = [option1, option2, option3].filter(Boolean).join(' / ') || name;
    return html`<option value="${id}" ${available ? '' : 'disabled'}>${title}, ${money(price, currency)}</option>`;
  });
  return page(
    name,
    html`<article>${picture(images[0])}
      <div><h1>${name}</h1><p>${description}</p>
        <form method="post" action="/cart">
          <select name="variant_id" aria-label="Variant">${choices}</select>
          <button>Add to cart</button>
        </form></div>
    </article>`,
  );
}

async function cart({ session }) {
  const { items, subtotal, currency } = await session.get();
  if (items.length === 0)
    return page('Cart', html`<h1>Your cart is empty</h1><p><a href="/">See what there is</a></p>`);
  const lines = items.map(
    ({ id, name, variant_name, quantity, total }) => html`<li>${quantity} × ${name} ${variant_name ?? ''}
      <span>${money(total, currency)}</span>
      <form method="post" action="/cart/remove"><button name="item_id" value="${id}">Remove</button></form></li>`,
  );
  return page(
    'Cart',
    html`<h1>Your cart</h1><ul class="lines">${lines}</ul><p>Together ${money(subtotal, currency)}</p>
      <form method="post" action="/checkout"><button>Go to the checkout</button></form>`,
  );
}

// --- Form actions --------------------------------------------------------------------------------------------------------

async function addToCart({ session, form }) {
  await session.add({ variant_id: form.get('variant_id'), quantity: 1 });
  return redirect('/cart');
}

async function removeFromCart({ session, form }) {
  const item_id = form.get('item_id');
  await session.run((cart_id, client) =>
    unwrap(client.DELETE('/api/storefront/cart/{cart_id}/items/{item_id}', { params: { path: { cart_id, item_id } } })),
  );
  return redirect('/cart');
}

/** The hosted checkout is a page of the server, on which the shopper enters the address and pays. */
async function checkout({ session }) {
  const { checkout_url } = await session.run((cart_id, client) =>
    unwrap(client.POST('/api/storefront/checkout', { body: { cart_id } })),
  );
  return redirect(checkout_url);
}

const ROUTES = [
  ['GET', /^\/$/, home],
  ['GET', /^\/products\/([^/]+)$/, product],
  ['GET', /^\/cart$/, cart],
  ['POST', /^\/cart$/, addToCart],
  ['POST', /^\/cart\/remove$/, removeFromCart],
  ['POST', /^\/checkout$/, checkout],
];

// --- Writing HTML --------------------------------------------------------------------------------------------------------

class Html {
  constructor(text) {
    this.text = text;
  }
}

/** Text in ${…} is escaped, except the output of this function. */
function html(strings, ...values) {
  const written = (value) => {
    if (value instanceof Html) return value.text;
    if (Array.isArray(value)) return value.map(written).join('');
    return String(value ?? '').replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  };
  return new Html(String.raw({ raw: strings }, ...values.map(written)));
}

function page(title, content) {
  const reload = `let opened; new EventSource('/_changes').onopen = () => opened ? location.reload() : (opened = true)`;
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>${title}</title>
    <meta name="viewport" content="width=device-width" /><link rel="stylesheet" href="/style.css" /></head>
    <body><header><a href="/">My shop</a> <a href="/cart">Cart</a></header><main>${content}</main>
    ${IS_LIVE ? '' : new Html(`<script>${reload}</script>`)}</body></html>`;
}

const picture = (image) => image && html`<img src="${image.url}" alt="${image.alt ?? ''}" loading="lazy" />`;
const money = (amount, currency) => new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);
const redirect = (location) => ({ status: 303, headers: { Location: location } });

// --- Serving -------------------------------------------------------------------------------------------------------------

/** The shopper's cart. A cookie stores its id. */
function sessionOf(request, cookies) {
  const kept = new Map([['cart_id', /(?:^|; )cart_id=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]]]);
  const secure = IS_LIVE ? '; Secure' : '';
  const keep = (key, value) => {
    kept.set(key, value);
    cookies.push(`${key}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax${secure}; Max-Age=${value ? 2_592_000 : 0}`);
  };
  return createCartSession(shop, {
    storage: { getItem: (key) => kept.get(key) ?? null, setItem: keep, removeItem: (key) => keep(key) },
  });
}

async function formOf(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000) throw new Error('A form is too long.');
  }
  return new URLSearchParams(text);
}

async function answer(request, cookies) {
  const { pathname, searchParams: query } = new URL(`http://storefront${request.url}`);
  if (pathname === '/style.css') return { body: await readFile(STYLE), type: 'text/css' };
  for (const [method, pattern, handle] of ROUTES) {
    const found = request.method === method && pattern.exec(pathname);
    if (!found) continue;
    const params = found.slice(1).map(decodeURIComponent);
    const form = method === 'POST' ? await formOf(request) : undefined;
    return handle({ params, query, form, session: sessionOf(request, cookies) });
  }
  return { status: 404, ...page('Not found', html`<h1>There is no such page</h1>`) };
}

/** An error page with a message for shoppers. Unexpected errors are logged. */
function errorPage(error) {
  const failed = (status, message) => ({ status, ...page(message, html`<h1>${message}</h1>`) });
  if (isError(error, 'not_found') || error instanceof URIError) {
    if (!IS_LIVE) console.error(error.stack);
    return failed(404, 'Not found');
  }
  if (isError(error, 'insufficient_stock')) return failed(409, 'Not enough in stock');
  console.error(error);
  return failed(500, 'That did not work. Please try again.');
}

createServer(async (request, response) => {
  if (request.url === '/_changes' && !IS_LIVE) {
    return response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('retry: 300\n\n');
  }
  const cookies = [];
  const answered = await answer(request, cookies).catch(errorPage);
  const { status = 200, headers, text, body = text, type = 'text/html; charset=utf-8' } = answered;
  response.writeHead(status, { 'Content-Type': type, 'Set-Cookie': cookies, ...headers }).end(body);
}).listen(Number(PORT), () => console.log(`The storefront is at http://localhost:${PORT}`));

import { FAVICON_PATH } from './favicon.ts';
import { type Html, html } from './html.ts';
import { STYLE_PATH } from './style.ts';

export interface Document {
  title: string;
  /** The name of the shop, once it is known. */
  shop: string | undefined;
  /** What the reader is at: stands beside the name of the shop. */
  where: 'Checkout' | 'Your account' | 'Consent' | 'Commerce backend';
  main: Html;
}

/** A whole page. It holds no script, and no style but our own. */
export function page({ title, shop, where, main }: Document): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light">
<title>${shop ? `${title} · ${shop}` : title}</title>
<link rel="icon" href="${FAVICON_PATH}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="wide">${shop && html`<p class="shop" dir="auto">${shop}</p>`}<p class="where">${where}</p></div></header>
<main id="main" tabindex="-1" class="wide">
${main}
</main>
</body>
</html>
`;
  return document.text;
}

/** A page that says one thing, and what to do now. */
export interface Notice {
  title: string;
  sentences: readonly (string | Html)[];
}

export function noticePage({ title, sentences }: Notice, { shop, where }: Pick<Document, 'shop' | 'where'>): string {
  const main = html`<section class="notice">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
</section>`;
  return page({ title, shop, where, main });
}

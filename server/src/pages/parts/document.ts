import type { Language } from '../../language/language.ts';
import { FAVICON_PATH } from './favicon.ts';
import { type Html, html } from './html.ts';
import { STYLE_PATH } from './style.ts';

/** What the reader is at: stands beside the name of the shop. */
export type Where = 'checkout' | 'account' | 'consent' | 'server';

export interface Document {
  language: Language;
  title: string;
  /** Whether the page tells of a mistake, which its title says too. */
  mistaken?: boolean;
  /** The name of the shop, once it is known. */
  shop: string | undefined;
  where: Where;
  main: Html;
}

/** A whole page. It holds no script, and no style but our own. */
export function page({ language, title, mistaken, shop, where, main }: Document): string {
  const told = mistaken ? language.say('page.mistake_title', { title }) : title;
  const document = html`<!doctype html>
<html lang="${language.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light">
<title>${shop ? `${told} · ${shop}` : told}</title>
<link rel="icon" href="${FAVICON_PATH}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#main">${language.say('page.skip')}</a>
<header class="top"><div class="wide">${shop && html`<p class="shop" dir="auto">${shop}</p>`}<p class="where">${language.say(`page.where_${where}`)}</p></div></header>
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

export function noticePage({ title, sentences }: Notice, about: Pick<Document, 'language' | 'shop' | 'where'>): string {
  const main = html`<section class="notice">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
</section>`;
  return page({ ...about, title, main });
}

import type { Language } from '../../language/language.ts';
import { accountLink, withdrawLink } from '../../shop/links.ts';
import { brandStyle } from '../../shop/merchant/brand.ts';
import type { Front } from '../../shop/merchant/front.ts';
import { LEGAL_KINDS, legalUrl } from '../../shop/merchant/legal-texts.ts';
import { FAVICON_PATH } from './favicon.ts';
import { type Html, html } from './html.ts';
import { brandPath, STYLE_PATH } from './style.ts';

/** The kind of page, shown next to the shop's name. */
export type Where = 'checkout' | 'order' | 'account' | 'consent' | 'legal' | 'withdraw' | 'server';

export interface Document {
  language: Language;
  title: string;
  /** Whether the form has mistakes. The page title then mentions it. */
  mistaken?: boolean;
  /** The shop's name, branding and links, once the shop is known. */
  front: Front | undefined;
  /** URL of the storefront, if it differs from the shop's settings. */
  back?: string | undefined;
  where: Where;
  main: Html;
}

/**
 * A complete HTML page. It contains only our own styles and scripts (script.ts).
 * Rendering waits for the whole page (`rel="expect"`), because a partly rendered form would move while the rest
 * arrives.
 */
export function page(page: Document): string {
  const { language, title, mistaken, front, where, main } = page;
  const told = mistaken ? language.say('page.mistake_title', { title }) : title;
  const document = html`<!doctype html>
<html lang="${language.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light dark">
<title>${front ? `${told} · ${front.name}` : told}</title>
<link rel="icon" href="${FAVICON_PATH}" type="image/svg+xml">
<link rel="expect" href="#end" blocking="render">
<link rel="stylesheet" href="${STYLE_PATH}">
${front && brandSheet(front)}
</head>
<body>
<a class="skip" href="#main">${language.say('page.skip')}</a>
<header class="top"><div class="wide">${front && shopName(front)}<p class="where">${language.say(`page.where_${where}`)}</p></div></header>
<main id="main" tabindex="-1" class="wide">
${main}
</main>
${front && footer(page, front)}
<div id="end" hidden></div>
</body>
</html>
`;
  return document.text;
}

function brandSheet({ site_id, brand }: Front): Html | undefined {
  const style = brandStyle(brand);
  return style && html`<link rel="stylesheet" href="${brandPath(site_id, style.version)}">`;
}

function shopName({ name, brand }: Front): Html {
  const logo =
    brand.logo_url && html`<img class="logo" src="${brand.logo_url}" alt="" height="32" referrerpolicy="no-referrer">`;
  return html`<p class="shop">${logo}<span dir="auto">${name}</span></p>`;
}

/** Link to the storefront, contact, and the withdrawal and legal links, which the law requires on every page. */
function footer({ language: { say }, back }: Document, front: Front): Html | undefined {
  const { site_id, name, brand, storefront_url, withdrawal_page } = front;
  const shop = back ?? storefront_url;
  const links = LEGAL_KINDS.flatMap((kind) => {
    const address = legalUrl(front, kind, '');
    return address ? [html`<li>${linkOut(address, say(`page.${kind}`))}</li>`] : [];
  });
  const { support_email, support_phone } = brand;
  const items = [
    shop && html`<li><a href="${shop}" rel="noreferrer">${say('page.back_to_shop', { shop: name })}</a></li>`,
    support_email && html`<li><a href="mailto:${support_email}">${support_email}</a></li>`,
    support_phone && html`<li><a href="tel:${support_phone.replaceAll(/[^+\d]/g, '')}">${support_phone}</a></li>`,
    withdrawal_page && html`<li><a href="${withdrawLink('', site_id)}">${say('withdrawal.link')}</a></li>`,
    ...links,
  ].filter(Boolean);
  return items.length > 0 ? html`<footer class="bottom"><ul class="wide">${items}</ul></footer>` : undefined;
}

/** A link that opens the shop's page in a new tab. */
export function linkOut(address: string, words: string | Html): Html {
  return html`<a href="${address}" target="_blank" rel="noopener noreferrer">${words}</a>`;
}

/** A page with a message and the next step. */
export interface Notice {
  title: string;
  sentences: readonly (string | Html)[];
  /** The next step. */
  link?: { href: string; label: string } | undefined;
}

/** Links for a reader whom the notice gives no next step: to the shop and its support, or to the start page. */
function waysOn({ language: { say }, front, back }: Pick<Document, 'language' | 'front' | 'back'>): Html {
  if (!front) return html`<ul class="ways-on"><li><a href="/">${say('page.to_start')}</a></li></ul>`;
  const { site_id, name, brand, storefront_url } = front;
  const shop = back ?? storefront_url;
  const email = brand.support_email;
  return html`
<ul class="ways-on">
${shop ? html`<li><a href="${shop}" rel="noreferrer">${say('page.back_to_shop', { shop: name })}</a></li>` : html`<li><a href="${accountLink('', site_id)}">${say('page.to_account', { shop: name })}</a></li>`}
${email && html`<li>${say('page.ask_shop')} <a href="mailto:${email}">${email}</a></li>`}
</ul>`;
}

export function noticePage(
  { title, sentences, link }: Notice,
  about: Pick<Document, 'language' | 'front' | 'back' | 'where'>,
): string {
  const main = html`<section class="notice">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
${link ? html`<p><a class="button" href="${link.href}">${link.label}</a></p>` : waysOn(about)}
</section>`;
  return page({ ...about, title, main });
}

import { paginate, type StorefrontClient } from '@commerce-backend/sdk';
import type { Request } from 'express';
import { Html, html } from './html.ts';
import type { Page } from './pages/page.ts';
import type { Visit } from './visit.ts';
import { LANGUAGES } from './words.ts';

/** Metadata for search engines and link previews: the head of each page, sitemap.xml and robots.txt. */

const DEFAULT_LANGUAGE = 'en';
const LONGEST_DESCRIPTION = 160;
/** URL parameters that canonical URLs do not contain. */
const OF_A_VISIT = ['notice', 'variant', 'sort'];

/** The storefront's origin as the browser sees it. */
function originOf(req: Request): string {
  return `${req.protocol}://${req.host}`;
}

/** The URL of the same page in another language. For a form, the URL of the start page. */
export function inLanguage({ req }: Pick<Visit, 'req'>, language: string, without = ['notice']): string {
  const [path = '/', search] = (req.method === 'GET' ? req.url : '/').split('?');
  const query = new URLSearchParams(search);
  for (const name of without) query.delete(name);
  return `/${language}${path}${query.size > 0 ? `?${query}` : ''}`;
}

/**
 * The tags of the `head` for search engines and previews, with the page's canonical URL and its URLs in other
 * languages. A private page has only `noindex`.
 */
export function headOf(
  visit: Visit,
  { title, description, image, data, path, isPrivate, trail }: Page,
  shopName: string,
): Html {
  const { req, language } = visit;
  const at = (code: string) => originOf(req) + (path ? `/${code}${path}` : inLanguage(visit, code, OF_A_VISIT));
  if (isPrivate) return html`<meta name="robots" content="noindex">`;
  const text = description && shortened(description);
  return html`${text && html`<meta name="description" content="${text}"><meta property="og:description" content="${text}">`}
<meta property="og:title" content="${title || shopName}">
<meta property="og:site_name" content="${shopName}">
${image && html`<meta property="og:image" content="${image}">`}
<link rel="canonical" href="${at(language)}">
${[...Object.keys(LANGUAGES), 'x-default'].map(
  (code) =>
    html`<link rel="alternate" hreflang="${code}" href="${at(code === 'x-default' ? DEFAULT_LANGUAGE : code)}">`,
)}
${data && structured(data)}${trail && structured(trailData(trail.map(([name, to]) => ({ name, item: `${originOf(req)}/${language}${to}` }))))}`;
}

function structured(data: object): Html {
  return html`<script type="application/ld+json">${new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script>`;
}

/** Structured data for breadcrumbs (https://schema.org/BreadcrumbList). */
function trailData(pages: { name: string; item: string }[]): object {
  const itemListElement = pages.map((page, index) => ({ '@type': 'ListItem', position: index + 1, ...page }));
  return { '@context': 'https://schema.org', '@type': 'BreadcrumbList', itemListElement };
}

function shortened(text: string): string {
  if (text.length <= LONGEST_DESCRIPTION) return text;
  const whole = text.slice(0, LONGEST_DESCRIPTION).replace(/\s+\S*$/, '');
  return `${whole} …`;
}

/** The sitemap: the start page, the collections and the products in each language (https://www.sitemaps.org). */
export async function sitemap(req: Request, shop: StorefrontClient): Promise<Html> {
  const paths: string[] = ['/', '/collections'];
  for await (const { handle } of paginate(shop, '/api/storefront/collections')) paths.push(`/collections/${handle}`);
  for await (const { slug } of paginate(shop, '/api/storefront/products')) paths.push(`/products/${slug}`);
  const codes = Object.keys(LANGUAGES);
  const at = (code: string, path: string) => `${originOf(req)}/${code}${path}`;
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${paths.flatMap((path) =>
  codes.map(
    (code) => html`<url><loc>${at(code, path)}</loc>${codes.map(
      (other) => html`<xhtml:link rel="alternate" hreflang="${other}" href="${at(other, path)}"/>`,
    )}</url>
`,
  ),
)}</urlset>`;
}

export function robots(req: Request): string {
  const closed = Object.keys(LANGUAGES).flatMap((code) =>
    ['cart', 'login', 'account', 'thanks'].map((one) => `/${code}/${one}`),
  );
  return `User-agent: *\n${closed.map((path) => `Disallow: ${path}\n`).join('')}Sitemap: ${originOf(req)}/sitemap.xml\n`;
}

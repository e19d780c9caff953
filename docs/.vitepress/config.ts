import { defineConfig } from 'vitepress';

const of = (text: string, ...entries: [string, string][]) => ({
  text,
  items: entries.map(([name, link]) => ({ text: name, link })),
});

function idOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/**
 * The weight of a page in the search: guides before catalogues, catalogues before internals. The site contains this function as
 * text, so it must not use anything outside of itself.
 */
function weightOf(id: string): number {
  if (/^\/(?:architecture|contributing|proofs|bench|versioning|sdk)\.html/.test(id)) return 0.2;
  return /^\/(?:operations|errors|events|glossary)\.html/.test(id) ? 0.6 : 1;
}

export default defineConfig({
  title: 'Commerce backend',
  description: 'A multi-tenant, contract-first commerce backend',
  lang: 'en',
  // Stops browsers from requesting /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  cleanUrls: false,
  lastUpdated: false,
  // The pages of /api/ are built later. scripts/docs/links.ts checks all links.
  ignoreDeadLinks: [/^\/api\//, /^http:\/\/localhost/],
  // Gives headings the same ids as on GitHub, so that links to a heading work in both places.
  markdown: { anchor: { slugify: idOf }, theme: { light: 'github-light-high-contrast', dark: 'github-dark' } },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument: weightOf } } } },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/start/storefront' },
      { text: 'API', link: '/api/index.html', target: '_self' },
      { text: 'Operations', link: '/operations' },
      { text: 'Errors', link: '/errors' },
      { text: 'Events', link: '/events' },
    ],
    sidebar: [
      of(
        'Getting started',
        ['Build a storefront', '/start/storefront'],
        ['Build an agent', '/start/agent'],
        ['Run a shop', '/start/merchant'],
        ['Operate servers', '/start/operator'],
        ['Create a shop without a clone', '/new-shop'],
        ['A storefront with Next.js', '/nextjs'],
        ['Open a shop in Germany', '/german-shop'],
      ),
      of(
        'Selling',
        ['Checkout, totals, stock', '/checkout'],
        ['Payments', '/payments'],
        ['Returns', '/returns'],
        ['Invoices', '/invoices'],
        ['Quotes and invoices', '/b2b-orders'],
        ['Search', '/search'],
        ['The panel and its commands', '/merchant'],
        ['Importing', '/import'],
      ),
      of(
        'Coming from',
        ['Shopify', '/migrate/shopify'],
        ['A whole shop from Shopify', '/moving-in'],
        ['Magento 2', '/migrate/magento'],
        ['WooCommerce', '/migrate/woocommerce'],
      ),
      of(
        'Integrating',
        ['SDK', '/packages/sdk'],
        ['Command line', '/packages/cli'],
        ['Agents', '/agents'],
        ['Limit agents', '/limit-agents'],
        ['Assistants of staff', '/assistants'],
        ['Sync', '/sync'],
        ['Webhooks', '/webhooks'],
        ['Custom data', '/custom-data'],
        ['Calls from a browser (CORS)', '/cors'],
        ['Examples', '/examples'],
      ),
      of(
        'Operating',
        ['Production', '/production'],
        ['The server as a package', '/packages/server'],
        ['Configuration', '/configuration'],
        ['Alerts', '/alerts'],
        ['Scaling', '/scaling'],
        ['High availability', '/high-availability'],
        ['Many shops', '/operators'],
        ['Retention', '/retention'],
        ['Security model', '/security'],
        ['Limits', '/limits'],
        ['Upgrading', '/upgrading'],
        ['Versions', '/versioning'],
      ),
      of(
        'Reference',
        ['All operations', '/operations'],
        ['Glossary', '/glossary'],
        ['Errors', '/errors'],
        ['Events', '/events'],
        ['Every export of the SDK', '/sdk'],
        ['Architecture', '/architecture'],
        ['Contributing', '/contributing'],
        ['Proofs', '/proofs'],
        ['Benchmarks', '/bench'],
      ),
    ],
  },
});

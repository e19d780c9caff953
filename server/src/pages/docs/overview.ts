import { document, operationTable } from '../../http/contract/contract.ts';
import { type Html, html } from '../parts/html.ts';
import { type Chapter, groups } from './chapters.ts';
import { docsDocument, type Link } from './document.ts';
import { samplesOf } from './samples.ts';

/** The first page of the documentation: introduction, index of operations, and all error codes. It needs no script. */
export function overviewPage(link: Link): string {
  return docsDocument({
    title: 'Documentation',
    link,
    main: html`<div class="layout">
<nav aria-label="Contents">
<p><a href="#getting-started">Getting started</a></p>
<p><a href="#conventions">Conventions</a></p>
${groups.map((group) => html`<p><a href="#${slugOf(group.name)}">${group.name}</a></p>`)}
<p><a href="#errors">Errors</a></p>
<p><a href="${link('openapi.json')}">OpenAPI description</a></p>
</nav>
<main>
<h1>Commerce backend</h1>
${gettingStarted()}
${conventions()}
${groups.map(
  (group) => html`<section id="${slugOf(group.name)}">
<h2>${group.name}</h2>
${group.chapters.map((chapter) => chapterOf(chapter, link))}
</section>`,
)}
${errors()}
</main>
</div>`,
  });
}

function slugOf(name: string): string {
  return name.toLowerCase();
}

const FIRST_CALL = 'storefront.listProducts';

function gettingStarted(): Html {
  const first = operationTable.find(({ id }) => id === FIRST_CALL);
  const [curl, sdk] = first ? samplesOf(first) : [];
  return html`<section id="getting-started">
<h2>Getting started</h2>
<p>Start a server with a demo shop, in a checkout of this project. Its credentials are in <code>.data/demo.json</code>.</p>
<pre tabindex="0"><code>npm ci &amp;&amp; npm start</code></pre>
<p>In a second terminal there, read them, and ask for some products:</p>
<pre tabindex="0"><code>demo() { node -p "require('./.data/demo.json').$1"; }
BASE_URL=$(demo base_url) SITE_ID=$(demo site_id) STOREFRONT_TOKEN=$(demo storefront_token)
API_KEY=$(demo api_key) SYNC_SECRET=$(demo sync_secret)

${curl?.source}</code></pre>
<p>The same with the SDK:</p>
<pre tabindex="0"><code>import { readFileSync } from 'node:fs';
${sdk?.source.replace(
  '\n\n',
  `\n\nconst demo = JSON.parse(readFileSync('.data/demo.json', 'utf8'));
const { base_url: baseUrl, site_id: siteId, storefront_token: storefrontToken } = demo;\n`,
)}
console.log(answer.products.map(({ name, price, currency }) => \`\${name}: \${price} \${currency}\`));</code></pre>
<p>Every operation below comes with a sample for curl and one for the SDK, which use these names.</p>
<table>
<thead><tr><th>Surface</th><th>For</th><th>Credentials</th></tr></thead>
<tbody>
${SURFACES.map(
  ([name, reader, credentials]) => html`<tr><td>${name}</td><td>${reader}</td><td>${credentials}</td></tr>`,
)}
</tbody>
</table>
</section>`;
}

const SURFACES = [
  ['Storefront', 'shoppers, through your website or app', 'X-Site-ID, X-Service-Token; a customer’s token besides'],
  ['Dashboard', 'merchants and their programs', 'X-API-Key, or the session of a login'],
  ['Agent', 'AI agents that shop for a customer', 'a token by the customer’s consent'],
  ['Sync', 'search engines, widgets, integrations', 'X-Site-ID, X-Sync-Secret'],
];

/** The contract's introduction. Its Markdown contains only paragraphs, bold text, code and links. */
function conventions(): Html {
  const paragraphs = String((document.info as { description?: string }).description)
    .trim()
    .split(/\n\n+/);
  return html`<section id="conventions">
<h2>Conventions</h2>
${paragraphs.map((paragraph) => html`<p>${textOf(paragraph)}</p>`)}
</section>`;
}

const MARKED = /(\*\*[^*]+\*\*|`[^`]+`|\[[^\]]+\]\([^)]+\))/;
const LINK = /^\[(.+)\]\((.+)\)$/;

/** A paragraph of Markdown with bold text, code and links. */
function textOf(paragraph: string): (Html | string)[] {
  return paragraph.split(MARKED).map(inline);
}

function inline(part: string): Html | string {
  if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
  const [, text, address] = LINK.exec(part) ?? [];
  if (text && address) return html`<a href="${address}">${text}</a>`;
  return part.startsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : part;
}

function chapterOf({ name, slug, description, operations }: Chapter, link: Link): Html {
  const [first = ''] = description.split('\n\n', 1);
  const page = link(`reference/${slug}.html`);
  return html`<section id="${slug}">
<h3><a href="${page}">${name}</a></h3>
<p>${textOf(first)}</p>
${
  operations.length > 0 &&
  html`<ul class="operations">
${operations.map(
  ({ operation: { id, method, path }, summary: sentence }) =>
    html`<li id="operation/${id}"><a href="${page}#operation/${id}">${sentence}</a> <code>${method.toUpperCase()} ${path}</code></li>`,
)}
</ul>`
}
</section>`;
}

interface Meaning {
  status: number;
  retryable: boolean;
  meaning: string;
  remedy: string;
}

function errors(): Html {
  const catalogue = (document.components.schemas?.ErrorCode?.['x-error-catalogue'] ?? {}) as Record<string, Meaning>;
  return html`<section id="errors">
<h2>Errors</h2>
<p>The field <code>error</code> of a refusal holds one of these codes. Those marked “may be repeated” can succeed later, with the same
<code>Idempotency-Key</code>.</p>
<dl class="errors">
${Object.entries(catalogue).map(
  ([
    code,
    { status, retryable, meaning, remedy },
  ]) => html`<dt id="error-${code}"><code>${code}</code> ${status}${retryable && ', may be repeated'}</dt>
<dd>${meaning} <em>${remedy}</em></dd>`,
)}
</dl>
</section>`;
}

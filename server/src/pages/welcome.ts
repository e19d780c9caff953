import type { RequestHandler } from 'express';
import type { SiteHosts } from '../http/callers/site-hosts.ts';
import { document } from '../http/contract/contract.ts';
import { languageFor } from '../language/language.ts';
import { accountLink } from '../shop/links.ts';
import { page } from './parts/document.ts';
import { type Html, html } from './parts/html.ts';

/** Redirects / at a shop's own host to the customer's account. */
export function welcomeAtHost(hosts: SiteHosts): RequestHandler {
  return (req, res, next) => {
    const site_id = hosts.siteAt(req);
    if (site_id === undefined) return next();
    res.removeHeader('Content-Type');
    res.status(302).set('Location', accountLink('', site_id)).end();
  };
}

/**
 * Describes the server at `/`: as a page for browsers, as JSON for programs. `demoSiteId` is the demo shop's site, if
 * any.
 */
export function welcome(baseUrl: string, demoSiteId: string | undefined): RequestHandler {
  const { version } = document.info;
  const facts = {
    name: 'Commerce backend',
    version,
    docs_url: `${baseUrl}/docs`,
    openapi_url: `${baseUrl}/openapi.json`,
    health_url: `${baseUrl}/readyz`,
    surfaces: Object.fromEntries(SURFACES.map(({ name }) => [name, `${baseUrl}/api/${name}`])),
  };
  const main = view(version, demoSiteId);
  return (req, res) => {
    res.vary('Accept');
    if (req.accepts(['application/json', 'text/html']) === 'text/html') {
      res.send(
        page({
          language: languageFor('en', 'UTC'),
          title: 'Commerce backend',
          front: undefined,
          where: 'server',
          main,
        }),
      );
    } else {
      res.type('application/json').send(JSON.stringify(facts));
    }
  };
}

const SURFACES = [
  { name: 'storefront', what: 'shoppers browse and buy' },
  { name: 'dashboard', what: 'merchants run their shop' },
  { name: 'sync', what: 'search engines and integrations keep in step' },
  { name: 'agent', what: 'AI agents shop for a customer, within limits' },
];

function view(version: string, demoSiteId: string | undefined): Html {
  return html`<div class="column welcome">
<h1>This server is running.</h1>
<p>It is a commerce backend, version ${version}: shops, carts, checkouts and orders over an HTTP API.</p>
<section>
<h2>For developers</h2>
<ul>
<li><a href="/docs">Documentation</a>: getting started, every operation, every error</li>
<li><a href="/openapi.json">OpenAPI description</a></li>
<li><a href="/readyz">Health</a></li>
</ul>
</section>
<section>
<h2>The API</h2>
<ul>
${SURFACES.map(({ name, what }) => html`<li><code>/api/${name}</code>: ${what}</li>`)}
</ul>
</section>
<section>
<h2>For customers</h2>
${
  demoSiteId
    ? html`<ul>
<li><a href="/account?site_id=${demoSiteId}">Your account</a> at the demo shop</li>
<li><a href="/agent-consent?site_id=${demoSiteId}">Enter the code of an agent</a></li>
</ul>`
    : html`<p>Your account has a page of its own for each shop. Please follow the link of your shop.</p>`
}
</section>
</div>`;
}

import sql from 'sql-template-tag';
import { languageCode } from '../language/locales.ts';
import { ShopError } from '../shop/errors.ts';
import { findTenant } from '../shop/in-shop.ts';
import { legalLink } from '../shop/links.ts';
import { LEGAL_KINDS, type LegalKind, textIn } from '../shop/merchant/legal-texts.ts';
import { type CustomerVisit, recognize } from './parts/customer-visit.ts';
import { page } from './parts/document.ts';
import { html, sanitizedHtml } from './parts/html.ts';
import type { PageRequest, PageRoute } from './parts/route.ts';
import { count, inShopOfVisit } from './parts/visit.ts';

interface LegalVisit extends CustomerVisit {
  kind: LegalKind;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The legal texts that the shop keeps in its settings. */
export const legalPage: PageRoute<LegalVisit> = {
  path: ['/legal/:kind', '/sites/:site_id/legal/:kind'],
  where: 'legal',
  arrive,
  formOf: ({ kind }) => `legal ${kind}`,
  show: async (visit) => {
    await count(visit, 'storefront.getShop');
    const { front, kind, language } = visit;
    const stored = await inShopOfVisit(visit, (shop) =>
      shop.one<{ legal_texts: Partial<Record<string, string>> }>(
        sql`select legal_texts from site_settings where site_id = ${shop.siteId}`,
      ),
    );
    const preferred = [languageCode(language.locale), languageCode(front.default_locale)];
    const text = textIn(stored?.legal_texts ?? {}, kind, preferred);
    if (!text) throw leadsNowhere();
    const title = language.say(`page.${kind}`);
    const main = html`<section class="legal-text">
<h1>${title}</h1>
<div lang="${text.language}">${sanitizedHtml(text.html)}</div>
</section>`;
    return { status: 200, html: page({ language, title, front, where: 'legal', main }) };
  },
  post: async ({ path }) => ({ redirect: path }),
  notices: {},
};

async function arrive(request: PageRequest): Promise<LegalVisit> {
  const { db, hosts, req } = request;
  const site_id = String(req.params.site_id ?? hosts.siteAt(req) ?? '').toLowerCase();
  const kind = LEGAL_KINDS.find((one) => one === req.params.kind);
  const tenant = kind && UUID.test(site_id) ? await findTenant(db, site_id) : undefined;
  if (!kind || !tenant) throw leadsNowhere();
  return { ...request, tenant, ...(await recognize(request, tenant)), kind, path: legalLink('', site_id, kind) };
}

function leadsNowhere(): ShopError {
  return new ShopError('not_found', 'There is no such text.');
}

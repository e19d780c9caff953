import { LEGAL_TEXTS, legalPath } from '../demo/legal.ts';
import { languageFor } from '../language/language.ts';
import { chooseLocale, languageCode } from '../language/locales.ts';
import { ShopError } from '../shop/errors.ts';
import { findTenant, promiseNoChange } from '../shop/in-shop.ts';
import { type Front, readFront } from '../shop/merchant/front.ts';
import { LEGAL_KINDS, type LegalKind } from '../shop/merchant/legal-texts.ts';
import type { Tenant } from '../shop/shop.ts';
import { page } from './parts/document.ts';
import { html } from './parts/html.ts';
import type { PageRequest, PageRoute } from './parts/route.ts';

interface LegalVisit extends PageRequest {
  tenant: Tenant;
  front: Front;
  kind: LegalKind;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The demo shop's legal pages. Shown only for a shop whose settings link to them. */
export const demoLegalPage: PageRoute<LegalVisit> = {
  path: '/demo-shop/:site_id/:kind',
  where: 'legal',
  async arrive(request) {
    const site_id = String(request.req.params.site_id);
    const kind = LEGAL_KINDS.find((one) => one === request.req.params.kind);
    const tenant = kind && UUID.test(site_id) ? await findTenant(request.db, site_id) : undefined;
    if (!kind || !tenant) throw leadsNowhere();
    const front = await request.deadline.inShop(
      request.db,
      tenant,
      { type: 'storefront', id: site_id, customer_id: null },
      async (shop) => {
        await promiseNoChange(shop);
        return readFront(shop);
      },
    );
    if (!front.legal[`${kind}_url`]?.endsWith(legalPath(site_id, kind))) throw leadsNowhere();
    const locale = chooseLocale(request.req, null, front.default_locale);
    return { ...request, tenant, front, kind, language: languageFor(locale, front.time_zone) };
  },
  formOf: ({ kind }) => `demo ${kind}`,
  show: async ({ front, kind, language }) => {
    const title = language.say(`page.${kind}`);
    const main = html`<section class="notice">
<h1>${title}</h1>
${LEGAL_TEXTS[languageCode(language.locale)][kind].map((text) => html`<p>${text}</p>`)}
</section>`;
    return { status: 200, html: page({ language, title, front, where: 'legal', main }) };
  },
  post: async ({ tenant, kind }) => ({ redirect: legalPath(tenant.site_id, kind) }),
  notices: {},
};

function leadsNowhere(): ShopError {
  return new ShopError('not_found', 'There is no such page.');
}

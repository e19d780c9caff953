import type { SiteInput } from '@commerce-backend/spec/operator';
import type { OperatorHandlers } from '../http/operators/operator-handler.ts';
import { SiteExport } from '../http/operators/site-export.ts';
import { bodyMistake, ShopError, ValidationError } from '../shop/errors.ts';
import { addDomain, type Domain, listDomains, readHost, removeDomain } from '../shop/merchant/domains.ts';
import { inventedEmail, type Opening, openShop, usualSettings } from '../shop/merchant/opening.ts';
import * as siteList from '../shop/merchant/site-list.ts';
import { usualCountry } from '../shop/merchant/usual-taxes.ts';
import * as limits from '../shop/site-limits.ts';
import { BACKUPS_REMAIN, requestDeletion } from '../shop/sites/deletion.ts';
import { markMoved } from '../shop/sites/moving.ts';
import { cancelDeletion, resumeSite, suspendSite } from '../shop/sites/state.ts';
import { usageOf } from '../shop/usage.ts';

export const handlers: OperatorHandlers = {
  listSites: ({ connection, card, query }) => siteList.pageOfSites(connection, card, query),
  createSite: async ({ connection, baseUrl, card, mistakesInRow, body, password }) => {
    const opening = openingOf(body);
    const opened = await openShop(
      connection,
      { ...opening, password: password() },
      { baseUrl, card, mistakesInRow, refusedAt: inBody },
    );
    const { credentials, can_sell, missing } = opened;
    const setup = { can_sell, missing: missing.map(({ code }) => code) };
    return { base_url: baseUrl, panel_url: `${baseUrl}/panel`, ...credentials, setup };
  },
  getSite: async ({ site, card }) => {
    const own = await limits.limitsOf(site());
    const told = limits.toldLimits(own).filter(({ name }) => name in own);
    return { ...(await siteList.siteDetails(site(), card)), limits: told };
  },
  exportSite: async ({ site }) => new SiteExport(site().siteId),
  suspendSite: ({ connection, asOwner, site, body }) =>
    asOwner(() => suspendSite(connection.client, site().siteId, body.reason ?? null)),
  resumeSite: ({ connection, asOwner, site, query: { not_imported = false } }) =>
    asOwner(() => resumeSite(connection.client, site().siteId, { notImported: not_imported })),
  moveSite: ({ connection, asOwner, site }) => asOwner(() => markMoved(connection.client, site().siteId)),
  deleteSite: ({ connection, asOwner, site, query: { now = false, force = false } }) =>
    asOwner(async () => ({
      ...(await requestDeletion(connection.client, site().siteId, { now, force })),
      notice: BACKUPS_REMAIN,
    })),
  cancelDeletion: ({ connection, asOwner, site }) => asOwner(() => cancelDeletion(connection.client, site().siteId)),
  getUsage: async ({ site, query: { months = 12 } }) => ({ usage: await usageOf(site(), months) }),
  listDomains: async ({ connection, asOwner, site }) => ({
    domains: told(await asOwner(() => listDomains(connection.client, site().siteId))),
  }),
  addDomain: ({ connection, asOwner, site, baseUrl, body }) => {
    const { siteId } = site();
    const host = readHost(body.host, baseUrl);
    return asOwner(async () => {
      await addDomain(connection.client, { host, site_id: siteId, is_primary: body.is_primary ?? false });
      return { domains: told(await listDomains(connection.client, siteId)) };
    });
  },
  removeDomain: ({ connection, asOwner, site, path }) =>
    asOwner(async () => {
      await removeDomain(connection.client, site().siteId, path.host.toLowerCase());
      return { domains: told(await listDomains(connection.client, site().siteId)) };
    }),
  getLimits: async ({ site }) => ({ limits: limits.toldLimits(await limits.limitsOf(site())) }),
  putLimits: async ({ site, body }) => ({ limits: limits.toldLimits(await limits.replaceLimits(site(), body.limits)) }),
};

function told(domains: Domain[]) {
  return domains.map(({ host, is_primary }) => ({ host, is_primary }));
}

/** Adds the usual values of the country for missing fields. */
function openingOf(given: SiteInput): Omit<Opening, 'password'> {
  const { name, country, staff, shipping_options = [], products = [] } = given;
  const currency = given.currency ?? (country && usualCountry(country)?.currency);
  if (!currency) throw new ValidationError([bodyMistake(['currency'], 'missing', 'Field required.')]);
  return {
    ...{ name, currency, shipping_options, products },
    staff: { email: staff?.email ?? inventedEmail(name), name: staff?.name ?? `${name} (owner)`.slice(0, 255) },
    settings: { ...(country && usualSettings(country, { shipping_options })), ...given.settings },
  };
}

/** Adds the place in the request body to an error. */
function inBody(place: string, error: unknown): unknown {
  const at = place.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  if (error instanceof ValidationError) {
    return new ValidationError(error.detail.map((one) => ({ ...one, loc: ['body', ...at, ...one.loc.slice(1)] })));
  }
  const isTold = error instanceof ShopError || place.startsWith('products.');
  return isTold ? new ValidationError([bodyMistake(at, 'value_error', (error as Error).message)]) : error;
}

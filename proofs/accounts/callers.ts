import type { Operation } from '../../server/src/http/contract/contract.ts';
import { KEY_SCOPES } from '../../server/test/key-scopes.ts';
import type { Call } from '../testing/raw-requests.ts';
import { headerOf, type Tenant } from '../testing/tenant.ts';
import { SCOPES_OF, scopeOf, scopesOfGrant } from './permissions.ts';

/** A caller with its credentials. For a new kind of caller, add a line to `principalsOf`. */
export interface Principal {
  name: string;
  /** The security schemes of the credentials in the headers. */
  schemes: string[];
  scopes: string[];
  headers: Call['headers'];
  /** The customer's id; null for all other callers. */
  customer_id: string | null;
}

const SHOP_SCOPES = ['catalog:read', 'cart:write', 'checkout:create', 'customer:auth'];
const CUSTOMER_SCOPES = ['customer:self', 'orders:read', 'addresses:write'];

export interface Shopper {
  id: string;
  token: string;
}

/**
 * Returns the kinds of callers of a tenant: a caller without credentials, the storefront, staff, API keys, sync keys
 * and these customers. Agents are left out.
 */
export function principalsOf(tenant: Tenant, shoppers: Shopper[]): Principal[] {
  const { StaffSession, ApiKey, StorefrontToken, SyncSecret } = tenant.secrets;
  const site = { 'X-Site-ID': tenant.site_id };
  const shop = { ...site, ...headersOf(['StorefrontToken', StorefrontToken]) };
  const one = (name: string, schemes: string[], scopes: string[], headers: Call['headers']) =>
    ({ name, schemes, scopes, headers, customer_id: null }) satisfies Principal;
  return [
    one('nobody', [], [], {}),
    one('the storefront token alone', ['SiteId', 'StorefrontToken'], SHOP_SCOPES, shop),
    one('the storefront token without its site', ['StorefrontToken'], SHOP_SCOPES, without(shop, 'X-Site-ID')),
    one('staff', ['StaffSession'], SCOPES_OF.owner, headersOf(['StaffSession', StaffSession])),
    one('a key that reads', ['ApiKey'], scopesOfGrant(['read']), headersOf(['ApiKey', tenant.readOnlyKey])),
    one('a key that writes', ['ApiKey'], scopesOfGrant(KEY_SCOPES), headersOf(['ApiKey', ApiKey])),
    one('a sync key', ['SiteId', 'SyncSecret'], ['read', 'write', 'catalog:write'], {
      ...site,
      ...headersOf(['SyncSecret', SyncSecret]),
    }),
    ...shoppers.map(({ id, token }, index) => ({
      name: `customer ${index + 1}`,
      schemes: ['SiteId', 'StorefrontToken', 'CustomerToken'],
      scopes: [...SHOP_SCOPES, ...CUSTOMER_SCOPES],
      headers: { ...shop, ...headersOf(['CustomerToken', token]) },
      customer_id: id,
    })),
  ];
}

/**
 * Whether this caller may call the operation. The scopes of the dashboard come from permissions.ts, those of other APIs
 * from the contract.
 */
export function mayCall({ schemes, scopes }: Principal, { surface, name, security, ...declared }: Operation): boolean {
  if (security.length === 0) return true;
  const scope = surface === 'dashboard' ? scopeOf(name) : declared.scope;
  const opens = security.some((alternative) => alternative.every((scheme) => schemes.includes(scheme)));
  return opens && (scope === undefined || scopes.includes(scope));
}

function headersOf(credential: Parameters<typeof headerOf>): Call['headers'] {
  return Object.fromEntries([headerOf(...credential)]);
}

function without(headers: Call['headers'], name: string): Call['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

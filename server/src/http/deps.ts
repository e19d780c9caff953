import type { Pool } from 'pg';
import type { Standbys } from '../db/standby.ts';
import type { Egress } from '../egress/post.ts';
import type { AuditKey } from '../shop/audit/keys.ts';
import type { PaymentAccounts } from '../shop/payments/accounts/providers.ts';
import type { CheckoutDeps } from '../shop/payments/deps.ts';
import type { PaymentProvider } from '../shop/payments/provider.ts';
import type { UsageCounter } from '../shop/usage.ts';
import type { Caller } from './callers/caller.ts';
import type { LastUsed } from './callers/last-used.ts';
import type { SharedLookUps } from './callers/shared-look-ups.ts';
import type { SiteHosts } from './callers/site-hosts.ts';
import type { Surface } from './contract/contract.ts';
import type { CatalogueCache } from './pipeline/cache.ts';
import type { Deadlines } from './pipeline/deadline.ts';
import type { AnyHandler } from './pipeline/handler.ts';
import type { Incoming } from './pipeline/incoming.ts';
import type { Limits } from './pipeline/limits.ts';
import { RequestOrigin } from './pipeline/origin.ts';
import type { Readiness } from './pipeline/readiness.ts';
import type { Load } from './pipeline/shedding.ts';

/** Dependencies of `handle`. */
export interface Deps {
  db: Pool;
  pooling: 'session' | 'transaction';
  baseUrl: string;
  secretKey: string;
  /** Signs audit rows. */
  auditKey: AuditKey;
  hosts: SiteHosts;
  /** The provider in the server's configuration; undefined if there is none. */
  card: PaymentProvider | undefined;
  /** The payment provider accounts of all sites. */
  accounts: PaymentAccounts;
  /** Sends HTTP requests to URLs that tenants or callers choose, such as webhooks and profiles of UCP platforms. */
  egress: Egress;
  limits: Limits;
  cache: CatalogueCache;
  /** Undefined means that the primary serves every read. */
  standbys: Standbys | undefined;
  lastUsed: LastUsed;
  lookUps: SharedLookUps;
  usage: UsageCounter;
  load: Load;
  readiness: Readiness;
  deadlines: Deadlines;
  validateResponses: boolean;
  /** The handlers of each API, loaded on first use. */
  surfaces: Surfaces;
}

export type Surfaces = Record<Surface, () => Promise<Record<string, AnyHandler>>>;

/** The parts of `Call` that do not depend on the operation. */
export function callPartsOf(deps: Deps, { request, received }: Incoming, { buyer_ip }: Caller) {
  const { baseUrl, egress, hosts, secretKey, card, accounts } = deps;
  const checkoutDeps: CheckoutDeps = { baseUrl, hosts, secretKey, card, accounts };
  const origin = new RequestOrigin(request, buyer_ip, baseUrl);
  const { params: path, query, body } = received;
  return { baseUrl, egress, checkoutDeps, origin, path, query, body };
}

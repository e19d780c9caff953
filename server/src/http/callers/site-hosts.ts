import type { IncomingMessage } from 'node:http';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { addressOfHost, type ShopAddresses } from '../../shop/links.ts';
import { DOMAINS_READ_EVERY_SECONDS, readDomains, readFingerprint } from '../../shop/merchant/domains.ts';

/**
 * Maps the `Host` header, which a proxy must pass on, to a site. The hosts of all sites are kept in memory and read
 * again every few seconds, so requests do not query them. The configured host and unknown hosts belong to no site. The
 * host can restrict the access of a credential, but never extends it.
 */
export interface SiteHosts extends ShopAddresses {
  /** Whether the request was sent to the configured host. */
  isConfigured(request: Named): boolean;
  /** The site of the request's host; undefined if no site has that host. */
  siteAt(request: Named): string | undefined;
  /** The origin that the browser uses: the origin of the site's host, otherwise the configured one. */
  originAt(request: Named): string;
  /**
   * Whether the hosts were read at least once. Before that, requests at a shop's host are handled like those at the
   * configured host.
   */
  isRead(): boolean;
  /** Reads the hosts again now. */
  reload(): Promise<void>;
  stop(): void;
}

type Named = Pick<IncomingMessage, 'headers'>;

export interface SiteHostsOptions {
  /** A separate pool, because all connections of the pool for requests may be in use. */
  db: Pool;
  baseUrl: string;
  logger: Logger;
  everySeconds?: number;
}

export async function openSiteHosts(options: SiteHostsOptions): Promise<SiteHosts> {
  const { db, baseUrl, logger, everySeconds = DOMAINS_READ_EVERY_SECONDS } = options;
  const own = new URL(baseUrl);
  let known = indexOf([]);
  let fingerprintRead: string | undefined;
  const read = async () => {
    const fingerprint = await readFingerprint(db);
    if (fingerprint === fingerprintRead) return;
    known = indexOf(await readDomains(db));
    fingerprintRead = fingerprint;
  };
  // Reads run one after another, so that an older result never replaces a newer one.
  let last: Promise<void> = read();
  const reload = () => {
    last = last.then(read, read);
    return last;
  };
  // If the database is unavailable, the last known hosts stay in use.
  const report = reportChanges(logger);
  await report(last);
  const timer = setInterval(() => report(reload()), everySeconds * 1_000).unref();
  const siteAt = ({ headers }: Named) => {
    const host = hostIn(headers.host);
    return host === undefined || host === own.hostname ? undefined : known.sites.get(host);
  };
  return {
    // Does not use `hostIn`, because the configured host may have no dot, such as `localhost`.
    isConfigured: ({ headers }) => headers.host?.replace(/:\d{1,5}$/, '').toLowerCase() === own.hostname,
    siteAt,
    originAt: (request) => (siteAt(request) ? addressOfHost(baseUrl, hostIn(request.headers.host)) : own.origin),
    addressOf: (site_id) => addressOfHost(baseUrl, known.primary.get(site_id)),
    originsOf: (site_id) => (known.hosts.get(site_id) ?? []).map((host) => addressOfHost(baseUrl, host)),
    isRead: () => fingerprintRead !== undefined,
    reload,
    stop: () => clearInterval(timer),
  };
}

/** Logs only when reads start to fail or succeed again, not every failure. */
function reportChanges(logger: Logger) {
  let isFailing = false;
  return async (reading: Promise<void>): Promise<void> => {
    try {
      await reading;
      if (isFailing) logger.info('the hosts of the sites can be read again');
      isFailing = false;
    } catch (err) {
      if (!isFailing) logger.warn({ err }, 'the hosts of the sites cannot be read, and stay unchanged');
      isFailing = true;
    }
  };
}

function indexOf(domains: Awaited<ReturnType<typeof readDomains>>) {
  const sites = new Map<string, string>();
  const primary = new Map<string, string>();
  const hosts = new Map<string, string[]>();
  for (const { host, site_id, is_primary } of domains) {
    sites.set(host, site_id);
    if (is_primary) primary.set(site_id, host);
    hosts.set(site_id, [...(hosts.get(site_id) ?? []), host]);
  }
  return { sites, primary, hosts };
}

const HOST = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d{1,5})?$/i;

/** Normalizes a `Host` header. Hosts with a trailing dot, IPv6 addresses and non-ASCII hosts belong to no site. */
function hostIn(header: string | undefined): string | undefined {
  return HOST.exec(header ?? '')?.[1]?.toLowerCase();
}

import type { IncomingMessage } from 'node:http';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { addressOfHost, type ShopAddresses } from '../../shop/links.ts';
import { DOMAINS_READ_EVERY_SECONDS, readDomains, readFingerprint } from '../../shop/merchant/domains.ts';

/**
 * Maps the `Host` header of a request, which a proxy has to pass on, to a site. All hosts of all sites are kept in this
 * process and read again every few seconds, so that no request queries them. The configured host and unknown hosts
 * belong to no site. A host is not a credential: it restricts the reach of a request, and never extends it.
 */
export interface SiteHosts extends ShopAddresses {
  /** Whether a request has the configured host. */
  isConfigured(request: Named): boolean;
  /** The site of the request's host; undefined if it belongs to none. */
  siteAt(request: Named): string | undefined;
  /** The server's origin as a browser sees it: that of the site's host, or else the configured one. */
  originAt(request: Named): string;
  /** Whether the hosts have been read. Until then a shop's host counts as the configured one. */
  isRead(): boolean;
  /** Reads the hosts now. */
  reload(): Promise<void>;
  stop(): void;
}

type Named = Pick<IncomingMessage, 'headers'>;

export interface SiteHostsOptions {
  /** A separate pool, because the connections for requests may all be in use. */
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
  // One read after the other, because an older result must not replace a newer one.
  let last: Promise<void> = read();
  const reload = () => {
    last = last.then(read, read);
    return last;
  };
  // While the database does not answer, the hosts stay unchanged.
  const report = reportChanges(logger);
  await report(last);
  const timer = setInterval(() => report(reload()), everySeconds * 1_000).unref();
  const siteAt = ({ headers }: Named) => {
    const host = hostIn(headers.host);
    return host === undefined || host === own.hostname ? undefined : known.sites.get(host);
  };
  return {
    // A name without a dot, such as `localhost`, belongs to no site.
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

/** Logs when reading starts to fail and when it works again, not each time. */
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

/** The host in a `Host` header. Names with a trailing dot, IPv6 addresses and non-ASCII names belong to no site. */
function hostIn(header: string | undefined): string | undefined {
  return HOST.exec(header ?? '')?.[1]?.toLowerCase();
}

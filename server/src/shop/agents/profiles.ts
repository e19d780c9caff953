import type { JsonWebKey } from 'node:crypto';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';

/** A cached profile of an agent, with the protocol versions that it supports. */
export interface AgentProfile
  extends RowOf<'agent_profiles', 'id' | 'url' | 'host' | 'version' | 'webhook_url' | 'webhook_refused'> {
  /** Versions by capability name. */
  capabilities: Record<string, string[]>;
  /** Public keys that may sign requests. */
  keys: JsonWebKey[];
  /** Whether the profile was fetched more than a minute ago, so that it may have a new key. */
  is_refreshable: boolean;
}

export interface FetchedProfile extends Omit<AgentProfile, 'id' | 'is_refreshable'> {
  keep_seconds: number;
}

const COLUMNS = sql`id, url, host, version, capabilities, webhook_url, webhook_refused, coalesce(keys, '[]') as keys,
  fetched_at <= now() - interval '1 minute' as is_refreshable`;

/**
 * Finds the cached profile of a URL. Returns undefined if it must be fetched again, for example because an older
 * release stored it.
 */
export function findProfile(shop: Shop, url: string): Promise<AgentProfile | undefined> {
  return shop.one<AgentProfile>(
    sql`select ${COLUMNS} from agent_profiles
      where site_id = ${shop.siteId} and url = ${url} and expires_at > now() and keys is not null`,
  );
}

/** Stores a profile. A known profile keeps its id, because the audit refers to it. */
export async function keepProfile(shop: Shop, profile: FetchedProfile): Promise<AgentProfile> {
  const { url, host, version, capabilities, webhook_url, webhook_refused, keys, keep_seconds } = profile;
  const kept = await shop.one<AgentProfile>(
    sql`insert into agent_profiles as p (site_id, id, url, host, version, capabilities, webhook_url, webhook_refused, keys,
        expires_at)
      values (${shop.siteId}, ${uuidv7()}, ${url}, ${host}, ${version}, ${JSON.stringify(capabilities)}::jsonb,
        ${webhook_url}, ${webhook_refused}, ${JSON.stringify(keys)}::jsonb, now() + make_interval(secs => ${keep_seconds}))
      on conflict on constraint one_profile_per_url do update set version = excluded.version,
        capabilities = excluded.capabilities, webhook_url = excluded.webhook_url,
        webhook_refused = excluded.webhook_refused, keys = excluded.keys, fetched_at = now(), expires_at = excluded.expires_at
      returning ${COLUMNS}`,
  );
  if (!kept) throw new Error('The agent profile was not stored.');
  return kept;
}

/**
 * Records that a platform began a checkout over UCP, so that the platform gets the events of the order. Anybody can
 * name the profile of another platform, so the request must have the platform's signature or a token that was granted
 * to a UCP platform. Otherwise, or if another platform began the checkout, records nothing and returns false.
 */
export async function namePlatform(
  shop: Shop,
  checkout_id: string,
  { platform_id, isSigned }: { platform_id: string; isSigned: boolean },
): Promise<boolean> {
  const named = await shop.run(
    sql`update checkouts k set platform_id = ${platform_id}
      where k.site_id = ${shop.siteId} and k.id = ${checkout_id} and coalesce(k.platform_id, ${platform_id}) = ${platform_id}
        and (${isSigned} or exists (select from carts c
          join agent_tokens t on t.site_id = c.site_id and t.id = c.agent_token_id
          join tokens s on s.site_id = t.site_id and s.id = t.id
          where c.site_id = k.site_id and c.id = k.cart_id and s.platform_host is not null))`,
  );
  return named > 0;
}

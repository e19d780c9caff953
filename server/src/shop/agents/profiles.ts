import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';

/** A cached profile of an agent, with the protocol versions that it supports. */
export interface AgentProfile
  extends RowOf<'agent_profiles', 'id' | 'host' | 'version' | 'webhook_url' | 'webhook_refused'> {
  /** Versions by capability name. */
  capabilities: Record<string, string[]>;
}

export interface FetchedProfile extends Omit<AgentProfile, 'id'> {
  url: string;
  keep_seconds: number;
}

const COLUMNS = sql`id, host, version, capabilities, webhook_url, webhook_refused`;

/** Finds the cached profile of a URL, unless it must be fetched again. */
export function findProfile(shop: Shop, url: string): Promise<AgentProfile | undefined> {
  return shop.one<AgentProfile>(
    sql`select ${COLUMNS} from agent_profiles
      where site_id = ${shop.siteId} and url = ${url} and expires_at > now()`,
  );
}

/** Stores a profile. A known profile keeps its id, because the audit refers to it. */
export async function keepProfile(shop: Shop, profile: FetchedProfile): Promise<AgentProfile> {
  const { url, host, version, capabilities, webhook_url, webhook_refused, keep_seconds } = profile;
  const kept = await shop.one<AgentProfile>(
    sql`insert into agent_profiles as p (site_id, id, url, host, version, capabilities, webhook_url, webhook_refused,
        expires_at)
      values (${shop.siteId}, ${uuidv7()}, ${url}, ${host}, ${version}, ${JSON.stringify(capabilities)}::jsonb,
        ${webhook_url}, ${webhook_refused}, now() + make_interval(secs => ${keep_seconds}))
      on conflict on constraint one_profile_per_url do update set version = excluded.version,
        capabilities = excluded.capabilities, webhook_url = excluded.webhook_url,
        webhook_refused = excluded.webhook_refused, fetched_at = now(), expires_at = excluded.expires_at
      returning ${COLUMNS}`,
  );
  if (!kept) throw new Error('The agent profile was not stored.');
  return kept;
}

/** Records that a platform began a checkout over UCP, so that it gets the events of the order. */
export async function namePlatform(shop: Shop, checkout_id: string, platform_id: string): Promise<void> {
  await shop.run(
    sql`update checkouts set platform_id = ${platform_id}
      where site_id = ${shop.siteId} and id = ${checkout_id} and platform_id is null`,
  );
}

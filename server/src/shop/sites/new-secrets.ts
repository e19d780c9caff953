import type pg from 'pg';
import { hashToken, mintToken, type TokenKind, visiblePrefix } from '../tokens.ts';
import { hashSecret, mintSecret, seal } from '../webhooks/secrets.ts';
import { staged } from './staging.ts';

/** A new secret for an imported credential. It is returned only once. */
export interface NewSecret {
  id: string;
  description: string;
  secret: string;
}

export interface NewSecrets {
  storefront_tokens: NewSecret[];
  api_keys: NewSecret[];
  sync_keys: NewSecret[];
  webhooks: { id: string; url: string; secret: string }[];
}

/** SQL for the hash of a random value, so that no token matches it. */
const NOBODYS_HASH = `sha256(gen_random_uuid()::text::bytea)`;

/**
 * Creates new secrets for imported credentials that are active, and disables the others. Agents cannot receive new
 * secrets, so customers must approve them again.
 */
export async function makeSecrets(client: pg.ClientBase, secretKey: string): Promise<NewSecrets> {
  const { rows } = await client.query<{ id: string; kind: TokenKind; description: string }>(
    `select id, kind, description from ${staged('tokens')}
      where kind <> 'agent' and revoked_at is null and (expires_at is null or expires_at > now())
      order by created_at, id`,
  );
  const made = rows.map((row) => ({ ...row, secret: mintToken(row.kind) }));
  await client.query(
    `update ${staged('tokens')} t set token_hash = m.hash, secret_prefix = m.prefix, last_used_at = null
      from unnest($1::uuid[], $2::bytea[], $3::text[]) as m (id, hash, prefix) where t.id = m.id`,
    [
      made.map(({ id }) => id),
      made.map(({ secret }) => hashToken(secret)),
      made.map(({ secret }) => visiblePrefix(secret)),
    ],
  );
  await client.query(`update ${staged('tokens')} set token_hash = ${NOBODYS_HASH} where token_hash is null`);
  await client.query(`update ${staged('files')} set token_hash = ${NOBODYS_HASH}`);
  await endAgents(client);
  const of = (kind: TokenKind) =>
    made.filter((one) => one.kind === kind).map(({ id, description, secret }) => ({ id, description, secret }));
  return {
    ...{ storefront_tokens: of('storefront'), api_keys: of('api_key'), sync_keys: of('sync') },
    webhooks: await makeWebhookSecrets(client, secretKey),
  };
}

async function endAgents(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `update ${staged('tokens')} set revoked_at = now() where kind = 'agent' and revoked_at is null returning id`,
  );
  await client.query(`update ${staged('agent_tokens')} set revoked_by = 'system' where id = any($1::uuid[])`, [
    rows.map(({ id }) => id),
  ]);
}

async function makeWebhookSecrets(client: pg.ClientBase, secretKey: string): Promise<NewSecrets['webhooks']> {
  const { rows } = await client.query<{ id: string; url: string }>(
    `select id, url from ${staged('webhooks')} order by created_at, id`,
  );
  const made = rows.map((row) => ({ ...row, secret: mintSecret() }));
  for (const { id, secret } of made) {
    await client.query(`update ${staged('webhooks')} set secret = $2, secret_hash = $3 where id = $1`, [
      id,
      seal(secretKey, id, secret),
      hashSecret(secret),
    ]);
  }
  return made;
}

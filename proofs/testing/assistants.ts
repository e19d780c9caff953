import { randomBytes, randomUUID } from 'node:crypto';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import type { Ids, Tenant, World } from './tenant.ts';

const REDIRECT_URI = 'https://assistant.example/callback';

/** The client registered at each server. */
const clients = new Map<string, Promise<string>>();

/** Opens the authorization endpoint. Returns the `request` parameter in the URL of the panel's page. */
export async function assistantRequest({ baseUrl }: Pick<World, 'baseUrl'>): Promise<string> {
  const client = clients.get(baseUrl) ?? register(baseUrl);
  clients.set(baseUrl, client);
  const asked = new URLSearchParams({
    client_id: await client,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge_method: 'S256',
    code_challenge: randomBytes(32).toString('base64url'),
  });
  const { headers } = await fetch(`${baseUrl}/merchant/oauth/authorize?${asked}`, { redirect: 'manual' });
  return new URL(headers.get('Location') ?? '').searchParams.get('request') ?? '';
}

async function register(baseUrl: string): Promise<string> {
  const body = JSON.stringify({ client_name: 'Assistant', redirect_uris: [REDIRECT_URI] });
  const answer = await fetch(`${baseUrl}/merchant/oauth/register`, { method: 'POST', body });
  return ((await answer.json()) as { client_id: string }).client_id;
}

/**
 * Inserts an assistant of the tenant's first staff member. First deletes the shop's assistants that are not in the
 * tenant's ids, because a member has at most 20.
 */
export async function makeAssistant({ owner }: World, { site_id, staff, ids }: Tenant): Promise<Partial<Ids>> {
  const id = randomUUID();
  await owner.query('delete from commerce.assistants where site_id = $1 and not id = any($2)', [
    site_id,
    ids.assistant,
  ]);
  await owner.query(
    `insert into commerce.assistants (site_id, id, staff_id, client_name, client_hash, redirect_uri, code_challenge,
       code_hash, code_expires_at, scopes, token_hash, expires_at)
     select $1, $2, id, 'Assistant', $3, $4, '', $3, now(), '{orders:read}', $3, now() + interval '1 day'
     from commerce.staff where email = $5`,
    [site_id, id, hashToken(mintToken('assistant')), REDIRECT_URI, staff[0]?.email],
  );
  return { assistant: [id] };
}

/**
 * Inserts an assistant's pending request to change the staff member's own notifications. The change has no other
 * effect.
 */
export async function makeAssistantAction({ owner }: World, { site_id, ids }: Tenant): Promise<Partial<Ids>> {
  const id = randomUUID();
  await owner.query(
    `insert into commerce.assistant_actions (site_id, id, assistant_id, staff_id, operation, request, before, expires_at)
     select site_id, $2, id, staff_id, 'dashboard.updateNotifications', '{"path": {}, "body": {"new_order": false}}', '{}',
       now() + interval '1 day' from commerce.assistants where site_id = $1 and id = $3`,
    [site_id, id, ids.assistant[0]],
  );
  return { assistant_action: [id] };
}

import type pg from 'pg';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { hashToken, mintToken, type TokenKind } from '../../server/src/shop/tokens.ts';

const PASSWORD = 'a password of the recorded requests';

/**
 * Writes data that requests cannot create: the secrets of links in mails, unconfirmed accounts, staff of several roles,
 * and a failed delivery. Returns the secrets and the staff's password.
 */
export async function prepare(client: pg.Client, { site_id }: { site_id: string }): Promise<Record<string, unknown>> {
  const password_hash = await hashPassword(PASSWORD);
  const mail: Record<string, string> = { password: PASSWORD };
  const mint = (name: string, kind: TokenKind) => {
    mail[name] = mintToken(kind);
    return hashToken(mail[name]);
  };
  for (const name of ['registration', 'late_registration']) {
    const { rows } = await client.query<{ id: string }>(
      `insert into commerce.customer_registrations (site_id, id, email, password_hash, profile)
       values ($1, gen_random_uuid(), $2, $3, '{"first_name": "Rosa"}') returning id`,
      [site_id, `${name}@mail.example`, password_hash],
    );
    await client.query(
      `insert into commerce.customer_codes (site_id, token_hash, purpose, registration_id, email, expires_at)
       values ($1, $2, 'register', $3, $4, now() + $5::interval)`,
      [
        site_id,
        mint(name, 'verification'),
        rows[0]?.id,
        `${name}@mail.example`,
        name === 'registration' ? '1 day' : '-1 day',
      ],
    );
  }
  await client.query(
    `update commerce.customer_codes set token_hash = $2, used_at = null, expires_at = now() + interval '1 day'
     where site_id = $1 and purpose = 'reset_password' and email like 'ida.%'`,
    [site_id, mint('reset', 'reset')],
  );
  for (const role of ['manager', 'fulfilment', 'support', 'viewer', 'reset']) {
    const { rows } = await client.query<{ id: string }>(
      `insert into commerce.staff (id, email, name, password_hash) values (gen_random_uuid(), $1, $2, $3) returning id`,
      [`${role}@alder-finch.example`, `A ${role}`, password_hash],
    );
    await client.query('insert into commerce.staff_memberships (staff_id, site_id, role) values ($1, $2, $3)', [
      ...[rows[0]?.id, site_id, role === 'reset' ? 'viewer' : role],
    ]);
    if (role === 'reset') {
      await client.query(
        `insert into commerce.staff_resets (staff_id, token_hash, expires_at) values ($1, $2, now() + interval '1 day')`,
        [rows[0]?.id, mint('staff_reset', 'reset')],
      );
    }
  }
  await client.query(
    `insert into commerce.staff (id, email, name, password_hash)
     values (gen_random_uuid(), 'elsewhere@mail.example', 'Works elsewhere', $1)`,
    [password_hash],
  );
  for (const name of ['invitation', 'elsewhere']) {
    await client.query(
      `insert into commerce.staff_invitations (site_id, id, email, role, token_hash, invited_by, expires_at)
       select $1, gen_random_uuid(), $2, 'support', $3, staff_id, now() + interval '7 days'
       from commerce.staff_memberships where site_id = $1 and role = 'owner' limit 1`,
      [site_id, `${name}@mail.example`, mint(name, 'invitation')],
    );
  }
  await client.query(
    `with webhook as (
       insert into commerce.webhooks (site_id, id, url, events, secret, secret_hash)
       values ($1, gen_random_uuid(), 'https://gone.example/hooks', '{order.refunded}', '\\x00', '\\x00') returning id
     ), event as (
       insert into commerce.events (site_id, id, type, payload)
       values ($1, gen_random_uuid(), 'order.refunded', '{"type": "order.refunded"}') returning id
     )
     insert into commerce.webhook_deliveries (site_id, id, webhook_id, event_id, type, status, attempts_count, tries, next_attempt_at, completed_at)
     select $1, gen_random_uuid(), webhook.id, event.id, 'order.refunded', 'failed', 1, 1, null, now() from webhook, event`,
    [site_id],
  );
  return { mail };
}

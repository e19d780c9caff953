/**
 * Customers of a tenant. Accounts, codes and tokens are inserted directly into the database: otherwise accounts and
 * codes would need links from mails, and each login would hash a password, which is slow.
 */

import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import { mailedSecret } from './mails.ts';
import { callAs, type Ids, type Tenant, type World } from './tenant.ts';

export const CUSTOMER_PASSWORD = 'a password of the proofs';

let passwordHash: Promise<string> | undefined;

export interface Account {
  id: string;
  email: string;
}

/** Creates a customer who can log in with `CUSTOMER_PASSWORD`. */
export async function openAccount(
  { owner }: Pick<World, 'owner'>,
  { site_id, canary }: Pick<Tenant, 'site_id' | 'canary'>,
): Promise<Account> {
  passwordHash ??= hashPassword(CUSTOMER_PASSWORD);
  const account = { id: randomUUID(), email: `${canary}-${randomUUID().slice(0, 8)}@example.com` };
  await owner.query(
    `insert into commerce.customers (site_id, id, email, password_hash, email_verified_at, first_name, last_name, phone,
       note, metadata)
     values ($1, $2, $3, $4, now(), $5, $5, $5, $5, jsonb_build_object('known_as', $5::text))`,
    [site_id, account.id, account.email, await passwordHash, canary],
  );
  return account;
}

/** Opens a session for a customer and returns its token. */
export async function openCustomerSession(
  { owner }: Pick<World, 'owner'>,
  { site_id }: Pick<Tenant, 'site_id'>,
  customer_id: string,
): Promise<string> {
  const token = mintToken('customer');
  await owner.query(
    `insert into commerce.customer_tokens (site_id, id, session_id, customer_id, token_hash, expires_at, renewable_until)
     values ($1, $2, $3, $4, $5, now() + interval '60 minutes', now() + interval '30 days')`,
    [site_id, randomUUID(), randomUUID(), customer_id, hashToken(token)],
  );
  return token;
}

/** Creates a customer with an address and a session. */
export async function makeCustomer(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  const { id } = await openAccount(world, tenant);
  const token = await openCustomerSession(world, tenant, id);
  const address = (await callAs(world, asCustomer(tenant, token), 'storefront.createAddress', {
    ...addressOf(tenant),
    is_default: true,
  })) as { id: string };
  return { customer: [id], customer_token: [token], address: [address.id] };
}

/** Returns the tenant with the token of one of its customers. */
export function asCustomer(tenant: Tenant, token: string): Tenant {
  return { ...tenant, secrets: { ...tenant.secrets, CustomerToken: token } };
}

/** Returns the tenant without a customer token, for operations in which the token is optional. */
export function asGuest(tenant: Tenant): Tenant {
  return asCustomer(tenant, '');
}

export function addressOf({ canary }: Pick<Tenant, 'canary'>) {
  return {
    first_name: canary,
    last_name: canary,
    address1: `${canary} street 7`,
    city: canary,
    postal_code: '10115',
    country: 'DE',
  };
}

/** Creates a registration or a password reset. Returns the code that its mail would contain. */
export async function mailedCode(
  world: World,
  tenant: Tenant,
  purpose: 'register' | 'reset_password',
): Promise<string> {
  const registers = purpose === 'register';
  const email = `${tenant.canary}-${randomUUID().slice(0, 8)}@example.com`;
  const account = registers ? { id: null, email } : await openAccount(world, tenant);
  const registration_id = registers ? randomUUID() : null;
  if (registers) {
    passwordHash ??= hashPassword(CUSTOMER_PASSWORD);
    await world.owner.query(
      `insert into commerce.customer_registrations (site_id, id, email, password_hash, profile)
       values ($1, $2, $3, $4, jsonb_build_object('first_name', $5::text))`,
      [tenant.site_id, registration_id, email, await passwordHash, tenant.canary],
    );
  }
  const token = mintToken(registers ? 'verification' : 'reset');
  await world.owner.query(
    `insert into commerce.customer_codes (site_id, token_hash, purpose, customer_id, registration_id, email, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + interval '30 minutes')`,
    [tenant.site_id, hashToken(token), purpose, account.id, registration_id, account.email],
  );
  return token;
}

/** Adds ended sessions to the tenant's dead credentials, one for each way in which a session can end. */
export async function buryCustomers(world: World, tenant: Tenant): Promise<void> {
  for (const [why, end] of Object.entries(ENDS)) {
    const account = await openAccount(world, tenant);
    const secret = await openCustomerSession(world, tenant, account.id);
    await end(world, asCustomer(tenant, secret), account);
    tenant.dead.push({ kind: 'customer', why, secret });
  }
}

type End = (world: World, customer: Tenant, account: Account) => Promise<unknown>;

const timed =
  (times: string): End =>
  ({ owner }, { secrets }) =>
    owner.query(`update commerce.customer_tokens set ${times} where token_hash = $1`, [
      hashToken(secrets.CustomerToken),
    ]);

const ENDS: Record<string, End> = {
  expired: timed(`expires_at = now() - interval '1 second'`),
  'past the end of its session': timed(`renewable_until = now() - interval '1 second'`),
  'replaced and past its overlap': timed(
    `replaced_at = now() - interval '61 seconds', expires_at = now() - interval '1 second'`,
  ),
  'logged out': (world, customer) => callAs(world, customer, 'storefront.logoutCustomer'),
  'of a closed account': (world, customer) => callAs(world, customer, 'storefront.deleteCustomer'),
  'of an anonymised customer': (world, customer, { id }) =>
    callAs(world, customer, 'dashboard.anonymizeCustomer', undefined, { customer_id: id }),
  'of another e-mail': async (world, customer, { id, email }) => {
    await callAs(world, customer, 'dashboard.updateCustomer', { email: `former-${email}` }, { customer_id: id });
    const token = await mailedSecret(world, customer.site_id, `former-${email}`);
    return callAs(world, asGuest(customer), 'storefront.verifyEmail', { token });
  },
  'of another password': async (world, customer, { id }) => {
    const other = asCustomer(customer, await openCustomerSession(world, customer, id));
    const body = { current_password: CUSTOMER_PASSWORD, new_password: `${CUSTOMER_PASSWORD}, changed` };
    return callAs(world, other, 'storefront.changePassword', body);
  },
};

/**
 * Customer sessions. A session is one login with all its tokens. Creating a token locks the customer's row in share
 * mode, and ending a session locks it exclusively, so that no token is created for an ended session.
 */

import type { Customer, CustomerSession } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { queryAlone } from '../../db/transaction.ts';
import { foldEmail } from '../emails.ts';
import { ShopError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import { clearLoginFailures, customerAccount, takeLoginAttempt } from '../login-throttle.ts';
import { endUnlocks } from '../login-unlocks.ts';
import { fitsPassword } from '../passwords/passwords.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { hashToken, mintToken } from '../tokens.ts';
import { PROFILE } from './rows.ts';

const TOKEN_LIFE = '60 minutes';
const SESSION_LIFE = '30 days';
const OVERLAP = '60 seconds';
const FRESH = '15 minutes';

/** A customer whose password was correct, and the hash with which the password was compared. */
export interface VerifiedLogin {
  customer_id: string;
  password_hash: string;
}

/**
 * Verifies an e-mail address and password. Throws `invalid_credentials` after the same time for a wrong password, an
 * unknown address, an unverified address and an account without a password. Throws `rate_limited` after repeated
 * failures. Takes tens of milliseconds, so do not hold a database connection during the call.
 */
export async function verifyLogin(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { email, password, unlocks }: { email: string; password: string; unlocks: string[] },
) {
  const who = sql`email = ${foldEmail(email)} and email_verified_at is not null`;
  return verify(db, tenant, actor, { email: foldEmail(email), who, password, unlocks });
}

/** Verifies the password of a customer who is logged in. Throws `invalid_credentials` or `rate_limited`. */
export async function verifyAgain(db: Pool, tenant: Tenant, actor: Actor, password: string): Promise<VerifiedLogin> {
  const own = sql`id = ${actor.customer_id}`;
  const found = await inShop(db, tenant, actor, (shop) =>
    shop.one<RowOf<'customers', 'email'>>(sql`select email from customers where site_id = ${shop.siteId} and ${own}`),
  );
  return verify(db, tenant, actor, { email: found?.email ?? '', who: own, password, unlocks: [] });
}

interface Shown {
  email: string;
  who: Sql;
  password: string;
  unlocks: string[];
}

async function verify(db: Pool, tenant: Tenant, actor: Actor, { email, who, password, unlocks }: Shown) {
  const mail = { site_id: tenant.site_id, template: 'login_delayed', about: { email } } as const;
  const account = customerAccount(tenant.site_id, email);
  const counter = await takeLoginAttempt(db, { account, mail, unlocks });
  const found = await inShop(db, tenant, actor, (shop) =>
    shop.one<VerifiedLogin>(
      sql`select id as customer_id, password_hash from customers
        where site_id = ${shop.siteId} and ${who} and password_hash is not null`,
    ),
  );
  const fits = await fitsPassword(found?.password_hash, password);
  if (!found || !fits) throw invalidCredentials();
  await clearLoginFailures(db, counter);
  await endUnlocks(db, unlocks);
  return found;
}

/**
 * Creates a session for a verified login. Throws `invalid_credentials` if the password has changed since, or the e-mail
 * address is not verified.
 */
export async function openSession(shop: Shop, { customer_id, password_hash }: VerifiedLogin): Promise<CustomerSession> {
  const customer = await shop.one<Customer>(
    sql`select ${PROFILE} from customers
      where site_id = ${shop.siteId} and id = ${customer_id} and password_hash = ${password_hash}
        and email_verified_at is not null for share`,
  );
  if (!customer) throw invalidCredentials();
  const token = mintToken('customer');
  const made = await shop.one<TokenTimes>(
    sql`insert into customer_tokens (site_id, id, session_id, customer_id, token_hash, expires_at, renewable_until)
      values (${shop.siteId}, ${uuidv7()}, ${uuidv7()}, ${customer_id}, ${hashToken(token)},
        now() + ${TOKEN_LIFE}::interval, now() + ${SESSION_LIFE}::interval)
      returning expires_at, renewable_until`,
  );
  return sessionAnswer(shop, customer, token, made);
}

/**
 * Replaces a session's token with a new one. The new token is valid for 60 minutes within the session's 30 days, and
 * the old one for another 60 seconds. Throws `invalid_token` if the session has ended.
 */
export async function refresh(shop: Shop, token_id: string): Promise<CustomerSession> {
  const customer = await shop.one<Customer>(
    sql`select ${PROFILE} from customers where site_id = ${shop.siteId} and id = ${shop.customerId} for share`,
  );
  const token = mintToken('customer');
  const made = await shop.one<TokenTimes>(
    sql`with old as (
        update customer_tokens set replaced_at = coalesce(replaced_at, now()),
          expires_at = least(expires_at, now() + ${OVERLAP}::interval)
        where site_id = ${shop.siteId} and id = ${token_id} and revoked_at is null
          and least(expires_at, renewable_until) > now()
        returning session_id, customer_id, renewable_until
      )
      insert into customer_tokens (site_id, id, session_id, customer_id, token_hash, expires_at, renewable_until)
      select ${shop.siteId}, ${uuidv7()}, session_id, customer_id, ${hashToken(token)},
        least(now() + ${TOKEN_LIFE}::interval, renewable_until), renewable_until from old
      returning expires_at, renewable_until`,
  );
  if (!customer || !made) throw new ShopError('invalid_token', 'The session has ended. Log in again.');
  return sessionAnswer(shop, customer, token, made);
}

type TokenTimes = RowOf<'customer_tokens', 'expires_at' | 'renewable_until'>;

async function sessionAnswer(
  shop: Shop,
  customer: Customer,
  token: string,
  made?: TokenTimes,
): Promise<CustomerSession> {
  if (!made) throw new Error('The session was not written.');
  const cart = await shop.one<RowOf<'carts', 'id'>>(
    sql`select id from carts where site_id = ${shop.siteId} and customer_id = ${customer.id} and status = 'active'
      and agent_token_id is null
      and expires_at > now()`,
  );
  return { access_token: token, token_type: 'Bearer', ...made, customer, cart_id: cart?.id ?? null };
}

/** Whether a session began at most 15 minutes ago. Token renewals do not count. */
export async function isFresh(shop: Shop, session_id: string): Promise<boolean> {
  const found = await shop.one(
    sql`select from customer_tokens where site_id = ${shop.siteId} and customer_id = ${shop.customerId} and session_id = ${session_id}
      and renewable_until - ${SESSION_LIFE}::interval > now() - ${FRESH}::interval limit 1`,
  );
  return found !== undefined;
}

/** The session of a customer on the hosted pages, found by the token in its cookie. */
export interface PageSession {
  customer_id: string;
  session_id: string;
  token_id: string;
  email: string;
  first_name: string | null;
  locale: string | null;
  /** Whether the login is at most 15 minutes old. */
  fresh: boolean;
  /** Whether the login ends within 2 minutes unless it is extended. */
  ends_soon: boolean;
}

const PAGE_SESSION_LIFE = '12 hours';

/**
 * Returns the session of a page's cookie token; undefined if the token is no longer valid or the login is older than 12
 * hours.
 */
export async function findOnPage(shop: Shop, token: string): Promise<PageSession | undefined> {
  return shop.one<PageSession>(
    sql`select t.customer_id, t.session_id, t.id as token_id, c.email, c.first_name, c.locale,
        t.renewable_until - ${SESSION_LIFE}::interval > now() - ${FRESH}::interval as fresh,
        t.expires_at < now() + interval '2 minutes' as ends_soon
      from customer_tokens t join customers c on c.site_id = t.site_id and c.id = t.customer_id
      where t.site_id = ${shop.siteId} and t.token_hash = ${hashToken(token)} and t.revoked_at is null
        and least(t.expires_at, t.renewable_until) > now() and t.replaced_at is null
        and t.renewable_until - ${SESSION_LIFE}::interval > now() - ${PAGE_SESSION_LIFE}::interval`,
  );
}

/** Replaces the token of a page session. The old token is invalid immediately, in case it has leaked. */
export async function replace(shop: Shop, token_id: string): Promise<string> {
  const { access_token } = await refresh(shop, token_id);
  await shop.run(
    sql`update customer_tokens set revoked_at = now() where site_id = ${shop.siteId} and id = ${token_id}`,
  );
  return access_token;
}

/** Ends a session and invalidates all its tokens. */
export async function endSession(shop: Shop, session_id: string): Promise<void> {
  await lockOut(shop, shop.customerId);
  await shop.run(
    sql`update customer_tokens set revoked_at = now()
      where site_id = ${shop.siteId} and customer_id = ${shop.customerId} and session_id = ${session_id}
        and revoked_at is null`,
  );
}

/** Ends all sessions of a customer, except `but`. */
export async function endAllSessions(shop: Shop, customer_id: string, but: string | null = null): Promise<void> {
  await lockOut(shop, customer_id);
  await shop.run(
    sql`update customer_tokens set revoked_at = now() where site_id = ${shop.siteId} and customer_id = ${customer_id}
      and revoked_at is null and session_id is distinct from ${but}::uuid`,
  );
}

/**
 * Waits for concurrent transactions that create tokens of this customer, and blocks new ones until this transaction
 * ends.
 */
async function lockOut(shop: Shop, customer_id: string | null): Promise<void> {
  await shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`);
}

/** Extends recently used tokens, at most to the end of their session. Skips replaced, revoked and expired tokens. */
export async function extendPageSession(db: Pool, tokens: { site_id: string; id: string }[]): Promise<void> {
  await queryAlone(
    db,
    sql`update customer_tokens t set expires_at = least(now() + ${TOKEN_LIFE}::interval, t.renewable_until)
      from (
        select k.site_id, k.id
        from unnest(${tokens.map(({ site_id }) => site_id)}::uuid[], ${tokens.map(({ id }) => id)}::uuid[]) as u (site_id, id)
        join customer_tokens k on k.site_id = u.site_id and k.id = u.id
        where k.expires_at > now() and k.replaced_at is null and k.revoked_at is null
        for update of k skip locked
      ) as used
      where t.site_id = used.site_id and t.id = used.id`,
  );
}

function invalidCredentials(): ShopError {
  return new ShopError(
    'invalid_credentials',
    'The e-mail or the password is wrong, or the e-mail is not verified yet.',
  );
}

/**
 * Verifies a site's audit, and reports rows that were changed, removed or added without the key:
 * 1. Follow the chain of seals. Each is signed and contains the HMAC of the previous one. The oldest one contains the
 *    HMAC of the last seal that was deleted for its age, which a signed checkpoint records.
 * 2. Compare each seal with its rows, and each row with its signature.
 * 3. Check the rows without a seal. They must be signed and new, or from before rows were signed.
 * 4. For erased details, find the signed call that erased the customer.
 * 5. Compare the end of the chain with a copy stored elsewhere (`known`). Only this detects a shortened chain.
 */

import sql from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import { ERASURES } from './forget.ts';
import type { AuditKey } from './keys.ts';
import {
  type Checkpoint,
  digestOf,
  hashDetails,
  type Seal,
  type SignedRow,
  signCheckpoint,
  signRow,
  signSeal,
} from './signing.ts';

export type Keys = Map<string, AuditKey | null>;

export interface Head {
  seq: number;
  hmac: string;
}

export interface Report {
  site_id: string;
  sealed: number;
  /** Number of rows that are signed but not sealed yet. */
  waiting: number;
  /** Number of rows from before audit rows were signed. */
  legacy: number;
  /** Number of rows whose details were erased with the customer. */
  erased: number;
  /** Number of rows that were deleted for their age. */
  deleted: number;
  /** One sentence per problem. */
  findings: string[];
  head: Head | null;
}

interface Row extends SignedRow {
  hmac: Buffer | null;
  key_id: string | null;
  details: string | null;
  details_salt: Buffer | null;
  /** Microseconds since 1970. */
  at: string;
}

export interface StoredSeal extends Seal {
  ids: string[];
  hmac: Buffer;
  key_id: string;
}

/** A seal that was verified with its rows. */
export interface SoundSeal extends StoredSeal {
  /** The time of the newest row of the seal, in microseconds since 1970. */
  through: string;
}

export interface StoredCheckpoint extends Checkpoint {
  key_id: string;
  hmac: Buffer;
}

/** For how long an older version without signatures may run next to a newer one. */
const ROLLING_MS = 24 * 60 * 60 * 1_000;
/** The time for which a new row may lack a seal. A worker seals twice a minute. */
const UNSEALED_FOR_MS = 10 * 60 * 1_000;
/** The time after an erasure in which calls that began before the erasure may still write rows. */
const CONCURRENT_US = 60 * 1_000_000;
const SEALS_AT_A_TIME = 5;
const ROWS_AT_A_TIME = 5_000;
/** Maximum number of findings in a report. */
const MAX_FINDINGS = 1_000;

/** Verifies the audit of one site. The connection must have access to the site, and a repeatable-read transaction. */
export async function verifySite(connection: Connection, site_id: string, keys: Keys, known?: Head): Promise<Report> {
  const report = emptyReport(site_id);
  const check = new Check(connection, site_id, keys, report);
  await check.chain(known);
  await check.unsealed();
  await check.erasures();
  return report;
}

/**
 * Verifies the oldest seals after the checkpoint, at most five, and the rows that they cover. Returns the seals and the
 * findings. Unlike `audit verify`, it does not check other rows.
 */
export async function verifyOldest(
  connection: Connection,
  site_id: string,
  keys: Keys,
): Promise<{ checkpoint: StoredCheckpoint | undefined; seals: SoundSeal[]; findings: string[] }> {
  const report = emptyReport(site_id);
  const check = new Check(connection, site_id, keys, report);
  const oldest = await check.oldest();
  await check.erasures();
  return { ...oldest, findings: report.findings };
}

function emptyReport(site_id: string): Report {
  return { site_id, sealed: 0, waiting: 0, legacy: 0, erased: 0, deleted: 0, findings: [], head: null };
}

class Check {
  readonly #connection: Connection;
  readonly #site_id: string;
  readonly #keys: Keys;
  readonly #report: Report;
  /** The newest row with erased details, by customer. */
  readonly #emptied = new Map<string, { id: string; at: number }>();
  readonly #firstKeyAt: number;
  #checkpoint: StoredCheckpoint | undefined;

  constructor(connection: Connection, site_id: string, keys: Keys, report: Report) {
    this.#connection = connection;
    this.#site_id = site_id;
    this.#keys = keys;
    this.#report = report;
    const made = [...keys.values()].map((key) => (key ? Date.parse(key.made_at) : Number.POSITIVE_INFINITY));
    this.#firstKeyAt = Math.min(...made, Number.POSITIVE_INFINITY);
  }

  #found(sentence: string): void {
    if (this.#report.findings.length < MAX_FINDINGS) this.#report.findings.push(sentence);
  }

  async chain(known: Head | undefined): Promise<void> {
    let last = await this.#afterCheckpoint();
    let knownHmac = last?.seq === known?.seq ? last?.hmac.toString('hex') : undefined;
    for (;;) {
      const seals = await this.#sealsAfter(last?.seq ?? 0);
      for (const seal of seals) {
        this.#checkSeal(seal, last);
        await this.#checkRowsOf(seal);
        if (seal.seq === known?.seq) knownHmac = seal.hmac.toString('hex');
        last = seal;
      }
      if (seals.length < SEALS_AT_A_TIME) break;
    }
    if (last) this.#report.head = { seq: last.seq, hmac: last.hmac.toString('hex') };
    if (!known || knownHmac === known.hmac) return;
    if ((last?.seq ?? 0) < known.seq) {
      this.#found(`The seals after ${last?.seq ?? 0} were cut off: the known head is seal ${known.seq}.`);
    } else if (knownHmac !== undefined) this.#found(`Seal ${known.seq} is not the known head.`);
  }

  async oldest(): Promise<{ checkpoint: StoredCheckpoint | undefined; seals: SoundSeal[] }> {
    let last = await this.#afterCheckpoint();
    const sound: SoundSeal[] = [];
    for (const seal of await this.#sealsAfter(last?.seq ?? 0)) {
      this.#checkSeal(seal, last);
      sound.push({ ...seal, through: await this.#checkRowsOf(seal) });
      last = seal;
    }
    return { checkpoint: this.#checkpoint, seals: sound };
  }

  /** Checks the checkpoint. Returns the end of the deleted part of the chain. */
  async #afterCheckpoint(): Promise<Pick<StoredSeal, 'seq' | 'hmac'> | undefined> {
    const found = await this.#readCheckpoint();
    if (!found) return undefined;
    this.#checkpoint = found;
    this.#report.deleted = found.deleted;
    const key = this.#keys.get(found.key_id);
    if (!key) this.#found(this.#unknownKey('The checkpoint', found.key_id));
    else if (!signCheckpoint(key, found).equals(found.hmac)) this.#found('The checkpoint was changed.');
    return { seq: found.seq, hmac: found.seal_hmac };
  }

  #checkSeal(seal: StoredSeal, last: Pick<StoredSeal, 'seq' | 'hmac'> | undefined): void {
    const { seq } = seal;
    const expected = (last?.seq ?? 0) + 1;
    if (seq !== expected) this.#found(`The seals ${expected} to ${seq - 1} were removed.`);
    else if (hexOf(seal.previous) !== hexOf(last?.hmac ?? null))
      this.#found(`Seal ${seq} does not follow seal ${seq - 1}.`);
    const key = this.#keys.get(seal.key_id);
    if (!key) this.#found(this.#unknownKey(`Seal ${seq}`, seal.key_id));
    else if (!signSeal(key, seal).equals(seal.hmac)) this.#found(`Seal ${seq} was changed.`);
    const whole = seal.ids.length === seal.count && seal.ids[0] === seal.first && seal.ids.at(-1) === seal.last;
    if (!whole) this.#found(`The list of rows of seal ${seq} was changed.`);
  }

  /** Checks the rows of a seal. Returns the time of the newest one. */
  async #checkRowsOf({ seq, ids, digest }: StoredSeal): Promise<string> {
    const rows = await this.#rowsOf(ids);
    this.#report.sealed += rows.length;
    const there = new Map(rows.map((row) => [row.id, row]));
    const missing = ids.filter((id) => !there.has(id));
    for (const id of missing) this.#found(`The row ${id} of seal ${seq} was removed.`);
    const sound = rows.map((row) => this.#isSound(row)).every(Boolean);
    const inOrder = ids.flatMap((id) => there.get(id) ?? []);
    const same = digestOf(inOrder.map(({ id, hmac, at }) => ({ id, hmac: hmac ?? Buffer.alloc(0), at }))).equals(
      digest,
    );
    // If a row is missing or was changed, that finding already explains the different digest.
    if (!same && missing.length === 0 && sound) {
      this.#found(`The rows of seal ${seq} were exchanged, reordered or moved in time.`);
    }
    return String(Math.max(0, ...rows.map(({ at }) => Number(at))));
  }

  /** Whether the row matches its signature. Records a finding if not. */
  #isSound(row: Row): boolean {
    const { id, key_id, hmac } = row;
    if (!key_id || !hmac) {
      this.#found(`The row ${id} was changed: its signature is gone.`);
      return false;
    }
    const key = this.#keys.get(key_id);
    if (!key) {
      this.#found(this.#unknownKey(`The row ${id}`, key_id));
      return false;
    }
    if (!signRow(key, row).equals(hmac)) {
      this.#found(`The row ${id} was changed.`);
      return false;
    }
    return this.#hasItsDetails(row);
  }

  #hasItsDetails({ id, details, details_salt, details_hash, customer_id, at }: Row): boolean {
    if (details === null && details_salt === null) {
      if (details_hash === null) return true;
      this.#report.erased += 1;
      if (customer_id === null) this.#found(`The details of the row ${id} were removed.`);
      else if (Number(at) > (this.#emptied.get(customer_id)?.at ?? 0)) {
        this.#emptied.set(customer_id, { id, at: Number(at) });
      }
      return customer_id !== null;
    }
    const same =
      details !== null && details_salt !== null && hexOf(details_hash) === hexOf(hashDetails(details_salt, details));
    if (!same) this.#found(`The details of the row ${id} were changed.`);
    return same;
  }

  #unknownKey(what: string, key_id: string): string {
    const why = this.#keys.has(key_id) ? 'SECRET_KEY does not open' : 'is missing';
    return `${what} cannot be verified: the key ${key_id} ${why}.`;
  }

  /** Checks the rows without a seal, in order of ids. */
  async unsealed(): Promise<void> {
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const rows = await this.#unsealedAfter(after);
      for (const row of rows) this.#checkUnsealed(row);
      if (rows.length < ROWS_AT_A_TIME) return;
      after = rows.at(-1)?.id ?? after;
    }
  }

  #checkUnsealed(row: Row): void {
    const made = Number(row.at) / 1_000;
    if (row.hmac === null && row.key_id === null) {
      if (made < this.#firstKeyAt + ROLLING_MS) this.#report.legacy += 1;
      else this.#found(`The row ${row.id} was added or changed: it has no signature.`);
      return;
    }
    if (!this.#isSound(row)) return;
    this.#report.waiting += 1;
    if (made < Date.now() - UNSEALED_FOR_MS) {
      this.#found(`The row ${row.id} is in no seal: its seal was removed, or no worker has run since.`);
    }
  }

  /** Details may be erased only by a signed call that erased the customer, and only in earlier rows. */
  async erasures(): Promise<void> {
    const deletedUntil = Number(this.#checkpoint?.through ?? 0) + CONCURRENT_US;
    for (const [customer_id, { id, at }] of this.#emptied) {
      // The call that erased the customer may have been deleted for its age, just before this row.
      if (at <= deletedUntil) continue;
      const calls = await this.#erasuresOf(customer_id);
      const signed = calls.filter((row) => {
        const key = row.key_id === null ? undefined : this.#keys.get(row.key_id);
        return key && row.hmac && signRow(key, row).equals(row.hmac);
      });
      if (signed.length === 0)
        this.#found(`The details of the row ${id} were removed, but its customer was not erased.`);
      else if (!signed.some((row) => Number(row.at) >= at - CONCURRENT_US)) {
        this.#found(`The details of the row ${id} were removed, but its customer was erased before it was written.`);
      }
    }
  }

  async #readCheckpoint(): Promise<StoredCheckpoint | undefined> {
    const { rows } = await query<StoredCheckpoint>(
      this.#connection,
      sql`select site_id, seq, seal_hmac, (extract(epoch from through) * 1000000)::bigint::text as through, deleted, key_id, hmac
        from audit_checkpoints where site_id = ${this.#site_id}`,
    );
    return rows[0];
  }

  async #sealsAfter(seq: number): Promise<StoredSeal[]> {
    const { rows } = await query<StoredSeal>(
      this.#connection,
      sql`select site_id, seq, first, last, count, ids, digest, previous, hmac, key_id from audit_seals
        where site_id = ${this.#site_id} and seq > ${seq} order by seq limit ${SEALS_AT_A_TIME}`,
    );
    return rows;
  }

  async #rowsOf(ids: string[]): Promise<Row[]> {
    const { rows } = await query<Row>(
      this.#connection,
      sql`select ${columns} from audit_events e where e.site_id = ${this.#site_id} and e.id = any(${ids}::uuid[])`,
    );
    return rows;
  }

  async #unsealedAfter(id: string): Promise<Row[]> {
    const { rows } = await query<Row>(
      this.#connection,
      sql`select ${columns} from audit_events e
        left join (
          select i.id from audit_seals s cross join unnest(s.ids) as i (id) where s.site_id = ${this.#site_id}
        ) as sealed on sealed.id = e.id
        where e.site_id = ${this.#site_id} and e.id > ${id} and sealed.id is null
        order by e.id limit ${ROWS_AT_A_TIME}`,
    );
    return rows;
  }

  async #erasuresOf(customer_id: string): Promise<Row[]> {
    const { rows } = await query<Row>(
      this.#connection,
      sql`select ${columns} from audit_events e
        where e.site_id = ${this.#site_id} and e.action = any(${[...ERASURES]}::text[]) and e.status < 300
          and (e.actor_id = ${customer_id} or ${customer_id}::uuid = any(e.targets))`,
    );
    return rows;
  }
}

const columns = sql`e.site_id, e.id, e.actor_type, e.actor_id, e.action, e.status, e.payload_hash, e.ip, e.buyer_ip,
  e.user_agent, e.correlation_id, e.targets, e.fields, e.customer_id, e.details, e.details_salt, e.details_hash, e.key_id,
  e.hmac, (extract(epoch from e.created_at) * 1000000)::bigint::text as at`;

function hexOf(bytes: Buffer | null): string | null {
  return bytes?.toString('hex') ?? null;
}

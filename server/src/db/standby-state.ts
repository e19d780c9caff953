import type pg from 'pg';

/** A standby that follows the database. */
export interface Standby {
  standby: string;
  /** `sync`, `quorum`, `potential` or `async`. */
  sync_state: string;
  /** Bytes of the write-ahead log that the standby has not replayed yet. */
  lag_bytes: number;
}

/** Time limit for reading the state. */
const WITHIN_MS = 1_000;

/** Reads the standbys. Returns none if the owner of the schema may not see them. */
export async function readStandbys(db: Pick<pg.ClientBase, 'query'>): Promise<Standby[]> {
  const statement = {
    text: 'select standby, sync_state, lag_bytes from commerce.standby_state() where sync_state is not null',
    query_timeout: WITHIN_MS,
  };
  return (await db.query<Standby>(statement)).rows;
}

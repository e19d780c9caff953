import type { Pool } from 'pg';
import { finishMoves, type MovingDeps } from '../shop/checkout/moving.ts';
import { findAnyTenant } from '../shop/in-shop.ts';

/** Executes a capture or refund as soon as it is recorded. The job that runs every minute continues unfinished ones. */
export function moveMoney({ db, ...deps }: MovingDeps & { db: Pool }) {
  return async (payload: unknown): Promise<void> => {
    const { site_id, move_id } = payload as { site_id: string; move_id: string };
    const tenant = await findAnyTenant(db, site_id);
    if (tenant) await finishMoves(db, tenant, deps, move_id);
  };
}

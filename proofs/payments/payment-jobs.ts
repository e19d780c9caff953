/**
 * Runs the payment jobs in a separate process, which can be killed. The process runs each command once, and reports
 * when it has finished, successfully or not.
 */

import { openPool } from '../../server/src/db/connect.ts';
import { finishMoves } from '../../server/src/shop/checkout/moving.ts';
import { settlePayments } from '../../server/src/shop/checkout/settle-all.ts';
import { findTenant } from '../../server/src/shop/in-shop.ts';
import { openAccounts } from '../../server/src/shop/payments/accounts/providers.ts';

export interface JobOrder {
  job: 'settle' | 'moves';
  site_id: string;
}

const { DATABASE_URL = '', SECRET_KEY = '', STRIPE_API_URL } = process.env;
const db = openPool({ url: DATABASE_URL, max: 3, pooling: 'session' });
const accounts = openAccounts(db, { secretKey: SECRET_KEY, stripeApiUrl: STRIPE_API_URL });
const deps = { card: undefined, accounts, secretKey: SECRET_KEY };
// The timer keeps the process alive until the proof disconnects; the channel of the failpoints would not.
setInterval(() => undefined, 60_000);
process.once('disconnect', () => process.exit());

process.on('message', (order: JobOrder | object) => {
  if ('job' in order) void run(order).finally(() => process.send?.('done'));
});
process.send?.('ready');

async function run({ job, site_id }: JobOrder): Promise<void> {
  try {
    const tenant = await findTenant(db, site_id);
    if (tenant) await (job === 'settle' ? settlePayments : finishMoves)(db, tenant, deps);
  } catch {
    // A failed job is retried a minute later, as in production.
  }
}

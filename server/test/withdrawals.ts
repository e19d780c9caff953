import { Logger as JobLogger, runOnce } from 'graphile-worker';
import { matchWithdrawal } from '../src/jobs/match-withdrawal.ts';
import { PaperBrowser } from './paper-browser.ts';
import type { openShop } from './shop.ts';
import { databaseUrl } from './worker-database.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

export interface Entries {
  email: string;
  name?: string;
  contract?: string;
  note?: string;
}

/** Makes the shop charge German VAT, which turns on its page for withdrawals. */
export async function moveToEu({ dashboard }: Pick<Shop, 'dashboard'>): Promise<void> {
  await dashboard.PATCH('/api/dashboard/settings', {
    body: { tax_rates: [{ country: 'DE', rate: '0.19' }], time_zone: 'Europe/Berlin' },
  });
}

/** Sends both steps of the form, and returns the page of each. */
export async function withdraw(shop: Shop, { name = 'Jo Doe', contract = '1001', note = '', email }: Entries) {
  const browser = new PaperBrowser(shop.baseUrl);
  const opened = await browser.open(`/sites/${shop.site_id}/withdraw`);
  const reviewed = await browser.press(opened, 'review', { name, email, contract, note });
  const sent = await browser.press(reviewed, 'confirm');
  return { browser, opened, reviewed, sent };
}

/**
 * Runs the job that matches statements of withdrawal with orders until none is left. Returns the withdrawals, oldest
 * first.
 */
export async function matched({ db, dashboard }: Pick<Shop, 'db' | 'dashboard'>, connectionString = databaseUrl()) {
  await runOnce({
    connectionString,
    noHandleSignals: true,
    logger: new JobLogger(() => () => undefined),
    taskList: { match_withdrawal: matchWithdrawal(db) },
  });
  const { data } = await dashboard.GET('/api/dashboard/withdrawals');
  return data?.withdrawals.toReversed() ?? [];
}

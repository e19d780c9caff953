import { createInterface } from 'node:readline/promises';
import type pg from 'pg';
import type { Config } from '../config.ts';
import { withClient } from '../db/client.ts';
import { openStore } from '../files/open-store.ts';
import { BACKUPS_REMAIN, deleteSite as remove } from '../shop/sites/deletion.ts';
import type { Step } from '../shop/sites/deletion-steps.ts';
import { inSite } from '../shop/sites/in-site.ts';
import { cancelDeletion, resumeSite, type SiteState, suspendSite } from '../shop/sites/state.ts';
import { withDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { ofSteps, showProgress } from './progress-line.ts';
import { refuseNoSiteId } from './site-id.ts';

export interface DeleteOptions {
  now: boolean;
  force: boolean;
  cancel: boolean;
  yes: boolean;
}

/** Suspends the site. Webhooks of its payment provider and exports by its staff continue to work. */
export async function suspend(config: Config, site_id: string, { reason }: { reason?: string }): Promise<void> {
  print(await withOwner(config, site_id, (owner) => suspendSite(owner, site_id, reason ?? null)));
}

/** Resumes the site and cancels a scheduled deletion. With `notImported`, reopens a moved site too. */
export async function resume(config: Config, site_id: string, options: { notImported: boolean }): Promise<void> {
  print(await withOwner(config, site_id, (owner) => inSite(owner, site_id, () => resumeSite(owner, site_id, options))));
}

/**
 * Schedules the deletion of the site in 30 days, or deletes it immediately. Asks for confirmation unless `yes` is set.
 * With `cancel`, cancels a scheduled deletion.
 */
export async function deleteSite(config: Config, site_id: string, options: DeleteOptions): Promise<void> {
  if (options.cancel) {
    print(await withOwner(config, site_id, (owner) => cancelDeletion(owner, site_id)));
    return;
  }
  if (!options.yes) await confirm(site_id, options.now);
  const files = await openStore(config);
  const progress = showProgress();
  const onStep = (step: Step) => progress.update(ofSteps(step));
  const done = await withOwner(config, site_id, (owner) =>
    remove(owner, files, site_id, { ...options, onStep }),
  ).finally(() => progress.end());
  if ('planned' in done) print(done.planned);
  else process.stdout.write(`${JSON.stringify({ site_id, ...done.removed })}\n`);
  printProgress(BACKUPS_REMAIN);
}

async function confirm(site_id: string, now: boolean): Promise<void> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY) throw new Error('Nothing was deleted. Add --yes to confirm without a terminal.');
  const prompt = createInterface({ input, output });
  const when = now ? 'now, permanently' : 'in 30 days, and suspend it until then';
  const answer = await prompt
    .question(`Delete the site ${when}? Type its id to continue: `)
    .finally(() => prompt.close());
  if (answer.trim() !== site_id) throw new Error('Nothing was deleted.');
}

function withOwner<T>(config: Config, site_id: string, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  refuseNoSiteId(site_id);
  return withDatabase(config, (_db, url) =>
    withClient({ connectionString: url, application_name: 'commerce site' }, work),
  );
}

function print(state: SiteState): void {
  process.stdout.write(`${JSON.stringify(state)}\n`);
}

import { join } from 'node:path';
import type { Config } from '../config.ts';
import { checkSmtp } from '../jobs/mailer.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { lacksMails, SET_SMTP } from './mail-transport.ts';

/** Checks that the mail server answers and accepts the login. Without SMTP_URL, reports where mails are written. */
export async function checkMails(config: Config): Promise<Finding> {
  const { smtpUrl, production, role, dataDir } = config;
  if (smtpUrl) return checkServer(smtpUrl);
  const found = `written to files in ${join(dataDir, 'outbox')}`;
  if (lacksMails(config)) return wrong('mails', `${found}: the server does not start`, SET_SMTP);
  if (production && role === 'api') return ok('mails', 'sent by the processes that run jobs');
  return production ? warning('mails', found, 'Set SMTP_URL: customers receive nothing.') : ok('mails', found);
}

async function checkServer(smtpUrl: string): Promise<Finding> {
  const { host } = new URL(smtpUrl);
  try {
    await checkSmtp(smtpUrl);
    return ok('mails', `sent through ${host}`);
  } catch (error) {
    const mend = 'Correct SMTP_URL or start the mail server. Until it answers, mails wait in the queue.';
    return warning('mails', `${host} does not accept mails: ${(error as Error).message}`, mend);
  }
}

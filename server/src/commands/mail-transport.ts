import type { Config } from '../config.ts';

/** The remedy for a process that would write mails to files without MAILS=files. */
export const SET_SMTP = 'Set SMTP_URL, or MAILS=files to write mails to files in DATA_DIR.';

/** Whether this process runs jobs in production, and would write mails to files without MAILS=files. */
export function lacksMails({ production, role, smtpUrl, mailsToFiles }: Config): boolean {
  return production && role !== 'api' && !smtpUrl && !mailsToFiles;
}

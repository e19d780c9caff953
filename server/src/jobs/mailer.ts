import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { once } from '../once.ts';
import type { Mail } from '../shop/mails/rendering.ts';

/** Sends mails by SMTP, or writes them to files. */
export interface Mailer {
  /** Sends a mail; `id` identifies it, also when it is sent twice. Returns where it went, in words. */
  send(mail: Mail, id: string): Promise<string>;
}

export interface MailerSettings {
  /** Undefined: mails are written to `outbox` in the data directory. */
  smtpUrl: string | undefined;
  /** The address that mails are sent from. */
  mailFrom: string;
  dataDir: string;
}

const TIMEOUT_MS = 20_000;

export function createMailer({ smtpUrl, mailFrom, dataDir }: MailerSettings): Mailer {
  const messageOf = ({ to, from_name, reply_to, subject, text, html }: Mail, id: string) => ({
    from: { name: from_name, address: mailFrom },
    ...(reply_to && { replyTo: reply_to }),
    // An object is taken as one address, whatever it contains.
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${mailFrom.split('@')[1]}>`,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return smtpUrl ? smtpMailer(smtpUrl, messageOf) : outboxMailer(join(dataDir, 'outbox'), messageOf);
}

type MessageOf = (mail: Mail, id: string) => Record<string, unknown>;

/** On first use: nodemailer is large, and a server that only answers requests sends no mail. */
function smtpMailer(url: string, messageOf: MessageOf): Mailer {
  const transport = once(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      pool: true,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    });
  });
  return {
    async send(mail, id) {
      await (await transport()).sendMail(messageOf(mail, id));
      return 'sent by SMTP';
    },
  };
}

/** Writes two files for each mail: the whole message, and its HTML for a browser. */
function outboxMailer(directory: string, messageOf: MessageOf): Mailer {
  const transport = once(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ streamTransport: true, buffer: true });
  });
  return {
    async send(mail, id) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { message } = (await (await transport()).sendMail(messageOf(mail, id))) as unknown as { message: Buffer };
      const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${id}`;
      const html = join(directory, `${name}.html`);
      await writeWhole(html, mail.html);
      await writeWhole(join(directory, `${name}.eml`), message);
      return pathToFileURL(html).href;
    },
  };
}

/** Never shows half a file. Mails contain links that open accounts, so only the owner may read them. */
async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

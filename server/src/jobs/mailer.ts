import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { once } from '../once.ts';
import type { Mail } from '../shop/mails/rendering.ts';

/** Sends mails by SMTP, or writes them to files. */
export interface Mailer {
  /** Sends a mail; `id` identifies it, even if it is sent twice. Returns a description of where the mail went. */
  send(mail: Mail, id: string): Promise<string>;
  /** Whether the mail server is reachable and accepts the login. */
  isReady(): Promise<boolean>;
}

/** Thrown if the mail server is unreachable, hangs, or rejects the login, so that no mail can be sent. */
export class MailServerDown extends Error {}

export interface MailerSettings {
  /** If undefined, mails are written to `outbox` in the data directory. */
  smtpUrl: string | undefined;
  /** The sender's e-mail address. */
  mailFrom: string;
  dataDir: string;
}

/** Time limit for the connection and the greeting. */
const CONNECT_MS = 5_000;
/** Time limit without data from the server. */
const SILENCE_MS = 20_000;
/**
 * Maximum number of connections. At least the number of concurrent mails, each of which uses one: MAIL_CONCURRENCY is
 * at most 50.
 */
const MOST_CONNECTIONS = 50;

export function createMailer({ smtpUrl, mailFrom, dataDir }: MailerSettings): Mailer {
  const messageOf = ({ to, from_name, reply_to, subject, text, html, attachments = [] }: Mail, id: string) => ({
    from: { name: from_name, address: mailFrom },
    ...(reply_to && { replyTo: reply_to }),
    // An object is one e-mail address. In a string, nodemailer could find several.
    to: { name: '', address: to },
    subject,
    text,
    html,
    attachments: attachments.map(({ filename, content_type, bytes, cid }) => ({
      filename,
      contentType: content_type,
      content: bytes,
      ...(cid && { cid, contentDisposition: 'inline' }),
    })),
    messageId: `<${id}@${mailFrom.split('@')[1]}>`,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return smtpUrl ? smtpMailer(smtpUrl, messageOf) : outboxMailer(join(dataDir, 'outbox'), messageOf);
}

type MessageOf = (mail: Mail, id: string) => Record<string, unknown>;

/** Opens connections to an SMTP server. nodemailer is loaded on first use, because it is large. */
async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: MOST_CONNECTIONS,
    dnsTimeout: CONNECT_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
}

/** Connects to an SMTP server, waits for its greeting and logs in. Throws the error if one of these steps fails. */
export async function checkSmtp(url: string): Promise<void> {
  const transport = await openTransport(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function smtpMailer(url: string, messageOf: MessageOf): Mailer {
  const transport = once(() => openTransport(url));
  return {
    async send(mail, id) {
      const open = await transport();
      await open.sendMail(messageOf(mail, id)).catch((error: unknown) => {
        throw isServerDown(error) ? new MailServerDown((error as Error).message, { cause: error }) : error;
      });
      return 'sent by SMTP';
    },
    isReady: async () => {
      const open = await transport();
      return open.verify().catch(() => false);
    },
  };
}

/** Error codes of nodemailer for problems of the server instead of a single mail. */
const SERVER_CODES = ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ETLS', 'EAUTH', 'EPROTOCOL'];

function isServerDown(error: unknown): boolean {
  return SERVER_CODES.includes((error as { code?: string }).code ?? '');
}

/** Writes two files for each mail: the whole message, and its HTML for a browser. */
function outboxMailer(directory: string, messageOf: MessageOf): Mailer {
  const transport = once(async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ streamTransport: true, buffer: true });
  });
  return {
    isReady: async () => true,
    async send(mail, id) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { message } = (await (await transport()).sendMail(messageOf(mail, id))) as unknown as { message: Buffer };
      const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${id}`;
      const html = join(directory, `${name}.html`);
      await writeWhole(html, withImages(mail));
      await writeWhole(join(directory, `${name}.eml`), message);
      return pathToFileURL(html).href;
    },
  };
}

/** The HTML with its attached images in `data:` URLs, because a browser does not have the attachments. */
export function withImages({ html, attachments = [] }: Pick<Mail, 'html' | 'attachments'>): string {
  return attachments.reduce(
    (whole, { cid, content_type, bytes }) =>
      cid ? whole.replaceAll(`cid:${cid}`, `data:${content_type};base64,${bytes.toString('base64')}`) : whole,
    html,
  );
}

/** Writes a file atomically. Mails contain links that open accounts, so only the owner may read the file. */
async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

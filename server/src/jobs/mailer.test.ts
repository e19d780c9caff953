import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMailer } from './mailer.ts';

const MAIL = {
  to: 'june@example.com',
  from_name: 'Alder, Finch <x@evil.example>',
  reply_to: { name: 'Alder & Finch', address: 'help@example.com' },
  subject: 'Grüße',
  text: 'Hello',
  html: '<p>Hello</p>',
};

/** A mail server that accepts everything and records it. */
async function startMailServer() {
  const received: string[] = [];
  const server = createServer((socket) => {
    let inMessage = false;
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n')) {
        if (line !== '') received.push(line);
        if (inMessage && line !== '.') continue;
        if (line === '.') inMessage = false;
        if (line === 'DATA') inMessage = true;
        if (line !== '') socket.write(inMessage ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { received, server, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('sends a mail by SMTP to its one recipient, from the configured sender', async () => {
  const { received, server, url } = await startMailServer();
  const mailer = createMailer({ smtpUrl: url, mailFrom: 'shop@example.com', dataDir: '/nonexistent' });

  await mailer.send(MAIL, 'mail-17');
  server.close();

  expect(received).toContain('MAIL FROM:<shop@example.com>');
  expect(received.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<june@example.com>']);
  expect(received).toContain('Message-ID: <mail-17@example.com>');
  expect(received.find((line) => line.startsWith('From: '))).toMatch(/<shop@example\.com>$/);
  expect(received.find((line) => line.startsWith('Reply-To: '))).toMatch(/<help@example\.com>$/);
});

test('sends a mail to at most one recipient, even if the recipient contains several e-mail addresses', async () => {
  const { received, server, url } = await startMailServer();
  const mailer = createMailer({ smtpUrl: url, mailFrom: 'shop@example.com', dataDir: '/nonexistent' });

  await mailer.send({ ...MAIL, to: 'a@example.com, b@example.com' }, 'mail-18').catch(() => undefined);
  server.close();

  expect(received.filter((line) => line.startsWith('RCPT')).length).toBeLessThanOrEqual(1);
});

test('without a mail server, writes a mail to two files that only their owner can read', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-outbox-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const mailer = createMailer({ smtpUrl: undefined, mailFrom: 'shop@example.com', dataDir });

  const where = await mailer.send(MAIL, 'mail-19');

  const outbox = join(dataDir, 'outbox');
  const names = readdirSync(outbox).toSorted();
  expect(names).toEqual([expect.stringMatching(/mail-19\.eml$/), expect.stringMatching(/mail-19\.html$/)]);
  for (const name of names) expect(statSync(join(outbox, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(new URL(where), 'utf8')).toBe(MAIL.html);
});

test('sends an image of the HTML version inline with its Content-ID, and shows it in the file for browsers', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-outbox-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const mailer = createMailer({ smtpUrl: undefined, mailFrom: 'shop@example.com', dataDir });
  const image = { filename: 'code.png', content_type: 'image/png', bytes: Buffer.from('dots'), cid: 'code' };
  const document = { filename: 'invoice.pdf', content_type: 'application/pdf', bytes: Buffer.from('pdf') };

  const where = await mailer.send({ ...MAIL, html: '<img src="cid:code">', attachments: [image, document] }, 'mail-20');

  const outbox = join(dataDir, 'outbox');
  const name = readdirSync(outbox).find((file) => file.endsWith('.eml')) ?? '';
  const message = readFileSync(join(outbox, name), 'utf8');
  expect(message).toMatch(/Content-Type: multipart\/related/);
  expect(message).toMatch(/Content-ID: <code>\r\n(?:[\w-]+: .*\r\n)*Content-Disposition: inline; filename=code\.png/);
  expect(message).toContain('Content-Disposition: attachment; filename=invoice.pdf');
  expect(readFileSync(new URL(where), 'utf8')).toBe(
    `<img src="data:image/png;base64,${Buffer.from('dots').toString('base64')}">`,
  );
});

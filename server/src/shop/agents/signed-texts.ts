import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signs a value that the server hands out and reads again without storing it, such as a client's registration. The text
 * is valid only for its purpose and with the SECRET_KEY that signed it.
 */
export function signedText(secretKey: string, purpose: string, value: object): string {
  const content = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${content}.${signatureOf(secretKey, purpose, content).toString('base64url')}`;
}

/** Returns the value of a signed text; undefined if it was not signed here for this purpose. */
export function readSigned(secretKey: string, purpose: string, text: string): unknown {
  const [, content = '', signature = ''] = /^([\w-]+)\.([\w-]{43})$/.exec(text) ?? [];
  const expected = signatureOf(secretKey, purpose, content);
  const sent = Buffer.from(signature, 'base64url');
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
  return JSON.parse(Buffer.from(content, 'base64url').toString()) as unknown;
}

function signatureOf(secretKey: string, purpose: string, content: string): Buffer {
  return createHmac('sha256', secretKey).update(`${purpose}|${content}`).digest();
}

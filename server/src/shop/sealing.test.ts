import { expect, test } from 'vitest';
import { type Sealing, seal, unseal } from './sealing.ts';
import { seal as sealSecret, unseal as unsealSecret } from './webhooks/secrets.ts';

const KEY = Buffer.alloc(32, 7);
const FORMS: Sealing[] = [
  { key: KEY, tag: 'first' },
  { key: KEY, tag: 'last' },
  { key: KEY, tag: 'last', context: 'a row' },
];

test.each(FORMS)('decrypts a text only with the key and the context with which it was encrypted: %o', (form) => {
  const sealed = seal(form, 'a secret with ümlauts');
  expect(unseal(form, sealed)).toBe('a secret with ümlauts');
  expect(seal(form, 'a secret with ümlauts')).not.toEqual(sealed);
  expect(() => unseal({ ...form, key: Buffer.alloc(32, 8) }, sealed)).toThrow();
  expect(() => unseal({ ...form, context: 'another row' }, sealed)).toThrow();
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => unseal(form, changed)).toThrow();
  }
});

test('decrypts webhook secrets and stored responses of earlier releases', () => {
  const secret = Buffer.from('d88f2a22a85c9b823b22b8256515bb382dde6dfeefcd27fda596847dd98f311ce3e9904264dd', 'hex');
  const [serverKey, webhook_id] = ['a server key of at least 32 characters', '0198c0de-0000-7000-8000-000000000001'];
  expect(unsealSecret(serverKey, webhook_id, secret)).toBe('whsec_AAAA');
  expect(unsealSecret(serverKey, webhook_id, sealSecret(serverKey, webhook_id, 'whsec_B'))).toBe('whsec_B');

  const answer = '010101010101010101010101d12894941ba4da81fffe7cc3c68152c80dc3fad2f3cd897af3eefee2d9150d';
  expect(unseal({ key: KEY, tag: 'first' }, Buffer.from(answer, 'hex'))).toBe('{"secret":"é"}');
});

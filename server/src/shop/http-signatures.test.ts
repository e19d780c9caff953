import { createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  contentDigest,
  isSignedBy,
  parseSignatures,
  type Signable,
  signatureHeaders,
  thumbprintOf,
} from './http-signatures.ts';

/** Keys and messages of RFC 9421, appendix B. */
const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
  y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
};
const P256_PRIVATE = { ...P256, d: 'UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs' };
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' };

const REQUEST: Signable = {
  derived: { '@method': 'POST', '@path': '/foo', '@authority': 'example.com' },
  headers: {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-length': '18',
  },
};
const RESPONSE: Signable = {
  derived: { '@status': '200' },
  headers: {
    'content-type': 'application/json',
    'content-digest':
      'sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:',
    'content-length': '23',
  },
};
const B26 = {
  input:
    'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  signature: 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
};
const B24 = {
  input:
    'sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"',
  signature: 'sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:',
};

test.each([
  ['B.2.6 (Ed25519)', ED25519, REQUEST, B26],
  ['B.2.4 (ECDSA P-256)', P256, RESPONSE, B24],
])('verifies the example %s of RFC 9421, and rejects it after a change', (_, key, message, { input, signature }) => {
  const [parsed] = parseSignatures(input, signature) ?? [];
  if (!parsed) throw new Error('The example is not parsed.');

  expect(parsed).toMatchObject({ created: 1_618_884_473, keyid: expect.stringContaining('test-key') });
  expect(isSignedBy(key, message, parsed)).toBe(true);

  const changed = { ...message, headers: { ...message.headers, 'content-type': 'text/plain' } };
  expect(isSignedBy(key, changed, parsed)).toBe(false);
  const [later] = parseSignatures(input.replace('1618884473', '1618884474'), signature) ?? [];
  expect(later && isSignedBy(key, message, later)).toBe(false);
  expect(isSignedBy(key === P256 ? ED25519 : P256, message, parsed)).toBe(false);
});

test('a signed message verifies with the public key of the signing key', () => {
  const privateKey = createPrivateKey({ key: P256_PRIVATE, format: 'jwk' });
  const names = ['@method', '@authority', 'content-type'];
  const headers = signatureHeaders(REQUEST, names, { kid: 'one', privateKey }, 1_700_000_000);
  const [parsed] = parseSignatures(headers['signature-input'], headers.signature) ?? [];

  expect(headers['signature-input']).toBe(
    'sig1=("@method" "@authority" "content-type");created=1700000000;keyid="one"',
  );
  expect(parsed?.signature).toHaveLength(64);
  expect(parsed && isSignedBy(P256, REQUEST, parsed)).toBe(true);
});

test('the key of a dictionary member is part of the signed component, and the component parameter sf is rejected', () => {
  const privateKey = createPrivateKey({ key: P256_PRIVATE, format: 'jwk' });
  const message = {
    ...REQUEST,
    headers: { 'signature-agent': 'a="https://a.example", sig1="https://b.example";type=cimd' },
  };
  const inner = { ...REQUEST, headers: { 'signature-agent': '"https://b.example";type=cimd' } };
  const made = signatureHeaders(inner, ['signature-agent'], { kid: 'one', privateKey }, 1);
  const plain = parseSignatures(made['signature-input'], made.signature)?.[0];
  if (!plain) throw new Error('not parsed');

  // The base differs in the name of the component, so the signature of the plain field must not verify.
  const named = { ...plain, components: ['"signature-agent";key="sig1"'] };
  expect(isSignedBy(P256, message, named)).toBe(false);
  expect(isSignedBy(P256, inner, plain)).toBe(true);
  expect(isSignedBy(P256, inner, { ...plain, components: ['"signature-agent";sf'] })).toBe(false);
});

test.each([
  ['an inner list that is not closed', 'sig1=("@method"'],
  ['text after the parameters', 'sig1=("@method");created=1 x'],
  ['a component without quotes', 'sig1=(@method)'],
  ['nothing', ''],
])('does not parse Signature-Input with %s', (_, input) => {
  expect(parseSignatures(input, 'sig1=:AAAA:')).toBeUndefined();
});

test('ignores text inside quoted parameters of Signature-Input', () => {
  const input = 'sig1=("@method" "@path");x=";created=7;tag=(a)";keyid="one";created=5';
  const [parsed] = parseSignatures(input, 'sig1=:AAAA:') ?? [];

  expect(parsed).toMatchObject({ components: ['"@method"', '"@path"'], keyid: 'one', tag: undefined, created: 5 });
});

test('parses a long Signature-Input in linear time', () => {
  const start = performance.now();
  const [parsed] = parseSignatures(`sig1=("@method");x="${'\\"'.repeat(75_000)})";keyid="one"`, 'sig1=:AAAA:') ?? [];

  expect(parsed).toMatchObject({ components: ['"@method"'], keyid: 'one' });
  // A parser with quadratic time would take half a minute.
  expect(performance.now() - start).toBeLessThan(3_000);
});

test('the content digest matches the example of RFC 9530, and the key thumbprint the example of RFC 8037', () => {
  // The examples are from RFC 9530, appendix D, and RFC 8037, appendix A.3.
  expect(contentDigest('{"hello": "world"}\n')).toBe('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:');
  expect(thumbprintOf({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' })).toBe(
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  );
});

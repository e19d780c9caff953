import { expect, test } from 'vitest';
import { AddressRefused, checkAddress, checkUrl } from './addresses.ts';

const policy = { allowPrivate: false, ownHost: 'shop.example.com' };

test.each([
  'http://hooks.example.net/x',
  'ftp://hooks.example.net/x',
  'https://user:pass@hooks.example.net/x',
  'https://user@hooks.example.net/x',
  'https://hooks.example.net:22/x',
  'https://hooks.example.net:80/x',
  'https://localhost/x',
  'https://localhost./x',
  'https://a.localhost/x',
  'https://printer.local/x',
  'https://metadata.google.internal/x',
  'https://intranet/x',
  'https://shop.example.com/x',
  'https://shop.example.com./x',
  'https://127.0.0.1/x',
  'https://127.1/x',
  'https://2130706433/x',
  'https://0x7f000001/x',
  'https://0177.0.0.1/x',
  'https://0/x',
  'https://127。0。0。1/x',
  'https://①②⑦.⓪.⓪.①/x',
  'https://10.1.2.3/x',
  'https://172.16.0.1/x',
  'https://192.168.1.1/x',
  'https://100.64.0.1/x',
  'https://169.254.169.254/latest/meta-data',
  'https://168.63.129.16/x',
  'https://192.0.2.1/x',
  'https://198.18.0.1/x',
  'https://224.0.0.1/x',
  'https://255.255.255.255/x',
  'https://[::1]/x',
  'https://[::]/x',
  'https://[::127.0.0.1]/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://[::ffff:7f00:1]/x',
  'https://[64:ff9b::7f00:1]/x',
  'https://[2002:7f00:1::]/x',
  'https://[2001:0:7f00:1::]/x',
  'https://[fe80::1]/x',
  'https://[fc00::1]/x',
  'https://[fec0::1]/x',
  'https://[ff02::1]/x',
  'https://[fd00:ec2::254]/x',
  'not an address',
  'https://',
])('rejects the URL %s', (url) => {
  expect(() => checkUrl(url, policy)).toThrow(AddressRefused);
});

test.each([
  'https://hooks.example.net/x',
  'https://hooks.example.net:8443/x?y=z',
  'https://1.1.1.1/x',
  'https://[2606:4700:4700::1111]/x',
])('accepts the URL %s', (url) => {
  expect(checkUrl(url, policy).protocol).toBe('https:');
});

test.each(['127.0.0.1', '::ffff:10.0.0.1', 'fe80::1%eth0', '', 'example.com'])(
  'rejects the resolved address %j',
  (address) => {
    expect(() => checkAddress(address)).toThrow(AddressRefused);
  },
);

test.each(['1.1.1.1', '2606:4700:4700:0::1111'])(
  'accepts the resolved address %s, unless it is an address of this server',
  (address) => {
    checkAddress(address);
    expect(() => checkAddress(address, new Set(['1.1.1.1', '2606:4700:4700::1111']))).toThrow(AddressRefused);
  },
);

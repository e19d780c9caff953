import { randomUUID } from 'node:crypto';
import { type Answers, answerNames, dryNetwork, OWN_ADDRESS } from '../testing/fake-network.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { EventShop } from '../testing/webhook-shop.ts';
import { type EventPremises, onEventPremises } from './server-without-jobs.ts';

/**
 * IP addresses in all spellings that a URL allows, host names for them, and hosts at which cloud providers serve
 * secrets.
 */
const HOSTS = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.255.255.254 0 0.0.0.0
  ①②⑦.⓪.⓪.① 127。0。0。1 127%2e0%2e0%2e1 127.0.0.1. %31%32%37.0.0.1 10.0.0.1 10.255.255.255 172.16.0.1
  172.31.255.255 192.168.0.1 0xc0a80001 100.64.0.1 192.0.0.1 169.254.169.254 0xa9fea9fe 2852039166
  0251.0376.0251.0376 168.63.129.16 100.100.100.200 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
  240.0.0.1 255.255.255.255 [::1] [::] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [::ffff:a9fe:a9fe] [64:ff9b::7f00:1] [64:ff9b:1::1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fc00::1]
  [fd00:ec2::254] [fec0::1] [ff02::1] [2001:db8::1] [100::1] [::ffff:0:127.0.0.1] localhost LOCALHOST
  localhost. a.localhost metadata.google.internal metadata printer.local kubernetes.default.svc.cluster.local
  shop.example.com SHOP.example.com. user@127.0.0.1 a.example@127.0.0.1
`
  .trim()
  .split(/\s+/);

/** DNS answers for names that look harmless: for the first lookup, and for all later ones. */
export const NAMES: Answers = {
  'private.example.net': [['127.0.0.1'], ['127.0.0.1']],
  'rebinding.example.net': [['93.184.215.14'], ['127.0.0.1']],
  'rebinding6.example.net': [['93.184.215.14'], ['::1']],
  'metadata.example.net': [['93.184.215.14'], ['169.254.169.254']],
  'mixed.example.net': [
    ['93.184.215.14', '10.0.0.1'],
    ['10.0.0.1', '93.184.215.14'],
  ],
  'mixed6.example.net': [['93.184.215.14'], ['2606:2800:21f::1', '::ffff:127.0.0.1']],
  'mapped.example.net': [['::ffff:10.0.0.1'], ['64:ff9b::7f00:1']],
  'scoped.example.net': [['fe80::1%lo'], ['fe80::1%lo']],
  'late.example.net': [[], ['192.168.0.1']],
  'shop.example.com': [[OWN_ADDRESS], [OWN_ADDRESS]],
  'own.example.net': [['93.184.215.14'], [OWN_ADDRESS]],
  'honest.example.net': [['93.184.215.14'], ['93.184.215.14']],
};
const PUBLIC = ['93.184.215.14', '2606:2800:21f::1'];

const PORTS = ['', ':443', ':8443'];
const PATHS = ['/', '/latest/meta-data/', '/hooks?to=https://hooks.example.net', '/#@hooks.example.net/'];

/** The server must connect only to public IP addresses, whatever the URL of a webhook and the DNS answers are. */
export const G4: Proof = {
  id: 'G4',
  promise: 'No webhook makes the server connect to an address that is not a public one.',
  run: (trial) => onEventPremises(trial, { allowPrivate: false }, (premises) => attack(premises, trial)),
};

async function attack(premises: EventPremises, trial: Trial): Promise<Figures> {
  const { violations, owner } = premises;
  const goal = pick(trial.size, 170, 10_000);
  const network = dryNetwork([trial.databaseUrl, premises.baseUrl].map((url) => Number(new URL(url).port || 5432)));
  const endNames = answerNames(NAMES);
  try {
    const shop = await premises.openShop();
    const registrations = await registerAll(premises, shop);
    const target = await shop.addWebhook('https://elsewhere.example.net/', ['order.paid']);
    await shop.call('POST', '/api/dashboard/events/trigger', { type: 'order.paid' });
    const [delivery = ''] = await premises.pending(shop, target.id);
    const urls = urlsOf(chanceOf(trial.seed), goal - registrations);
    for (const url of urls) await attemptAt(premises, shop, { webhook_id: target.id, delivery, url });
    const { rows } = await owner.query<{ outcome: string; count: number }>(
      'select outcome, count(*)::int from commerce.webhook_attempts where site_id = $1 group by 1 order by 1',
      [shop.site_id],
    );
    await premises.forget(shop);
    for (const { outcome } of rows)
      if (!['url_refused', 'not_connected'].includes(outcome))
        violations.add(`An attempt to a forbidden address: expected url_refused or not_connected, got ${outcome}`);
    const made = rows.reduce((sum, { count }) => sum + count, 0);
    if (made !== urls.length) violations.add(`${made} of ${urls.length} attempts were recorded`);
    for (const address of network.forbidden) violations.add(`The server connected to the forbidden address ${address}`);
    const note = `${registrations} registrations, ${network.others} connects to public addresses`;
    return { tried: goal, unit: 'addresses', note, violations: violations.list };
  } finally {
    endNames();
    network.end();
  }
}

/**
 * Tries to register a webhook for each host and name. A name that currently resolves to public addresses must be
 * accepted, because each attempt checks again. Returns the number of hosts.
 */
async function registerAll({ baseUrl, violations }: EventPremises, { credentials }: EventShop): Promise<number> {
  const hosts = [...HOSTS, ...Object.keys(NAMES)];
  for (const host of hosts) {
    const answer = await fetch(`${baseUrl}/api/dashboard/webhooks`, {
      method: 'POST',
      headers: {
        'X-API-Key': credentials.api_key,
        'Idempotency-Key': randomUUID(),
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ url: `https://${host}/`, events: ['order.paid'] }),
    });
    const text = await answer.text();
    const harmlessNow = NAMES[host]?.[0].every((address) => PUBLIC.includes(address)) ?? false;
    if (answer.status !== (harmlessNow ? 201 : 422))
      violations.add(`registering ${host}: expected ${harmlessNow ? 201 : 422}, got ${answer.status}: ${text}`);
  }
  return hosts.length;
}

/** Returns URLs: first one with https for each host and name, then URLs with random schemes, ports and paths. */
export function urlsOf(chance: Chance, count: number): string[] {
  const hosts = [...HOSTS, ...Object.keys(NAMES)];
  const plain = hosts.map((host) => `https://${host}/`);
  const odd = Array.from({ length: Math.max(0, count - plain.length) }, () => {
    const scheme = chance.next() < 0.9 ? 'https' : chance.of(['http', 'HTTPS', 'ftp', 'file', 'gopher', 'ws']);
    // Chooses names more often than addresses, because the server learns the address of a name only by a lookup.
    const host = chance.next() < 0.4 ? chance.of(Object.keys(NAMES)) : chance.of(HOSTS);
    return `${scheme}://${host}${chance.of(PORTS)}${chance.of(PATHS)}`;
  });
  return [...plain, ...odd].slice(0, count);
}

/** Attempts a delivery to a URL that was inserted into the database, as if registration had accepted it. */
async function attemptAt(
  premises: EventPremises,
  shop: EventShop,
  { webhook_id, delivery, url }: { webhook_id: string; delivery: string; url: string },
): Promise<void> {
  await premises.owner.query('update commerce.webhooks set url = $3 where site_id = $1 and id = $2', [
    shop.site_id,
    webhook_id,
    url,
  ]);
  await premises.owner.query('update commerce.webhook_deliveries set tries = 0 where site_id = $1 and id = $2', [
    shop.site_id,
    delivery,
  ]);
  await premises.attempt(shop, delivery);
}

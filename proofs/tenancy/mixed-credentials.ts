import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import type { TokenKind } from '../../server/src/shop/tokens.ts';
import { withNewKey } from '../testing/idempotent-requests.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type Call, send } from '../testing/raw-requests.ts';
import { type CredentialScheme, headerOf, SCHEMES, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

type Headers = Call['headers'];

interface Mix {
  what: string;
  headers: Headers;
}

/**
 * Calls every operation with credentials that do not belong to each other, to the operation or to the site, or that
 * have ended.
 */
export const A4: Proof = {
  id: 'A4',
  promise: 'An operation accepts exactly one valid credential of its own kind, with its own site.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      let tried = 0;
      for (const operation of operationTable) {
        if (operation.security.length === 0) continue;
        const [tenant] = world.tenants;
        const call = await validCall(world, tenant, operation);
        for (const mix of chance.some(mixesFor(world, operation), pick(trial.size, 3, 10_000))) {
          tried += 1;
          const reply = await send(world.baseUrl, withNewKey({ ...call, headers: mix.headers }));
          world.look(reply, tenant, operation.id);
          const refused = reply.status === 401 || reply.status === 403;
          if (!refused)
            world.violations.add(
              `${operation.id} with ${mix.what}: expected 401 or 403, got ${reply.status} ${reply.text.slice(0, 300)}`,
            );
          else if (reply.status === 401 && !reply.headers['www-authenticate']) {
            world.violations.add(`${operation.id}: ${mix.what}: 401 without WWW-Authenticate`);
          }
        }
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

const MERCHANT = 'X-Service-Merchant-Id';

function mixesFor(world: World, operation: Operation): Mix[] {
  const [tenant, other] = world.tenants;
  const ways = waysOf(operation);
  const mixes: Mix[] = [{ what: 'no credential', headers: {} }];
  for (const [index, way] of ways.entries()) {
    const needsSite = operation.security[index]?.includes('SiteId') ?? false;
    const own = secretsOf(tenant, way);
    const site: Headers = needsSite ? { 'X-Site-ID': tenant.site_id } : {};
    if (needsSite) mixes.push(...siteMixes(own, tenant, other));
    if (operation.parameters.some(({ name }) => name === MERCHANT)) {
      mixes.push({ what: `${way}, the merchant of another`, headers: { ...own, [MERCHANT]: other.merchant_id } });
    }
    for (const scheme of way) {
      const others = { ...site, ...secretsOf(tenant, without(way, scheme)) };
      mixes.push(...deadMixes(tenant, scheme, others), ...misshapen(scheme, tenant.secrets[scheme], others));
      if (way.length > 1) {
        const foreign = { ...others, ...secretsOf(other, [scheme]) };
        mixes.push({ what: `${scheme} of ${other.name} beside the rest of ${tenant.name}`, headers: foreign });
        const rest = without(way, scheme);
        if (!isAmong(ways, rest)) mixes.push({ what: `${rest} without ${scheme}`, headers: others });
      }
      for (const second of without(Object.keys(SCHEMES) as CredentialScheme[], scheme)) {
        for (const owner of ownersThatDoNotBelong(world, operation, without(way, scheme), { scheme, second })) {
          const wrongHeader = headersOf(scheme, owner.secrets[second]);
          mixes.push({
            what: `${second} of ${owner.name} in the header of ${scheme}`,
            headers: { ...others, ...wrongHeader },
          });
        }
      }
    }
    mixes.push(...secondMixes(world, operation, ways, way));
  }
  for (const scheme of Object.keys(SCHEMES) as CredentialScheme[]) {
    if (isAmong(ways, [scheme])) continue;
    const headers = { ...secretsOf(tenant, [scheme]), 'X-Site-ID': tenant.site_id };
    mixes.push({ what: `${scheme} alone`, headers });
  }
  if (operation.scope && !operation.scope.endsWith(':read') && isAmong(ways, ['ApiKey'])) {
    mixes.push({ what: 'a key that only reads', headers: headersOf('ApiKey', tenant.readOnlyKey) });
  }
  return mixes;
}

/**
 * Returns the owners whose `second` credential must be rejected in place of the first. If both schemes use the same
 * header, the tenant's own credential may be a valid alternative. In that case, only the other tenant's credential must
 * be rejected.
 */
function ownersThatDoNotBelong(
  { tenants: [tenant, other] }: World,
  operation: Operation,
  rest: CredentialScheme[],
  { scheme, second }: { scheme: CredentialScheme; second: CredentialScheme },
): Tenant[] {
  const ways = waysOf(operation);
  if (SCHEMES[scheme].header !== SCHEMES[second].header) return [tenant, other];
  if (second === 'CustomerToken' && !looksAtCustomers(operation) && isAmong(ways, rest)) return [];
  return isAmong(ways, [...rest, second]) ? [other] : [tenant, other];
}

/**
 * Storefront operations that do not accept a customer's token ignore the token, so that a page may send it with every
 * call.
 */
function looksAtCustomers(operation: Operation): boolean {
  return operation.surface !== 'storefront' || waysOf(operation).flat().includes('CustomerToken');
}

function waysOf({ security }: Operation): CredentialScheme[][] {
  return security.map((names) => names.filter((name) => name in SCHEMES) as CredentialScheme[]);
}

/**
 * Adds to the operation's valid credentials one more credential, of a kind that the operation does not accept in
 * combination with them.
 */
function secondMixes(world: World, operation: Operation, ways: CredentialScheme[][], way: CredentialScheme[]): Mix[] {
  const [tenant, other] = world.tenants;
  return (Object.keys(SCHEMES) as CredentialScheme[]).flatMap((second) => {
    if (way.includes(second) || (second === 'CustomerToken' && !looksAtCustomers(operation))) return [];
    // If both credentials use the same header, only the second is sent.
    const left = way.filter((scheme) => SCHEMES[scheme].header !== SCHEMES[second].header);
    // The token of the agent's own storefront is allowed in addition to an agent's token.
    const belongs = second === 'StorefrontToken' && way.includes('AgentToken');
    const owners = belongs || isAmong(ways, [...left, second]) ? [other] : [tenant, other];
    return owners.map((owner) => ({
      what: `${way} beside ${second} of ${owner.name}`,
      headers: { ...secretsOf(tenant, way), ...secretsOf(owner, [second]), 'X-Site-ID': tenant.site_id },
    }));
  });
}

function isAmong(ways: CredentialScheme[][], schemes: CredentialScheme[]): boolean {
  return ways.some((way) => way.length === schemes.length && schemes.every((scheme) => way.includes(scheme)));
}

function without(schemes: CredentialScheme[], scheme: CredentialScheme): CredentialScheme[] {
  return schemes.filter((one) => one !== scheme);
}

function secretsOf(tenant: Tenant, schemes: CredentialScheme[]): Headers {
  return Object.fromEntries(schemes.map((scheme) => headerOf(scheme, tenant.secrets[scheme])));
}

function headersOf(scheme: CredentialScheme, secret: string): Headers {
  return Object.fromEntries([headerOf(scheme, secret)]);
}

function deadMixes(tenant: Tenant, scheme: CredentialScheme, site: Headers): Mix[] {
  const kind: TokenKind = SCHEMES[scheme].kind;
  return tenant.dead
    .filter((credential) => credential.kind === kind)
    .map(({ why, secret }) => ({ what: `${scheme}, ${why}`, headers: { ...site, ...headersOf(scheme, secret) } }));
}

/** Returns the correct secret in wrong forms, such as twice, in another case or under another scheme. */
function misshapen(scheme: CredentialScheme, secret: string, site: Headers): Mix[] {
  const { header } = SCHEMES[scheme];
  const value = headerOf(scheme, secret)[1];
  const swapped = secret === secret.toUpperCase() ? secret.toLowerCase() : secret.toUpperCase();
  const shapes: Record<string, string | string[]> = {
    empty: '',
    'twice in one header': `${value}, ${value}`,
    'in capitals': value.replace(secret, swapped),
    'one character short': value.slice(0, -1),
    'one character more': `${value}0`,
    'a blank inside': value.replace('_', '_ '),
    'another scheme of authorization': `Basic ${Buffer.from(secret).toString('base64')}`,
  };
  if (header !== 'Authorization') shapes['with Bearer'] = `Bearer ${secret}`;
  // Node keeps the first of two Authorization headers, and joins the values of the other credential headers.
  else shapes['without Bearer'] = secret;
  if (header !== 'Authorization') shapes['in two headers'] = [value, value];
  return Object.entries(shapes).map(([what, shape]) => ({
    what: `${scheme}: ${what}`,
    headers: { ...site, [header]: shape },
  }));
}

function siteMixes(own: Headers, tenant: Tenant, other: Tenant): Mix[] {
  const sites: Record<string, string | string[] | undefined> = {
    'no site': undefined,
    'an empty site': '',
    'the site of another': other.site_id,
    'a site that is none': 'zz',
    'an unknown site': '0192f3a0-4444-7000-8000-000000000001',
    'its site and another': [tenant.site_id, other.site_id],
    'another site and its own': `${other.site_id}, ${tenant.site_id}`,
    'its site as a urn': `urn:uuid:${tenant.site_id}`,
    'the merchant for the site': tenant.merchant_id,
  };
  return Object.entries(sites).map(([what, site]) => ({
    what,
    headers: site === undefined ? own : { ...own, 'X-Site-ID': site },
  }));
}

import type { Audience, ResourcePath } from '../../shop/agents/issuers.ts';
import { ShopError } from '../../shop/errors.ts';
import type { Claim } from './caller.ts';

/**
 * Throws `invalid_token` if an agent's token was issued for another resource (RFC 8707), or granted to another UCP
 * platform.
 */
export function requireAudience(claim: Claim, issuedFor: Audience): void {
  requireResource(claim, issuedFor.resource);
  requirePlatform(claim, issuedFor.platform_host);
}

function requireResource({ resource = '' }: Claim, issuedFor: ResourcePath | null): void {
  if (issuedFor === null || issuedFor === resource) return;
  const [meant, here] = [RESOURCE_NAMES[issuedFor], RESOURCE_NAMES[resource]];
  throw new ShopError('invalid_token', `This token was issued for ${meant} of the shop and does not work at ${here}.`, {
    next: `Use this token at ${meant}, or ask the customer for consent for ${here}.`,
  });
}

const RESOURCE_NAMES: Record<ResourcePath, string> = { '': 'the API', '/mcp': '/mcp', '/ucp/mcp': '/ucp/mcp' };

function requirePlatform({ platform_host }: Claim, grantedTo: string | null): void {
  if (grantedTo === null || grantedTo === platform_host) return;
  const message = `This token was granted to the UCP platform at ${grantedTo}.`;
  throw new ShopError('invalid_token', `${message} It works only over UCP, with a profile on that host.`, {
    next: `Name a profile on ${grantedTo} in UCP-Agent, or ask the customer for consent with the scopes of the API.`,
  });
}

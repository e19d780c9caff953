/** Errors of credentials, as the capability `dev.ucp.common.identity_linking` defines them. */

import type { UcpScope } from '../shop/agents/ucp-scopes.ts';
import { type CapabilityName, type Message, ProtocolError } from './protocol.ts';

/** The request whose caller is not accepted. */
export interface Asker {
  /** The OAuth issuer of the shop, which is also the base URL of its UCP endpoints. */
  issuer: string;
  /** The resource of the request: UCP over REST belongs to the API. */
  resource: '' | '/ucp/mcp';
  version: string;
  /** The capability of the function. */
  root: CapabilityName;
}

const ORDER = 'dev.ucp.shopping.order';

const SCOPES: Partial<Record<CapabilityName, UcpScope>> = {
  [ORDER]: 'dev.ucp.shopping.order:read',
  'dev.ucp.shopping.cart': 'dev.ucp.shopping.cart:manage',
  'dev.ucp.shopping.checkout': 'dev.ucp.shopping.checkout:manage',
};

/** The error of a function that needs a customer, for a caller without a token. */
export function identityRequired(asker: Asker): ProtocolError {
  const content = 'Orders need the consent of their customer. Ask for it by OAuth, and send the token.';
  return errorWith(asker, { status: 401, code: 'identity_required', content });
}

interface Refusal {
  content: string;
  headers?: Record<string, string>;
}

/** The error for a token that is not accepted. */
export function invalidToken(asker: Asker, refusal: Refusal): ProtocolError {
  const code = 'invalid_token';
  return errorWith(asker, { ...refusal, status: 401, code, challenge: [`error="${code}"`] });
}

/** The error for a token that lacks a scope of the API. The challenge names the scope of UCP that includes it. */
export function insufficientScope(asker: Asker, missing: string, refusal: Refusal): ProtocolError {
  const code = 'insufficient_scope';
  const challenge = [`error="${code}"`, `scope="${SCOPES[asker.root] ?? missing}"`];
  return errorWith(asker, { ...refusal, status: 403, code, challenge });
}

interface CredentialError extends Refusal {
  status: 401 | 403;
  code: string;
  /** Parameters of RFC 6750 §3. Without a token there are none (§3.1). */
  challenge?: string[];
}

function errorWith(asker: Asker, refusal: CredentialError): ProtocolError {
  const { status, code, content, challenge = [], headers } = refusal;
  const { issuer, version, root } = asker;
  const parameters = [`realm="${issuer}"`, ...challenge, `resource_metadata="${metadataOf(asker)}"`];
  const shown = status === 401 && root === ORDER ? 'identity_required' : code;
  const message: Message = { type: 'error', code: shown, content, severity: 'requires_buyer_review' };
  const told = { ...headers, 'WWW-Authenticate': `Bearer ${parameters.join(', ')}` };
  return new ProtocolError(status, code, content, told, { ucp: { version, status: 'error' }, messages: [message] });
}

/** The URL of the resource's OAuth metadata (RFC 9728 §3.1). */
function metadataOf({ issuer, resource }: Asker): string {
  const { origin, pathname } = new URL(issuer + resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
}

import type { RequestHandler } from 'express';

/**
 * Allows pages of any web origin to call endpoints that need no cookie and return nothing without a secret:
 * browser-based OAuth clients read the metadata, register, and exchange their codes themselves
 * (draft-ietf-oauth-browser-based-apps §6.3). The authorization page and MCP are not among them.
 */
export function openToAnyOrigin(method: 'GET' | 'POST'): RequestHandler {
  return (req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id' });
    if (req.method !== 'OPTIONS') return next();
    res.set({
      Allow: `${method === 'GET' ? 'GET, HEAD' : method}, OPTIONS`,
      'Access-Control-Allow-Methods': method,
      // Sent by MCP clients with each of these requests.
      'Access-Control-Allow-Headers': 'Content-Type, MCP-Protocol-Version',
      'Access-Control-Max-Age': '600',
    });
    res.status(204).end();
  };
}

import type { RequestHandler } from 'express';

/**
 * Allows web pages of any origin to call an endpoint that needs no cookie and returns secrets only to callers that
 * already have one. Browser-based OAuth clients need this to read the metadata, register and exchange codes
 * (draft-ietf-oauth-browser-based-apps §6.3). Do not use it for the authorization page or MCP.
 */
export function openToAnyOrigin(method: 'GET' | 'POST'): RequestHandler {
  return (req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id' });
    if (req.method !== 'OPTIONS') return next();
    res.set({
      Allow: `${method === 'GET' ? 'GET, HEAD' : method}, OPTIONS`,
      'Access-Control-Allow-Methods': method,
      // MCP clients send MCP-Protocol-Version with these requests.
      'Access-Control-Allow-Headers': 'Content-Type, MCP-Protocol-Version',
      'Access-Control-Max-Age': '600',
    });
    res.status(204).end();
  };
}

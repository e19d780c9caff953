import type { RequestHandler } from 'express';

/**
 * Lets pages of any web origin call what needs no cookie and gives nothing to whoever has not got a secret already: clients of OAuth
 * that run in a browser read the metadata, register, and exchange their codes themselves (draft-ietf-oauth-browser-based-apps §6.3).
 * The address that browsers are sent to is not among them, nor is MCP.
 */
export function openToAnyOrigin(method: 'GET' | 'POST'): RequestHandler {
  return (req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id' });
    if (req.method !== 'OPTIONS') return next();
    res.set({
      Allow: `${method === 'GET' ? 'GET, HEAD' : method}, OPTIONS`,
      'Access-Control-Allow-Methods': method,
      // What clients of MCP send with each of these requests.
      'Access-Control-Allow-Headers': 'Content-Type, MCP-Protocol-Version',
      'Access-Control-Max-Age': '600',
    });
    res.status(204).end();
  };
}

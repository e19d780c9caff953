import { type RequestHandler, Router } from 'express';

/** Paths of the agent API as people type them, without the API prefix. */
const OF_AGENTS = {
  get: ['/agent/catalog/search', '/agent/customer/me', '/agent/audit/me'],
  post: ['/agent/intent/find', '/agent/intent/find-and-add', '/agent/intent/find-and-buy'],
};
const OF_CUSTOMERS = ['/customer/login', '/customer/me/agent-consent/:user_code/approve'];

/** Redirects paths without the API prefix with 308, which keeps method and body. */
export function unprefixedPaths(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(OF_AGENTS.get, leadTo('/api'));
  router.post(OF_AGENTS.post, leadTo('/api'));
  router.post(OF_CUSTOMERS, leadTo('/api/storefront'));
  return router;
}

function leadTo(prefix: string): RequestHandler {
  return (req, res) => {
    res.status(308).set('Location', `${prefix}${req.url}`).end();
  };
}

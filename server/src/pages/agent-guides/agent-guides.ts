/**
 * Guides that language models read before they shop: `llms.txt` and `skill.md` of each shop, at its own host and below
 * its issuer `/sites/{site_id}`. They are generated from the contract and the shop's public data.
 */

import type { AgentShop } from '@commerce-backend/spec';
import type { Request, RequestHandler, Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { SiteHosts } from '../../http/callers/site-hosts.ts';
import { contextOf } from '../../http/express/context.ts';
import { answerTo } from '../../http/pipeline/errors.ts';
import { read } from '../../shop/agents/shop.ts';
import { notFound } from '../../shop/errors.ts';
import { findTenant, inShop, promiseNoChange } from '../../shop/in-shop.ts';
import { withdrawFormUrl } from '../../shop/links.ts';
import { readFront } from '../../shop/merchant/front.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import { llmsText } from './llms-text.ts';
import { skillText } from './skill-text.ts';
import type { GuidedShop } from './words.ts';

interface GuideDeps {
  db: Pool;
  hosts: SiteHosts;
  checkoutDeps: CheckoutDeps;
}

type Facts = AgentShop & { withdrawal_page: boolean; public_tools: boolean };

const GUIDES = { 'llms.txt': llmsText, 'skill.md': skillText };

export function addAgentGuides(router: Router, deps: GuideDeps): void {
  const shops = new LRUCache<string, Facts>({ max: 500, ttl: 60_000 });
  for (const [name, write] of Object.entries(GUIDES)) {
    router.get([`/${name}`, `/sites/:site_id/${name}`], guide(deps, shops, write));
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function guide(deps: GuideDeps, shops: LRUCache<string, Facts>, write: (shop: GuidedShop) => string): RequestHandler {
  return async (req, res) => {
    try {
      const shop = await shopOf(deps, shops, req);
      const text = write(shop);
      res.removeHeader('X-Robots-Tag');
      res.set({ 'Content-Type': 'text/markdown; charset=utf-8', 'Cache-Control': 'public, max-age=300' }).send(text);
    } catch (error) {
      refuse(res, error);
    }
  };
}

async function shopOf(
  { db, hosts, checkoutDeps }: GuideDeps,
  shops: LRUCache<string, Facts>,
  req: Request,
): Promise<GuidedShop> {
  const atHost = hosts.siteAt(req);
  const named = typeof req.params.site_id === 'string' ? req.params.site_id.toLowerCase() : undefined;
  const site_id = named ?? atHost;
  if (!site_id || !UUID.test(site_id) || (atHost && atHost !== site_id)) throw notFound('shop');
  // The tenant is checked on each request, even for cached guides, because the site may have been suspended or deleted.
  const tenant = await findTenant(db, site_id);
  if (!tenant) throw notFound('shop');
  const key = `${tenant.era} ${site_id}`;
  let facts = shops.get(key);
  if (!facts) {
    facts = await inShop(db, tenant, { type: 'anonymous', id: site_id, customer_id: null }, async (shop) => {
      await promiseNoChange(shop);
      const { withdrawal_page, public_tools } = await readFront(shop);
      return { ...(await read(shop, checkoutDeps)), withdrawal_page, public_tools };
    });
    shops.set(key, facts);
  }
  const origin = hosts.originAt(req);
  const { withdrawal_page, ...public_facts } = facts;
  const withdrawal_form_url = withdrawal_page ? withdrawFormUrl(checkoutDeps, site_id) : null;
  return { ...public_facts, withdrawal_form_url, origin, issuer: atHost ? origin : `${origin}/sites/${site_id}` };
}

function refuse(res: Response, error: unknown): void {
  const context = contextOf(res);
  const { status, body, headers = {} } = answerTo(error, context.request_id);
  if (status >= 500) context.cause = error;
  res.status(status).set(headers).type('application/json').send(body);
}

/**
 * Simple replacements for the server's hosted pages: a checkout with a single button, an agent's consent request, the
 * account page for revoking agents, and images. The first customer of the shop is always logged in.
 */

import { createStorefrontClient, type StorefrontClient, unwrap } from '@commerce-backend/sdk';
import type { MockShop } from '@commerce-backend/sdk/mocks/fetch';

type Fetch = (request: Request) => Promise<Response>;

/** Serves hosted pages; undefined for other paths. */
export function openPages(shop: MockShop, fetch: Fetch): (request: Request) => Promise<Response | undefined> {
  const guest = createStorefrontClient({ ...shop, fetch, maxAttempts: 1 });
  async function asCustomer(): Promise<StorefrontClient> {
    const { email = '', password = '' } = shop.customers[0] ?? {};
    const { access_token } = await unwrap(guest.POST('/api/storefront/customer/login', { body: { email, password } }));
    return guest.withCustomer(access_token);
  }
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const [, first, second = ''] = pathname.split('/');
    const form = request.method === 'POST' ? new URLSearchParams(await request.clone().text()) : undefined;
    try {
      if (first === 'checkout') return await checkoutPage(shop, await asCustomer(), second, form);
      if (first === 'sites' && pathname.endsWith('/oauth/authorize')) return authorizationPage(shop, request.url, form);
      if (first === 'agent-consent') return await consentPage(await asCustomer(), searchParams, form);
      if (first === 'account') return await accountPage(await asCustomer(), form);
    } catch (error) {
      return page(
        'That did not work',
        `<p>${escaped(error instanceof Error ? error.message : String(error))}</p>`,
        409,
      );
    }
    return first === 'demo-images' ? picture(second) : undefined;
  };
}

async function checkoutPage(shop: MockShop, customer: StorefrontClient, id: string, form?: URLSearchParams) {
  const params = { path: { checkout_id: id } };
  const { return_url } = await unwrap(customer.GET('/api/storefront/checkout/{checkout_id}', { params }));
  if (form) {
    const { order_number, total, currency } = shop.confirm(id);
    const back = return_url ? `<p><a href="${escaped(return_url)}">Back to the shop</a></p>` : '';
    return page('Thank you', `<p>Order ${order_number}: ${total} ${currency}.</p>${back}`);
  }
  const checkout = await unwrap(customer.GET('/api/storefront/checkout/{checkout_id}', { params }));
  const lines = checkout.items.map(({ quantity, name, total }) => `<li>${quantity} × ${escaped(name)}: ${total}</li>`);
  const total = `<p>${checkout.total} ${checkout.currency}</p>`;
  if (checkout.status === 'completed') return page('Checkout', `<p>It is order ${checkout.order_number}.</p>`);
  return page('Checkout', `<ul>${lines.join('')}</ul>${total}${button('Place the order', 'placed', 'yes')}`);
}

async function consentPage(customer: StorefrontClient, query: URLSearchParams, form?: URLSearchParams) {
  const user_code = query.get('user_code') ?? '';
  const params = { path: { user_code } };
  const base = '/api/storefront/customer/me/agent-consent/{user_code}' as const;
  if (form?.get('decision') === 'allow') {
    await unwrap(customer.POST(`${base}/approve`, { params, body: {} }));
    return page('Allowed', '<p>The agent gets its token with its next poll.</p>');
  }
  if (form) {
    await unwrap(customer.POST(`${base}/deny`, { params }));
    return page('Denied', '<p>The agent gets no token.</p>');
  }
  const { agent_name, budget_cents, currency, categories } = await unwrap(customer.GET(base, { params }));
  const budget = `a budget of ${budget_cents} in minor units of ${escaped(currency)}`;
  const limits = categories.length > 0 ? `, for ${escaped(categories.join(', '))}` : '';
  const asked = `<p>${escaped(agent_name)} asks for ${budget}${limits}. Its code is ${escaped(user_code)}.</p>`;
  return page('An agent', `${asked}${button('Allow', 'decision', 'allow')}${button('Deny', 'decision', 'deny')}`);
}

/** The page to which an agent sends the browser for an authorization code. */
function authorizationPage(shop: MockShop, url: string, form?: URLSearchParams): Response {
  if (form) {
    const location = shop.authorize(url, form.get('decision') === 'allow' ? {} : 'deny');
    return new Response(null, { status: 303, headers: { Location: location } });
  }
  // Denying changes nothing here. It returns the URL to which the browser would be redirected.
  const back = new URL(shop.authorize(url, 'deny')).host;
  const asked = `<p>An agent at ${escaped(back)} asks to shop for ${escaped(shop.customers[0]?.email ?? '')}.</p>`;
  return page('An agent', `${asked}${button('Allow', 'decision', 'allow')}${button('Deny', 'decision', 'deny')}`);
}

async function accountPage(customer: StorefrontClient, form?: URLSearchParams) {
  const agent_token_id = form?.get('revoke');
  if (agent_token_id) {
    const params = { path: { agent_token_id } };
    await unwrap(customer.DELETE('/api/storefront/customer/me/agents/{agent_token_id}', { params }));
  }
  const { agent_tokens } = await unwrap(customer.GET('/api/storefront/customer/me/agents'));
  const rows = agent_tokens.map(({ id, agent_name, status }) => {
    const revoke = status === 'active' ? button('Revoke', 'revoke', id) : '';
    return `<li>${escaped(agent_name)}: ${status}${revoke}</li>`;
  });
  return page('Account', `<p>Agents:</p><ul>${rows.join('')}</ul>`);
}

function button(label: string, name: string, value: string): string {
  return `<form method="post"><button name="${name}" value="${escaped(value)}">${label}</button></form>`;
}

function page(title: string, content: string, status = 200): Response {
  const html = `<!doctype html><meta charset="utf-8"><title>${title} (mock)</title><h1>${title}</h1>${content}`;
  return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

/** A placeholder image with the file name of the demo shop's image. */
function picture(file: string): Response {
  const name = escaped(file.replace(/\.svg$/, '').replaceAll('-', ' '));
  const hue = [...file].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 800"><rect width="800" height="800" fill="hsl(${hue} 30% 85%)"/><text x="400" y="410" font-family="sans-serif" font-size="36" text-anchor="middle" fill="#333">${name}</text></svg>`;
  return new Response(svg, { headers: { 'Content-Type': 'image/svg+xml' } });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Stripe's pages for the shopper: the page of a session, and the page of the bank. They are forms without scripts. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readForm, text } from './form.ts';
import { payWith } from './intents.ts';
import type { Ledger } from './ledger.ts';
import { intentOfSession } from './sessions.ts';

type Reply = { to: string } | { html: string };

export function servePage(
  ledger: Ledger,
  pages: string,
  req: IncomingMessage,
  res: ServerResponse,
  body: string,
): void {
  const [, page, id = ''] = new URL(req.url ?? '/', pages).pathname.split('/');
  const action = req.method === 'POST' ? text(readForm(body), 'action') : undefined;
  const known = { pay: payPage, 'three-d-secure': bankPage }[page ?? ''];
  if (!known) {
    res.writeHead(404).end();
    return;
  }
  const reply = known(ledger, pages, id, action);
  if ('to' in reply) res.writeHead(303, { Location: reply.to }).end();
  else res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(reply.html);
}

function payPage(ledger: Ledger, pages: string, id: string, action: string | undefined): Reply {
  const session = ledger.session(id);
  if (action === 'abandon') return leave(session.cancel_url ?? session.success_url);
  if (session.status !== 'open') return show('This page has ended.', []);
  const amount = `${session.amount_total} ${session.currency}`;
  const buttons = ['pay', 'paypal', 'three_d_secure', 'decline', 'abandon'];
  if (action === undefined) return show(`Pay ${amount}`, buttons);
  const intent = intentOfSession(ledger, session);
  payWith(ledger, intent, action === 'paypal' ? 'paypal' : 'card');
  if (action === 'pay' || action === 'paypal') {
    ledger.take(intent);
    return leave(session.success_url);
  }
  if (action === 'three_d_secure') {
    ledger.change(intent, 'requires_action');
    return leave(`${pages}/three-d-secure/${intent.id}`);
  }
  ledger.decline(intent, 'card_declined');
  return show(`Your card was declined. Pay ${amount}`, buttons);
}

function bankPage(ledger: Ledger, _pages: string, id: string, action: string | undefined): Reply {
  const intent = ledger.intent(id);
  const session = ledger.sessionOf(intent);
  if (intent.status !== 'requires_action') return show('There is nothing to confirm.', []);
  if (action === undefined) return show('Your bank asks: is it you?', ['confirm', 'refuse']);
  if (action === 'confirm') ledger.take(intent);
  else ledger.decline(intent, 'payment_intent_authentication_failure');
  const paid = action === 'confirm';
  if (session) return leave(paid ? session.success_url : (session.url ?? session.success_url));
  const back = new URL(intent.return_url ?? 'http://localhost/');
  back.searchParams.set('payment_intent', intent.id);
  back.searchParams.set('payment_intent_client_secret', intent.client_secret);
  back.searchParams.set('redirect_status', paid ? 'succeeded' : 'failed');
  return leave(back.href);
}

function show(title: string, actions: string[]): Reply {
  const buttons = actions.map(
    (action) => `<p><button name="action" value="${action}">${action.replaceAll('_', ' ')}</button></p>`,
  );
  const form = `<form method="post">${buttons.join('')}</form>`;
  return { html: `<!doctype html><html lang="en"><title>Stand-in for Stripe</title><h1>${title}</h1>${form}</html>` };
}

function leave(to: string): Reply {
  return { to };
}

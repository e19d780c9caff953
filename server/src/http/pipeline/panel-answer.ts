import { isSessionOpening, namesPanel, panelCookieName } from '../callers/panel-session.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import type { Operation } from '../contract/contract.ts';
import type { Sender } from '../received.ts';
import type { Answer } from './errors.ts';

/** Moves a new session from the response body to the panel's cookie, and deletes the cookie after a logout. */
export function answerInCookie(operation: Operation, sender: Sender, hosts: SiteHosts, answer: Answer): Answer {
  const name = panelCookieName(hosts.originAt(sender));
  if (!name || answer.status >= 300 || !namesPanel(sender.headers)) return answer;
  if (operation.id === 'dashboard.logout') return withCookie(answer, name, '', 0);
  if (!isSessionOpening(operation)) return answer;
  const session = JSON.parse(String(answer.body)) as { access_token: string; expires_at: string };
  const seconds = Math.max(0, Math.floor((Date.parse(session.expires_at) - Date.now()) / 1_000));
  const body = JSON.stringify({ ...session, access_token: '' });
  return withCookie({ ...answer, body }, name, session.access_token, seconds);
}

function withCookie(answer: Answer, name: string, value: string, maxAgeSeconds: number): Answer {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  const cookie = `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly${secure}; SameSite=Lax`;
  return { ...answer, headers: { ...answer.headers, 'Set-Cookie': cookie } };
}

/** The frame of the account's sections: login, navigation, confirmation of the last change, and mistakes. */

import { page } from '../parts/document.ts';
import { csrfField, type Mistake, mistakeSummary } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { accountViewPath } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { rich } from '../parts/words.ts';
import type { AccountVisit } from './visit.ts';

const SECTIONS = [
  { section: 'orders', label: 'account.orders' },
  { section: 'addresses', label: 'profile.addresses' },
  { section: 'profile', label: 'profile.title' },
  { section: 'assistants', label: 'account.agents_short' },
] as const;

interface Framed {
  title: string;
  section: (typeof SECTIONS)[number]['section'];
  main: Html;
  mistakes?: readonly Mistake<string>[];
  /** Heading of the summary of mistakes. */
  check?: string;
  status?: number;
}

/** A page of the account with its navigation. */
export function accountFrame(visit: AccountVisit, csrf: string, framed: Framed): PageAnswer {
  const { front, path, language, session } = visit;
  const { say } = language;
  const { title, section, main, mistakes = [], check = say('profile.check'), status = 200 } = framed;
  const email = html`<strong dir="auto">${session?.email}</strong>`;
  const link = (one: (typeof SECTIONS)[number]) => {
    const target = one.section === 'orders' ? path : accountViewPath(path, one.section);
    return html`<li><a href="${target}"${one.section === section && html` aria-current="page"`}>${say(one.label)}</a></li>`;
  };
  const whole = html`
<div class="account">
<form method="post" action="${path}" class="who">${csrfField(csrf)}<p>${rich(language, 'account.logged_in', { email })} <button class="link" name="action" value="log_out">${say('page.log_out')}</button></p></form>
<nav class="sections" aria-label="${say('profile.sections')}"><ul>${SECTIONS.map(link)}</ul></nav>
<h1>${title}</h1>
${doneNote(visit, email)}
${mistakeSummary(check, mistakes)}
${main}
</div>`;
  const mistaken = mistakes.length > 0;
  return { status, html: page({ language, title, mistaken, front, where: 'account', main: whole }) };
}

function doneNote({ done, language }: AccountVisit, email: Html): Html | false {
  if (!done || done === 'deleted') return false;
  return html`<div class="done" role="status"><p>${rich(language, `profile.${done}`, done === 'email_sent' ? { email } : {})}</p></div>`;
}

/** Names the account to password managers, in each form with a password. */
export function usernameField({ language: { say }, session }: AccountVisit): Html {
  return html`<label hidden>${say('profile.email')} <input type="email" value="${session?.email}" autocomplete="username" readonly></label>`;
}

import { languageFor } from '../../language/language.ts';
import { type Asker, chooseLocale } from '../../language/locales.ts';
import type { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import { placeOf } from '../../shop/agents/redirect-uris.ts';
import { noticePage } from '../parts/document.ts';
import { PAGE_HEADERS } from '../parts/headers.ts';
import { noticeOf } from '../parts/notices.ts';

/** The client to which the page links back, once its registration and its redirect URI are known. */
export interface MistakenClient {
  client_name: string;
  redirect_uri: string;
  /** The address that reports the error to the client. */
  href: string;
}

/**
 * The page for a person whom the client of a staff assistant sent here with an invalid request. If the client is known,
 * the page links to it. The page does not redirect, because anybody can register a redirect URI (RFC 9700 §4.11.2).
 */
export function assistantMistake(asker: Asker, refusal: OAuthRefusal, client: MistakenClient | undefined) {
  const language = languageFor(chooseLocale(asker, null, 'en'), 'UTC');
  const unknown = refusal.error === 'invalid_client' ? 'consent.unknown_client' : 'consent.unknown_address';
  const { title, sentences } = noticeOf(language, client ? 'consent.mistaken_request' : unknown);
  const detail = client && `${client.client_name}: ${refusal.error}. ${refusal.message}`;
  const place = (client && placeOf(client.redirect_uri)) ?? language.say('consent.this_device');
  const link = client && { href: client.href, label: language.say('consent.go_back', { place }) };
  const notice = { title, sentences: detail ? [...sentences, detail] : sentences, link };
  return { headers: PAGE_HEADERS, html: noticePage(notice, { language, front: undefined, where: 'server' }) };
}

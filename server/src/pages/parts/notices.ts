import type { ErrorCode } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { MessageKey } from '../../language/messages.ts';
import type { Notice } from './document.ts';
import { paragraphs } from './words.ts';

/** Key of a title. Its text has the same key with the suffix `_text`. */
export type NoticeKey = { [K in MessageKey]: `${K}_text` extends MessageKey ? K : never }[MessageKey];

/** Notices by error code. Each contains the next step. */
export type Notices = Partial<Record<ErrorCode, NoticeKey>>;

/** Notices that all pages share. */
export const COMMON_NOTICES: Notices = {
  not_found: 'page.not_found',
  rate_limited: 'page.rate_limited',
  site_suspended: 'page.site_suspended',
  site_moved: 'page.site_moved',
  unsupported_media_type: 'page.form_unreadable',
  payload_too_large: 'page.form_too_long',
  invalid_request: 'page.form_unreadable',
  method_not_allowed: 'page.web_page',
  unavailable: 'page.unavailable',
  timeout: 'page.unavailable',
  internal_error: 'page.internal_error',
};

/** A notice whose text has no arguments. */
export function noticeOf(language: Language, key: NoticeKey): Notice {
  const say = language.say as (key: MessageKey) => string;
  return { title: say(key), sentences: paragraphs(say(`${key}_text` as MessageKey)) };
}

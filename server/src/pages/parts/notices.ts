import type { ErrorCode } from '@commerce-backend/spec';
import type { Notice } from './document.ts';

/** What the pages say when they can show nothing else: that there is nothing here, or no more, or not now; and what to do. */
export type Notices = Partial<Record<ErrorCode, Notice>>;

/** What every page may have to say; each has words of its own for the rest. */
export const COMMON_NOTICES: Notices = {
  rate_limited: {
    title: 'Too many attempts',
    sentences: ['Please wait a minute, then go back and try again. Nothing is lost.'],
  },
  unsupported_media_type: {
    title: 'The form could not be read',
    sentences: ['Please go back, reload the page, and send the form again.'],
  },
  payload_too_large: {
    title: 'The form is too long',
    sentences: ['Please go back, shorten what you wrote, and send it again.'],
  },
  invalid_request: {
    title: 'The form could not be read',
    sentences: ['Please go back, reload the page, and send the form again.'],
  },
  method_not_allowed: { title: 'This is a web page', sentences: ['Open it in a browser.'] },
  unavailable: {
    title: 'One moment, please',
    sentences: ['The shop cannot answer just now. Go back and try again in a few seconds.'],
  },
  internal_error: { title: 'Something went wrong on our side', sentences: ['Please go back and try again.'] },
};

/** A form that cannot be shown to be ours: of another site, of another browser, or of a session that is over. */
export const FOREIGN_FORM: Notice = {
  title: 'Please send the form again',
  sentences: [
    'For your safety, a form is only accepted from the page that was shown to you, and for a day.',
    'Go back, reload the page, and send it again. If that does not help, allow cookies for this page.',
  ],
};

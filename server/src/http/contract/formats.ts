import { isEmail } from '../../shop/emails.ts';

/**
 * Stricter than the usual format checks, which accept values that PostgreSQL rejects, such as `urn:uuid:` or 30
 * February.
 */
export const FORMATS = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': isMoment,
  /** For responses and logins. Accepts the addresses that older versions stored. */
  email: /^[^\s@"<>()[\],;:\\]{1,64}@[^\s@"<>()[\],;:\\]{1,253}$/,
  'idn-email': isEmail,
  uri: (text: string) => URL.canParse(text),
};

/**
 * Matches a date-time. PostgreSQL accepts UTC offsets below 16 hours. Years are limited to 1970-9998, which all common
 * libraries can represent.
 */
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/;
const [FIRST_MOMENT, LAST_MOMENT] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 0, 1)];

function isMoment(text: string): boolean {
  const [, year, month, day, hour, minute, second] = (MOMENT.exec(text) ?? []).map(Number);
  if (!year || !month || !day || hour === undefined || minute === undefined || second === undefined) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  const moment = Date.parse(text);
  return moment >= FIRST_MOMENT && moment < LAST_MOMENT;
}

import { isCountry } from '../../shop/countries.ts';

/** Formats checked by us: the usual ones accept what PostgreSQL refuses, such as urn:uuid: or 30 February. */
export const FORMATS = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': isMoment,
  email: /^[^\s@"<>()[\],;:\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/,
  uri: (text: string) => URL.canParse(text),
  country: isCountry,
};

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isMoment(text: string): boolean {
  const [, year, month, day, hour, minute, second] = (MOMENT.exec(text) ?? []).map(Number);
  if (!year || !month || !day || hour === undefined || minute === undefined || second === undefined) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
}

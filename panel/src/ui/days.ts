/** Converts between days of date inputs ("2026-03-29") and the times at which they start in a time zone. */

/** The time at which a day starts in the time zone, or the day that is `later` days after it. */
export function startOfDay(day: string, timeZone: string, later = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const asUtc = Date.UTC(year, month - 1, date + later);
  // The offset is looked up twice, because the clocks may change between the first guess and the result.
  const guess = asUtc - offsetAt(asUtc, timeZone);
  const moment = asUtc - offsetAt(guess, timeZone);
  // If a clock change skips midnight, the day starts at the change, which is the later time.
  const hasMidnight = moment + offsetAt(moment, timeZone) === asUtc;
  return new Date(hasMidnight ? moment : Math.max(guess, moment)).toISOString();
}

/** The day of a time in the time zone, or the day `later` days before it. Empty if the time is missing or invalid. */
export function dayOf(time: string | null, timeZone: string, later = 0): string {
  const moment = Date.parse(time ?? '');
  if (Number.isNaN(moment)) return '';
  const day = new Date(moment + offsetAt(moment, timeZone));
  day.setUTCDate(day.getUTCDate() - later);
  return day.toISOString().slice(0, 10);
}

/** The time zone's UTC offset at a time, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(moment);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return shown - Math.floor(moment / 1_000) * 1_000;
}

/**
 * Loaded before a server, as `--import shifted-date.ts?hours=25`: moves the clock of the process, but not that of its
 * database, by this many hours.
 */

const hours = Number(new URL(import.meta.url).searchParams.get('hours'));
const shifted = (date: DateConstructor) => date.now() + hours * 3_600_000;

globalThis.Date = new Proxy(Date, {
  construct: (date, given, target) =>
    Reflect.construct(date, given.length === 0 ? [shifted(date)] : given, target) as object,
  apply: (date) => new date(shifted(date)).toString(),
  get: (date, name) => (name === 'now' ? () => shifted(date) : Reflect.get(date, name)),
});

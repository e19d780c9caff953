const MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** Adds a duration to an ISO 8601 time in UTC, in which each day has 24 hours, as in PostgreSQL. */
export function later(moment: string, count: number, unit: keyof typeof MS): string {
  return new Date(Date.parse(moment) + count * MS[unit]).toISOString();
}

const MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** A moment in ISO 8601 and UTC that much later, as PostgreSQL calculates it in UTC, where each day has 24 hours. */
export function later(moment: string, count: number, unit: keyof typeof MS): string {
  return new Date(Date.parse(moment) + count * MS[unit]).toISOString();
}

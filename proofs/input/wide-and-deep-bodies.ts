/** Returns wide and deep bodies: some of a fixed size, and some as large as the limit allows. */
export function wideBodies(limit: number): Record<string, () => string> {
  const fitting = (piece: string) => Math.floor((limit - 2) / (piece.length + 1));
  const list = (piece: string, count: number) => `[${Array(count).fill(piece).join(',')}]`;
  const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;
  return {
    'an array of 1,000,000': () => list('0', 1_000_000),
    'the longest array of numbers': () => list('0', fitting('0')),
    'the longest array of objects': () => list('{}', fitting('{}')),
    'the longest array of strings': () => list('""', fitting('""')),
    '100,000 keys': () => keys(100_000),
    'the most keys': () => keys(Math.floor((limit - 2) / 11)),
    'the same key again and again': () =>
      `{${Array(Math.floor((limit - 2) / 6))
        .fill('"k":0')
        .join(',')}}`,
    'arrays nested 10,000 deep': () => '['.repeat(10_000) + ']'.repeat(10_000),
    'objects nested 10,000 deep': () => `${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}`,
    'the deepest nesting': () => '['.repeat(limit / 2) + ']'.repeat(limit / 2),
    'a string as long as the body': () => JSON.stringify('a'.repeat(limit - 2)),
    'a number as long as the body': () => '9'.repeat(limit),
    'escapes only': () => `"${'\\u0000'.repeat(Math.floor((limit - 2) / 6))}"`,
    'an unclosed array': () => '['.repeat(limit),
  };
}

/** The same lists and objects as the value of each known field, whose schema validates every entry. */
export function bodiesInFields(fields: string[], limit: number): Record<string, () => string> {
  const room = limit - 100;
  const shapes = {
    'numbers in': `[${Array(Math.floor(room / 2))
      .fill('0')
      .join(',')}]`,
    'empty objects in': `[${Array(Math.floor(room / 3))
      .fill('{}')
      .join(',')}]`,
    'long text in': JSON.stringify('0'.repeat(room)),
    'many keys in': `{${Array.from({ length: Math.floor(room / 12) }, (_, i) => `"k${i}":"0"`).join(',')}}`,
  };
  const bodies: Record<string, () => string> = {};
  for (const field of fields) {
    for (const [name, value] of Object.entries(shapes)) bodies[`${name} ${field}`] = () => `{"${field}":${value}}`;
  }
  return bodies;
}

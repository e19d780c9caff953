/** JSON messages with one defect. */

import type { Chance } from '../testing/random.ts';

/** Values that are invalid for most fields. */
export const ODD = [
  ...[null, true, 0, -1, 1.5, 9e99, 2 ** 63, '', ' ', 'zz', [], {}, [[]], '2026-07-29', '1999-01-01', '2024-11-05'],
  ...['tools/call', 'a\0b', 'a\ud800b', 'x'.repeat(20_000), '__proto__', 'constructor', '../../etc/passwd'],
];

/** Replaces, removes or adds one field at any depth. */
export function replaceOne(chance: Chance, root: Record<string, unknown>): void {
  let at = root;
  for (;;) {
    const key = chance.of(Object.keys(at).length > 0 ? Object.keys(at) : ['zz']);
    const inside = at[key];
    const enters = typeof inside === 'object' && inside !== null && chance.next() < 0.7;
    if (enters) {
      at = inside as Record<string, unknown>;
      continue;
    }
    if (chance.next() < 0.2) delete at[key];
    else at[chance.next() < 0.1 ? 'zz' : key] = chance.of(ODD);
    return;
  }
}

/** Damages the JSON text itself: cuts it off, doubles, nests or pads it. */
export function garbled(chance: Chance, text: string): string {
  const at = Math.floor(chance.next() * text.length);
  return chance.of([
    text.slice(0, at),
    `${text}${text}`,
    `${text.slice(0, at)}\u0000${text.slice(at)}`,
    text.replace('{', '{"id":1,"id":2,'),
    `${'['.repeat(5_000)}${text}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
    '',
    'null',
    'x'.repeat(200_000),
  ]);
}

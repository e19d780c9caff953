import { expect, test } from 'vitest';
import { translate } from './errors.ts';

test('reports a lost connection as unavailable, and a TypeError that mentions a connection as internal_error', () => {
  expect(translate(new Error('Connection terminated unexpectedly'))).toMatchObject({ code: 'unavailable' });
  expect(translate(new TypeError("Cannot read properties of undefined (reading 'connection')"))).toMatchObject({
    code: 'internal_error',
  });
});

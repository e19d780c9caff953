import { expect, test } from 'vitest';
import { translate } from './errors.ts';

test('a lost connection without an error code is unavailable, and a bug whose message mentions a connection is internal_error', () => {
  expect(translate(new Error('Connection terminated unexpectedly'))).toMatchObject({ code: 'unavailable' });
  expect(translate(new TypeError("Cannot read properties of undefined (reading 'connection')"))).toMatchObject({
    code: 'internal_error',
  });
});

import { expect, test } from 'vitest';
import { allowedMethods, route } from './route.ts';

test('routes a path with a very long slug to its operation', () => {
  const slug = 'a'.repeat(255);

  const { operation, path } = route('GET', `/api/storefront/products/${slug}?q=1`);

  expect(operation.id).toBe('storefront.getProduct');
  expect(path).toEqual({ id_or_slug: slug });
});

test('rejects a path in another case or with extra slashes (not_found)', () => {
  for (const url of [
    '/api/storefront/products/',
    '/api//storefront/products',
    '/API/storefront/products',
    '/api/%zz',
  ]) {
    expect(() => route('GET', url), url).toThrow(`The API has no path ${url}.`);
  }
});

test('lists the allowed methods of a path, and names them in the error for another method', () => {
  expect(allowedMethods('/api/storefront/products')).toEqual(['GET', 'HEAD']);
  expect(() => route('POST', '/api/storefront/products')).toThrow('This path supports GET, HEAD.');
});

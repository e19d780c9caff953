import { HttpResponse, http } from 'msw';
import { expect, expectTypeOf, test } from 'vitest';
import { baseUrl, openNetwork, refusal, siteId } from '../test/backend.ts';
import { NotFoundError, paginate, unwrap } from './index.ts';
import { createOperatorClient, type OperatorSchemas } from './operator.ts';

const network = openNetwork();
const operator = createOperatorClient({ baseUrl, operatorKey: 'opr_1' });
const params = { path: { site_id: siteId } };

test("sends the operator's key with each call, and an Idempotency-Key with mutations", async () => {
  const requests: Request[] = [];
  const state = { site_id: siteId, suspended_at: null, suspended_reason: null, delete_at: null };
  network.use(
    http.post(`${baseUrl}/api/operator/sites/${siteId}/suspend`, ({ request }) => {
      requests.push(request);
      return HttpResponse.json(state);
    }),
  );

  const data = await unwrap(
    operator.POST('/api/operator/sites/{site_id}/suspend', { params, body: { reason: 'why' } }),
  );

  expect(data).toEqual(state);
  expectTypeOf(data).toEqualTypeOf<OperatorSchemas['SiteState']>();
  expect(requests[0]?.headers.get('Authorization')).toBe('Bearer opr_1');
  expect(requests[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
});

test('reads the list of sites page by page with a cursor', async () => {
  const site = { site_id: siteId, name: 'Alder & Finch' };
  network.use(
    http.get(`${baseUrl}/api/operator/sites`, ({ request }) => {
      const next_cursor = new URL(request.url).searchParams.get('cursor') ? null : 'abc';
      return HttpResponse.json({ sites: [site], total: 2, page: 1, limit: 1, pages: 2, next_cursor });
    }),
  );

  const found: string[] = [];
  for await (const { name } of paginate(operator, '/api/operator/sites')) found.push(name);

  expect(found).toEqual(['Alder & Finch', 'Alder & Finch']);
});

test('throws for an error response and for a client without a key', async () => {
  network.use(http.get(`${baseUrl}/api/operator/sites/${siteId}`, () => refusal(404, 'not_found')));

  await expect(unwrap(operator.GET('/api/operator/sites/{site_id}', { params }))).rejects.toThrow(NotFoundError);
  expect(() => createOperatorClient({ baseUrl, operatorKey: '' })).toThrow('operatorKey is missing.');
});

test('a request with a path or field that is not in the contract does not compile', async () => {
  const wrong = () => [
    // @ts-expect-error: the operators' API has no shop operations
    operator.GET('/api/dashboard/settings'),
    // @ts-expect-error: an unknown field
    operator.POST('/api/operator/sites/{site_id}/suspend', { params, body: { because: 'why' } }),
  ];
  expect(wrong).toBeTypeOf('function');
});

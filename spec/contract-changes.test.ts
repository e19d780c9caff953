import { expect, test } from 'vitest';
import { breakingChanges } from '../scripts/contract-changes.ts';

/** A small contract with two operations and one event, to which each test applies a change. */
function contract(
  change: (schemas: Record<string, Schema>, paths: Record<string, unknown>) => void = () => {},
): object {
  const schemas: Record<string, Schema> = {
    Body: object({ code: { type: 'string' }, note: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] } }, [
      'code',
    ]),
    Answer: object({ id: { type: 'string' }, state: { type: 'string', enum: ['open'] }, hint: { type: 'string' } }, [
      'id',
    ]),
    Event: object({ type: { type: 'string' }, site_id: { type: 'string' } }, ['type']),
  };
  const paths = {
    '/api/things': { post: operation('Body', 'Answer') },
    '/api/others': { get: operation('Body', 'Answer') },
  };
  change(schemas, paths);
  return {
    openapi: '3.1.1',
    info: { title: 'Things', version: '1.0.0' },
    paths,
    webhooks: {
      'thing.created': { post: { requestBody: json('Event'), responses: { '204': { description: 'Accepted.' } } } },
    },
    components: { schemas },
  };
}

interface Schema {
  type: string;
  properties: Record<string, { type: string; enum?: string[]; maxLength?: number }>;
  required: string[];
}
const object = (properties: Schema['properties'], required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
});
const json = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
});
const operation = (body: string, answer: string) => ({
  requestBody: json(body),
  responses: { '200': { description: 'Done.', ...json(answer) } },
});

const changes = (...args: Parameters<typeof contract>) => breakingChanges(contract(), contract(...args));

test('accepts an unchanged contract and one with new fields, operations and response values', () => {
  expect(changes()).toEqual([]);
  const additions = changes(({ Body, Answer, Event }, paths) => {
    paths['/api/more'] = { get: operation('Body', 'Answer') };
    for (const schema of [Body, Answer, Event]) if (schema) schema.properties.more = { type: 'string' };
    Answer?.properties.state?.enum?.push('closed');
    Answer?.required.push('more');
    Body?.properties.kind?.enum?.push('c');
  });
  expect(additions).toEqual([]);
});

test.each<[string, Parameters<typeof contract>[0], string]>([
  ['removes an operation', (_, paths) => delete paths['/api/others'], '/api/others'],
  ['removes an optional response field', ({ Answer }) => delete Answer?.properties.hint, 'responses hint'],
  ['makes a response field optional', ({ Answer }) => Answer?.required.pop(), 'responses required'],
  ['changes the type of a response field', ({ Answer }) => retype(Answer, 'id'), 'responses id type'],
  ['removes an event field', ({ Event }) => delete Event?.properties.site_id, 'event thing.created responses site_id'],
  ['makes a request field required', ({ Body }) => Body?.required.push('note'), 'requestBody required'],
  ['removes a value from a request enum', ({ Body }) => Body?.properties.kind?.enum?.pop(), 'requestBody kind enum'],
  ['adds a maximum length to a request field', ({ Body }) => bound(Body, 'note'), 'requestBody note maxLength'],
])('reports a change that %s', (_, change, where) => {
  expect(changes(change).map((change) => change.where)).toContainEqual(expect.stringContaining(where));
});

function retype(schema: Schema | undefined, field: string): void {
  if (schema) schema.properties[field] = { type: 'integer' };
}

function bound(schema: Schema | undefined, field: string): void {
  if (schema) schema.properties[field] = { type: 'string', maxLength: 5 };
}

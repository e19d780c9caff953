import express, { type Request, type Response } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import { expect, test } from 'vitest';
import { document, type Operation, operationTable, resolve } from './contract.ts';
import { FORMATS } from './formats.ts';
import { createValidation } from './validate.ts';

/**
 * express-openapi-validator reads the same contract independently. Whatever one of the two accepts the other accepts:
 * the contract's own examples, and each of them with a field left out, added or of another type.
 */
const { mistakesIn } = createValidation();
const judge = openApiValidator({
  apiSpec: structuredClone(document) as never,
  validateApiSpec: false,
  validateSecurity: false,
  validateRequests: { allErrors: false, coerceTypes: false },
  fileUploader: false,
  formats: { ...FORMATS } as never,
});
const app = express();

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const withBody = operationTable.filter(({ hasBody, id }) => hasBody && id !== 'dashboard.importProducts');

type Json = Record<string, unknown>;

function exampleOf({ path, method }: Operation): Json {
  const body = resolve(document.paths[path]?.[method]?.requestBody as Json) as { content: Record<string, Json> };
  const { example, examples = {} } = body.content['application/json'] as {
    example?: Json;
    examples?: Record<string, Json>;
  };
  const first = example ?? Object.values(examples).map((one) => resolve(one).value as Json)[0];
  if (!first) throw new Error(`${path} has no example to start from.`);
  return first;
}

function* variations(example: Json): Generator<Json> {
  yield example;
  yield { ...example, unheard_of: 1 };
  for (const field of Object.keys(example)) {
    const { [field]: value, ...others } = example;
    yield others;
    for (const wrong of [null, 7, '', 'x'.repeat(70_000), [], {}, true, [value]]) yield { ...others, [field]: wrong };
  }
}

async function accepts(operation: Operation, body: Json): Promise<boolean> {
  const url = operation.path.replaceAll(/\{\w+\}/g, ID);
  const headers = { 'content-type': 'application/json', 'content-length': '9', 'idempotency-key': ID };
  const method = operation.method.toUpperCase();
  const req = Object.assign(Object.create(app.request), {
    app,
    method,
    url,
    originalUrl: url,
    baseUrl: '',
    headers,
    body,
  });
  for (const step of judge) {
    const refused = await new Promise((done) => {
      try {
        void step(req as Request, { app } as unknown as Response, done);
      } catch (error) {
        done(error);
      }
    });
    if (refused) return false;
  }
  return true;
}

test.each(withBody)('an independent validator judges bodies of $id as we do', async (operation) => {
  const params = Object.fromEntries(
    operation.parameters.filter((one) => one.in === 'path').map(({ name }) => [name, ID]),
  );
  for (const body of variations(exampleOf(operation))) {
    const req = { query: {}, headers: { 'idempotency-key': ID }, params, body: structuredClone(body) } as never;
    const mistakes = mistakesIn(operation, req);
    const shown = JSON.stringify(body).slice(0, 300);
    expect([shown, await accepts(operation, structuredClone(body))]).toEqual([shown, mistakes.length === 0]);
  }
});

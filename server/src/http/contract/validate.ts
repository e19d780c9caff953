/**
 * Validates requests against the contract. An operation is compiled on its first call. `npm run bench -- validation`
 * measures the cost.
 */

import type { Received } from '../received.ts';
import { type Operation, type Parameter, resolveIn } from './contract.ts';
import { detailOf, parameterMistakes, unexpectedBody } from './mistakes.ts';
import { requestErrors, type Subject } from './validator.ts';

export type ToValidate = Pick<Received, 'params' | 'query' | 'headers' | 'body'>;

interface Declared {
  subject: Subject;
  query: Map<string, Parameter>;
  /** Names in lower case, as in Node. */
  headers: string[];
  bodyRequired: boolean;
}

const declarations = new Map<string, Declared>();

/** The mistakes in a request, as the contract's error details. Replaces `request.query` with the coerced parameters. */
export function contractMistakes(operation: Operation, request: ToValidate): ReturnType<typeof detailOf> {
  const { subject, query, headers, bodyRequired } = declarationOf(operation);
  const mistakes = parameterMistakes(query, request);
  const body: unknown = subject.body && request.body;
  const parts = { query: request.query, headers: headersOf(request, headers), params: request.params, body };
  const errors = requestErrors(subject, parts);
  if (errors.parameters.length > 0) mistakes.push(...detailOf(operation, errors.parameters));
  if (!subject.body) mistakes.push(...unexpectedBody(request.body));
  else if (body === undefined && bodyRequired)
    mistakes.push({ loc: ['body'], msg: 'Field required.', type: 'missing' });
  else if (errors.body.length > 0) mistakes.push(...detailOf(operation, errors.body));
  return mistakes.length > 0 ? detailOf(operation, [], mistakes) : mistakes;
}

/** The request headers that the operation declares. */
function headersOf({ headers }: ToValidate, names: string[]): Received['headers'] {
  const given: Received['headers'] = {};
  for (const name of names) if (headers[name] !== undefined) given[name] = headers[name];
  return given;
}

function declarationOf(operation: Operation): Declared {
  const known = declarations.get(operation.id);
  if (known) return known;
  const { id, path, method, parameters, document } = operation;
  const request = document.paths[path]?.[method]?.requestBody as JsonObject | undefined;
  const body = request && (resolveIn(document, request) as unknown as RequestBody);
  const named = (place: Parameter['in']) => parameters.filter((one) => one.in === place);
  const declared = {
    subject: { id, parameters, document, body: body?.content['application/json']?.schema },
    query: new Map(named('query').map((one) => [one.name, one])),
    headers: named('header').map(({ name }) => name.toLowerCase()),
    bodyRequired: body?.required ?? false,
  };
  declarations.set(id, declared);
  return declared;
}

type JsonObject = Record<string, unknown>;

interface RequestBody {
  required?: boolean;
  content: Record<string, { schema: JsonObject }>;
}

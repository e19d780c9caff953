/**
 * Validates requests with the class behind express-openapi-validator's middleware. The middleware compares each request
 * with all paths of the contract in turn, but our router has already found the operation.
 *
 * An operation is compiled on first use, which takes some milliseconds. The class compiles an operation again, and
 * keeps the result, for each new Content-Type, even for a new `charset`. Therefore it always gets the same
 * Content-Type, and only the declared parts of the request. It throws messages; this module returns the ajv errors
 * behind them, which contain the path and the rule.
 */

import { createRequire } from 'node:module';
import { parse } from 'node:url';
import type { ErrorObject } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Response } from 'express';
import type {
  OpenAPIV3,
  OpenApiRequest,
  RequestValidatorOptions,
} from 'express-openapi-validator/dist/framework/types.js';
import { type ContractDocument, document, type Parameter, resolveIn } from './contract.ts';
import { FORMATS } from './formats.ts';

/** An operation or a schema to validate against. */
export interface Subject {
  /** The operation's id, or another unique id for a schema. */
  id: string;
  parameters: Parameter[];
  /** Defaults to the shops' contract. */
  document?: ContractDocument;
  /** Schema of the JSON body. */
  body?: JsonObject | undefined;
}

export interface Parts {
  query: unknown;
  headers: object;
  params: object;
  body: unknown;
}

/** ajv errors. Their `instancePath` starts with the part of the request: `/query`, `/headers`, `/params` or `/body`. */
export interface Errors {
  parameters: ErrorObject[];
  body: ErrorObject[];
}

type JsonObject = Record<string, unknown>;

/** Number of values in a body above which only its first mistake is reported. */
const LARGE = 2_000;

/**
 * Validates the parts of a request. Coerces `parts.query` to the types of its schema and fills in defaults; the body is
 * not changed. Reports all mistakes of a body with at most `large` values, otherwise the first.
 */
export function requestErrors(subject: Subject, parts: Parts, large = LARGE): Errors {
  if (!holdsMoreThan(parts.body, large)) return validatorFor('all', subject.document ?? document)(subject, parts);
  const { parameters } = validatorFor('all', subject.document ?? document)(subject, { ...parts, body: undefined });
  const { body } = validatorFor('first', subject.document ?? document)(
    { ...subject, parameters: [] },
    { ...nothing(), body: parts.body },
  );
  return { parameters, body };
}

/**
 * Validates a value that is not a whole request, such as a row of an import or a page's form, against a schema of the
 * contract.
 */
export function valueErrors(schema: string, value: unknown, large = LARGE): ErrorObject[] {
  const subject = { id: schema, parameters: [], document, body: { $ref: `#/components/schemas/${schema}` } };
  return requestErrors(subject, { ...nothing(), body: value }, large).body;
}

const nothing = (): Parts => ({ query: {}, headers: {}, params: {}, body: undefined });

/**
 * There is one validator that reports all mistakes, and one for large bodies that stops at the first. A megabyte of
 * `{}` would have a million mistakes, and reporting them would block every other request.
 */
type Validator = (subject: Subject, parts: Parts) => Errors;
const validators = new WeakMap<ContractDocument, Partial<Record<'all' | 'first', Validator>>>();

function validatorFor(errors: 'all' | 'first', source: ContractDocument): Validator {
  const known = validators.get(source) ?? {};
  validators.set(source, known);
  known[errors] ??= createValidator(errors === 'all', source);
  return known[errors];
}

/**
 * Private members of `RequestValidator` that this module uses. The version of the package is pinned for that reason.
 */
interface Compilers {
  ajv: Pick<Ajv2020, 'getSchema'>;
  ajvBody: Pick<Ajv2020, 'getSchema'>;
}

interface Known {
  described: OpenApiMetadata;
  parameters: Check;
  body: Check;
}

type Check = NonNullable<ReturnType<Ajv2020['getSchema']>>;
type OpenApiMetadata = Omit<NonNullable<OpenApiRequest['openapi']>, 'pathParams'>;

const CONTENT_TYPE = 'application/json';

/**
 * The validator calls `url.parse` for every request. Until Node has emitted its deprecation warning, each call inspects
 * the stack, which takes half the time of a validation. So this emits the warning once, silently.
 */
function warnOfUrlParse(): void {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  parse('/');
  process.noDeprecation = noDeprecation;
}

const require = createRequire(import.meta.url);

/** Loaded on first use, because ajv and its dependencies are a tenth of the server's modules. */
function library() {
  const path = 'express-openapi-validator/dist';
  const { BadRequest } = require(
    `${path}/framework/types.js`,
  ) as typeof import('express-openapi-validator/dist/framework/types.js');
  const { RequestValidator } = require(
    `${path}/middlewares/openapi.request.validator.js`,
  ) as typeof import('express-openapi-validator/dist/middlewares/openapi.request.validator.js');
  return { BadRequest, RequestValidator };
}

/** Loads and creates the validator before the first request needs it. */
export function prepareValidation(): void {
  validatorFor('all', document);
}

function createValidator(allErrors: boolean, source: ContractDocument): Validator {
  const { BadRequest, RequestValidator } = library();
  warnOfUrlParse();
  const contract = componentsAlone(source);
  const prepared = <T extends object>(part: T) => preparedFor(source, part);
  const requestValidator = new RequestValidator(contract, optionsFor(allErrors));
  // The validators have registered the components by name. If `contract` kept them, they would be copied into the
  // schema of every operation.
  contract.components = {};
  const { ajv, ajvBody } = requestValidator as unknown as Compilers;
  const known = new Map<string, Known>();

  function fits(described: OpenApiMetadata, { query, headers, params, body }: Parts): boolean {
    const request = {
      ...{ method: 'POST', originalUrl: '/', path: '/', query, params, body },
      headers: { ...headers, 'content-type': CONTENT_TYPE },
      openapi: { ...described, pathParams: params },
    };
    try {
      requestValidator.validate(
        request as unknown as OpenApiRequest,
        undefined as unknown as Response,
        () => undefined,
      );
      return true;
    } catch (error) {
      if (error instanceof BadRequest) return false;
      throw error;
    }
  }

  function compile({ id, parameters, body }: Subject): Known {
    const described = { expressRoute: id, openApiRoute: id, serial: 0, schema: { parameters: [], responses: {} } };
    const requestBody = body && { content: { [CONTENT_TYPE]: { schema: prepared(body) } } };
    const schema = { parameters: prepared(parameters), requestBody, responses: {} };
    // The first call compiles the operation. Later calls declare no parameters, because otherwise the validator would
    // parse the query again.
    fits({ ...described, schema } as OpenApiMetadata, nothing());
    const key = `POST-${id}-${CONTENT_TYPE}`;
    const checks = { parameters: ajv.getSchema(key), body: ajvBody.getSchema(key) };
    if (!checks.parameters || !checks.body) throw new Error(`express-openapi-validator has not compiled ${id}.`);
    return { described, parameters: checks.parameters, body: checks.body };
  }

  return (subject, parts) => {
    let checks = known.get(subject.id);
    if (!checks) {
      checks = compile(subject);
      known.set(subject.id, checks);
    }
    if (fits(checks.described, parts)) return NO_ERRORS;
    return { parameters: checks.parameters.errors ?? [], body: checks.body.errors ?? [] };
  };
}

const NO_ERRORS: Errors = { parameters: [], body: [] };

/**
 * Returns a contract that consists only of the components. They are copied, because the validator modifies its input.
 */
function componentsAlone(source: ContractDocument) {
  const named = Object.entries(preparedFor(source, source.components.schemas ?? {}));
  const schemas = Object.fromEntries(named.map(([name, schema]) => [name, { $id: idOf(name), ...schema }]));
  const described = { openapi: '3.1.0', info: source.info, paths: {}, components: { schemas } };
  return described as unknown as OpenAPIV3.DocumentV3_1;
}

function optionsFor(allErrors: boolean): RequestValidatorOptions {
  return {
    allErrors,
    strict: false,
    // The contract is linted, so skip its validation to keep the start fast.
    validateSchema: false,
    // Adds the violated schema to each error.
    verbose: true,
    coerceTypes: false,
    useDefaults: true,
    formats: { ...FORMATS, password: true },
    // `parameterMistakes` has already reported unknown parameters.
    allowUnknownQueryParameters: true,
  };
}

/**
 * Copies a part of the contract for compilation. Arrays marked `x-validate-rows` become plain arrays of objects,
 * because handlers validate their rows one by one, so that an invalid row does not reject the others. Components are
 * referenced by their own id, so that each is compiled only once.
 */
function preparedFor<T extends object>(source: ContractDocument, part: T): T {
  return walk(structuredClone(part), (fields) => {
    if (fields['x-validate-rows'] === true) fields.items = { type: 'object' };
    // ajv uses a hash table to find duplicate entries only if the type of the entries is inlined. Otherwise it compares
    // every pair.
    const { uniqueItems, items } = fields as { uniqueItems?: boolean; items?: JsonObject };
    if (uniqueItems && items?.$ref) fields.items = structuredClone(resolveIn(source, items));
    if (typeof fields.$ref === 'string') fields.$ref = idOf(fields.$ref.replace('#/components/schemas/', ''));
  });
}

function idOf(name: string): string {
  return `contract:${name}`;
}

function walk<T>(node: T, change: (fields: JsonObject) => void): T {
  if (typeof node !== 'object' || node === null) return node;
  change(node as JsonObject);
  for (const child of Object.values(node)) walk(child, change);
  return node;
}

/** Whether a value contains more than `limit` values at all depths together. Stops counting at the limit. */
function holdsMoreThan(value: unknown, limit: number): boolean {
  let count = 0;
  const visit = (node: unknown): boolean => {
    count += 1;
    if (count > limit) return true;
    if (typeof node !== 'object' || node === null) return false;
    if (Array.isArray(node)) return node.some(visit);
    for (const key in node) if (visit((node as Record<string, unknown>)[key])) return true;
    return false;
  };
  return visit(value);
}

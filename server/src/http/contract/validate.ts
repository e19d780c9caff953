import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Request } from 'express';
import { document, type Operation, type Parameter, resolve } from './contract.ts';
import { FORMATS } from './formats.ts';
import { type Judge, judge } from './judge.ts';
import { detailOf, parameterMistakes } from './mistakes.ts';

/**
 * Validation against the contract, by one compiled check for the parameters and one for the body of each operation. A
 * request costs what its own operation declares, however many others there are. Each is compiled when first needed.
 *
 * express-openapi-validator judges the same, but reads its description of the operation anew on each request; it serves as
 * an independent judge in second-judge.test.ts. What validation costs: `npm run bench -- validation`.
 */
export interface Validation {
  /** The mistakes of a request, in the form of interface §2.12; sets `req.query` to the coerced parameters. */
  mistakesIn(operation: Operation, req: Request): ReturnType<typeof detailOf>;
}

interface Check {
  query: Map<string, Parameter>;
  parameters: ValidateFunction;
  body: Judge | undefined;
  bodyRequired: boolean;
}

export function createValidation(): Validation {
  const compile = createCompiler();
  const checks = new Map<string, Check>();
  return {
    mistakesIn(operation, req) {
      let check = checks.get(operation.id);
      if (!check) {
        check = compile(operation);
        checks.set(operation.id, check);
      }
      const mistakes = parameterMistakes(check.query, req);
      if (!check.parameters({ query: req.query, headers: req.headers, params: req.params })) {
        mistakes.push(...detailOf(operation, check.parameters.errors ?? []));
      }
      mistakes.push(...bodyMistakes(operation, check, req.body));
      return mistakes.length > 0 ? detailOf(operation, [], mistakes) : mistakes;
    },
  };
}

function bodyMistakes(operation: Operation, { body: check, bodyRequired }: Check, body: unknown) {
  if (!check) return [];
  if (body === undefined) return bodyRequired ? [{ loc: ['body'], msg: 'Field required.', type: 'missing' }] : [];
  return detailOf(operation, check(body), [], '/body');
}

/** Bodies of more values than this are told their first mistake alone. */
const LARGE_BODY = 2_000;

/** Text of the query becomes what its schema says, and absent parameters their default; a body is taken as it is. */
function createCompiler(): (operation: Operation) => Check {
  const options = {
    allErrors: true,
    strict: false,
    validateSchema: false,
    // Errors carry the schema that they break.
    verbose: true,
    formats: { ...FORMATS, password: true as const },
  };
  const ofParameters = new Ajv2020({ ...options, coerceTypes: true, useDefaults: true });
  const ofBodies = new Ajv2020(options);
  const ofLargeBodies = new Ajv2020({ ...options, allErrors: false });
  const contract = { $id: 'contract', components: openRows(structuredClone(document.components)) };
  ofParameters.addSchema(contract);
  ofBodies.addSchema(contract);
  ofLargeBodies.addSchema(contract);
  return (operation) => {
    const declared = document.paths[operation.path]?.[operation.method]?.requestBody as JsonObject | undefined;
    const body = declared && (resolve(declared) as unknown as RequestBody);
    const declaredSchema = body?.content['application/json']?.schema;
    const schema = declaredSchema && inContract(openRows(structuredClone(declaredSchema)));
    return {
      query: new Map(operation.parameters.filter((one) => one.in === 'query').map((one) => [one.name, one])),
      parameters: ofParameters.compile(inContract(parametersSchema(operation.parameters))),
      body: schema && judge((all) => (all ? ofBodies : ofLargeBodies).compile(schema), LARGE_BODY),
      bodyRequired: body?.required ?? false,
    };
  };
}

type JsonObject = Record<string, unknown>;

interface RequestBody {
  required?: boolean;
  content: Record<string, { schema: object }>;
}

function parametersSchema(parameters: Parameter[]): object {
  const part = (place: Parameter['in']) => {
    const own = parameters.filter((one) => one.in === place);
    // Node gives header names in lower case.
    const nameOf = ({ name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);
    return {
      type: 'object',
      properties: Object.fromEntries(own.map((one) => [nameOf(one), structuredClone(one.schema)])),
      required: own.filter(({ required }) => required).map(nameOf),
    };
  };
  return { type: 'object', properties: { query: part('query'), headers: part('header'), params: part('path') } };
}

/** Lets the `$ref`s of a part of the contract, which begin at its root, be found from outside of it. */
function inContract<T>(node: T): T {
  return walk(node, (fields) => {
    if (typeof fields.$ref === 'string' && fields.$ref.startsWith('#')) fields.$ref = `contract${fields.$ref}`;
  });
}

/**
 * A part of the contract, made ready to be compiled. Arrays marked `x-validate-rows` are judged row by row in the handler, so that one bad row does not refuse the others;
 * here they are only arrays of objects.
 */
function openRows<T>(node: T): T {
  return walk(node, (fields) => {
    if (fields['x-validate-rows'] === true) fields.items = { type: 'object' };
    // Only where ajv sees that the entries are text does it compare them by a table, and not each with each.
    const { uniqueItems, items } = fields as { uniqueItems?: boolean; items?: JsonObject };
    if (uniqueItems && items?.$ref) fields.items = structuredClone(resolve(items));
  });
}

function walk<T>(node: T, change: (fields: JsonObject) => void): T {
  if (typeof node !== 'object' || node === null) return node;
  change(node as JsonObject);
  for (const child of Object.values(node)) walk(child, change);
  return node;
}

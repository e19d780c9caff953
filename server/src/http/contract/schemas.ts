/**
 * Compiled validators for responses, and for requests of tests and proofs. validator.ts validates requests to the
 * server.
 */

import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { type ContractDocument, document, type Operation, resolveIn } from './contract.ts';
import { FORMATS } from './formats.ts';

const compilers = new WeakMap<ContractDocument, Partial<Record<'all errors' | 'first error', Ajv2020>>>();

const require = createRequire(import.meta.url);

/** Halves the time that compiling takes. Most schemas check few values, so faster checks would not make up for it. */
const UNOPTIMIZED = { inlineRefs: false, code: { optimize: false } };

/** Loads ajv on first use. To keep the start fast, ajv does not validate the contract itself, which is linted. */
function compilerOf(allErrors: boolean, source: ContractDocument): Ajv2020 {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const formats = { ...FORMATS, password: true as const };
  const ajv = new Ajv2020({ allErrors, strict: false, validateSchema: false, formats, ...UNOPTIMIZED });
  return ajv.addSchema({ $id: 'contract', components: source.components, paths: source.paths });
}

/** Compiles the schema at a JSON pointer into the contract. `allErrors` false stops at the first error. */
export function compileSchema(pointer: string, allErrors = true, source = document) {
  const kind = allErrors ? 'all errors' : 'first error';
  const known = compilers.get(source) ?? {};
  const compiler = known[kind] ?? compilerOf(allErrors, source);
  compilers.set(source, { ...known, [kind]: compiler });
  return compiler.compile({ $ref: `contract#${pointer}` });
}

type Check = ((body: unknown) => boolean) & { errors?: { instancePath: string; message?: string }[] | null };
const checks = new WeakMap<ContractDocument, Map<string, Check>>();

/**
 * Describes how a response violates the contract: its status is undocumented, or its body does not match the schema.
 * Undefined if it is valid. The server checks responses only with VALIDATE_RESPONSES, as in tests.
 */
export function faultIn(operation: Operation, status: number, body: string | undefined): string | undefined {
  const responses = operation.document.paths[operation.path]?.[operation.method]?.responses as Record<string, object>;
  const declared = responses[status];
  if (!declared) return `${operation.id} does not declare the status ${status}`;
  const { content } = resolveIn(operation.document, declared as never) as { content?: Record<string, unknown> };
  if (!content) return body ? `${operation.id} ${status} declares no body` : undefined;
  if (body === undefined) return `${operation.id} ${status} declares a body`;
  const check = checkFor(operation, status, declared);
  const parsed: unknown = JSON.parse(body);
  if (check(parsed)) return undefined;
  const faults = (check.errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return `${operation.id} ${status} does not match its schema: ${faults.join('; ')}`;
}

function checkFor(operation: Operation, status: number, declared: object): Check {
  const { $ref } = declared as { $ref?: string };
  const place = $ref ? $ref.slice(1) : `/paths/${pointerPart(operation.path)}/${operation.method}/responses/${status}`;
  return checkAt(`${place}/content/application~1json/schema`, operation.document);
}

/** Returns the cached validator for a JSON pointer into the contract. */
export function checkAt(pointer: string, source = document): Check {
  const kept = checks.get(source) ?? new Map<string, Check>();
  const known = kept.get(pointer);
  if (known) return known;
  const check = compileSchema(pointer, true, source) as Check;
  checks.set(source, kept.set(pointer, check));
  return check;
}

/** Encodes a segment of a JSON pointer for a URL fragment. */
export function pointerPart(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
}

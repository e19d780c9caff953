/**
 * Fails with a line for each response schema that can gain a required field without a type error in the server, because
 * a cast or a declared row type hides that no code returns the field. `npm run check:contract-types`. In a copy of the
 * contract's types, each schema requires a field with a unique name. One type check covers many schemas: an error names
 * the field that is missing. Because an error may hide others, the check is repeated with the schemas that no error has
 * named, until there is no error. The work tree is only read.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FIELD = 'missing_field_of_';

interface Schema {
  $ref?: string;
  properties?: Record<string, object>;
  required?: string[];
  allOf?: object[];
  oneOf?: object[];
  anyOf?: object[];
}

interface Description {
  paths: Record<string, Record<string, { responses?: object }>>;
  components: { schemas: Record<string, Schema> };
}

const temporary = mkdtempSync(join(tmpdir(), 'contract-types-'));
try {
  const { names, types } = typesWithMissingFields();
  const silent = schemasWithoutError(names, types);
  for (const name of silent) console.error(`${name}: a new required field causes no type error in server/src.`);
  console.log(`Response schemas: ${names.length}. Without a type error for a new required field: ${silent.length}.`);
  if (silent.length > 0) process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true });
}

/** Writes the contract's types with an additional required field in each response schema. */
function typesWithMissingFields() {
  const contract: Description = JSON.parse(readFileSync(join(ROOT, 'spec/generated/openapi.json'), 'utf8'));
  const { schemas } = contract.components;
  const names = responseSchemas(contract);
  for (const name of names) schemas[name] = withField(schemas[name] ?? {}, FIELD + name);
  const changed = join(temporary, 'openapi.json');
  writeFileSync(changed, JSON.stringify(contract));
  const out = join(temporary, 'types.d.ts');
  const flags = '--root-types --root-types-no-schema-prefix --root-types-keep-casing --default-non-nullable=false';
  run(join(ROOT, 'spec/node_modules/.bin/openapi-typescript'), [changed, '-o', out, ...flags.split(' ')]);
  return { names, types: readFileSync(out, 'utf8') };
}

/** Returns the object schemas that responses reference, directly or indirectly. */
function responseSchemas(contract: Description): string[] {
  const seen = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (key === '$ref' && typeof each === 'string') follow(each);
      else if (key !== 'example' && key !== 'examples') visit(each);
    }
  };
  const follow = (ref: string): void => {
    if (seen.has(ref)) return;
    seen.add(ref);
    visit(
      ref
        .slice(2)
        .split('/')
        .reduce((at: object, step) => at[step as keyof typeof at], contract),
    );
  };
  for (const path of Object.values(contract.paths)) for (const { responses } of Object.values(path)) visit(responses);
  const prefix = '#/components/schemas/';
  return [...seen]
    .filter((ref) => ref.startsWith(prefix))
    .map((ref) => ref.slice(prefix.length))
    .filter((name) => hasFields(contract.components.schemas[name] ?? {}))
    .sort();
}

function hasFields({ properties, allOf, oneOf, anyOf }: Schema): boolean {
  return Boolean(properties ?? allOf ?? oneOf ?? anyOf);
}

function withField(schema: Schema, field: string): Schema {
  const added = { [field]: { const: field } };
  if (!schema.properties)
    return { allOf: [schema, { type: 'object', required: [field], properties: added }] as object[] };
  return { ...schema, required: [...(schema.required ?? []), field], properties: { ...schema.properties, ...added } };
}

function schemasWithoutError(names: string[], types: string): string[] {
  const errors = typeErrors(types);
  if (!errors) return names;
  const missing = missingFields(errors);
  const rest = names.filter((name) => !missing.has(FIELD + name));
  if (rest.length === names.length) throw new Error(`These errors name no field that is missing:\n${errors}`);
  return schemasWithoutError(rest, types.replace(new RegExp(`^ *(${[...missing].join('|')}): .*\n`, 'gm'), ''));
}

/** Returns the missing fields that errors report. Other fields in an error are part of a printed type. */
function missingFields(errors: string): Set<string> {
  const single = [...errors.matchAll(/Property '(\w+)' is missing in|Types of property '(\w+)' are/g)];
  const several = [...errors.matchAll(/is missing the following properties from type .*: ([\w, ]+)$/gm)];
  const fields = [...single, ...several].flatMap(([, a, b = '']) => (a ?? b).split(', '));
  return new Set(fields.filter((field) => field.startsWith(FIELD)));
}

/** Returns the type errors in the server's sources without tests, compiled with these contract types. */
function typeErrors(types: string): string {
  const file = join(temporary, 'types.d.ts');
  writeFileSync(file, types);
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      paths: { '@commerce-backend/spec': [file] },
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [join(ROOT, 'server/src')],
    exclude: [join(ROOT, 'server/src/**/*.test.ts'), join(ROOT, 'server/src/**/*.short.ts')],
  };
  writeFileSync(join(temporary, 'tsconfig.json'), JSON.stringify(config));
  return run(join(ROOT, 'node_modules/.bin/tsc'), ['--pretty', 'false', '-p', temporary]);
}

function run(command: string, args: string[]): string {
  const { stdout, stderr, status, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1e9 });
  if (error) throw error;
  if (status !== 0 && !stdout) throw new Error(stderr);
  return status === 0 ? '' : stdout;
}

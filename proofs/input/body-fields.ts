import { document, type Operation, resolve } from '../../server/src/http/contract/contract.ts';

type Schema = Record<string, unknown>;

/** Returns the top-level fields of an operation's JSON body in the contract. */
export function bodyFieldsOf({ path, method }: Operation): string[] {
  const declared = document.paths[path]?.[method] as { requestBody?: Schema } | undefined;
  if (!declared?.requestBody) return [];
  const { content } = resolve(declared.requestBody) as { content?: Record<string, { schema?: Schema }> };
  const schema = content?.['application/json']?.schema;
  return schema ? fieldsOf(resolve(schema)) : [];
}

function fieldsOf(schema: Schema): string[] {
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (schema[keyword] as Schema[] | undefined) ?? []);
  const own = Object.keys((schema.properties as Schema | undefined) ?? {});
  return [...new Set([...own, ...parts.flatMap((part) => fieldsOf(resolve(part)))])];
}

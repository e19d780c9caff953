import type { components, ErrorBody, HTTPValidationError, paths } from '@commerce-backend/spec';

/**
 * Response types with open enums: a newer server may send values that this version does not have, so a switch over them
 * needs a default. Request types stay closed.
 */
export type Open<Sent> = Sent extends string
  ? string extends Sent
    ? Sent
    : Sent | (string & {})
  : Sent extends readonly (infer Element)[]
    ? Open<Element>[]
    : Sent extends object
      ? Received<Sent>
      : Sent;

/** An object of the contract as clients receive it: `Received<Product>`. It has a name, so that editors show it. */
export type Received<Sent extends object> = { [Field in keyof Sent]: Open<Sent[Field]> };

/** The contract's schemas as clients receive them: `Schemas['Product']`. */
export type Schemas = Open<components['schemas']>;

/** The body of a response other than 2xx. A 422 has an HTTPValidationError. */
export type ErrorAnswer = Open<ErrorBody> | HTTPValidationError;

/** The paths of one surface, with an optional Idempotency-Key, because the client adds one. */
export type SurfacePaths<Surface extends string> = EasedPaths<keyof paths & `/api/${Surface}/${string}`>;

/** The chosen paths of the contract, as a client sees them. */
export type EasedPaths<Path extends keyof paths> = {
  [Name in Path]: { [Verb in keyof paths[Name]]: Eased<paths[Name][Verb]> };
};

type Key = 'Idempotency-Key';

/** An operation whose Idempotency-Key may be left out. */
export type Eased<Operation> = Operation extends {
  parameters: { header: infer Header extends { [Name in Key]: string } };
}
  ? Omit<Operation, 'parameters'> & {
      parameters: Omit<Operation['parameters'], 'header'> & {
        header?: Omit<Header, Key> & { [Name in Key]?: Header[Key] };
      };
    }
  : Operation;

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have an operation with the verb. */
export type PathsWith<Paths, Method extends Verb> = {
  [Path in keyof Paths]: Paths[Path] extends { [Name in Method]: object } ? Path : never;
}[keyof Paths];

/** The operation of a path and verb; never if there is none. */
export type OperationOf<Paths, Path extends keyof Paths, Method extends Verb> = Paths[Path] extends {
  [Name in Method]: infer Operation;
}
  ? Operation
  : never;

type Success = 200 | 201 | 202 | 204;

/** The body of the 2xx response; undefined if it has none. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? Open<JsonOf<Responses[keyof Responses & Success]>>
  : never;

type JsonOf<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The options of one call: the contract's `params` and `body`, and fetch's own options, such as `signal`. */
export type CallOptions<Operation> = ParamsOf<Operation> &
  BodyOf<Operation> &
  Omit<RequestInit, 'body' | 'headers' | 'method' | 'redirect'> & { headers?: Record<string, string> };

type ParamsOf<Operation> = Operation extends { parameters: infer Parameters }
  ? RequiredKeys<Parameters> extends never
    ? { params?: WithGaps<Parameters> }
    : { params: WithGaps<Parameters> }
  : never;

/** Lets optional query parameters be undefined, even under `exactOptionalPropertyTypes`. They are then not sent. */
type WithGaps<Parameters> = {
  [Part in keyof Parameters]: Part extends 'query' ? QueryWithGaps<Parameters[Part]> : Parameters[Part];
};

type QueryWithGaps<Query> = Query extends object
  ? { [Name in keyof Query]: object extends Pick<Query, Name> ? Query[Name] | undefined : Query[Name] }
  : Query;

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Body }
    : { body?: never };

/** The options as a last argument, which may be left out if nothing in them is required. */
export type OptionsOf<Operation> =
  RequiredKeys<CallOptions<Operation>> extends never
    ? [options?: CallOptions<Operation>]
    : [options: CallOptions<Operation>];

type RequiredKeys<Shape> = { [Field in keyof Shape]-?: object extends Pick<Shape, Field> ? never : Field }[keyof Shape];

import type { operations } from '@commerce-backend/spec/operator';
import type { Connection } from '../../db/connect.ts';
import type { NewPassword } from '../../shop/merchant/sites.ts';
import type { RowCheck } from '../../shop/products/import.ts';
import type { Shop } from '../../shop/shop.ts';
import type { OperatorOperationId } from '../contract/operator-contract.ts';
import type { SiteExport } from './site-export.ts';

/** One function per operator operation. A missing one is a compile error. */
export type OperatorHandlers = {
  [Id in OperatorOperationId as Id extends `operator.${infer Name}` ? Name : never]: (
    call: OperatorCall<Id>,
  ) => Promise<Reply<Id>>;
};

/** The arguments of a handler: the validated parts of the request, and a transaction. */
export interface OperatorCall<Id extends OperatorOperationId> {
  /** The site in the path. Throws if the operation has none. */
  site: () => Shop;
  connection: Connection;
  /** Runs work as the owner of the tables, for data that shop requests cannot access. */
  asOwner<T>(work: () => Promise<T>): Promise<T>;
  /** The new owner's password, hashed before the transaction. Only for operations that open a site. */
  password: () => NewPassword;
  baseUrl: string;
  /** The card provider for all shops, if the server has one. */
  card: { name: string } | undefined;
  mistakesInRow: RowCheck;
  path: NonNullable<operations[Id]['parameters']['path']>;
  query: NonNullable<operations[Id]['parameters']['query']>;
  body: operations[Id] extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : undefined;
}

type Reply<Id extends OperatorOperationId> = Json<
  operations[Id]['responses'][keyof operations[Id]['responses'] & (200 | 201)]
>;

type Json<Message> = Message extends { content: { 'application/json': infer Body } }
  ? Body
  : Message extends { content: { 'application/octet-stream': unknown } }
    ? SiteExport
    : undefined;

import type { operations } from '@commerce-backend/spec/operator';
import type { Connection } from '../../db/connect.ts';
import type { NewPassword } from '../../shop/merchant/sites.ts';
import type { RowCheck } from '../../shop/products/import.ts';
import type { Shop } from '../../shop/shop.ts';
import type { OperatorOperationId } from '../contract/operator-contract.ts';
import type { SiteExport } from './site-export.ts';

/** One function per operation for operators. If one is missing, this does not compile. */
export type OperatorHandlers = {
  [Id in OperatorOperationId as Id extends `operator.${infer Name}` ? Name : never]: (
    call: OperatorCall<Id>,
  ) => Promise<Reply<Id>>;
};

/** A handler's argument: the validated parts of the request, and a transaction. */
export interface OperatorCall<Id extends OperatorOperationId> {
  /** The site in the path. Only for operations on one site. */
  site: () => Shop;
  connection: Connection;
  /** Runs work as the owner of the tables, for data to which shop requests have no access. */
  asOwner<T>(work: () => Promise<T>): Promise<T>;
  /** The password for the owner of a new site, created before the transaction. Only for operations that open a site. */
  password: () => NewPassword;
  baseUrl: string;
  /** The card provider of all shops, if any. */
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

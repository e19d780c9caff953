/**
 * Names that programs in the documents use without declaring them: functions of the SDK, clients from an earlier block,
 * and values of the reader. A declaration in the block takes precedence.
 */
type Sdk = typeof import('@commerce-backend/sdk');

declare const unwrap: Sdk['unwrap'];
declare const paginate: Sdk['paginate'];
declare const isError: Sdk['isError'];
declare const lastResponse: Sdk['lastResponse'];
declare const createStorefrontClient: Sdk['createStorefrontClient'];

declare const storefront: import('@commerce-backend/sdk').StorefrontClient;
declare const dashboard: import('@commerce-backend/sdk').DashboardClient;
declare const agent: import('@commerce-backend/sdk').AgentClient;
declare const session: import('@commerce-backend/sdk').CartSession;
declare const checkout: import('@commerce-backend/sdk').Schemas['Checkout'];
declare const options: import('@commerce-backend/sdk').StorefrontOptions;
declare const error: unknown;

declare const baseUrl: string;
declare const siteId: string;
declare const product_id: string;
declare const variant_id: string;
declare const cart_id: string;
declare const order_id: string;
declare const line_item_id: string;
declare const email: string;
declare const password: string;
declare const shipping_option_id: string;
declare const shipping_address: { last_name: string; address1: string; city: string; country: string };
declare const key: string;
declare const etag: string;
declare const body: { name: string; price: string };
declare const cursor: string | undefined;
declare const index: Map<string, unknown>;
/** A model of any provider. */
declare const model: never;
/** The URL to which a browser returned. */
declare const returned: URL;

declare function askAgain(...shown: unknown[]): void;
declare function askForLess(message: string): void;
declare function useTheCopy(): void;
declare function keep(cursor: string | undefined): Promise<void>;
declare function ship(event_id: string, order_number: string): Promise<void>;

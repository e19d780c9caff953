/**
 * Names that the programs in the documents use without declaring them: the functions of the SDK, clients that an earlier block
 * made, and values of the reader's own. A name that a block declares itself takes precedence.
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
declare const email: string;
declare const password: string;
declare const shipping_option_id: string;
declare const shipping_address: { last_name: string; address1: string; city: string; country: string };
declare const key: string;
declare const etag: string;
declare const body: { name: string; price: string };
declare const cursor: string | undefined;
declare const index: Map<string, unknown>;
/** Of any provider. */
declare const model: never;
/** The address to which a browser returned. */
declare const returned: URL;

declare function askAgain(...shown: unknown[]): void;
declare function askForLess(message: string): void;
declare function useTheCopy(): void;
declare function keep(cursor: string | undefined): Promise<void>;
declare function ship(event_id: string, order_number: string): Promise<void>;

import type { Handlers } from '../http/pipeline/handler.ts';
import * as account from './account.ts';
import * as agentTokens from './agent-tokens.ts';
import * as apiKeys from './api-keys.ts';
import * as assistants from './assistants.ts';
import * as auditEvents from './audit-events.ts';
import * as auth from './auth.ts';
import * as collections from './collections.ts';
import * as customers from './customers.ts';
import * as discounts from './discounts.ts';
import * as documents from './documents.ts';
import * as draftOrders from './draft-orders.ts';
import * as events from './events.ts';
import * as files from './files.ts';
import * as inventory from './inventory.ts';
import * as invitation from './invitation.ts';
import * as me from './me.ts';
import * as orders from './orders.ts';
import * as overview from './overview.ts';
import * as paymentAccount from './payment-account.ts';
import * as products from './products.ts';
import * as reports from './reports.ts';
import * as returns from './returns.ts';
import * as settings from './settings.ts';
import * as setup from './setup.ts';
import * as shippingOptions from './shipping-options.ts';
import * as staff from './staff.ts';
import * as statementRuns from './statement-runs.ts';
import * as storefrontTokens from './storefront-tokens.ts';
import * as syncKeys from './sync-keys.ts';
import * as webhookDeliveries from './webhook-deliveries.ts';
import * as webhooks from './webhooks.ts';
import * as withdrawals from './withdrawals.ts';

export const dashboard: Handlers<'dashboard'> = {
  ...account,
  ...agentTokens,
  ...apiKeys,
  ...assistants,
  ...auditEvents,
  ...auth,
  ...collections,
  ...customers,
  ...discounts,
  ...documents,
  ...draftOrders,
  ...events,
  ...files,
  ...inventory,
  ...invitation,
  ...me,
  ...orders,
  ...overview,
  ...paymentAccount,
  ...products,
  ...reports,
  ...returns,
  ...withdrawals,
  ...settings,
  ...setup,
  ...shippingOptions,
  ...staff,
  ...statementRuns,
  ...storefrontTokens,
  ...syncKeys,
  ...webhookDeliveries,
  ...webhooks,
};

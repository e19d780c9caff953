import type { Role } from './team.ts';

/**
 * The permissions of the dashboard. Written by hand and not read from the contract, because the server enforces the
 * contract. A new operation makes L1 fail until it is added here.
 */
const OPERATIONS: Record<string, string> = {
  'products:read': 'listProducts exportProducts getProduct getFile listCollections getCollection',
  'products:write': `createProduct importProducts updateProduct replaceProduct deleteProduct createOption updateOption deleteOption
    createFile createImage updateImage deleteImage createVariant updateVariant deleteVariant createCollection updateCollection
    deleteCollection addCollectionProducts removeCollectionProduct reorderCollectionProducts bulkUpdateProducts updateVariants`,
  'inventory:read': 'listInventory listMovements',
  'inventory:write': 'adjustInventories adjustInventory',
  'orders:read': `getOverview getSalesReport listOrders matchTransfers listStatementRuns getOrder listFulfillments listRefunds getOrderTimeline
    listOrdersOfCustomer suggestRefund listReturns getReturn
    listWithdrawals getWithdrawal listDocuments getDocument getDocumentFile listDraftOrders getDraftOrder`,
  'orders:write': `placeTestOrder markOrdersPaid fulfillOrders undoStatementRun importOrders updateOrder markOrderPaid captureOrder
    createFulfillment updateFulfillment markOrderDelivered cancelOrder recordOrderPayment reinstateOrder editOrder sendOrderMail
    createReturn approveReturn declineReturn setReturnTracking cancelReturn receiveReturn closeReturn closeWithdrawal
    linkWithdrawal issueInvoice createDraftOrder updateDraftOrder sendDraftOrder cancelDraftOrder`,
  'orders:refund': 'createRefund refundReturn exchangeReturn confirmWithdrawal',
  'orders:payments': 'completeDraftOrder',
  'orders:export': 'exportOrders exportDocuments',
  'customers:read': 'listCustomers listGuests getCustomer',
  'customers:write': 'createCustomer importCustomers updateCustomer anonymizeCustomer',
  'customers:export': 'exportCustomers',
  'discounts:read': 'listDiscounts getDiscount listDiscountRedemptions',
  'discounts:write': 'createDiscount updateDiscount deleteDiscount',
  'settings:read': `listStaff listStaffInvitations getSettings getSetup getPaymentAccount listApiKeys listStorefrontTokens listSyncKeys
    listShippingOptions getShippingOption`,
  'settings:write': 'updateSettings createShippingOption updateShippingOption deleteShippingOption',
  'payments:write': 'updatePaymentAccount deletePaymentAccount',
  'webhooks:read': 'listWebhooks getWebhook listWebhookDeliveries getWebhookDelivery listListenerEvents',
  'webhooks:write': `createWebhook updateWebhook deleteWebhook testWebhook rotateWebhook replayFailedWebhookDeliveries
    replayWebhookDelivery createEventListener deleteEventListener triggerEvent`,
  'agents:read': 'listAgentTokens listAgentTokenAudit',
  'agents:write': 'revokeAgentToken',
  'keys:write': `createApiKey revokeApiKey rotateApiKey createStorefrontToken revokeStorefrontToken rotateStorefrontToken createSyncKey
    revokeSyncKey rotateSyncKey`,
  'staff:write': 'createStaffInvitation deleteStaffInvitation updateStaffMember removeStaffMember',
  'audit:read': 'listAuditEvents',
};

/** Operations on the caller's own login and assistants, which every role may call. */
export const OF_ONESELF =
  words(`logout confirmIdentity changePassword listSessions endOtherSessions endSession getTwoFactor setUpTwoFactor
  turnOffTwoFactor confirmTwoFactor replaceRecoveryCodes getMe acceptInvitation getNotifications updateNotifications
  getAssistantRequest connectAssistant listAssistants revokeAssistant
  getAssistantAction confirmAssistantAction declineAssistantAction`);

/** Operations for which the password must have been confirmed within the last 15 minutes. */
export const SENSITIVE = words(`createApiKey revokeApiKey rotateApiKey createStorefrontToken revokeStorefrontToken
  rotateStorefrontToken createSyncKey revokeSyncKey rotateSyncKey updatePaymentAccount deletePaymentAccount createStaffInvitation
  updateStaffMember removeStaffMember connectAssistant setUpTwoFactor turnOffTwoFactor replaceRecoveryCodes`);

/** Fields of updateSettings that need the password to have been confirmed within the last 15 minutes. */
export const SENSITIVE_SETTINGS: Record<string, unknown> = {
  allowed_origins: ['https://shop.example'],
  bank_details: { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' },
  storefront_url: 'https://shop.example',
};

const ALL = Object.keys(OPERATIONS);
const READS = ALL.filter((scope) => scope.endsWith(':read'));

export const SCOPES_OF: Record<Role, string[]> = {
  owner: ALL,
  manager: ALL.filter((scope) => scope !== 'payments:write'),
  fulfilment: words('products:read inventory:read inventory:write orders:read orders:write settings:read'),
  support:
    words(`products:read inventory:read orders:read orders:write orders:refund customers:read customers:write discounts:read
    settings:read agents:read`),
  viewer: READS,
};

/** Scopes that neither `read` nor `write` includes. */
const BY_NAME = ['orders:payments', 'orders:export', 'customers:export', 'payments:write', 'keys:write', 'staff:write'];

/** All grants that a key can have. */
export const GRANTS = ['read', 'write', ...ALL];

/** Returns the scopes of a key with these grants. */
export function scopesOfGrant(granted: string[]): string[] {
  const meaning = (word: string) =>
    word === 'read' ? READS : word === 'write' ? ALL.filter((scope) => !BY_NAME.includes(scope)) : [word];
  return granted.flatMap(meaning);
}

/** The scope that a dashboard operation needs; undefined if it is not listed. */
export function scopeOf(name: string): string | undefined {
  return ALL.find((scope) => words(OPERATIONS[scope] ?? '').includes(name));
}

function words(text: string): string[] {
  return text.split(/\s+/);
}

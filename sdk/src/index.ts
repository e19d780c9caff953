export type { ErrorCode, ValidationErrorItem } from '@commerce-backend/spec';
export {
  type AgentClient,
  type AgentOptions,
  type AgentPaths,
  createAgentClient,
} from './agent.ts';
export {
  AuthorizationError,
  type AuthorizationOptions,
  type AuthorizationPlace,
  beginAuthorization,
  finishAuthorization,
  type PendingAuthorization,
  registerAgent,
} from './authorization.ts';
export {
  type CartSession,
  type CartSessionOptions,
  type CartStorage,
  createCartSession,
} from './cart-session.ts';
export { type Client, type ClientOptions, createClient, type PublicPaths, type Result } from './client.ts';
export { type ConsentOptions, type PendingConsent, requestConsent } from './consent.ts';
export type { ErrorAnswer, Open, Received, Schemas } from './contract.ts';
export {
  createDashboardClient,
  type DashboardClient,
  type DashboardCredentials,
  type DashboardOptions,
  type DashboardPaths,
} from './dashboard.ts';
export {
  AuthenticationError,
  CommerceError,
  ConflictError,
  ConnectionError,
  type ErrorOf,
  isError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  unwrap,
  ValidationError,
} from './errors.ts';
export type {
  UnknownEvent,
  UnknownEventType,
  WebhookEvent,
  WebhookEventPattern,
  WebhookEventType,
} from './events.ts';
export type { RequestEvent, ResponseEvent } from './hooks.ts';
export { type LastResponse, lastResponse } from './last-response.ts';
export { type ElementOf, type ListPaths, paginate } from './pages.ts';
export type { ProductChanges, ProductChangesOptions, ProductChangesPage } from './product-changes.ts';
export {
  createStorefrontClient,
  type StorefrontClient,
  type StorefrontOptions,
  type StorefrontPaths,
} from './storefront.ts';
export { createSyncClient, type SyncClient, type SyncOptions, type SyncPaths } from './sync.ts';
export * as webhooks from './webhooks.ts';
export {
  type SignOptions,
  type VerifyOptions,
  type WebhookHeaders,
  type WebhookPayload,
  type WebhookSecrets,
  type WebhookSignature,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './webhooks.ts';

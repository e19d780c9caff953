import type { components, webhooks as contract } from '@commerce-backend/spec';
import type { Open } from './contract.ts';

/** The event types of this version. */
export type WebhookEventType = keyof contract;

/** A subscription of a webhook: a type, a family such as `order.*`, or `*`. */
export type WebhookEventPattern = components['schemas']['EventPattern'];

/** The fields of every event. */
interface Told {
  /** The header webhook-id: the same each time that this event is sent. Use it to detect duplicates. */
  event_id: string;
  /** The time of the event, not of its delivery. */
  timestamp: string;
  /** The shop of the event, and the merchant that owns the shop. Missing in events that an earlier server created. */
  site_id?: string;
  merchant_id?: string;
  /** Only in test events. */
  test?: true;
}

type DataOf<Type extends WebhookEventType> = contract[Type]['post'] extends {
  requestBody: { content: { 'application/json': { data: infer Data } } };
}
  ? Open<Data>
  : never;

type KnownEvent = {
  [Type in WebhookEventType]: Told & { type: Type; data: DataOf<Type> };
}[WebhookEventType];

declare const unknown: unique symbol;

/**
 * A string that is not one of this version's literals. Its type is not `string`, which would keep a switch from
 * narrowing.
 */
export interface UnknownEventType {
  readonly [unknown]: never;
  toString(): string;
}

/** An event of a type that is newer than this version. */
export interface UnknownEvent extends Told {
  type: UnknownEventType;
  data: Record<string, unknown>;
}

/**
 * A verified event. A switch over `type` narrows the `data` of each; give it a default, since a newer server may send
 * more types. `WebhookEvent<'order.paid'>` is the event of one type.
 */
export type WebhookEvent<Type extends WebhookEventType | undefined = undefined> = Type extends WebhookEventType
  ? Extract<KnownEvent, { type: Type }>
  : KnownEvent | UnknownEvent;

import type { WebhookEventType } from '@commerce-backend/sdk';
import { REQUESTS, requestFields } from '../request-fields.ts';

export const EVENT_TYPES = requestFields('dashboard.triggerEvent').flatMap(
  ({ words = [] }) => words,
) as WebhookEventType[];

/** Help text that lists the event types and when each is sent. */
export const EVENT_TYPES_HELP = `
Events:
${EVENT_TYPES.map((type) => `  ${type.padEnd(22)} ${(REQUESTS.events[type] ?? '').replace(/^\w/, (letter) => letter.toLowerCase())}`).join('\n')}

In a subscription, order.* stands for the whole family, and '*' for all events.`;

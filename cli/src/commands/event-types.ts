import type { WebhookEventType } from '@commerce-backend/sdk';
import { REQUESTS, requestFields } from '../request-fields.ts';

/** Every type of event. */
export const EVENT_TYPES = requestFields('dashboard.triggerEvent').flatMap(
  ({ words = [] }) => words,
) as WebhookEventType[];

/** The types and the time of each event, for the help of commands that take one. */
export const EVENT_TYPES_HELP = `
Events:
${EVENT_TYPES.map((type) => `  ${type.padEnd(22)} ${(REQUESTS.events[type] ?? '').replace(/^\w/, (letter) => letter.toLowerCase())}`).join('\n')}

In a subscription, order.* stands for the whole family, and '*' for all events.`;

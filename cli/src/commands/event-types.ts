import type { WebhookEventType } from '@commerce-backend/sdk';
import { REQUESTS, requestFields } from '../request-fields.ts';

/** Every type of event. */
export const EVENT_TYPES = requestFields('dashboard.triggerEvent').flatMap(
  ({ words = [] }) => words,
) as WebhookEventType[];

/** The types and when each is sent, for the help of commands that take one. */
export const EVENT_TYPES_HELP = `
Events:
${EVENT_TYPES.map((type) => `  ${type.padEnd(22)} ${(REQUESTS.events[type] ?? '').replace(/^\w/, (letter) => letter.toLowerCase())}`).join('\n')}

Where events are subscribed to, order.* stands for all of that family, and '*' for all.`;

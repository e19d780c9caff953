import type { Command } from 'commander';
import { addCall } from '../call-command.ts';
import { asCalled, counted } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { EVENT_TYPES_HELP } from './event-types.ts';

const EXAMPLES = `
The event has the data of its example in the contract, and "test": true. Nothing else changes.

Examples:
  $ commerce trigger order.paid
${EVENT_TYPES_HELP}`;

/** `trigger`: sends a test event to all webhooks and listeners for its type. */
export function addTrigger(program: Command, terminal: Terminal): void {
  addCall(program, terminal, {
    name: 'trigger <type>',
    operation: 'dashboard.triggerEvent',
    description: 'Create a test event, for webhooks and for commerce listen.',
    examples: EXAMPLES,
    text: ({ webhooks_count, listeners_count, event_id }, { named }) => {
      const receivers = [countedIfAny(webhooks_count, 'webhook'), countedIfAny(listeners_count, 'listener')];
      if (webhooks_count + listeners_count > 0) {
        return `${named} goes to ${receivers.filter(Boolean).join(' and ')}, as event ${event_id}.`;
      }
      const remedy = 'Listen in another terminal: commerce listen --forward-to http://localhost:4000';
      return asCalled(`Nobody listens to ${named}. ${remedy}`, terminal);
    },
  });
}

function countedIfAny(count: number, noun: string): string {
  return count === 0 ? '' : counted(count, noun);
}

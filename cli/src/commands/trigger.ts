import { unwrap, type WebhookEventType } from '@commerce-backend/sdk';
import { Argument, type Command } from 'commander';
import { calls } from '../operations.ts';
import { asCalled, counted, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { withWords } from './completion.ts';
import { EVENT_TYPES, EVENT_TYPES_HELP, eventType } from './event-types.ts';
import { isJson } from './options.ts';

const EXAMPLES = `
The event has the data of its example in the contract, and "test": true. Nothing else happens.

Examples:
  $ commerce trigger order.paid
${EVENT_TYPES_HELP}`;

/** `trigger`: a test event for all subscribers of its type. */
export function addTrigger(program: Command, terminal: Terminal): void {
  calls(program.command('trigger'), 'dashboard.triggerEvent')
    .addArgument(withWords(new Argument('<event>', 'its type').argParser(eventType), EVENT_TYPES))
    .description('Make a test event, for webhooks and for commerce listen.')
    .addHelpText('after', EXAMPLES)
    .action((type: WebhookEventType, _options, command: Command) => trigger(type, command, terminal));
}

async function trigger(type: WebhookEventType, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const event = await unwrap(client.POST('/api/dashboard/events/trigger', { body: { type } }));
  show(terminal, isJson(command), event, () => {
    const { webhooks_count, listeners_count, event_id } = event;
    if (webhooks_count + listeners_count === 0) {
      return asCalled(
        `Nobody listens to ${type}. Listen in another terminal: commerce listen --forward-to http://localhost:4000`,
        terminal,
      );
    }
    const to = [countedIfAny(webhooks_count, 'webhook'), countedIfAny(listeners_count, 'listener')]
      .filter(Boolean)
      .join(' and ');
    return `${type} goes to ${to}, as event ${event_id}.`;
  });
}

function countedIfAny(count: number, noun: string): string {
  return count === 0 ? '' : counted(count, noun);
}

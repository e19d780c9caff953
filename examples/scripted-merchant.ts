import { callTool, reply, scriptedModel } from './scripted-model.ts';

/** Reads the orders to ship. If the staff member asks for it, requests a refund of the first order or its shipment. */
export const scriptedMerchant = () =>
  scriptedModel((wish, last) => {
    if (!last) return callTool('list_orders', { waiting_for: 'shipping', limit: 10 });
    const { orders, confirm_url, next } = last.answer as Answer;
    if (confirm_url) return reply(`Nothing has changed yet. Please confirm it at ${confirm_url}`);
    if (!orders) return reply(next ?? 'The shop has rejected it.');
    const [first] = orders;
    if (!first) return reply('No order must ship.');
    const [, amount] = /^refund (\d+\.\d\d)/i.exec(wish) ?? [];
    if (amount) return callTool('create_refund', { order_id: first.id, amount, reason: 'other' });
    if (/^ship/i.test(wish)) return callTool('create_fulfillment', { order_id: first.id });
    return reply(`These must ship: ${orders.map(({ order_number }) => order_number).join(', ')}.`);
  });

interface Answer {
  orders?: { id: string; order_number: string }[];
  confirm_url?: string;
  /** The next step that an error advises. */
  next?: string;
}

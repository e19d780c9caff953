import type { Command } from 'commander';
import { isLargeChange } from '../formats/decimals.ts';
import { plain } from '../output.ts';
import { confirm } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';
import type { YesOption } from './options.ts';

/** An object with a name and a price, such as a variant. */
export interface Priced {
  name: string;
  price: string;
  currency: string;
}

/** Asks for confirmation if a price changes by more than 80 %, which is usually a misplaced decimal point. */
export async function confirmPrice(
  { name, price: before, currency }: Priced,
  price: string | undefined,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { yes } = command.opts<YesOption>();
  if (yes || price === undefined || !isLargeChange(before, price)) return;
  await confirm(terminal, plain(`Change the price of ${name} from ${before} to ${price} ${currency}?`));
}

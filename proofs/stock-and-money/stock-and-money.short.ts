import { shortForm } from '../testing/short-form.ts';
import { D10 } from './amounts-as-text.ts';
import { F13 } from './changed-during-review.ts';
import { D4 } from './code-changed-at-checkout.ts';
import { I7 } from './code-guessing.ts';
import { D2 } from './concurrent-stock.ts';
import { D5 } from './discount-allocation.ts';
import { D3 } from './discount-code-limits.ts';
import { D1 } from './last-units.ts';
import { H9 } from './old-line-items.ts';
import { D11 } from './order-money.ts';
import { F11 } from './page-matches-order.ts';
import { D8 } from './sync-orders.ts';
import { D6 } from './unseen-prices.ts';

shortForm(D1, D2, D3, D4, D5, D6, D8, D10, D11, F11, F13, H9, I7);

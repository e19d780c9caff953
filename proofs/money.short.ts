import { D1 } from './d1-last-units.ts';
import { D2 } from './d2-stock-histories.ts';
import { D3 } from './d3-code-limits.ts';
import { D4 } from './d4-code-against-checkout.ts';
import { D5 } from './d5-allocations.ts';
import { D6 } from './d6-unseen-prices.ts';
import { D9 } from './d9-mark-paid.ts';
import { D10 } from './d10-money-strings.ts';
import { F11 } from './f11-human-truth.ts';
import { F13 } from './f13-swapped-reviews.ts';
import { H9 } from './h9-old-line-items.ts';
import { K4 } from './k4-late-money.ts';
import { shortForm } from './short-form.ts';

shortForm(D1, D2, D3, D4, D5, D6, D9, D10, F11, F13, H9, K4);

import { shortForm } from '../testing/short-form.ts';
import { C2 } from './cut-connections.ts';
import { C15 } from './deadlocks.ts';
import { C5 } from './ended-connections.ts';
import { C3 } from './failures-at-every-statement.ts';
import { C4 } from './lost-commits.ts';
import { I5 } from './rate-limits.ts';
import { C8 } from './redis-faults.ts';

shortForm(C2, C3, C4, C5, C8, C15, I5);

import { shortForm } from '../testing/short-form.ts';
import { E7 } from './agent-operations.ts';
import { E6 } from './agent-permissions.ts';
import { E11 } from './agent-with-storefront-token.ts';
import { E4 } from './agents-per-customer.ts';
import { M2 } from './all-protocols-at-once.ts';
import { E8 } from './audit-rows.ts';
import { E1 } from './budget-races.ts';
import { E2 } from './budgets-after-crashes.ts';
import { E5 } from './revocation.ts';
import { E3 } from './split-purchases.ts';

shortForm(E1, E2, E3, E4, E5, E6, E7, E8, E11, M2);

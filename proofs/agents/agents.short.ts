import { shortForm } from '../testing/short-form.ts';
import { E7 } from './agent-operations.ts';
import { E6 } from './agent-permissions.ts';
import { E11 } from './agent-with-storefront-token.ts';
import { E4 } from './agents-per-customer.ts';
import { M2 } from './all-protocols-at-once.ts';
import { E8 } from './audit-rows.ts';
import { M4 } from './audit-tampering.ts';
import { E1 } from './budget-races.ts';
import { E2 } from './budgets-after-crashes.ts';
import { F4 } from './consent-decisions.ts';
import { F1 } from './device-flow.ts';
import { M1 } from './oauth-attacks.ts';
import { F2 } from './one-token-per-approval.ts';
import { F5 } from './poll-idempotency.ts';
import { J7 } from './prompt-injections.ts';
import { E5 } from './revocation.ts';
import { E3 } from './split-purchases.ts';
import { F3 } from './user-code-guessing.ts';

// The proofs of one file share the tenants, which take longer to create than most of the attacks.
shortForm(E1, E2, E3, E4, E5, E6, E7, E8, E11, F1, F2, F3, F4, F5, J7, M1, M2, M4);

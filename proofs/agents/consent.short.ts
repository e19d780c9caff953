import { shortForm } from '../testing/short-form.ts';
import { M4 } from './audit-tampering.ts';
import { F4 } from './consent-decisions.ts';
import { F1 } from './device-flow.ts';
import { M1 } from './oauth-attacks.ts';
import { F2 } from './one-token-per-approval.ts';
import { F5 } from './poll-idempotency.ts';
import { J7 } from './prompt-injections.ts';
import { F3 } from './user-code-guessing.ts';

shortForm(F1, F2, F3, F4, F5, J7, M1, M4);

import { E1 } from './e1-budget-races.ts';
import { E3 } from './e3-split-purchases.ts';
import { E4 } from './e4-agent-cap.ts';
import { E6 } from './e6-mandates.ts';
import { E7 } from './e7-agent-reach.ts';
import { E8 } from './e8-audit-trail.ts';
import { E11 } from './e11-agent-beside-storefront.ts';
import { F1 } from './f1-oauth-client.ts';
import { F2 } from './f2-one-token.ts';
import { F3 } from './f3-code-guessing.ts';
import { F4 } from './f4-consent-moves.ts';
import { F5 } from './f5-poll-keys.ts';
import { J7 } from './j7-injections.ts';
import { M1 } from './m1-oauth-attacks.ts';
import { M4 } from './m4-audit-tampering.ts';
import { I5 } from './processes/i5-limits.ts';
import { shortForm } from './short-form.ts';

shortForm(E1, E3, E4, E6, E7, E8, E11, F1, F2, F3, F4, F5, I5, J7, M1, M4);

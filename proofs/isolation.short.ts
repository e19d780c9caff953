import { A1 } from './a1-foreign-ids.ts';
import { A2 } from './a2-foreign-people.ts';
import { A3 } from './a3-canaries.ts';
import { A4 } from './a4-credential-mixes.ts';
import { A5 } from './a5-row-level-security.ts';
import { A6 } from './a6-reused-connections.ts';
import { A7 } from './a7-id-oracle.ts';
import { A8 } from './a8-mass-assignment.ts';
import { A9 } from './a9-route-confusion.ts';
import { A10 } from './a10-declarations.ts';
import { J2 } from './j2-error-bodies.ts';
import { shortForm } from './short-form.ts';

shortForm(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, J2);

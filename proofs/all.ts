import { A1 } from './a1-foreign-ids.ts';
import { A3 } from './a3-canaries.ts';
import { A4 } from './a4-credential-mixes.ts';
import { A8 } from './a8-mass-assignment.ts';
import { A9 } from './a9-route-confusion.ts';
import { A10 } from './a10-declarations.ts';
import { D8 } from './d8-sync-orders.ts';
import type { Proof } from './frame.ts';
import { G2 } from './g2-receivers.ts';
import { G3 } from './g3-signatures.ts';
import { G4 } from './g4-forbidden-addresses.ts';
import { G5 } from './g5-dead-tenant.ts';
import { G6 } from './g6-duplicates.ts';
import { H1 } from './h1-one-effect.ts';
import { H2 } from './h2-key-reuse.ts';
import { H3 } from './h3-replay-window.ts';
import { H4 } from './h4-key-forms.ts';
import { H5 } from './h5-refusals.ts';
import { H6 } from './h6-contract-fuzz.ts';
import { H8 } from './h8-odd-texts.ts';
import { I1 } from './i1-patterns.ts';
import { J2 } from './j2-error-bodies.ts';
import { C5 } from './processes/c5-ended-connections.ts';
import { C8 } from './processes/c8-redis-faults.ts';
import { C12 } from './processes/c12-embedded-database.ts';
import { C13 } from './processes/c13-rolling-restarts.ts';
import { E9 } from './processes/e9-token-forgery.ts';
import { E10 } from './processes/e10-token-storage.ts';
import { G1 } from './processes/g1-killed-deliverers.ts';
import { G7 } from './processes/g7-told-secrets.ts';
import { I3 } from './processes/i3-oversized-bodies.ts';
import { J3 } from './processes/j3-log-injection.ts';
import { J4 } from './processes/j4-misconfiguration.ts';

/** All proofs, in the order of the table. */
export const PROOFS: Proof[] = [
  ...[A1, A3, A4, A8, A9, A10],
  ...[C5, C8, C12, C13],
  D8,
  ...[E9, E10],
  ...[G1, G2, G3, G4, G5, G6, G7],
  ...[H1, H2, H3, H4, H5, H6, H8],
  ...[I1, I3],
  ...[J2, J3, J4],
];

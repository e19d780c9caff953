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
import { B1 } from './b1-enumeration.ts';
import { B2 } from './b2-online-guessing.ts';
import { B3 } from './b3-reset-links.ts';
import { B4 } from './b4-ended-sessions.ts';
import { B5 } from './b5-forged-hosts.ts';
import { C15 } from './c15-deadlock-bait.ts';
import { D1 } from './d1-last-units.ts';
import { D2 } from './d2-stock-histories.ts';
import { D3 } from './d3-code-limits.ts';
import { D4 } from './d4-code-against-checkout.ts';
import { D5 } from './d5-allocations.ts';
import { D6 } from './d6-unseen-prices.ts';
import { D7 } from './d7-hostile-numbers.ts';
import { D8 } from './d8-sync-orders.ts';
import { D9 } from './d9-mark-paid.ts';
import { D10 } from './d10-money-strings.ts';
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
import { F11 } from './f11-human-truth.ts';
import { F13 } from './f13-swapped-reviews.ts';
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
import { H7 } from './h7-other-judges.ts';
import { H8 } from './h8-odd-texts.ts';
import { H9 } from './h9-old-line-items.ts';
import { H10 } from './h10-safe-requests.ts';
import { I1 } from './i1-patterns.ts';
import { I7 } from './i7-code-guessing.ts';
import { J2 } from './j2-error-bodies.ts';
import { J7 } from './j7-injections.ts';
import { J8 } from './j8-dependencies.ts';
import { K2 } from './k2-provider-webhooks.ts';
import { K3 } from './k3-refund-races.ts';
import { K4 } from './k4-late-money.ts';
import { K5 } from './k5-hostile-addresses.ts';
import { L3 } from './l3-two-editors.ts';
import { L5 } from './l5-deleted-sites.ts';
import { M1 } from './m1-oauth-attacks.ts';
import { M3 } from './m3-malformed-protocols.ts';
import { M4 } from './m4-audit-tampering.ts';
import { F6 } from './pages/f6-forged-forms.ts';
import { F7 } from './pages/f7-framing.ts';
import { F8 } from './pages/f8-planted-sessions.ts';
import { F9 } from './pages/f9-scripting.ts';
import { F10 } from './pages/f10-mixed-visits.ts';
import { F12 } from './pages/f12-ease-of-use.ts';
import { L4 } from './panel/l4-hostile-panel.ts';
import { B6 } from './processes/b6-login-flood.ts';
import { C1 } from './processes/c1-killed-servers.ts';
import { C2 } from './processes/c2-cut-connections.ts';
import { C3 } from './processes/c3-failpoints.ts';
import { C4 } from './processes/c4-lost-commits.ts';
import { C5 } from './processes/c5-ended-connections.ts';
import { C6 } from './processes/c6-database-restarts.ts';
import { C7 } from './processes/c7-partitions.ts';
import { C8 } from './processes/c8-redis-faults.ts';
import { C9 } from './processes/c9-full-disks.ts';
import { C12 } from './processes/c12-embedded-database.ts';
import { C13 } from './processes/c13-rolling-restarts.ts';
import { C14 } from './processes/c14-clocks.ts';
import { C16 } from './processes/c16-behind-pooler.ts';
import { E2 } from './processes/e2-killed-budgets.ts';
import { E5 } from './processes/e5-revocation.ts';
import { E9 } from './processes/e9-token-forgery.ts';
import { E10 } from './processes/e10-token-storage.ts';
import { G1 } from './processes/g1-killed-deliverers.ts';
import { G7 } from './processes/g7-told-secrets.ts';
import { I2 } from './processes/i2-slow-clients.ts';
import { I3 } from './processes/i3-oversized-bodies.ts';
import { I4 } from './processes/i4-expensive-reads.ts';
import { I5 } from './processes/i5-limits.ts';
import { I8 } from './processes/i8-memory-held.ts';
import { J1 } from './processes/j1-secrets-at-rest.ts';
import { J3 } from './processes/j3-log-injection.ts';
import { J4 } from './processes/j4-misconfiguration.ts';
import { J5 } from './processes/j5-health.ts';
import { J6 } from './processes/j6-backups.ts';
import { K1 } from './processes/k1-lost-payments.ts';
import { L1 } from './processes/l1-roles.ts';
import { L2 } from './processes/l2-uploads.ts';
import { M2 } from './processes/m2-all-ways-at-once.ts';

/** All proofs, in the order of the table. */
export const PROOFS: Proof[] = [
  ...[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10],
  ...[B1, B2, B3, B4, B5, B6],
  ...[C1, C2, C3, C4, C5, C6, C7, C8, C9, C12, C13, C14, C15, C16],
  ...[D1, D2, D3, D4, D5, D6, D7, D8, D9, D10],
  ...[E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11],
  ...[F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13],
  ...[G1, G2, G3, G4, G5, G6, G7],
  ...[H1, H2, H3, H4, H5, H6, H7, H8, H9, H10],
  ...[I1, I2, I3, I4, I5, I7, I8],
  ...[J1, J2, J3, J4, J5, J6, J7, J8],
  ...[K1, K2, K3, K4, K5],
  ...[L1, L2, L3, L4, L5],
  ...[M1, M2, M3, M4],
];

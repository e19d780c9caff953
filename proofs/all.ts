import { B1 } from './accounts/account-enumeration.ts';
import { B4 } from './accounts/ended-sessions.ts';
import { A2 } from './accounts/foreign-accounts.ts';
import { B5 } from './accounts/forged-hosts.ts';
import { E9 } from './accounts/forged-tokens.ts';
import { B6 } from './accounts/login-flood.ts';
import { B2 } from './accounts/password-guessing.ts';
import { B3 } from './accounts/reset-links.ts';
import { J1 } from './accounts/secrets-at-rest.ts';
import { L1 } from './accounts/staff-roles.ts';
import { E10 } from './accounts/stored-tokens.ts';
import { E7 } from './agents/agent-operations.ts';
import { E6 } from './agents/agent-permissions.ts';
import { E11 } from './agents/agent-with-storefront-token.ts';
import { E4 } from './agents/agents-per-customer.ts';
import { M2 } from './agents/all-protocols-at-once.ts';
import { E8 } from './agents/audit-rows.ts';
import { M4 } from './agents/audit-tampering.ts';
import { E1 } from './agents/budget-races.ts';
import { E2 } from './agents/budgets-after-crashes.ts';
import { F4 } from './agents/consent-decisions.ts';
import { F1 } from './agents/device-flow.ts';
import { M1 } from './agents/oauth-attacks.ts';
import { F2 } from './agents/one-token-per-approval.ts';
import { F5 } from './agents/poll-idempotency.ts';
import { J7 } from './agents/prompt-injections.ts';
import { E5 } from './agents/revocation.ts';
import { E3 } from './agents/split-purchases.ts';
import { F3 } from './agents/user-code-guessing.ts';
import { J6 } from './faults/backups.ts';
import { C14 } from './faults/clocks.ts';
import { C16 } from './faults/connection-pooler.ts';
import { C2 } from './faults/cut-connections.ts';
import { C6 } from './faults/database-restarts.ts';
import { C7 } from './faults/database-unreachable.ts';
import { C15 } from './faults/deadlocks.ts';
import { J8 } from './faults/dependencies.ts';
import { C12 } from './faults/embedded-database.ts';
import { C5 } from './faults/ended-connections.ts';
import { I4 } from './faults/expensive-reads.ts';
import { C17 } from './faults/failover.ts';
import { C3 } from './faults/failures-at-every-statement.ts';
import { C9 } from './faults/full-disk.ts';
import { J5 } from './faults/health.ts';
import { C1 } from './faults/killed-servers.ts';
import { C4 } from './faults/lost-commits.ts';
import { I8 } from './faults/memory-growth.ts';
import { J4 } from './faults/misconfiguration.ts';
import { L7 } from './faults/moving-shops.ts';
import { I5 } from './faults/rate-limits.ts';
import { C8 } from './faults/redis-faults.ts';
import { L6 } from './faults/retention.ts';
import { C13 } from './faults/rolling-restarts.ts';
import { I2 } from './faults/slow-clients.ts';
import { C18 } from './faults/standbys.ts';
import { H4 } from './idempotency/key-forms.ts';
import { H2 } from './idempotency/key-reuse.ts';
import { H1 } from './idempotency/one-effect.ts';
import { H10 } from './idempotency/reads-change-nothing.ts';
import { H3 } from './idempotency/replay-window.ts';
import { H5 } from './idempotency/replayed-rejections.ts';
import { H6 } from './input/contract-fuzz.ts';
import { J2 } from './input/error-bodies.ts';
import { D7 } from './input/hostile-numbers.ts';
import { J3 } from './input/log-injection.ts';
import { H8 } from './input/odd-texts.ts';
import { I3 } from './input/oversized-bodies.ts';
import { A8 } from './input/read-only-fields.ts';
import { I1 } from './input/slow-patterns.ts';
import { F12 } from './pages/accessibility.ts';
import { F6 } from './pages/forged-forms.ts';
import { F7 } from './pages/framing.ts';
import { F8 } from './pages/planted-sessions.ts';
import { K5 } from './pages/redirects.ts';
import { F9 } from './pages/scripting.ts';
import { F10 } from './pages/two-shops-in-one-browser.ts';
import { L4 } from './panel/hostile-panel.ts';
import { L3 } from './panel/two-editors.ts';
import { L2 } from './panel/uploads.ts';
import { D9 } from './payments/bank-transfers.ts';
import { K1 } from './payments/crashes-during-payment.ts';
import { K4 } from './payments/late-payments.ts';
import { K2 } from './payments/provider-webhooks.ts';
import { K3 } from './payments/refund-races.ts';
import { H7 } from './protocols/independent-validators.ts';
import { M3 } from './protocols/malformed-messages.ts';
import { D10 } from './stock-and-money/amounts-as-text.ts';
import { F13 } from './stock-and-money/changed-during-review.ts';
import { D4 } from './stock-and-money/code-changed-at-checkout.ts';
import { I7 } from './stock-and-money/code-guessing.ts';
import { D2 } from './stock-and-money/concurrent-stock.ts';
import { D5 } from './stock-and-money/discount-allocation.ts';
import { D3 } from './stock-and-money/discount-code-limits.ts';
import { D1 } from './stock-and-money/last-units.ts';
import { H9 } from './stock-and-money/old-line-items.ts';
import { D11 } from './stock-and-money/order-money.ts';
import { F11 } from './stock-and-money/page-matches-order.ts';
import { D8 } from './stock-and-money/sync-orders.ts';
import { D6 } from './stock-and-money/unseen-prices.ts';
import { A10 } from './tenancy/declared-access.ts';
import { L5 } from './tenancy/deleted-shops.ts';
import { A1 } from './tenancy/foreign-ids.ts';
import { A3 } from './tenancy/foreign-texts.ts';
import { A7 } from './tenancy/indistinguishable-ids.ts';
import { A4 } from './tenancy/mixed-credentials.ts';
import { A6 } from './tenancy/reused-connections.ts';
import { A9 } from './tenancy/route-confusion.ts';
import { A5 } from './tenancy/row-level-security.ts';
import type { Proof } from './testing/proof.ts';
import { G5 } from './webhooks/dead-receivers.ts';
import { G6 } from './webhooks/duplicates.ts';
import { G4 } from './webhooks/forbidden-addresses.ts';
import { G1 } from './webhooks/killed-workers.ts';
import { G2 } from './webhooks/retry-schedule.ts';
import { G7 } from './webhooks/secrets-in-events.ts';
import { G3 } from './webhooks/signatures.ts';

/** All proofs, in the order of the table. */
export const PROOFS: Proof[] = [
  ...[A1, A2, A3, A4, A5, A6, A7, A8, A9, A10],
  ...[B1, B2, B3, B4, B5, B6],
  ...[C1, C2, C3, C4, C5, C6, C7, C8, C9, C12, C13, C14, C15, C16, C17, C18],
  ...[D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11],
  ...[E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11],
  ...[F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13],
  ...[G1, G2, G3, G4, G5, G6, G7],
  ...[H1, H2, H3, H4, H5, H6, H7, H8, H9, H10],
  ...[I1, I2, I3, I4, I5, I7, I8],
  ...[J1, J2, J3, J4, J5, J6, J7, J8],
  ...[K1, K2, K3, K4, K5],
  ...[L1, L2, L3, L4, L5, L6, L7],
  ...[M1, M2, M3, M4],
];

import { together } from '../../db/connect.ts';
import { addressOfHost } from '../links.ts';
import type { Mails, MailTemplate, QueuedMail } from '../mail.ts';
import { NO_LEGAL } from '../merchant/brand.ts';
import { primaryHost } from '../merchant/domains.ts';
import { readFront } from '../merchant/front.ts';
import type { Shop } from '../shop.ts';
import * as accountTemplates from './account-templates.ts';
import { agentApproved } from './agent-templates.ts';
import type { MailContext } from './context.ts';
import { documentIssued } from './document-template.ts';
import { draftSent } from './draft-template.ts';
import { staffInvited } from './invitation-template.ts';
import { loginDelayed, staffLoginDelayed } from './login-delay-templates.ts';
import * as orderTemplates from './order-templates.ts';
import { refunded } from './refund-template.ts';
import { type Mail, type MailContent, render } from './rendering.ts';
import { returnChanged } from './return-templates.ts';
import { sensitiveChange, staffAccountChanged, staffPasswordReset } from './staff-account-templates.ts';
import { newReturn, newWithdrawal, orderDisputed } from './staff-order-templates.ts';
import { captureFailed, lowStock, paymentKept, refundFailed, webhookDisabled } from './staff-templates.ts';
import { withdrawalStated } from './withdrawal-templates.ts';

/** Returns undefined for a mail that is obsolete or has no recipient. */
type Writer<Template extends MailTemplate> = (
  context: MailContext,
  about: Mails[Template],
) => Promise<MailContent | undefined>;

const WRITERS: { [Template in MailTemplate]: Writer<Template> } = {
  registration: accountTemplates.registration,
  verification: accountTemplates.verification,
  address_changed_by_staff: accountTemplates.verificationByStaff,
  address_change_requested: accountTemplates.addressChangeRequested,
  address_change: accountTemplates.addressChange,
  address_changed: accountTemplates.addressChanged,
  password_reset: accountTemplates.passwordReset,
  password_changed: accountTemplates.passwordChanged,
  agent_approved: agentApproved,
  ...orderTemplates.WRITERS,
  order_refunded: refunded,
  document_issued: documentIssued,
  draft_sent: draftSent,
  return_changed: returnChanged,
  withdrawal_stated: withdrawalStated,
  login_delayed: loginDelayed,
  staff_login_delayed: staffLoginDelayed,
  staff_invited: staffInvited,
  staff_password_reset: staffPasswordReset,
  staff_account_changed: staffAccountChanged,
  sensitive_change: sensitiveChange,
  webhook_disabled: webhookDisabled,
  low_stock: lowStock,
  new_return: newReturn,
  new_withdrawal: newWithdrawal,
  order_disputed: orderDisputed,
  capture_failed: captureFailed,
  refund_failed: refundFailed,
  payment_kept: paymentKept,
};

/** Mails to staff have no links to the shop's terms, which are for customers. */
const FOR_STAFF: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  ...(['new_order', 'new_return', 'new_withdrawal', 'order_disputed', 'low_stock', 'webhook_disabled'] as const),
  ...(['capture_failed', 'refund_failed', 'payment_kept', 'sensitive_change', 'staff_account_changed'] as const),
  ...(['staff_invited', 'staff_password_reset', 'staff_login_delayed'] as const),
]);

/** Writes a queued mail with current data. */
export async function compose(
  shop: Shop,
  serverUrl: string,
  { template, about }: QueuedMail,
): Promise<Mail | undefined> {
  const [front, host] = await together(readFront(shop), primaryHost(shop));
  const write = WRITERS[template] as Writer<MailTemplate>;
  const baseUrl = addressOfHost(serverUrl, host);
  const content = await write({ shop, front, shop_name: front.name, baseUrl, serverUrl }, about);
  const signed = FOR_STAFF.has(template)
    ? { ...front, legal: NO_LEGAL, legal_texts: [], withdrawal_page: false }
    : front;
  return content && render(content, signed, baseUrl);
}

import { randomUUID } from 'node:crypto';
import { unwrap } from '@commerce-backend/sdk';
import { generateSync } from 'otplib';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../../server/test/tab.ts';
import { join, openMenu, PASSWORD } from './invitation.ts';
import { inPanel } from './visit.ts';

inPanel(
  'an invited person joins, sees the screens of their new role, and must log in again after being removed',
  async (visit) => {
    const { width, open, press, fill, sees, look } = visit;
    const email = `noor-${width}@staff.example`;
    await join(visit, email, 'fulfilment', async (other) => {
      await openMenu(other);
      expect(await other.text()).not.toContain('Discounts');
      await open('/settings/staff');
      await look('staff');
      await fill('Role of Noor Finch', 'support');
      await sees('The role is changed.');
      await other.open('/');
      await openMenu(other);
      await other.sees('Discounts');
      // Saves a form that was open when the role changed. The save is rejected with a message, and the form keeps its
      // input.
      const becomes = async (role: string) => {
        await fill('Role of Noor Finch', role);
        const now = async () =>
          (await unwrap(visit.dashboard.GET('/api/dashboard/staff'))).staff.find((one) => one.email === email);
        await expect.poll(now, { timeout: PATIENCE_MS }).toMatchObject({ role });
      };
      await becomes('manager');
      await other.open('/discounts/new');
      await other.fill('Code', 'KEPT');
      await other.fill('Percent', '10');
      await becomes('viewer');
      await other.press('Save');
      await other.sees('Your role does not allow this.');
      await press('Remove Noor Finch');
      await press('Remove');
      await sees('Removed.');
      // Confirms the browser's question whether to leave the unsaved form.
      other.tab.on('dialog', (dialog) => void dialog.accept());
      await other.open('/');
      await other.sees('E-mail');
    });
  },
);

inPanel('a staff member changes mail settings, turns on a second factor, and resets the password', async (visit) => {
  // Uses a new address for each attempt, because a first attempt may already have added its address to the staff.
  const email = `sam-${randomUUID()}@staff.example`;
  await join(visit, email, 'viewer', async (other) => {
    const { open, press, fill, sees, look, text, mailsTo, tab } = other;
    await open('/settings/notifications');
    await look('notifications');
    await press('Low stock', 'checkbox');
    await sees('Saved.');

    await open('/account');
    await look('account');
    await press('Turn on');
    await sees('Scan this');
    await look('two-factor');
    const secret = (await tab.$eval('.copyable code', (code) => code.textContent)) ?? '';
    await fill('Code from the app', generateSync({ secret }));
    await press('Turn on', 'button');
    await sees('Your recovery codes');
    await look('recovery-codes');
    await press('I have stored them');
    await sees('10 recovery codes are left.');
    await press('New recovery codes');
    await press('Make new codes');
    await sees('Your recovery codes');
    const [code = ''] = /[a-z2-9]{5}(-[a-z2-9]{5}){3}/.exec(await text()) ?? [];
    await press('I have stored them');
    await openMenu(other);
    await press('Log out');

    await press('Forgot your password?', 'link');
    await fill('E-mail', email);
    await press('Send me a link');
    await sees('an e-mail is on its way');
    const reset = async () => (await mailsTo(email)).findLast((mail) => mail.token.startsWith('rst_'))?.token;
    // Waits up to a minute, because the worker may first send the mails of other tests.
    await expect.poll(reset, { timeout: 60_000 }).toBeDefined();
    const token = (await reset()) ?? '';
    await open(`/reset#${token}`);
    await fill('New password', `${PASSWORD} again`);
    await look('reset');
    await press('Set the password');
    await sees('The password is set');

    await open('/');
    await fill('E-mail', email);
    await fill('Password', `${PASSWORD} again`);
    await press('Log in');
    await sees('Code of your authenticator app');
    await look('login-code');
    await fill('Code of your authenticator app', code);
    await press('Log in');
    await sees('Today');
  });
  const { staff } = await unwrap(visit.dashboard.GET('/api/dashboard/staff'));
  expect(staff.map((member) => member.email)).toContain(email);
});

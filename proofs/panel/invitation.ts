import { expect } from 'vitest';
import type { Visit } from './visit.ts';

export const PASSWORD = 'a meadow of blue thistles';

/** Invites a person, who accepts with the link from the mail in another browser. */
export async function join(visit: Visit, email: string, role: string, work: (other: Visit) => Promise<void>) {
  const { open, press, fill, sees, look, mailsTo, asStranger } = visit;
  await open('/settings/staff');
  await press('Invite somebody');
  await fill('E-mail', email);
  await fill('Role', role);
  await look('staff-invitation');
  await press('Invite');
  await sees('is on its way');
  const token = (await mailsTo(email)).at(-1)?.token ?? '';
  await asStranger(async (other) => {
    await other.open(`/invitation#${token}`);
    await other.sees('is invited as');
    expect(other.tab.url()).not.toContain('inv_');
    await other.look('invitation');
    await other.fill('Your name', 'Noor Finch');
    await other.fill('Password', PASSWORD);
    await other.press('Join');
    await other.sees('Today');
    await work(other);
  });
}

/** Opens the menu, which is closed on a phone. */
export async function openMenu({ width, tab }: Visit) {
  if (width < 600) await tab.locator('.menu-button').click();
}

/** The pages on which customers decide on agents' requests. */

import { sealOf } from '../../server/src/shop/agents/user-codes.ts';
import { SECRET_KEY } from '../../server/test/server.ts';
import { askForConsent } from '../testing/agents.ts';
import { ofCustomer, openReader, press } from './account-pages.ts';
import type { Furnished, PageKind } from './page-shops.ts';

/**
 * Creates a consent request whose texts are those of the shop, and returns the link that the agent shows to the
 * customer.
 */
async function askIn({ shop, texts }: Furnished): Promise<string> {
  const { site_id, premises } = shop;
  const { id, user_code } = await askForConsent(premises, { site_id, canary: texts.agent_name });
  await premises.owner.query(
    'update commerce.agent_consents set agent_name = $3, categories = $4 where site_id = $1 and id = $2',
    [site_id, id, texts.agent_name, [texts.agent_category]],
  );
  const seal = sealOf(SECRET_KEY, site_id, user_code);
  return `/agent-consent?site_id=${site_id}&user_code=${user_code}&seal=${seal}`;
}

export const CONSENT_PAGES: PageKind[] = [
  {
    name: 'what an agent asks for',
    async arrange(furnished) {
      await openReader(furnished);
      return askIn(furnished);
    },
    operations: [
      press('approve', { entries: () => ({ budget: '1.00', same_code: 'yes' }) }),
      press('deny'),
      press('log_out', { renews: true }),
    ],
    ...ofCustomer,
  },
  {
    name: 'the page that asks for the code of an agent',
    async arrange(furnished) {
      await openReader(furnished);
      return `/agent-consent?site_id=${furnished.shop.site_id}`;
    },
    // Entering a code changes nothing. It only redirects to the page of the request.
    operations: [],
    ...ofCustomer,
  },
];

/** The choices for the field `withdrawal_exempt`. */

import { t } from '../language/texts.ts';

export function WithdrawalOptions() {
  return (
    <>
      <option value="none">{t('Applies')}</option>
      <option value="custom_made">{t('Excluded: made to order')}</option>
      <option value="perishable">{t('Excluded: perishable')}</option>
      <option value="sealed_hygiene">{t('Excluded once unsealed: hygiene')}</option>
      <option value="digital">{t('Excluded once begun: digital content')}</option>
    </>
  );
}
